"""Confidence of a ranking: the share of its pairs that it is expected to have in the right order.

    pairs         those that matter, (N, N): either of [i, j], [j, i] names the pair, which counts once
    m, v          mean and variance of s_i - s_j, from N(mu, Sigma)
    concordance   mean over the pairs of Phi(|m| / sqrt v), the chance that the sign of m is right; 1/2 where m = 0;
                  of a mixture, the mean of that chance over its parts, and of votes its share of their draws
    interval      of the share of the pairs that draws of all scores together have in the published order: central, and
                  moved outwards to hold the concordance, as nearly all draws may have all pairs in order
    forecast      the same mean where comparisons tell f times as much of each difference, V its prior variance:

        1 / v'  =  1 / V + f (1 / v - 1 / V)
        E Phi(|m'| / sqrt v')  =  1 - 2 T(|m| / sqrt v, sqrt(v' / (v - v')))       over m' ~ N(m, v - v'), T Owen's

The forecast allows for means that move with more verdicts, and for orders that change with them: it is the chance that
s_i - s_j and m', normal values whose correlation is sqrt(1 - v' / v), have the same sign (Owen 1956). Of the doubt that
draws of votes leave, it leaves the share that it leaves of the normals'.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, owens_t

from app.inference.gaussian import Scores
from app.inference.kernels.pair_sets import Kinds, of_one_kind
from app.inference.targets import drawn_values
from app.inference.types import Bools, Floats, Ints

PairsOf = Callable[[Floats], Kinds]  # the pairs that matter, by the mean scores (N,)

ORDERS = 50_000_000  # orders of two candidates that are looked at for an interval: fewer draws for very many pairs
FEWEST = 200  # draws


class Confidence(NamedTuple):
    expected_concordance: float  # expected share of the pairs in the right order
    pairs: int  # that it is about
    interval: tuple[float, float]  # of that share, at the level asked for


def shares_in_order(rank: Ints, drawn: Ints, pairs: Bools) -> Floats:
    """(D',) shares of the pairs, True at [i, j], i < j, that some of the (D, N) drawn ranks have as the `rank` (N,)."""
    count = int(pairs.sum())
    some = np.ascontiguousarray(drawn[:: max(len(drawn) // max(ORDERS // count, FEWEST), 1)].T)
    wrong = np.zeros(some.shape[1])
    for i, others in enumerate(pairs):
        published = np.sign(rank[others] - rank[i])[:, None]
        wrong += 0.5 * np.abs(np.sign(some[others] - some[i]) - published).sum(axis=0)
    return np.asarray(1.0 - wrong / count)


def by_draws(right: Floats, pairs: int, level: float) -> Confidence:
    """The confidence by the (D,) shares of so many pairs that draws have as the ranking does."""
    return _with_interval(float(right.mean()), right, pairs, level)


def confidence_of(posterior: Scores, rank: Ints, drawn: Ints, pairs: Bools, level: float) -> Confidence | None:
    """The confidence of the published `rank` (N,), given the (D, N) ranks of draws; None where there is no pair."""
    if not pairs.any():
        return None
    return _with_interval(concordance(posterior, pairs), shares_in_order(rank, drawn, pairs), int(pairs.sum()), level)


def _with_interval(share: float, right: Floats, pairs: int, level: float) -> Confidence:
    low, high = np.quantile(right, [0.5 - 0.5 * level, 0.5 + 0.5 * level]).tolist()
    return Confidence(share, pairs, (min(low, share), max(high, share)))


def concordance(posterior: Scores, pairs: Bools) -> float:
    """The expected share of `pairs`, of which there is at least one, in the right order."""
    above, below = _in_order(posterior, pairs)
    if posterior.has_votes:
        values = np.ascontiguousarray(drawn_values(posterior).T)
        return float(np.mean([(values[i] > values[j]).mean() for i, j in zip(above, below, strict=True)]))
    return sum(weight * float(ndtr(m / np.sqrt(v)).mean()) for weight, m, v in _differences(posterior, above, below))


def concordance_after(posterior: Scores, prior: Floats, pairs: Bools, factor: float) -> float:
    """The concordance expected when there are `factor` >= 1 times as many comparisons of the same kind.

    Args: `prior` (N,) the variance of each score before any comparison; `pairs` has at least one.
    """
    above, below = _in_order(posterior, pairs)
    before = prior[above] + prior[below]
    return sum(
        weight * float(expected_after(m, v, before, factor).mean())
        for weight, m, v in _differences(posterior, above, below)
    )


def all_pairs(mean: Floats) -> Kinds:
    """Every pair of candidates: what a whole ranking is about."""
    return of_one_kind(len(mean))


def _in_order(posterior: Scores, pairs: Bools) -> tuple[Ints, Ints]:
    """(K,) and (K,), which of the candidates of each pair has the higher mean, and which the other."""
    first, second = np.nonzero(np.triu(pairs | pairs.T, 1))
    is_above = posterior.mean[first] >= posterior.mean[second]
    return np.where(is_above, first, second), np.where(is_above, second, first)


def _differences(posterior: Scores, above: Ints, below: Ints) -> Iterator[tuple[float, Floats, Floats]]:
    """The weight of each part of a mixture, or the whole, and (K,) means and variances of the differences in it."""
    for weight, part in posterior.parts or ((1.0, posterior),):
        sigma = part.covariance.matrix()
        variance = sigma.diagonal()
        yield weight, part.mean[above] - part.mean[below], variance[above] + variance[below] - 2.0 * sigma[above, below]


def expected_after(m: Floats, v: Floats, before: Floats, factor: float) -> Floats:
    """(K,) E Phi(|m'| / sqrt v')."""
    learnt = np.maximum(1.0 / v - 1.0 / before, 0.0)
    return in_order_after(m, v, 1.0 / (1.0 / v + (factor - 1.0) * learnt))


def in_order_after(m: Floats, v: Floats, still: Floats) -> Floats:
    """(K,) the same for v' = `still`; NaN where nothing varies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.sqrt(still / np.maximum(v - still, 0.0))
        return np.asarray(1.0 - 2.0 * owens_t(np.abs(m) / np.sqrt(v), slope))
