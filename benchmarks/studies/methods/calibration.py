"""A judge's probabilities and a ranking's confidence, compared with people (GPM table 3, figure 5)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from pathlib import Path

import numpy as np

from app.inference.choosing import Criterion, Order, Policy
from app.inference.fitting import Scores
from app.inference.reporting import expected_wins, temperature
from app.inference.types import Bools, Floats
from app.offline.cases import Case
from app.offline.ranking import RankingMethod
from app.offline.replay import LocalLoop, Setup, replay
from app.offline.simulation import case_seed
from benchmarks.studies.methods import figures
from benchmarks.studies.methods.data import (
    HANNA,
    SUMMEVAL,
    SUMMEVAL_JUDGES,
    TOPICALCHAT,
    VICUNA,
    DataSet,
    missing,
    people_prefer,
    summeval,
)  # fmt: skip
from benchmarks.studies.methods.markdown import figure, table
from benchmarks.studies.methods.measuring import Band, Campaign

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
    sources = [each for each in (SUMMEVAL, TOPICALCHAT, HANNA, VICUNA) if not missing(campaign.datasets, each.folder)]
    judges = [SUMMEVAL._replace(title=judge, load=partial(summeval, judge=judge)) for judge in SUMMEVAL_JUDGES]
    tables = [_table(campaign, block) for block in (judges, *([each] for each in sources[1:] if each is not VICUNA))]
    panels = {each.title: _curves(campaign, each) for each in sources}
    figures.line_chart("rejection", campaign.figures, panels, {}, 2, ("share of pairs left out", "order of people"))
    caption = "Accuracy once the least sure pairs are left out; the mean over documents of all parts"
    return "\n\n".join([TEXT, *tables, REJECTION, figure("rejection", caption)])


def _table(campaign: Campaign, block: Sequence[DataSet]) -> str:
    parts = block[0].parts[: campaign.size.parts]
    return table(["judge", *parts], [[each.title, *(_error(campaign, each, part) for part in parts)] for each in block])


def _error(campaign: Campaign, data: DataSet, part: str) -> str:
    def measured() -> tuple[float, float]:
        cases = data.cases(campaign.datasets, part, campaign.size.some_documents)
        decided = [(case.offered[rows], people_prefer(case)[rows] > 0.0) for case in cases for rows in [_decided(case)]]
        p, preferred = (np.concatenate(each) for each in zip(*decided, strict=True))
        fit = temperature(p, preferred.astype(np.float64), "ece")
        return fit.before.ece, fit.after.ece

    name = str(("ece", data.title, part, campaign.size.some_documents))
    before, after = campaign.checkpoints.once(name, measured)
    return f"{100 * before:.1f} → {100 * after:.1f}"


def _decided(case: Case) -> Bools:
    """(N, N) asked, and distinguished by people."""
    return np.asarray(~np.isnan(case.offered) & (people_prefer(case) != 0.0))


def _curves(campaign: Campaign, data: DataSet) -> Mapping[str, Band]:
    parts = data.parts[: campaign.size.parts]
    tasks: Mapping[str, Callable[[], Floats]] = {
        str(("rejection", data.title, part, campaign.size.some_documents)): partial(
            _accuracies, campaign.datasets, data, part, campaign.size.some_documents
        )
        for part in parts
    }
    rows = np.concatenate(campaign.checkpoints.all(tasks, campaign.pool), axis=0)
    error = rows.std(axis=0) / np.sqrt(len(rows))
    names = ("judge's probability, all pairs", "ranking after 20% of the comparisons")
    return {name: Band(REJECTED, rows[:, k].mean(axis=0), error[k]) for k, name in enumerate(names)}


def _accuracies(folder: Path, data: DataSet, part: str, documents: int) -> Floats:
    """(C, 2, len(REJECTED)) by the judge's probability and by the ranking's."""
    return np.array([_of_case(case, k) for k, case in enumerate(data.cases(folder, part, documents))])


def _of_case(case: Case, k: int) -> Floats:
    i, j = np.nonzero(np.triu(~np.isnan(case.answers) & (people_prefer(case) != 0.0)))
    right = people_prefer(case)[i, j] > 0.0
    judged = 0.5 * (case.answers + 1.0 - case.answers.T)
    return np.array([_kept(p[i, j], right) for p in (judged, _probabilities(case, k))])


def _probabilities(case: Case, k: int) -> Floats:
    """(N, N) P(i is better than j) after SHARE of the comparisons."""
    setup = Setup(Policy(Criterion.REORDERING), Order.BALANCED, case_seed(0, k), RankingMethod("soft-bt"))
    loop = LocalLoop(case, setup)
    replay(loop, case, ceil(SHARE * case.ordered_pairs))
    return expected_wins(Scores(loop.posterior.mean, loop.posterior.covariance))


def _kept(p: Floats, right: Bools) -> Floats:
    """Accuracy once each share of REJECTED is left out, the least sure first; half right where p is 1/2."""
    hit = np.where(p == 0.5, 0.5, (p > 0.5) == right)[np.argsort(-np.abs(p - 0.5), kind="stable")]
    count = np.maximum(np.ceil((1.0 - REJECTED) * len(hit)).astype(np.int64), 1)
    return np.asarray(np.cumsum(hit)[count - 1] / count, np.float64)
