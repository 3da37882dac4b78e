"""Efficiency curves of one data set in several parts (dimensions or judges), and what is read off them."""

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from app.inference.choosing.order import Order
from app.inference.choosing.selection import Criterion, Policy
from app.inference.types import Floats
from app.offline.cases import Case
from app.offline.ranking import RankingMethod
from app.offline.replay import Setup
from app.offline.simulation import Curves, Runner, Way, one_by_one, reach, simulate
from app.offline.tournaments import Tournament

TARGET = 0.9
SOFT_BT = RankingMethod("soft-bt")

Parts = Mapping[str, Sequence[Case]]  # by dimension or judge
Measured = Mapping[str, Curves]  # by dimension or judge


class Band(NamedTuple):
    """Curves over K, thinned."""

    comparisons: Floats  # (K,)
    mean: Floats  # (K,)
    sd: Floats  # (K,) over seeds and parts, of the distance to what each part's full set gives


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def measure(
    title: str,
    parts: Parts,
    ways: Iterable[Way],
    seeds: int,
    method: RankingMethod = SOFT_BT,
    order: Order = Order.BALANCED,
    limit: float = 1.0,
    run_all: Runner = one_by_one,
) -> dict[str, Curves]:
    """Measure every way of choosing pairs on every part. Args: `limit` is a share of the N (N - 1) ordered pairs."""
    setup, measured = Setup(Policy(Criterion.REORDERING), order, 0, method), {}
    for part, cases in parts.items():
        say(f"{title}: {part}, {method.name}")
        measured[part] = simulate(cases, list(ways), seeds, setup, limit, run_all)
    return measured


def compare(title: str, parts: Parts, seeds: int, order: Order = Order.BALANCED, limit: float = 1.0) -> Measured:
    """Measure soft-bt with pairs chosen in every way."""
    return measure(title, parts, [*Criterion, *Tournament], seeds, SOFT_BT, order, limit)


def full(measured: Measured) -> dict[str, float]:
    return {part: float(curves.full.mean()) for part, curves in measured.items()}


def needed(measured: Measured, way: Way, levels: Mapping[str, float] | None = None) -> Floats:
    """(parts, S) comparisons until 90% of `levels`, by default the full-set correlation; NaN where never."""
    levels = levels or full(measured)
    counts = [reach(curves.mean(way), TARGET * levels[part]) for part, curves in measured.items()]
    return np.array(counts, np.float64)


def ordered_pairs(measured: Measured) -> float:
    return float(np.mean([curves.ordered_pairs for curves in measured.values()]))


def share(counts: Floats, measured: Measured) -> float:
    """Share of N (N - 1), averaged over parts and seeds; NaN where some never got there."""
    return float(counts.mean()) / ordered_pairs(measured)


def band(measured: Measured, way: Way) -> Band:
    shortest = min(curves.agreement[way].shape[2] for curves in measured.values())
    parts = [curves.mean(way)[:, :shortest] for curves in measured.values()]
    return band_of(parts, list(full(measured).values()), np.arange(1, shortest + 1))


def band_of(parts: Sequence[Floats], levels: Sequence[float], comparisons: ArrayLike) -> Band:
    """Args: parts holds (S, K) curves for each part, levels what each part's full set gives."""
    mean = np.mean([part.mean(axis=0) for part in parts], axis=0)
    below = np.concatenate([part - level for part, level in zip(parts, levels, strict=True)])
    return Band(np.asarray(comparisons, np.float64), mean, below.std(axis=0))
