"""Simulated judges, whose true order is known, each with pairs chosen by the service's code while it learns.

stated      the concordance of the published ranking: the share of its pairs that it expects to have in the right order
so          the share that it has in the order of the true scores
interval    how often that is within the interval stated at 95%
"""

from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import Published
from app.inference.reporting import Wanted, by_posterior
from app.inference.state import under
from app.inference.types import Floats
from benchmarks.loop import judged
from benchmarks.studies.confidence.data_sets import in_order
from benchmarks.studies.evidence.coverage import METHODS, SEED, N
from benchmarks.studies.evidence.judges import JUDGES, answering
from benchmarks.studies.methods.markdown import table

SETTINGS = (*((name, 1.0) for name in JUDGES), ("people", 0.2), ("people", 3.0))  # judge, sd of the true scores
LENGTHS = (2 * N, 5 * N)


class HeldOnAverage(NamedTuple):
    """One ranking."""

    stated: float
    so: float
    holds: float


def study(runs: int) -> str:
    rows = []
    for judge, sd in SETTINGS:
        by_run = [_rankings(judge, sd, run) for run in range(runs)]
        for length in LENGTHS:
            means = (np.mean([run[length, name] for run in by_run], axis=0) for name in METHODS)
            cells = zip(*([f"{100.0 * value:.1f}" for value in mean] for mean in means), strict=True)
            rows.append([judge, f"{sd:g}", f"{length}", *map(" → ".join, cells)])
    return table(["judge", "sd", "comparisons", "stated", "true", "interval"], rows)


def _rankings(judge: str, sd: float, run: int) -> Mapping[tuple[int, str], HeldOnAverage]:
    """By length and kind of evidence, of the same comparisons."""
    rng = np.random.default_rng([SEED, run])
    truth = sd * rng.standard_normal(N)
    answer, plan = answering(JUDGES[judge], truth, rng), Plan(Policy(Criterion.REORDERING), Order.BALANCED, run)
    snapshots = islice(judged(answer, N, METHODS["learnt"], plan), max(LENGTHS))
    return {
        (snapshot.version, name): held(under(snapshot, method), truth)
        for snapshot in snapshots
        if snapshot.version in LENGTHS
        for name, method in METHODS.items()
    }


def held(published: Published, truth: Floats) -> HeldOnAverage:
    confidence = by_posterior(published, Wanted()).confidence
    assert confidence is not None
    so, (low, high) = float(in_order(published.scores.mean, truth).mean()), confidence.interval
    return HeldOnAverage(confidence.expected_concordance, so, float(low <= so <= high))
