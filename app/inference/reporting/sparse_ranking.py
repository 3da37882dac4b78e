"""The ranking of very many candidates: what ranking.py says of N(mu, Sigma), without Sigma.

    sd             of s_i - mean(s), whose variance is V_i = Sigma_ii - tau2 / N, as Sigma 1 = tau2 1: what the first
                   terms of its series say (gaussian.py) times f_i, the factor by which (2) is larger. The
                   draws' own f_i are drawn to their mean as far as they differ by chance alone (empirical Bayes)
    given the rest s_i ~ N(m_i, 1 / D_i), m_i = mu_i + sum_j w_ij (s_j - mu_j) / D_i, as H is a precision:
               (1) P(s_i among the first k) = E Phi(sqrt(D_i) (m_i - t_i)), t_i the kth highest of the others
               (2) Sigma_ii = 1 / D_i + var m_i
    rank interval  by rank_intervals.py, as in ranking.py
    tie group      as in ranking.py, by a column of Sigma for each head; v_ij >= (b^T b)^2 / b^T H b >= 2 / (D_i + D_j)
    confidence     shares of the pairs in order, counted in the draws
    win rate       as if scores were independent (win_rates.py)
    forecast       as in confidence.py, over PAIRS of the pairs, with the mean of all Sigma_ij for each

The means in (1) and (2) are over 64 to 128 draws, in (1) each with its mirror image about mu; what s_i does by itself
is integrated out, so that one of them says more than many events or squares.
Not here: the entropy, which needs the determinant, and which candidates are alike.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from app.inference.gaussian import Precision, draws, series_of, solve
from app.inference.kernels.inversions import inversions
from app.inference.reporting.confidence import by_draws, expected_after
from app.inference.reporting.rank_intervals import rank_intervals
from app.inference.reporting.ranking import (
    RankTable,
    Wanted,
    ranks,
    split_by_ranks,
    sure_of_any,
)
from app.inference.reporting.win_rates import VOTES, around, rates_of_marginals
from app.inference.types import Floats, Ints

FEWEST_DRAWS, MOST_DRAWS, SCORES = 64, 128, 500_000  # as many draws as give so many scores in all
COLUMN = 1e-3  # accuracy of a column, in the smallest Sigma_ii there can be
PAIRS = 50_000
TINY = 1e-300


class _Tally(NamedTuple):
    """What the draws say."""

    p_best: Floats  # (N,)
    p_top: Floats  # (N,)
    variance: Floats  # (N,) V by (2)
    in_order: Floats  # (D,) share of the pairs
    draws: int  # D, each with its mirror image


class _Drawing(NamedTuple):
    """D draws."""

    given_rest: Floats  # (D, N) m
    scores: Floats  # (D, N)
    best_first: Ints  # (D, N)
    ranks: Ints  # (D, N)


def summarise(
    mean: Floats, precision: Precision, wanted: Wanted, rng: np.random.Generator, attenuation: Floats = VOTES
) -> RankTable:
    """The ranking of N(mu, H^-1). Conceptually: ranking.summarise with np.linalg.inv(H)."""
    n, common = len(mean), _prior_variance(precision) / len(mean)
    rank, score = ranks(mean), mean - mean.mean()
    tally = _count(mean, precision, rank, wanted.top_k, rng)
    variance = _variances(tally, precision)
    sd = np.sqrt(variance)
    half = float(ndtri(0.5 + 0.5 * wanted.level)) * sd
    interval = np.column_stack([score - half, score + half])
    rank_interval = around(rank, rank_intervals(score, sd, wanted.level))
    win_rate = rates_of_marginals(score, sd, interval, attenuation)
    return RankTable(
        rank=rank,
        score=score,
        sd=sd,
        interval=interval,
        rank_interval=rank_interval,
        p_best=tally.p_best,
        p_top=tally.p_top,
        tie_group=split_by_ranks(tie_groups(mean, precision, variance + common, wanted), mean, rank_interval, wanted),
        win_rate=win_rate.mean,
        win_rate_interval=win_rate.interval,
        entropy=None,
        confidence=by_draws(tally.in_order, n * (n - 1) // 2, wanted.level) if n > 1 else None,
    )


def _variances(tally: _Tally, precision: Precision) -> Floats:
    """(N,) V."""
    by_series, by_itself = series_of(precision), 1.0 / precision.diagonal
    factor = tally.variance / by_series
    by_chance = 2.0 / tally.draws * ((tally.variance - by_itself) / by_series) ** 2
    differ = max(float(factor.var() - by_chance.mean()), 0.0)
    own = differ / np.maximum(differ + by_chance, TINY)
    return np.asarray(by_series * (factor.mean() + own * (factor - factor.mean())))


def concordances_after(mean: Floats, precision: Precision, sd: Floats, factors: Sequence[float]) -> list[float]:
    """The concordance expected with each factor times as many comparisons, from (N,) sds of s_i - mean(s)."""
    n, prior, rng = len(sd), _prior_variance(precision), np.random.default_rng(0)
    i = rng.integers(n, size=PAIRS)
    j = (i + rng.integers(1, n, size=PAIRS)) % n
    m = np.abs(mean[i] - mean[j])
    v = (sd[i] ** 2 + sd[j] ** 2) * n / (n - 1)  # whose mean over the partners of any i is exact
    return [float(expected_after(m, v, np.full(PAIRS, 2.0 * prior), factor).mean()) for factor in factors]


def tie_groups(mean: Floats, precision: Precision, variance: Floats, wanted: Wanted) -> Ints:
    """(N,) numbers of the tie groups, 1 for the best, from (N,) Sigma_ii. Conceptually: ranking.tie_groups."""
    n, diagonal = len(mean), precision.diagonal
    order, groups, sure = np.argsort(-mean, kind="stable"), np.ones(n, np.int64), sure_of_any(n, wanted.level)
    begin, accuracy = 0, COLUMN / float(diagonal.max())
    while True:
        head, below = order[begin], order[begin + 1 :]
        at_head = np.zeros(n)
        at_head[head] = 1.0
        column, _ = solve(precision, at_head, accuracy)
        v = np.maximum(column[head] + variance[below] - 2.0 * column[below], 2.0 / (diagonal[head] + diagonal[below]))
        apart = np.flatnonzero(mean[head] - mean[below] - wanted.epsilon > sure * np.sqrt(v))
        if not len(apart):
            return groups
        begin += 1 + int(apart[0])
        groups[order[begin:]] += 1


def _prior_variance(precision: Precision) -> float:
    """Of each score; it is also what Sigma multiplies a vector of ones by, as H 1 = 1 / variance."""
    return float(1.0 / precision.prior[0])


def _count(
    mean: Floats,
    precision: Precision,
    rank: Ints,
    top_k: int,
    rng: np.random.Generator,
) -> _Tally:
    links, q, diagonal = precision
    n, prior = len(mean), _prior_variance(precision)
    by_rank = np.argsort(rank, kind="stable")
    tied = np.bincount(rank).astype(np.float64)
    undecided, total = 0.5 * float((tied * (tied - 1.0)).sum()), 0.5 * n * (n - 1)
    p_best, p_top, squares = np.zeros(n), np.zeros(n), np.zeros(n)
    in_order = list[float]()
    count = min(max(SCORES // n, FEWEST_DRAWS), MOST_DRAWS)
    for scores in draws(mean, precision, count, rng):
        moved = scores - mean
        level = moved.mean(axis=1, keepdims=True)
        expected = (links @ (moved - level).T).T / diagonal
        squares += (expected**2).sum(axis=0)
        given_rest = expected + level * (1.0 - q / diagonal)
        for side in (-1.0, 1.0):
            drawn_scores = mean + side * moved
            best_first = np.argsort(-drawn_scores, axis=1)
            drawn = np.empty_like(best_first)
            np.put_along_axis(drawn, best_first, np.arange(1, n + 1)[None], axis=1)
            drawing = _Drawing(mean + side * given_rest, drawn_scores, best_first, drawn)
            p_best += _chances(drawing, 1, diagonal).sum(axis=0)
            p_top += _chances(drawing, top_k, diagonal).sum(axis=0)
        for each in drawn:
            ordered = each[by_rank][np.lexsort((each[by_rank], rank[by_rank]))]  # no inversions among ties
            in_order.append((total - 0.5 * undecided - inversions(ordered)) / total)
    of_level = ((1.0 - q / diagonal) ** 2 - 1.0) * prior / n
    variance = 1.0 / diagonal + of_level + squares / count
    p_best, p_top = p_best / p_best.sum(), np.minimum(p_top * (min(top_k, n) / p_top.sum()), 1.0)
    return _Tally(p_best, p_top, variance, np.array(in_order), count)


def _chances(drawing: _Drawing, k: int, diagonal: Floats) -> Floats:
    """(D, N) chance of each to be among the first k, given the scores of the others, by (1)."""
    given_rest, scores, best_first, drawn = drawing
    if k >= scores.shape[1]:
        return np.ones_like(scores)
    last, next_one = (np.take_along_axis(scores, best_first[:, [place]], axis=1) for place in (k - 1, k))
    return np.asarray(ndtr(np.sqrt(diagonal) * (given_rest - np.where(drawn <= k, next_one, last))))
