"""Figures of one style: colours of Okabe and Ito, a line style each, thin lines at what full sets give."""

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from app.inference.types import Floats

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7F7F7F")
DASHES: tuple[tuple[int, tuple[int, ...]], ...] = (
    (0, ()),
    (0, (6, 2)),
    (0, (2, 1)),
    (0, (6, 2, 1, 2)),
    (0, (1, 2)),
    (0, (9, 3)),
    (0, (4, 1, 1, 1, 1, 1)),
    (0, (3, 3)),
)
POINTS = 40  # of a curve, at most
STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e5e5",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "nextpair",
}
COMPARISONS, AGREEMENT = "comparisons asked of the judge", "Spearman correlation with people"


class Band(NamedTuple):
    """A curve, and the errors around it."""

    at: Floats  # (K,)
    mean: Floats  # (K,)
    error: Floats  # (K,)


def band_of(at: Floats, curves: Floats, ddof: int = 0) -> Band:
    """The mean of curves (C, K) with its standard error."""
    error = curves.std(axis=0, ddof=min(ddof, len(curves) - 1)) / np.sqrt(len(curves))
    return Band(at, curves.mean(axis=0), np.asarray(error, np.float64))


def line_chart(
    name: str,
    folder: Path,
    panels: Mapping[str, Mapping[str, Band]],
    levels: Mapping[str, float],
    columns: int = 3,
    axes_labels: tuple[str, str] = (COMPARISONS, AGREEMENT),
) -> None:
    """Draw a panel for each title: bands by name, and a level to compare with."""
    with mpl.rc_context(STYLE):
        figure, axes = grid(len(panels), columns)
        for ax, (title, bands) in zip(axes, panels.items(), strict=True):
            _curves(ax, bands, levels.get(title))
            ax.set_xlabel(axes_labels[0])
            ax.set_ylabel(axes_labels[1])
            ax.set_title(title)
            ax.legend(loc="lower right", fontsize=7)
        save(figure, folder, name)


def grid(panels: int, columns: int, width: float = 3.7) -> tuple[Figure, Sequence[Axes]]:
    columns = min(columns, panels)
    rows = ceil(panels / columns)
    figure = Figure(figsize=(width * columns, 3.1 * rows), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(rows, columns)).flat)
    for ax in axes[panels:]:
        ax.remove()
    return figure, axes[:panels]


def _curves(ax: Axes, bands: Mapping[str, Band], level: float | None) -> None:
    for k, (name, band) in enumerate(bands.items()):
        k_all = len(band.at)
        thin = np.unique(np.linspace(0, k_all - 1, min(POINTS, k_all)).round().astype(np.int64))
        x, mean, error = band.at[thin], band.mean[thin], band.error[thin]
        ax.plot(x, mean, label=name, color=COLOURS[k], linestyle=DASHES[k], linewidth=1.4)
        ax.fill_between(x, mean - error, mean + error, color=COLOURS[k], alpha=0.12, linewidth=0)
    if level is not None:
        ax.axhline(level, color="#7f7f7f", linewidth=0.8, label="all comparisons")


def save(figure: Figure, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
