"""A judge's probabilities and a ranking's confidence, compared with people (GPM table 3, figure 5).

And those probabilities against the difference that people see (PoE C.7, figures 9 and 10).
"""

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np

from app.inference.choosing import Criterion, Order, Policy
from app.inference.fitting import Scores
from app.inference.reporting import expected_wins, temperature
from app.inference.types import Bools, Floats
from app.offline.cases import Case
from app.offline.ranking import RankingMethod
from app.offline.replay import LocalLoop, Setup, replay
from app.offline.simulation import case_seed
from benchmarks.pages import figure, number, table
from benchmarks.studies import figures
from benchmarks.studies.data import (
    HANNA,
    SUMMEVAL,
    SUMMEVAL_JUDGES,
    TOPICALCHAT,
    VICUNA,
    DataSet,
    by_judge,
    people_prefer,
)
from benchmarks.studies.figures import Band, band_of
from benchmarks.studies.methods.measuring import Campaign

SHARE = 0.2  # of N (N - 1)
REJECTED = np.linspace(0.0, 0.9, 19)

TEXT = """\
## Calibration

As GPM's table 3: expected calibration error in percent of a judge's probabilities, compared with which of the two texts
people score higher (equal scores are left out), and the same with the best temperature. Vicuna's judges give
winners without probabilities."""

REJECTION = """\
As GPM's figure 5: how often an order is that of people, once the least confident pairs are left out: by the judge's own
probability (all pairs asked), and by the ranking's probability of the order after 20% of the comparisons. A curve that
does not rise means that low confidence does not indicate errors."""


def write(campaign: Campaign) -> str:
    sources = campaign.present(SUMMEVAL, TOPICALCHAT, HANNA, VICUNA)
    judges = [by_judge(judge)._replace(title=judge) for judge in SUMMEVAL_JUDGES]
    tables = [_table(campaign, block) for block in (judges, *([each] for each in sources[1:] if each is not VICUNA))]
    panels = {each.title: _curves(campaign, each) for each in sources}
    figures.line_chart("rejection", campaign.figures, panels, {}, 2, ("share of pairs left out", "order of people"))
    caption = "Accuracy once the least sure pairs are left out; the mean over documents of all parts"
    return "\n\n".join([TEXT, *tables, REJECTION, figure("rejection", caption)])


def _table(campaign: Campaign, block: Sequence[DataSet]) -> str:
    rows = [[each.title, *campaign.of_parts(_errors, each, campaign.size.some_documents)] for each in block]
    return table(["judge", *block[0].parts[: campaign.size.parts]], rows)


def _errors(folder: Path, data: DataSet, part: str, documents: int) -> str:
    """Before and after calibration, in percent."""
    cases = data.cases(folder, part, documents)
    decided = [(case.offered[rows], people_prefer(case)[rows] > 0.0) for case in cases for rows in [_decided(case)]]
    p, preferred = (np.concatenate(each) for each in zip(*decided, strict=True))
    fit = temperature(p, preferred.astype(np.float64), "ece")
    return f"{100 * fit.before.ece:.1f} → {100 * fit.after.ece:.1f}"


def _decided(case: Case) -> Bools:
    """(N, N) asked, and distinguished by people."""
    return np.asarray(~np.isnan(case.offered) & (people_prefer(case) != 0.0))


def _curves(campaign: Campaign, data: DataSet) -> Mapping[str, Band]:
    rows = np.concatenate(campaign.of_parts(_accuracies, data, campaign.size.some_documents), axis=0)
    names = ("judge's probability, all pairs", "ranking after 20% of the comparisons")
    return {name: band_of(REJECTED, rows[:, k]) for k, name in enumerate(names)}


def _accuracies(folder: Path, data: DataSet, part: str, documents: int) -> Floats:
    """(C, 2, len(REJECTED)) by the judge's probability and by the ranking's."""
    return np.array([_of_case(case, k) for k, case in enumerate(data.cases(folder, part, documents))])


def _of_case(case: Case, k: int) -> Floats:
    i, j = np.nonzero(np.triu(~np.isnan(case.answers) & (people_prefer(case) != 0.0)))
    right = people_prefer(case)[i, j] > 0.0
    judged = 0.5 * (case.answers + 1.0 - case.answers.T)
    return np.array([kept(p[i, j], right) for p in (judged, _probabilities(case, k))])


def _probabilities(case: Case, k: int) -> Floats:
    """(N, N) P(i is better than j) after SHARE of the comparisons."""
    setup = Setup(Policy(Criterion.REORDERING), Order.BALANCED, case_seed(0, k), RankingMethod("soft-bt"))
    loop = LocalLoop(case, setup)
    replay(loop, case, ceil(SHARE * case.ordered_pairs))
    return expected_wins(Scores(loop.posterior.mean, loop.posterior.covariance))


def kept(p: Floats, right: Bools) -> Floats:
    """Accuracy once each share of REJECTED is left out, the least sure first; half right where p is 1/2."""
    hit = np.where(p == 0.5, 0.5, (p > 0.5) == right)[np.argsort(-np.abs(p - 0.5), kind="stable")]
    count = np.maximum(np.ceil((1.0 - REJECTED) * len(hit)).astype(np.int64), 1)
    return np.asarray(np.cumsum(hit)[count - 1] / count, np.float64)


# Probabilities and differences

BINS = 12
SHOWN = ((SUMMEVAL, "coherence"), (TOPICALCHAT, "engagingness"), (HANNA, "SU"))

DIFFERENCES = """\
## Probability and score difference

As PoE's figures 9 and 10: every comparison of a part, by the judge's probability and by the difference between people's
scores of the two texts, in units of its standard deviation. The Gaussian model assumes that the mean is linear in p and
that the spread is the same everywhere. *Linear in p* and *in logit p* are shares of the variance that a straight line
explains."""


class BarDifferences(NamedTuple):
    p: Floats  # (K,)
    difference: Floats  # (K,)


def write_differences(campaign: Campaign) -> str:
    read = {
        f"{source.title}, {part}": _differences(campaign, source, part)
        for source, part in SHOWN
        if campaign.present(source)
    }
    _draw(campaign, read)
    rows = [[title, *_explained(each)] for title, each in read.items()]
    header = ["comparisons of", "linear in p", "in logit p", "spread where p is near 1/2", "near 0 or 1"]
    caption = "Above: how many comparisons; below: mean difference and one standard deviation around it, by p"
    return "\n\n".join([DIFFERENCES, figure("p-against-difference", caption), table(header, rows)])


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
