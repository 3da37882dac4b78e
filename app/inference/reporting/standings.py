"""A ranking by any method as rows, best first: what the service, the command line and the drawings show."""

from typing import NamedTuple

import numpy as np

from app.inference import graph
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.judge_aware import JudgeAware
from app.inference.fitting.model import Model
from app.inference.fitting.posterior import Posterior, scores
from app.inference.reporting.bias import Bias, estimates, listed
from app.inference.reporting.ranking import Ranking, Wanted, ranks, summarise
from app.inference.types import Comparisons, Convergence, Floats, Ints

DRAWS_SEED = 0  # of the draws behind rank intervals: the same posterior gives the same intervals


class Uncertainty(NamedTuple):
    sd: float
    interval: tuple[float, float]
    rank_interval: tuple[int, int]  # best and worst
    p_best: float
    p_top_k: float
    tie_group: int


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
    biases: list[Bias]  # one per judge where they are estimated


def by_posterior(posterior: Posterior, comparisons: Comparisons, model: Model, wanted: Wanted) -> Standings:
    """The ranking of a posterior whose covariance is exact, given the comparisons that it has seen."""
    if not model.n:
        return Standings([], posterior.convergence, 0, 0.0, [])
    marginal = scores(posterior, comparisons, model)
    summary = summarise(marginal, wanted, np.random.default_rng(DRAWS_SEED))
    rows, components = _rows(summary.rank, summary.score, _uncertainties(summary), comparisons)
    biases = estimates(posterior, comparisons, model)
    return Standings(rows, posterior.convergence, components, summary.entropy, biases)


def by_judges(aware: JudgeAware, comparisons: Comparisons, wanted: Wanted) -> Standings:
    """The judge-aware ranking, with every judge's discrimination and bias."""
    summary = summarise(aware.of_scores, wanted, np.random.default_rng(DRAWS_SEED))
    rows, components = _rows(summary.rank, summary.score, _uncertainties(summary), comparisons)
    return Standings(rows, aware.convergence, components, summary.entropy, judge_biases(aware, comparisons))


def by_baseline(name: str, comparisons: Comparisons, n: int) -> Standings:
    """Raises KeyError for a name that is not in BASELINES."""
    score, convergence = BASELINES[name](comparisons, n)
    rows, components = _rows(ranks(score), score, [None] * n, comparisons)
    return Standings(rows, convergence, components, None, [])


def judge_biases(aware: JudgeAware, comparisons: Comparisons) -> list[Bias]:
    """Biases and discriminations of the judges that compared anything."""
    sd, c = np.sqrt(aware.variance_of_delta), np.exp(aware.judges.log_c)
    return listed(comparisons, aware.judges.delta, sd, aware.share_of_verdicts, c.tolist())


def _uncertainties(summary: Ranking) -> list[Uncertainty | None]:
    columns = (summary.sd, summary.interval, summary.rank_interval, summary.p_best, summary.p_top, summary.tie_group)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Uncertainty(sd, (low, high), (best, worst), *rest) for sd, (low, high), (best, worst), *rest in rows]


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
