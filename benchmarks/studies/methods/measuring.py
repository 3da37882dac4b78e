"""Simulations of a data set in its parts, and what is read off them, with errors.

cost        comparisons until the mean correlation over the documents is a share of what the full set gives
its error   the standard deviation of the mean over parts and seeds when the documents are drawn again
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.inference.choosing import Criterion, Order, Policy
from app.inference.types import Floats
from app.offline.cases import tempered
from app.offline.ranking import RankingMethod
from app.offline.replay import Setup
from app.offline.simulation import RESAMPLES, Curves, Way, reach, resampled_costs, simulate
from benchmarks.studies.methods.checkpoints import Checkpoints
from benchmarks.studies.methods.data import DataSet
from benchmarks.studies.methods.progress import say
from benchmarks.studies.methods.size import Size


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


class Campaign(NamedTuple):
    """Everything that is measured: from which data, how much of it, where results go, and who works."""

    datasets: Path  # a folder for each
    figures: Path
    size: Size
    checkpoints: Checkpoints
    pool: Executor


Measured = Mapping[str, Curves]  # by part


class Estimate(NamedTuple):
    value: float
    error: float
    bound: bool = False  # some seed never got there: the value is a lower bound


class Band(NamedTuple):
    """Curves over K."""

    comparisons: Floats  # (K,)
    mean: Floats  # (K,)
    error: Floats  # (K,)


class Task(NamedTuple):
    """One way of choosing pairs, on one part; by the code of `nextpair simulate`."""

    folder: Path
    source: DataSet
    part: str
    documents: int
    plan: MeasuringPlan
    way: Way

    @property
    def name(self) -> str:
        plan, method = self.plan, self.plan.method
        of_method = (method.name, *method.parameters, method.position_bias, method.verdict_weight)
        return str((self.source.title, self.part, self.documents, self.way, *of_method, *plan[1:2], *plan[3:]))

    def run(self) -> Curves:
        plan = self.plan
        cases = self.source.cases(self.folder, self.part, self.documents)
        policy = Policy(Criterion.RANDOM, plan.epsilon)
        judged = [tempered(case, plan.judge.temperature) for case in cases]
        setup = Setup(policy, plan.order, 0, plan.method, plan.batch, plan.pooled)
        return simulate(judged, [self.way], plan.seeds, setup, plan.limit, noise=plan.judge.noise)


def measure(campaign: Campaign, source: DataSet, plan: MeasuringPlan, documents: int | None = None) -> Measured:
    """Every part. Args: `documents` of a part at most, by default as the size says."""
    say(f"{source.title}, {plan.judge.name}, {plan.method.name}, {plan.method.verdict_weight}")
    count, parts = documents or campaign.size.documents, source.parts[: campaign.size.parts]
    tasks = [Task(campaign.datasets, source, part, count, plan, way) for part in parts for way in plan.ways]
    done = dict(
        zip(tasks, campaign.checkpoints.all({task.name: task.run for task in tasks}, campaign.pool), strict=True)
    )
    by_part = {part: [curves for task, curves in done.items() if task.part == part] for part in parts}
    return {part: _merged(of_ways) for part, of_ways in by_part.items()}


def _merged(of_ways: Sequence[Curves]) -> Curves:
    """The ways together, of curves that have one each."""
    agreement = {way: each for curves in of_ways for way, each in curves.agreement.items()}
    pearson = {way: each for curves in of_ways for way, each in curves.pearson.items()}
    return of_ways[0]._replace(agreement=agreement, pearson=pearson)


def cost(measured: Measured, way: Way, target: float) -> Estimate:
    """The mean cost over parts and seeds."""
    counts = [_counts(curves, way, target) for curves in measured.values()]
    bound = any(None in of_part for of_part, _ in counts)
    missing = [[last if count is None else count for count in of_part] for of_part, last in counts]
    return Estimate(float(np.mean(missing)), float(np.std(_drawn(measured, way, target))), bound)


def saving(measured: Measured, way: Way, than: Measured, other: Way, target: float) -> Estimate:
    """Comparisons that `way` saves against `other`, on the same documents."""
    value = cost(than, other, target).value - cost(measured, way, target).value
    return Estimate(value, float(np.std(_drawn(than, other, target) - _drawn(measured, way, target))))


def reached(measured: Measured, way: Way, comparisons: int) -> Estimate:
    """The mean correlation after so many comparisons."""
    at = [
        curves.agreement[way][:, :, min(comparisons, curves.agreement[way].shape[2]) - 1]
        for curves in measured.values()
    ]
    return mean_over_documents([of_part.mean(axis=0) for of_part in at])


def lead(measured: Measured, way: Way, than: Measured, other: Way, comparisons: int) -> Estimate:
    """Difference of the correlation of `way` and that of `other`, the mean over so many first comparisons."""
    margins = [
        (_first(measured[part], way, comparisons) - _first(than[part], other, comparisons)).mean(axis=(0, 2))
        for part in measured
    ]
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


def _first(curves: Curves, way: Way, comparisons: int) -> Floats:
    return curves.agreement[way][:, :, :comparisons]


def _counts(curves: Curves, way: Way, target: float) -> tuple[list[int | None], int]:
    """The count of each seed, and what stands for one that never got there."""
    return reach(curves.mean(way), target * float(curves.full.mean())), curves.agreement[way].shape[2] + 1


def _drawn(measured: Measured, way: Way, target: float) -> Floats:
    return np.asarray(np.mean([resampled_costs(curves, way, target) for curves in measured.values()], axis=0))
