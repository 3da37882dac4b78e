"""What few draws say of very many candidates, whose posterior N(mu, H^-1) has no matrix.

    sd             of s_i - mean(s), whose variance is V_i = Sigma_ii - tau2 / N, as Sigma 1 = tau2 1: what the first
                   terms of its series say (gaussian.py) times f_i, the factor by which (2) is larger. The
                   draws' own f_i are drawn to their mean as far as they differ by chance alone (empirical Bayes)
    given the rest s_i ~ N(m_i, 1 / D_i), m_i = mu_i + sum_j w_ij (s_j - mu_j) / D_i, as H is a precision:
               (1) P(s_i among the first k) = E Phi(sqrt(D_i) (m_i - t_i)), t_i the kth highest of the others
               (2) Sigma_ii = 1 / D_i + var m_i
    in order       shares of the pairs in the published order, by Kendall's tau of it and each draw
    below a head   by a column of Sigma; v_ij >= (b^T b)^2 / b^T H b >= 2 / (D_i + D_j)

The means in (1) and (2) are over 64 to 128 draws, in (1) each with its mirror image about mu.
"""

import numpy as np
from scipy.special import ndtr

from app.inference.gaussian import SparseCovariance, draws, series_of, solve
from app.inference.types import Floats, Ints

FEWEST_DRAWS, MOST_DRAWS, SCORES = 64, 128, 500_000  # as many draws as give so many scores in all
COLUMN = 1e-3  # accuracy of a column, in the smallest Sigma_ii there can be
TINY = 1e-300


def tally(
    mean: Floats, covariance: SparseCovariance, rank: Ints, top_k: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats, SparseCovariance, Floats]:
    """(N,) p_best, p_top_k and sds, the covariance with their Sigma_ii, and (D,) shares of the pairs in order."""
    precision, n = covariance.precision, len(mean)
    links, q, diagonal = precision
    tau2 = 1.0 / float(q[0])
    p_best, p_top_k, squares, in_order = np.zeros(n), np.zeros(n), np.zeros(n), list[Floats]()
    count = min(max(SCORES // n, FEWEST_DRAWS), MOST_DRAWS)
    for scores in draws(mean, precision, count, rng):
        moved = scores - mean
        level = moved.mean(axis=1, keepdims=True)
        expected = (links @ (moved - level).T).T / diagonal
        squares += (expected**2).sum(axis=0)
        given_rest = expected + level * (1.0 - q / diagonal)
        for side in (-1.0, 1.0):
            mirrored = mean + side * given_rest, mean + side * moved
            p_best += _chances(*mirrored, 1, diagonal).sum(axis=0)
            p_top_k += _chances(*mirrored, top_k, diagonal).sum(axis=0)
        in_order.append(shares_in_order(rank, scores))
    of_level, by_series = ((1.0 - q / diagonal) ** 2 - 1.0) * tau2 / n, series_of(precision)
    factor = (1.0 / diagonal + of_level + squares / count) / by_series
    by_chance = 2.0 / count * ((of_level + squares / count) / by_series) ** 2
    differ = max(float(factor.var() - by_chance.mean()), 0.0)
    own = differ / np.maximum(differ + by_chance, TINY)
    variance = by_series * (factor.mean() + own * (factor - factor.mean()))
    p_top_k = np.minimum(p_top_k * (min(top_k, n) / p_top_k.sum()), 1.0)
    with_level = covariance._replace(diagonal=variance + tau2 / n)
    return p_best / p_best.sum(), p_top_k, np.sqrt(variance), with_level, np.concatenate(in_order)


def _chances(given_rest: Floats, scores: Floats, k: int, diagonal: Floats) -> Floats:
    """(D, N) chance of each to be among the first k, given the (D, N) scores of the others, by (1)."""
    n = scores.shape[1]
    if k >= n:
        return np.ones_like(scores)
    next_one, last = np.partition(scores, [n - k - 1, n - k], axis=1)[:, n - k - 1 : n - k + 1, None].swapaxes(0, 1)
    return np.asarray(ndtr(np.sqrt(diagonal) * (given_rest - np.where(scores >= last, next_one, last))))


def shares_in_order(rank: Ints, scores: Floats) -> Floats:
    """(D,) shares of the pairs that (D, N) draws have as the `rank` has them, and half of those that it ties."""
    from scipy.stats import kendalltau  # slow to load, and few need it

    n, tied = len(rank), np.bincount(rank).astype(np.float64)
    decided = 1.0 - float((tied * (tied - 1.0)).sum()) / (n * (n - 1)) if n > 1 else 0.0
    if not decided:
        return np.full(len(scores), 0.5)
    tau = kendalltau(np.broadcast_to(rank, scores.shape), -scores, axis=1).statistic
    return np.asarray(0.5 + 0.5 * np.sqrt(decided) * tau)


def variances_below(covariance: SparseCovariance, head: int, below: Ints) -> Floats:
    """(K,) v of `head` and each of those `below`."""
    precision, variance = covariance
    diagonal, at_head = precision.diagonal, np.zeros(len(variance))
    at_head[head] = 1.0
    column, _ = solve(precision, at_head, COLUMN / float(diagonal.max()))
    v = column[head] + variance[below] - 2.0 * column[below]
    return np.asarray(np.maximum(v, 2.0 / (diagonal[head] + diagonal[below])))
