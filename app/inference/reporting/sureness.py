"""Sureness of a ranking: the share of its pairs that it is expected to have in the right order.

    pairs         those that matter, (N, N): either of [i, j], [j, i] names the pair, which counts once
    m, v          mean and variance of s_i - s_j, from N(mu, Sigma)
    concordance   mean over the pairs of Phi(|m| / sqrt v), the chance that the sign of m is right; 1/2 where m = 0
    interval      of the share of the pairs that draws of all scores together have in the published order, central
    forecast      the same mean where comparisons tell f times as much of each difference, V its prior variance:

        1 / v'  =  1 / V + f (1 / v - 1 / V)
        E Phi(|m'| / sqrt v')  =  1 - 2 T(|m| / sqrt v, sqrt(v' / (v - v')))       over m' ~ N(m, v - v'), T Owen's

The forecast allows for means that move as more is told, and for orders that change with them: it is the chance that
s_i - s_j and m', normal values whose correlation is sqrt(1 - v' / v), have the same sign (Owen 1956).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, owens_t

from app.inference.covariance import dense
from app.inference.fitting.posterior import Scores
from app.inference.types import Bools, Floats, Ints

PairsOf = Callable[[Floats], Bools]  # the pairs that matter (N, N), by the mean scores (N,)

ORDERS = 50_000_000  # orders of two candidates that are looked at for an interval: fewer draws for very many pairs
FEWEST = 200  # draws


class Sureness(NamedTuple):
    concordance: float  # expected share of the pairs in the right order
    interval: tuple[float, float]  # that the share is in with the level asked for


class _Differences(NamedTuple):
    m: Floats  # (K,)
    v: Floats  # (K,)
    first: Ints  # (K,)
    second: Ints  # (K,) above `first`


def sureness_of(posterior: Scores, rank: Ints, drawn: Ints, pairs: Bools, level: float) -> Sureness | None:
    """The sureness of the published `rank` (N,), given the (D, N) ranks of draws; None where there is no pair."""
    if not pairs.any():
        return None
    return Sureness(concordance(posterior, pairs), _interval(rank, drawn, pairs, level))


def concordance(posterior: Scores, pairs: Bools) -> float:
    """The expected share of `pairs`, of which there is at least one, in the right order."""
    m, v, _, _ = _differences(posterior, pairs)
    return float(ndtr(np.abs(m) / np.sqrt(v)).mean())


def concordance_after(posterior: Scores, prior: Floats, pairs: Bools, factor: float) -> float:
    """The concordance expected when there are `factor` >= 1 times as many comparisons of the same kind.

    Args: `prior` (N,) the variance of each score before any comparison; `pairs` has at least one.
    """
    m, v, first, second = _differences(posterior, pairs)
    before = prior[first] + prior[second]
    learnt = np.maximum(1.0 / v - 1.0 / before, 0.0)
    still = 1.0 / (1.0 / v + (factor - 1.0) * learnt)
    with np.errstate(divide="ignore"):
        slope = np.sqrt(still / np.maximum(v - still, 0.0))
    return float(1.0 - 2.0 * owens_t(np.abs(m) / np.sqrt(v), slope).mean())


def all_pairs(mean: Floats) -> Bools:
    """(N, N) every pair of candidates: what a whole ranking is about."""
    return np.triu(np.ones((len(mean), len(mean)), np.bool_), 1)


def _differences(posterior: Scores, pairs: Bools) -> _Differences:
    first, second = np.nonzero(np.triu(pairs | pairs.T, 1))
    mean, sigma = posterior.mean, dense(posterior.covariance)
    variance = sigma.diagonal()
    v = variance[first] + variance[second] - 2.0 * sigma[first, second]
    return _Differences(mean[first] - mean[second], v, first, second)


def _interval(rank: Ints, drawn: Ints, pairs: Bools, level: float) -> tuple[float, float]:
    wanted = pairs | pairs.T
    total = int(np.triu(wanted, 1).sum())
    some = drawn[: max(ORDERS // total, FEWEST)]
    right = np.full(len(some), 0.5 * np.triu(wanted & (rank[:, None] == rank), 1).sum())
    for i, below in enumerate(wanted & (rank[:, None] < rank)):
        right += (some[:, below] > some[:, [i]]).sum(axis=1)
    low, high = np.quantile(right / total, [0.5 - 0.5 * level, 0.5 + 0.5 * level])
    return float(low), float(high)
