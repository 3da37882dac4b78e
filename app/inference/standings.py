"""A ranking by any method as rows, best first: what the service, the command line and the drawings show."""

from typing import NamedTuple

import numpy as np

from app.inference import graph
from app.inference.baselines import BASELINES
from app.inference.posterior import Posterior
from app.inference.ranking import Ranking, ranks, summarise
from app.inference.types import Comparisons, Convergence, Floats, Ints

DRAWS_SEED = 0  # of the draws behind rank intervals: the same posterior gives the same intervals


class Uncertainty(NamedTuple):
    sd: float
    interval: tuple[float, float]
    rank_interval: tuple[int, int]  # best and worst
    p_best: float


class Standing(NamedTuple):
    candidate: int
    rank: int
    score: float
    uncertainty: Uncertainty | None  # None from a baseline
    comparisons: int
    component: int


class Standings(NamedTuple):
    rows: list[Standing]
    convergence: Convergence
    components: int
    entropy: float | None  # nats; None from a baseline


def by_posterior(posterior: Posterior, comparisons: Comparisons, level: float) -> Standings:
    """Of a posterior whose covariance is exact, given the comparisons that it has seen."""
    if not len(posterior.mean):
        return Standings([], posterior.convergence, 0, 0.0)
    summary = summarise(posterior, level, np.random.default_rng(DRAWS_SEED))
    rows, components = _rows(summary.rank, summary.score, _uncertainties(summary), comparisons)
    return Standings(rows, posterior.convergence, components, summary.entropy)


def by_baseline(name: str, comparisons: Comparisons, n: int) -> Standings:
    """Raises KeyError for a name that is not in BASELINES."""
    scores, convergence = BASELINES[name](comparisons, n)
    rows, components = _rows(ranks(scores), scores, [None] * n, comparisons)
    return Standings(rows, convergence, components, None)


def _uncertainties(summary: Ranking) -> list[Uncertainty | None]:
    return [
        Uncertainty(float(sd), (float(low), float(high)), (int(best), int(worst)), float(p_best))
        for sd, (low, high), (best, worst), p_best in zip(
            summary.sd, summary.interval, summary.rank_interval, summary.p_best, strict=True
        )
    ]


def _rows(
    rank: Ints, score: Floats, uncertainty: list[Uncertainty | None], comparisons: Comparisons
) -> tuple[list[Standing], int]:
    """The rows, and how many components they are in."""
    n = len(rank)
    component = graph.components(comparisons, n)
    columns = (
        rank.tolist(),
        score.tolist(),
        uncertainty,
        graph.appearances(comparisons, n).tolist(),
        component.tolist(),
    )
    rows = [Standing(candidate, *row) for candidate, row in enumerate(zip(*columns, strict=True))]
    return sorted(rows, key=lambda row: (row.rank, row.candidate)), int(component.max(initial=-1)) + 1
