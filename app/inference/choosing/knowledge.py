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
    return knowledge(first, second, _moves(first, second, mean, sigma, model), mean, matters)


def best_gains(
    first: Ints, second: Ints, mean: Floats, sigma: Covariance, model: Model, matters: Bools, tie: float
) -> Floats:
    """`gains`, quicker, with less for pairs that cannot be the best or within a relative `tie` of it."""
    return most_knowledge(first, second, _moves(first, second, mean, sigma, model), mean, matters, tie)


def least_settled(mean: Floats, sigma: Covariance, matters: Bools) -> Ints:
    """The EXACT candidates that are least settled, ascending; here v_kl = Sigma_kk + Sigma_ll."""
    k, l = np.nonzero(matters)
    variances = diagonal(sigma)
    unsettled = _gain(mean[k] - mean[l], np.sqrt(variances[k] + variances[l]))
    of_each = np.bincount(k, unsettled, len(mean)) + np.bincount(l, unsettled, len(mean))
    return np.sort(np.argsort(-of_each, kind="stable")[:EXACT])


def _moves(first: Ints, second: Ints, mean: Floats, sigma: Covariance, model: Model) -> Floats:
    """(L, N) u of each pair."""
    u = np.ascontiguousarray(times_rows(sigma, Rows(first, second)).T)
    row = np.arange(len(first))
    v, weight = np.maximum(u[row, first] - u[row, second], 0.0), expected_weight(mean[first] - mean[second], model)
    u *= np.sqrt(weight / (1.0 + weight * v))[:, None]
    return u


def _gain(m: Floats, s: Floats) -> Floats:
    """g(m, s)."""
    distance = np.abs(m)
    z = np.divide(distance, s, out=np.full(np.shape(s), np.inf), where=s > 0.0)
    return np.asarray(2.0 * (s * np.exp(-0.5 * z * z) / ROOT_TWO_PI - distance * ndtr(-z)))
