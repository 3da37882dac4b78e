"""Pictures of results, as SVG or PNG: the same for the service, its pages and the command line."""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Form = Literal["svg", "png"]

MEDIA_TYPES: dict[Form, str] = {"svg": "image/svg+xml", "png": "image/png"}
WIDTH, ROW, MARGIN = 9.0, 0.24, 0.9  # inches
FAINT, INK, ACCENT, SECOND = "#52606d", "#1f2933", "#0072B2", "#D55E00"  # told apart by colour-blind readers too
LONGEST = 28  # characters of a name
MOST_ROWS = 400  # that have a name each; more are drawn as a band
BANDS = 1000  # steps of a band
STYLE: dict[Any, Any] = {
    "font.family": ["sans-serif", "Last Resort High-Efficiency"],  # the reader's fonts know more than ours
    "font.size": 9.0,
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "nextpair",
}
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # which says that the last font is never bold
DRAWING = Lock()  # matplotlib's settings are those of the whole process
NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not even escaped


class CannotDraw(RuntimeError):
    """Matplotlib is not installed."""

    exit_code = 1  # of a command that ends with it


class ForestRow(NamedTuple):
    """One candidate."""

    name: str
    score: float
    interval: tuple[float, float] | None
    note: str  # at the right


class Curve(NamedTuple):
    name: str
    x: Sequence[float]
    y: Sequence[float]


def forest(rows: Sequence[ForestRow], title: str, caption: str, form: Form = "svg") -> bytes:
    """Scores and intervals, best first; of very many candidates only what can be seen, without their names."""
    if len(rows) > MOST_ROWS:
        return _band(rows, title, caption, form)
    with _drawing(len(rows) * ROW + MARGIN) as figure:
        ax = figure.add_axes((0.28, 0.35 / figure.get_figheight(), 0.52, 1.0 - 0.75 / figure.get_figheight()))
        _forest(ax, rows)
        _words(figure, title, caption)
        return _saved(figure, form)


def _band(rows: Sequence[ForestRow], title: str, caption: str, form: Form) -> bytes:
    """Scores by rank, and the widest interval of the candidates next to each other."""
    scores = np.array([row.score for row in rows])
    ends = np.array([row.interval or (row.score, row.score) for row in rows])
    begins = np.unique(np.linspace(0, len(rows), BANDS, endpoint=False).astype(np.int64))
    low, high = np.minimum.reduceat(ends[:, 0], begins), np.maximum.reduceat(ends[:, 1], begins)
    with _drawing(4.5) as figure:
        ax = figure.add_axes((0.08, 0.16, 0.89, 0.72), xlabel="rank", ylabel="score")
        ax.fill_between(begins + 1, low, high, color=ACCENT, alpha=0.25, linewidth=0, step="post")
        ax.plot(begins + 1, scores[begins], color=INK, linewidth=1.2)
        ax.axhline(0.0, color=FAINT, linestyle=":", linewidth=0.8)
        _words(figure, title, caption)
        return _saved(figure, form)


def lines(panels: Sequence[tuple[str, str, Curve]], title: str, form: Form = "svg") -> bytes:
    """One panel for each (label of x, label of y, curve)."""
    with _drawing(2.9) as figure:
        for n, (x, y, curve) in enumerate(panels):
            ax = figure.add_subplot(1, len(panels), n + 1, xlabel=x, ylabel=y)
            ax.plot(curve.x, curve.y, color=(ACCENT, SECOND)[n % 2], marker="o", markersize=3)
            ax.grid(visible=True, color="#e4e7eb")
        figure.subplots_adjust(left=0.09, right=0.98, bottom=0.2, top=0.86, wspace=0.3)
        _words(figure, title, "")
        return _saved(figure, form)


def reliability(curves: Sequence[Curve], rest: Curve, title: str, caption: str, form: Form = "svg") -> bytes:
    """Stated confidence against the share that was right; the share that is right of the `rest`, the surest."""
    with _drawing(3.6, width=8.4) as figure:
        ax = figure.add_axes((0.08, 0.15, 0.4, 0.7), xlabel="confidence", ylabel="share that was right")
        ax.plot([0.5, 1.0], [0.5, 1.0], color=FAINT, linestyle=":", linewidth=1)
        for n, curve in enumerate(curves):
            ax.plot(curve.x, curve.y, color=(ACCENT, SECOND)[n % 2], marker="os"[n % 2], label=curve.name)
        ax.legend(frameon=False)
        ax = figure.add_axes((0.57, 0.15, 0.4, 0.7), xlabel="least sure verdicts left out", ylabel="right of the rest")
        ax.plot(rest.x, rest.y, color=ACCENT, marker="o", markersize=3)
        ax.grid(visible=True, color="#e4e7eb")
        _words(figure, title, "")
        return _saved(figure, form)


def span(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}–{worst}"


def _forest(ax: "Axes", rows: Sequence[ForestRow]) -> None:
    at, scores = np.arange(len(rows)), np.array([row.score for row in rows], np.float64)
    known = [n for n, row in enumerate(rows) if row.interval is not None]
    ends = np.array([rows[n].interval for n in known], np.float64).reshape(-1, 2)
    ax.hlines(known, ends[:, 0], ends[:, 1], color=ACCENT, linewidth=2)
    ax.scatter(scores, at, s=18, color=INK, zorder=3)
    ax.axvline(0.0, color=FAINT, linestyle=":", linewidth=0.8)
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    ax.set_yticks([])
    beside = ax.get_yaxis_transform()
    for n, row in enumerate(rows):
        ax.text(-0.02, n, _short(row.name), transform=beside, ha="right", va="center", color=INK)
        ax.text(1.02, n, row.note, transform=beside, va="center", color=FAINT)


def _words(figure: "Figure", title: str, caption: str) -> None:
    height = figure.get_figheight()
    figure.text(0.01, 1.0 - 0.12 / height, _clean(title), size=11, weight="bold", va="top", color=INK)
    figure.text(0.01, 0.06 / height, _clean(caption), color=FAINT, va="bottom")


@contextmanager
def _drawing(height: float, width: float = WIDTH) -> Iterator["Figure"]:
    try:
        import matplotlib as mpl  # takes half a second: only who draws waits for it
        from matplotlib.figure import Figure
    except ImportError as error:
        raise CannotDraw("A picture needs matplotlib: pip install 'nextpair-server[plots]'") from error
    with DRAWING, mpl.rc_context(STYLE):
        yield Figure((width, height))


def _saved(figure: "Figure", form: Form) -> bytes:
    out = BytesIO()
    figure.savefig(out, format=form, dpi=144, metadata={"Date": None} if form == "svg" else None)
    return out.getvalue()


def _short(name: str) -> str:
    name = _clean(name)
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _clean(text: str) -> str:
    return NO_XML.sub("\ufffd", text)
