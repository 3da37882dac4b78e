"""Simulations of a data set in its parts, and what is read off them, with errors.

cost        comparisons until the mean correlation over the documents is a share of what the full set gives
its error   the standard deviation of the mean over parts and seeds when the documents are drawn again
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from app.inference.choosing import Criterion, Order, Policy
from app.inference.types import Floats
from app.offline.cases import tempered
from app.offline.ranking import RankingMethod
from app.offline.replay import Setup
from app.offline.simulation import RESAMPLES, Curves, Way, reach, resampled_costs, simulate
from benchmarks.studies.data import DataSet, missing
from benchmarks.studies.figures import Band
from benchmarks.studies.running import Checkpoints, say

T = TypeVar("T")


class Size(NamedTuple):
    """How much of everything is measured."""

    documents: int = 100  # of a part, at most
    some_documents: int = 20  # where many judges or methods are compared
    parts: int = 4  # of a data set, at most
    draws: int = 5  # of pairs that all scoring methods read
    batched: int = 2000  # comparisons among all stories
    batched_parts: int = 4
    stories: int | None = None


class Campaign(NamedTuple):
    """Everything that is measured: from which data, how much of it, where results go, and who works."""

    datasets: Path  # a folder for each
    figures: Path
    size: Size
    checkpoints: Checkpoints
    pool: Executor

    def present(self, *sources: DataSet) -> list[DataSet]:
        """Those whose data is there."""
        return [source for source in sources if not missing(self.datasets, source.folder)]

    def of_parts(self, measure: Callable[..., T], source: DataSet, *arguments: Any) -> list[T]:
        """`measure(folder, source, part, *arguments)` of each part."""
        name, parts = (measure.__module__, measure.__name__, source.title), source.parts[: self.size.parts]
        tasks = {
            str((*name, part, *arguments)): partial(measure, self.datasets, source, part, *arguments) for part in parts
        }
        return self.checkpoints.all(tasks, self.pool)


class JudgeFile(NamedTuple):
    """A manner of answering: what `nextpair simulate` does to the judge's logits."""

    name: str
    temperature: float = 1.0
    noise: float = 0.0

    @property
    def command(self) -> str:
        tempered = f" --temperature {self.temperature:.4g}" * (self.temperature != 1.0)
        return tempered + f" --noise {self.noise}" * (self.noise > 0.0)


CONSISTENT, SHARP, FLAT = JudgeFile("consistent"), JudgeFile("sharp (x3)", 1 / 3), JudgeFile("flat (x1/3)", 3.0)
NOISY, NOISIER = JudgeFile("noise 0.5", noise=0.5), JudgeFile("noise 1", noise=1.0)
JUDGES = (CONSISTENT, NOISY, NOISIER, SHARP, FLAT)


class MeasuringPlan(NamedTuple):
    """Settings of a simulation, except for the data."""

    ways: tuple[Way, ...]
    judge: JudgeFile = CONSISTENT
    method: RankingMethod = RankingMethod("soft-bt")
    order: Order = Order.BALANCED
    limit: float = 1.0  # a share of N (N - 1)
    seeds: int = 1
    epsilon: float = 0.5
    batch: int = 1
    pooled: bool = False


Measured = Mapping[str, Curves]  # by part


class Estimate(NamedTuple):
    value: float
    error: float
    bound: bool = False  # some seed never got there: the value is a lower bound

    def text(self, times: float = 1.0, form: str = ".1f") -> str:
        return f"{'> ' * self.bound}{times * self.value:{form}} ± {times * self.error:{form.lstrip('+')}}"


def measure(campaign: Campaign, source: DataSet, plan: MeasuringPlan, documents: int | None = None) -> Measured:
    """Every part. Args: `documents` of a part at most, by default as the size says."""
    say(f"{source.title}, {plan.judge.name}, {plan.method.name}, {plan.method.verdict_weight}")
    count, parts = documents or campaign.size.documents, source.parts[: campaign.size.parts]
    tasks = {
        str((source.title, part, count, plan._replace(ways=()), way)): partial(
            _simulated, campaign.datasets, source, part, count, plan, way
        )
        for part, way in product(parts, plan.ways)
    }
    of_each = iter(campaign.checkpoints.all(tasks, campaign.pool))
    return {part: _merged([next(of_each) for _ in plan.ways]) for part in parts}


