"""Probabilities of a judge against the difference that people see (PoE C.7, figures 9 and 10)."""

from typing import NamedTuple

import matplotlib as mpl
import numpy as np

from app.inference.types import Bools, Floats
from benchmarks.studies.methods import figures
from benchmarks.studies.methods.data import HANNA, SUMMEVAL, TOPICALCHAT, DataSet, missing, people_prefer
from benchmarks.studies.methods.markdown import figure, number, table
from benchmarks.studies.methods.measuring import Campaign

BINS = 12
SHOWN = ((SUMMEVAL, "coherence"), (TOPICALCHAT, "engagingness"), (HANNA, "SU"))

TEXT = """\
## Probability and score difference

As PoE's figures 9 and 10: every comparison of a part, by the judge's probability and by the difference between people's
scores of the two texts, in units of its standard deviation. The Gaussian model assumes that the mean is linear in p and
that the spread is the same everywhere. *Linear in p* and *in logit p* are shares of the variance that a straight line
explains."""


class BarDifferences(NamedTuple):
    p: Floats  # (K,)
    difference: Floats  # (K,)


def write(campaign: Campaign) -> str:
    shown = [each for each in SHOWN if not missing(campaign.datasets, each[0].folder)]
    read = {f"{source.title}, {part}": _differences(campaign, source, part) for source, part in shown}
    _draw(campaign, read)
    rows = [[title, *_explained(each)] for title, each in read.items()]
    header = ["comparisons of", "linear in p", "in logit p", "spread where p is near 1/2", "near 0 or 1"]
    caption = "Above: how many comparisons; below: mean difference and one standard deviation around it, by p"
    return "\n\n".join([TEXT, figure("p-against-difference", caption), table(header, rows)])


def _differences(campaign: Campaign, source: DataSet, part: str) -> BarDifferences:
    p, difference = [], []
    for case in source.cases(campaign.datasets, part, campaign.size.documents):
        offered = ~np.isnan(case.offered)
        p.append(case.offered[offered])
        difference.append(people_prefer(case)[offered])
    together = np.concatenate(difference)
    return BarDifferences(np.concatenate(p), together / together.std())


def _explained(each: BarDifferences) -> list[str]:
    p = np.clip(each.p, 0.005, 0.995)
    r2 = [np.corrcoef(x, each.difference)[0, 1] ** 2 for x in (p, np.log(p / (1.0 - p)))]
    near, far = np.abs(p - 0.5) < 0.1, np.abs(p - 0.5) > 0.35
    spread = [_residual(each, rows) for rows in (near, far)]
    return [f"{100 * value:.1f}%" for value in r2] + [number(value, 2) for value in spread]


def _residual(each: BarDifferences, rows: Bools) -> float:
    """Standard deviation around the mean on either side of 1/2."""
    p, difference = each.p[rows], each.difference[rows]
    sides = [difference[p < 0.5], difference[p >= 0.5]]
    return float(np.sqrt(np.mean(np.concatenate([(side - side.mean()) ** 2 for side in sides if side.size]))))


def _draw(campaign: Campaign, read: dict[str, BarDifferences]) -> None:
    with mpl.rc_context(figures.STYLE | {"axes.grid": False}):
        drawing, axes = figures.grid(2 * len(read), len(read), width=3.0)
        for column, (title, each) in enumerate(read.items()):
            counts, x, y = np.histogram2d(each.p, each.difference, bins=[BINS, BINS])
            joint, means = axes[column], axes[len(read) + column]
            joint.pcolormesh(x, y, np.log1p(counts).T, cmap="Blues")
            joint.set_title(title)
            edges = np.linspace(0.0, 1.0, BINS + 1)
            at = np.clip(np.digitize(each.p, edges) - 1, 0, BINS - 1)
            filled = [k for k in range(BINS) if np.count_nonzero(at == k) > 1]
            mean, sd = (np.array([f(each.difference[at == k]) for k in filled]) for f in (np.mean, np.std))
            means.errorbar(
                (edges[filled] + edges[1]) - edges[1] / 2, mean, sd, color=figures.COLOURS[0], fmt="o-", markersize=3
            )
            means.set_xlabel("judge's probability")
            for ax in (joint, means):
                ax.set_xlim(0.0, 1.0)
                ax.set_ylabel("difference by people (sd)")
        figures.save(drawing, campaign.figures, "p-against-difference")
