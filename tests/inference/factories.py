"""Comparisons, models and states for the tests of app.inference. Everything random takes a seed."""

from functools import reduce
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from scipy.special import expit

from app.inference.core.edges import Design, derivatives
from app.inference.experts import MAKERS, make
from app.inference.fitting import posterior
from app.inference.fitting.model import Method, Model, build, design_of, edges_of, rows_of
from app.inference.fitting.posterior import Posterior
from app.inference.gaussian import (
    Covariance,
    DenseCovariance,
    OneCovariance,
    Scores,
    SparseCovariance,
    from_precision,
    plain,
)
from app.inference.judges.aggregation import Probabilities
from app.inference.judges.group_verdicts import Doubt, examine
from app.inference.pair_sets import PairSet, listed
from app.inference.reporting.intervals import ranks_of
from app.inference.targets.drawing import drawn_in_place
from app.inference.types import Bools, Comparisons, Convergence, Floats, Ints, by_one_judge, join, once_each, take

SOFT_BT = make("soft-bt")
each_expert = pytest.mark.parametrize("expert", list(MAKERS))
each_smooth_expert = pytest.mark.parametrize("expert", [name for name in MAKERS if make(name).kink is None])

numerics = settings(deadline=None, derandomize=True, max_examples=60)


class Log(NamedTuple):
    n: int
    comparisons: Comparisons


def model(
    n: int,
    prior_variance: float = 1.0,
    expert: str = "soft-bt",
    *,
    prior: str = "unit",
    biases: int = 0,
    **parameters: float,
) -> Model:
    """Args: `biases` is of how many judges the positional bias is estimated."""
    bias = "estimate" if biases else "none"
    return build(Method(expert, tuple(parameters.items()), prior, prior_variance, bias), n, biases)


def isotropic(n: int, variance: float) -> DenseCovariance:
    return independent(np.full(n, variance))


def independent(variances: Floats) -> DenseCovariance:
    """Independent parameters with these (P,) variances."""
    return plain(np.diag(variances), float(np.log(variances).sum()))


class Map(NamedTuple):
    mean: Floats  # (P,)
    convergence: Convergence
    weights: Floats  # (E,)


def map_of(log: Comparisons, m: Model, start: Floats | None = None) -> Map:
    """The maximum of the log posterior."""
    theta, weights, convergence = posterior.map_of(edges_of(log, m), m, start=start)
    return Map(theta, convergence, weights)


def fit_rows(log: Comparisons, m: Model, start: Floats | None = None) -> Posterior:
    """`posterior.fit`, each comparison an edge of its own."""
    return posterior.fit_edges(rows_of(log, m), m, start=start)


def fold_rows(live: Posterior, log: Comparisons) -> Posterior:
    """`posterior.fold`, likewise."""
    return posterior.fold(live, rows_of(log, live.model))


def log_posterior(theta: Floats, log: Comparisons, m: Model) -> float:
    return posterior.log_posterior(theta, edges_of(log, m), m)


def gradient(theta: Floats, log: Comparisons, m: Model) -> Floats:
    return derivatives(edges_of(log, m), theta, m.expert, m.prior.precision, m.prior.pull)[0]


def weights_at(theta: Floats, log: Comparisons, m: Model) -> Floats:
    """w (K,) of each comparison."""
    return log.weight * m.expert.curvature(design_of(log, m).differences(theta), log.p)


def precision_at(theta: Floats, log: Comparisons, m: Model) -> Floats:
    """H, shape (P, P)."""
    return design_of(log, m).precision(weights_at(theta, log, m), m.prior.precision)


def covariance_at(theta: Floats, log: Comparisons, m: Model) -> DenseCovariance:
    """Covariance H^-1."""
    return from_precision(precision_at(theta, log, m))


def comparisons(*rows: tuple[int, int, float]) -> Comparisons:
    """Comparisons of one judge, from rows of (first, second, p)."""
    first, second, p = zip(*rows, strict=True)
    return by_one_judge(np.array(first, np.int64), np.array(second, np.int64), np.array(p, np.float64))


def true_scores(n: int, seed: int) -> Floats:
    return np.random.default_rng([n, seed]).standard_normal(n)


def random_comparisons(n: int, count: int, seed: int, *, hard: bool = False) -> Comparisons:
    """`count` uniform pairs, judged by true_scores(n, seed) with noise; hard verdicts are 0 or 1."""
    rng = np.random.default_rng([n, count, seed])
    first = rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    truth = true_scores(n, seed)
    d = truth[first] - truth[second]
    if hard:
        return by_one_judge(first, second, (rng.random(count) < expit(d)).astype(np.float64))
    return by_one_judge(first, second, expit(d + 0.5 * rng.standard_normal(count)))


def covariance_of(full: Floats) -> DenseCovariance:
    """Covariance from the matrix itself."""
    return plain(full, float(np.linalg.slogdet(full).logabsdet))


def dense(covariance: Covariance) -> DenseCovariance:
    """The covariance, which is an array."""
    assert isinstance(covariance, DenseCovariance)
    return covariance


