"""A judge with a liking for the first position: what it costs, and what estimating or debiasing gives back."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.inference.choosing.order import Order
from app.inference.choosing.selection import Criterion
from app.inference.fitting import posterior
from app.inference.reporting.bias import estimates
from app.inference.types import Comparisons, Floats, by_one_judge, join, no_comparisons, take
from app.offline.cases import Case
from app.offline.ranking import RankingMethod, model_of
from app.offline.replay import LocalLoop, full_set, replay
from app.offline.simulation import Curves, Job
from benchmarks.studies.methods import curves, data
from benchmarks.studies.methods.curves import SOFT_BT
from benchmarks.studies.methods.size import Size

DELTA = 1.0
WITHIN = 2.0  # standard errors
ESTIMATED = RankingMethod("soft-bt", position_bias="estimate")
REORDERING = [Criterion.REORDERING]


class Treatment(NamedTuple):
    """A way to deal with a bias."""

    name: str
    method: RankingMethod
    order: Order


TREATMENTS = (
    Treatment("one fixed order, ignored", SOFT_BT, Order.AS_SELECTED),
    Treatment("balanced order, ignored", SOFT_BT, Order.BALANCED),
    Treatment("balanced order, estimated", ESTIMATED, Order.BALANCED),
    Treatment("one fixed order, estimated", ESTIMATED, Order.AS_SELECTED),
    Treatment("both orders", SOFT_BT, Order.BOTH),
)


class BiasEstimate(NamedTuple):
    """A bias in logits, with its standard error."""

    delta: float
    sd: float

    @property
    def z(self) -> float:
        return (self.delta - DELTA) / self.sd


class BiasEstimates(NamedTuple):
    """Estimates of the bias from the comparisons until 90% was reached."""

    single: Sequence[BiasEstimate]  # one for each document, dimension and seed
    pooled: Sequence[BiasEstimate]  # one for each dimension and seed


class Recorder:
    """Runs jobs one by one and keeps every log, in their order."""

    def __init__(self) -> None:
        self.logs: list[Comparisons] = []

    def __call__(self, jobs: Sequence[Job]) -> Iterator[Floats]:
        for job in jobs:
            loop = LocalLoop(job.case, job.setup)
            yield replay(loop, job.case, job.limit)
            self.logs.append(loop.comparisons)


class BiasStudy(NamedTuple):
    """SummEval with a bias of DELTA."""

    fair: Mapping[str, float]  # full-set correlation without the bias, by dimension
    fair_some: Mapping[str, float]  # the same of the documents that were treated
    treated: Mapping[str, Mapping[str, Curves]]  # by treatment and dimension
    acceptance: Mapping[str, Curves]  # the bias estimated, both criteria
    estimates: Mapping[Criterion, BiasEstimates]


def summeval(folder: Path, size: Size, fair: Mapping[str, float]) -> BiasStudy:
    parts = {dimension: biased_cases(folder, size, dimension) for dimension in size.summeval}
    some = {dimension: cases[: size.few_documents] for dimension, cases in parts.items()}
    treated = {
        name: curves.measure(f"SummEval, bias, {name}", some, REORDERING, size.few_seeds, method, order, 0.3)
        for name, method, order in TREATMENTS
    }
    criteria = [Criterion.REORDERING, Criterion.EXPONENT]
    recorders: dict[str, Recorder] = {}
    accepted: dict[str, Curves] = {}
    for part, cases in parts.items():
        recorders[part] = Recorder()
        one = {part: cases}
        title = "SummEval, bias, acceptance"
        accepted |= curves.measure(title, one, criteria, size.seeds, ESTIMATED, limit=0.22, run_all=recorders[part])
    at_stops = {criterion: stops(criterion, criteria, accepted, recorders, fair) for criterion in criteria}
    return BiasStudy(fair, {part: agreement(cases) for part, cases in some.items()}, treated, accepted, at_stops)


def agreement(cases: Sequence[Case]) -> float:
    """Agreement of the same judge without the bias, from all comparisons."""
    fair = [data.biased(case, -DELTA) for case in cases]
    return float(np.mean([full_set(case, SOFT_BT) for case in fair]))


def biased_cases(folder: Path, size: Size, dimension: str) -> list[Case]:
    cases = data.summeval(folder, dimension)[: size.documents]
    return [data.biased(case, DELTA) for case in cases if np.ptp(case.truth) > 0.0]


def stops(
    criterion: Criterion,
    criteria: Sequence[Criterion],
    accepted: Mapping[str, Curves],
    recorders: Mapping[str, Recorder],
    fair: Mapping[str, float],
) -> BiasEstimates:
    """Estimate the bias where each seed's mean curve first reaches 90%."""
    single: list[BiasEstimate] = []
    pooled: list[BiasEstimate] = []
    for part, row in zip(accepted, curves.needed(accepted, criterion, fair), strict=True):
        logs = recorders[part].logs
        documents = accepted[part].cases
        start = criteria.index(criterion) * len(row) * documents
        for seed, count in enumerate(row):
            if np.isnan(count):
                continue
            begin = start + seed * documents
            stopped = [take(log, slice(int(count))) for log in logs[begin : begin + documents]]
            single += [estimate(log, 1 + int(max(log.first.max(), log.second.max()))) for log in stopped]
            pooled.append(estimate(*together(stopped)))
    return BiasEstimates(single, pooled)


def together(logs: Sequence[Comparisons]) -> tuple[Comparisons, int]:
    """Join logs into one over the candidates of all, and count those."""
    joined, n = no_comparisons(), 0
    for log in logs:
        joined = join(joined, log._replace(first=log.first + n, second=log.second + n))
        n += 1 + int(max(log.first.max(), log.second.max()))
    return joined, n


def estimate(log: Comparisons, n: int) -> BiasEstimate:
    model = model_of(ESTIMATED, n)
    (bias,) = estimates(posterior.fit(log, model), log, model)
    return BiasEstimate(bias.delta, bias.sd)


class Reviewer(NamedTuple):
    """One judge of Vicuna's questions."""

    treated: Mapping[str, Curves]  # by treatment
    delta: BiasEstimate  # from every verdict


def vicuna(folder: Path, size: Size) -> dict[str, Reviewer]:
    return {judge: _reviewer(data.vicuna(folder, judge)[: size.documents], judge, size) for judge in size.judges}


def _reviewer(cases: Sequence[Case], judge: str, size: Size) -> Reviewer:
    treated = {
        name: curves.measure(f"Vicuna, {name}", {judge: cases}, REORDERING, size.few_seeds, method, order)[judge]
        for name, method, order in TREATMENTS
    }
    return Reviewer(treated, estimate(*together([everything(case) for case in cases])))


def everything(case: Case) -> Comparisons:
    first, second = np.nonzero(~np.isnan(case.offered))
    return by_one_judge(first, second, case.offered[first, second])
