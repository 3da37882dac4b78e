"""The knowledge gradient of pairs (methods 12; its equations are in kernels/knowledge.py), for any expert.

exact           among up to EXACT candidates, the sum over all pairs that matter
own term        (k, l) = (i, j) alone: what the pair tells of its own order
least settled   candidates whose order with others matters and is least known, by sum over l of g(m_kl, sqrt v_kl)
"""

import numpy as np
from scipy.special import ndtr

from app.inference.covariance import Covariance, Rows, diagonal, times_rows
from app.inference.fitting.model import Model, expected_weight
from app.inference.kernels.knowledge import ROOT_TWO_PI, knowledge, most_knowledge
from app.inference.types import Bools, Floats, Ints

EXACT = 64


def own_term(m: Floats, v: Floats, weight: Floats) -> Floats:
    """g(m, s) with s = v sqrt(w / (1 + w v)), elementwise."""
    return _gain(m, v * np.sqrt(weight / (1.0 + weight * v)))


def gains(first: Ints, second: Ints, mean: Floats, sigma: Covariance, model: Model, matters: Bools) -> Floats:
    """(L,) KG of these pairs; `matters` (N, N) is True at [k, l], k < l, where the order of k and l does."""
    spread = times_rows(sigma, Rows(first, second)).T
    return knowledge(first, second, _moves(spread, first, second, mean, model), mean, matters)


def best_gains(
    open_pairs: Bools, mean: Floats, sigma: Covariance, model: Model, matters: Bools, tie: float
) -> tuple[Ints, Ints, Floats]:
    """Open pairs (L,) among the least settled candidates, and their KG where it is within a relative `tie` of the best.

    It sums over the pairs that matter among these candidates. Where a pair cannot be the best it gives less than KG.
    """
    who = _least_settled(mean, sigma, matters)
    few, mean = np.ix_(who, who), mean[who]
    first, second = np.argwhere(open_pairs[few]).T.copy()
    covariance = sigma.base[few] - sigma.columns[who] @ sigma.columns[who].T
    moves = _moves(covariance[first] - covariance[second], first, second, mean, model)
    return who[first], who[second], most_knowledge(first, second, moves, mean, matters[few], tie)


def _least_settled(mean: Floats, sigma: Covariance, matters: Bools) -> Ints:
    """The EXACT candidates that are least settled, or all, ascending; here v_kl = Sigma_kk + Sigma_ll."""
    n = len(mean)
    if n <= EXACT:
        return np.arange(n)
    (low, high), variances = np.nonzero(matters), diagonal(sigma)
    unsettled = _gain(mean[low] - mean[high], np.sqrt(variances[low] + variances[high]))
    of_each = np.bincount(low, unsettled, n) + np.bincount(high, unsettled, n)
    return np.sort(np.argsort(-of_each, kind="stable")[:EXACT])


def _moves(spread: Floats, first: Ints, second: Ints, mean: Floats, model: Model) -> Floats:
    """(L, N) u of each pair, from Sigma r of each."""
    row, weight = np.arange(len(first)), expected_weight(mean[first] - mean[second], model)
    v = np.maximum(spread[row, first] - spread[row, second], 0.0)
    return np.ascontiguousarray(spread * np.sqrt(weight / (1.0 + weight * v))[:, None])


def _gain(m: Floats, s: Floats) -> Floats:
    """g(m, s)."""
    distance = np.abs(m)
    z = np.divide(distance, s, out=np.full(np.shape(s), np.inf), where=s > 0.0)
    return np.asarray(2.0 * (s * np.exp(-0.5 * z * z) / ROOT_TWO_PI - distance * ndtr(-z)))