def sparse(covariance: Covariance) -> SparseCovariance:
    """The covariance, which has no array."""
    assert isinstance(covariance, SparseCovariance)
    return covariance


def design_matrix(log: Comparisons, n: int, biases: int = 0) -> Floats:
    """R (K, N + J), written out."""
    of_pairs = np.eye(n)[log.first] - np.eye(n)[log.second]
    return np.hstack([of_pairs, np.eye(biases)[log.judge]]) if biases else of_pairs


def pairs(first: Ints, second: Ints, n: int) -> Design:
    """Rows of the design of these (L,) pairs of scores."""
    return Design(n, n, first, second)


def condition(sigma: OneCovariance, i: int, j: int, weight: float) -> OneCovariance:
    """Sigma after one comparison of this weight."""
    return sigma.condition(pairs(np.array([i]), np.array([j]), len(sigma.diagonal)), np.array([weight]))


def by_judges(log: Comparisons, judges: int, seed: int = 0) -> Comparisons:
    """The same verdicts, each by one of `judges`, drawn uniformly."""
    return log._replace(judge=np.random.default_rng([judges, seed]).integers(judges, size=log.size))


def cycle(n: int, seed: int) -> Comparisons:
    """0-1, 1-2, ..., (n-1)-0 with random soft verdicts: every candidate is in two comparisons."""
    first = np.arange(n)
    return by_one_judge(first, (first + 1) % n, np.random.default_rng([n, seed]).uniform(0.05, 0.95, n))


def together(n: int) -> Ints:
    """One component of all candidates."""
    return np.zeros(n, np.int64)


def joined(*parts: Comparisons) -> Comparisons:
    return reduce(join, parts)


def reordered(log: Comparisons, order: Ints) -> Comparisons:
    """Row order[k] of the log comes k-th."""
    return take(log, order)


def swapped(log: Comparisons) -> Comparisons:
    """The same verdicts with every pair shown the other way round."""
    return log._replace(first=log.second, second=log.first, p=1.0 - log.p)


def relabelled(log: Comparisons, label: Ints) -> Comparisons:
    """Candidate i is called label[i]."""
    return log._replace(first=label[log.first], second=label[log.second])


def random_state(n: int, seed: int) -> tuple[Floats, DenseCovariance]:
    """A mean and a covariance without tied pairs, three columns past the last fresh covariance."""
    log = joined(cycle(n, seed), random_comparisons(n, n, seed))
    fitted = posterior.fit(log, model(n))
    sigma, rng = dense(fitted.covariance), np.random.default_rng([n, seed])
    for weight in rng.uniform(0.05, 0.25, 3):
        i, j = rng.choice(n, 2, replace=False)
        sigma = condition(sigma, int(i), int(j), float(weight))
    return fitted.mean, sigma


def random_scores(n: int, count: int, seed: int = 0) -> Scores:
    """The posterior after a cycle and `count` hard verdicts more."""
    return posterior.fit(joined(cycle(n, seed), random_comparisons(n, count, seed, hard=True)), model(n)).scores


def of_differences(scores: Scores) -> tuple[Floats, Floats]:
    """Means and variances of s_i - s_j, i < j."""
    i, j = np.triu_indices(len(scores.mean), 1)
    return scores.mean[i] - scores.mean[j], scores.covariance.variances(i, j)


def random_precision(n: int, seed: int) -> Floats:
    """Symmetric, with eigenvalues of at least 1."""
    root = np.random.default_rng([n, seed]).standard_normal((n, n))
    return np.asarray(np.eye(n) + root @ root.T / n)


@st.composite
def logs(draw: st.DrawFn, max_n: int = 8, max_count: int = 25, judges: int = 1) -> Log:
    """Any log, awkward ones above all: repeats, islands, separation, certain verdicts, ties, nothing."""
    n = draw(st.integers(2, max_n))
    pair = st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)
    p = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0)
    rows = draw(st.lists(st.tuples(pair, p, st.integers(0, judges - 1)), max_size=max_count))
    pairs = np.array([row[0] for row in rows], np.int64).reshape(-1, 2)
    verdicts, judge = np.array([row[1] for row in rows], np.float64), np.array([row[2] for row in rows], np.int64)
    return Log(n, once_each(pairs[:, 0], pairs[:, 1], verdicts, judge))


def doubts_without_people(y: Probabilities) -> list[Doubt]:
    """Of judges without human labels beside them."""
    return examine(y, "majority", np.random.default_rng(0)).doubts


def draw_ranks(posterior: Scores, rng: np.random.Generator, draws: int | None = None) -> Ints:
    """(draws, N) ranks of independent draws of the scores; more draws for fewer candidates by default."""
    return ranks_of(drawn_in_place(posterior, rng, draws))


def every_pair(n: int) -> PairSet:
    return listed(n, np.empty(0, np.int64), leaves_out=True)


def of_mask(mask: Bools) -> PairSet:
    """The pairs where (N, N) is True at [i, j], i < j; the rest is ignored."""
    return listed(len(mask), np.flatnonzero(np.triu(mask, 1)))