def _simulated(folder: Path, source: DataSet, part: str, documents: int, plan: MeasuringPlan, way: Way) -> Curves:
    """One way of choosing pairs, on one part; by the code of `nextpair simulate`."""
    judged = [tempered(case, plan.judge.temperature) for case in source.cases(folder, part, documents)]
    setup = Setup(Policy(Criterion.RANDOM, plan.epsilon), plan.order, 0, plan.method, plan.batch, plan.pooled)
    return simulate(judged, [way], plan.seeds, setup, plan.limit, noise=plan.judge.noise)


def _merged(of_ways: Sequence[Curves]) -> Curves:
    """The ways together, of curves that have one each."""
    agreement = {way: each for curves in of_ways for way, each in curves.agreement.items()}
    pearson = {way: each for curves in of_ways for way, each in curves.pearson.items()}
    return of_ways[0]._replace(agreement=agreement, pearson=pearson)


def by_part(measured: Measured) -> dict[str, Measured]:
    """Each part alone."""
    return {part: {part: curves} for part, curves in measured.items()}


def cost(measured: Measured, way: Way, target: float) -> Estimate:
    """The mean cost over parts and seeds; one more than was asked for a seed that never got there."""
    reached = [reach(each.mean(way), target * float(each.full.mean())) for each in measured.values()]
    last = [curves.agreement[way].shape[2] + 1 for curves in measured.values()]
    counts = [[most if count is None else count for count in part] for part, most in zip(reached, last, strict=True)]
    is_bound = any(None in of_part for of_part in reached)
    return Estimate(float(np.mean(counts)), float(np.std(_drawn(measured, way, target))), is_bound)


def saving(measured: Measured, way: Way, than: Measured, other: Way, target: float) -> Estimate:
    """Comparisons that `way` saves against `other`, on the same documents."""
    value = cost(than, other, target).value - cost(measured, way, target).value
    return Estimate(value, float(np.std(_drawn(than, other, target) - _drawn(measured, way, target))))


def _drawn(measured: Measured, way: Way, target: float) -> Floats:
    return np.asarray(np.mean([resampled_costs(curves, way, target) for curves in measured.values()], axis=0))


def reached(measured: Measured, way: Way, comparisons: int) -> Estimate:
    """The mean correlation after so many comparisons, or the last."""
    curves = [each.agreement[way] for each in measured.values()]
    return mean_over_documents([each[:, :, min(comparisons, each.shape[2]) - 1].mean(axis=0) for each in curves])


def lead(measured: Measured, way: Way, than: Measured, other: Way, comparisons: int) -> Estimate:
    """Difference of the correlation of `way` and that of `other`, the mean over so many first comparisons."""
    pairs = [(measured[part].agreement[way], than[part].agreement[other]) for part in measured]
    margins = [(ours[:, :, :comparisons] - theirs[:, :, :comparisons]).mean(axis=(0, 2)) for ours, theirs in pairs]
    return mean_over_documents(margins)


def full(measured: Measured) -> Estimate:
    return mean_over_documents([curves.full for curves in measured.values()])


def mean_over_documents(parts: Sequence[Floats]) -> Estimate:
    """The mean over parts of the mean over each one's documents (C,)."""
    drawn = [np.random.default_rng(0).choice(part, (RESAMPLES, len(part))).mean(axis=1) for part in parts]
    return Estimate(float(np.mean([part.mean() for part in parts])), float(np.std(np.mean(drawn, axis=0))))


def band(measured: Measured, way: Way) -> Band:
    shortest = min(curves.agreement[way].shape[2] for curves in measured.values())
    parts = [curves.agreement[way][:, :, :shortest].mean(axis=0) for curves in measured.values()]
    mean = np.mean([part.mean(axis=0) for part in parts], axis=0)
    variance = np.mean([part.var(axis=0) / len(part) for part in parts], axis=0) / len(parts)
    return Band(np.arange(1.0, shortest + 1.0), mean, np.sqrt(variance))


def ordered_pairs(measured: Measured) -> float:
    return float(np.mean([curves.ordered_pairs for curves in measured.values()]))
