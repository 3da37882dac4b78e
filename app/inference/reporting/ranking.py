"""Ranks and their uncertainty, as they are published from a posterior N(mu, Sigma).

    score, sd       of s_i - mean(s): comparisons say nothing about the common level of all scores (decision 14)
    interval        score_i -+ z sd_i, marginal: each one holds with probability `level`
    rank interval   simultaneous: all N hold together with probability `level` (rank_intervals.py)
    p_best, p_top   shares of draws of the joint posterior in which a candidate is first, or among the first k
                    (candidates that the posterior does not tell apart share what their draws say together)
    tie group       going down the ranking, a new group begins where P(s_head - s_i > epsilon) is at least
                    1 - (1 - level) / (N (N - 1)), head being the first of the group above: within a group nobody is
                    proven worse than its head by more than epsilon. The divisor counts every pair and direction
                    (Bonferroni), for the scores themselves choose which pairs are looked at: verdicts by tossing a
                    coin give one group with probability `level`. One begins, too, where the best rank that is possible
                    is beyond the worst one of somebody in the group: ranks that exclude each other are no tie
    confidence      the share of pairs that is expected to be in the right order (confidence.py), from the same draws
    entropy         N (1 + ln 2 pi) / 2 + ln det(Sigma) / 2      (GPM 4.3)

    win rate        the expected share of wins against the others, from the same draws (win_rates.py)

Rank 1 is the best. Equal scores share the better rank.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from app.inference.gaussian import Covariance, Scores
from app.inference.kernels.pair_sets import matching
from app.inference.reporting.confidence import Confidence, PairsOf, all_pairs, confidence_of
from app.inference.reporting.rank_intervals import rank_intervals
from app.inference.reporting.win_rates import VOTES, around, quantiles, rates
from app.inference.targets import Quantity, drawn_values, is_drawn
from app.inference.targets.drawing import drawn_in_place
from app.inference.types import Floats, Ints
from app.inference.verdicts import means

SAME_SCORE = 1e-9  # covariances: relative to the largest variance where that is above 1
HALVINGS = 50


class Wanted(NamedTuple):
    """A reader's wishes for a ranking."""

    level: float = 0.95  # of the marginal intervals, of all rank intervals together, of tie groups
    top_k: int = 1  # of p_top
    epsilon: float = 0.0  # of tie groups, in units of the scores


class RankTable(NamedTuple):
    """One row per candidate, in candidate order."""

    rank: Ints  # (N,)
    score: Floats  # (N,)
    sd: Floats  # (N,)
    interval: Floats  # (N, 2)
    rank_interval: Ints  # (N, 2), best and worst
    p_best: Floats  # (N,)
    p_top: Floats  # (N,)
    tie_group: Ints  # (N,) 1 for the best
    win_rate: Floats  # (N,) expected share of wins against the others
    win_rate_interval: Floats  # (N, 2)
    entropy: float | None  # None where the covariance is not known as a whole (sparse_ranking.py)
    confidence: Confidence | None  # None where there are no two candidates


class PredictedVerdict(NamedTuple):
    p_first_better: float
    mean_difference: float
    sd_difference: float


def summarise(
    posterior: Scores,
    wanted: Wanted,
    rng: np.random.Generator,
    pairs_of: PairsOf = all_pairs,
    attenuation: Floats = VOTES,
) -> RankTable:
    """The ranking of `posterior`, whose covariance should be exact (posterior.exact); `attenuation` of its verdicts.

    Draws are in the order of the scores: the same candidates listed in another order get the same draws.
    """
    rank, score, sd = ranks(posterior.mean), posterior.mean - posterior.mean.mean(), relative_sd(posterior.covariance)
    values, alike = drawn_in_place(posterior, rng), interchangeable(posterior)
    drawn, win_rate = _ranks_of(values), rates(values, attenuation, wanted.level)
    rank_interval = around(rank, rank_intervals(score, sd, wanted.level, drawn))
    return RankTable(
        rank=rank,
        score=score,
        sd=sd,
        interval=intervals(posterior, wanted.level),
        rank_interval=rank_interval,
        p_best=shared((drawn == 1).mean(axis=0), alike),
        p_top=shared((drawn <= wanted.top_k).mean(axis=0), alike),
        tie_group=split_by_ranks(tie_groups(posterior, wanted), posterior.mean, rank_interval, wanted),
        win_rate=shared(win_rate.mean, alike),
        win_rate_interval=np.column_stack([shared(end, alike) for end in win_rate.interval.T]),
        entropy=entropy(posterior.covariance),
        confidence=confidence_of(posterior, rank, drawn, matching(pairs_of(posterior.mean)), wanted.level),
    )


def relative_sd(sigma: Covariance) -> Floats:
    """(N,) of s_i - mean(s): the root of the diagonal of C Sigma C, C = I - 1/N."""
    n = len(sigma.diagonal)
    with_mean = sigma.times(np.full(n, 1.0 / n))
    variance = sigma.diagonal - 2.0 * with_mean + with_mean.mean()
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)), dtype=np.float64)


def intervals(posterior: Scores, level: float, values: Floats | None = None) -> Floats:
    """(N, 2) marginal intervals of s_i - mean(s): of (D, N) draws, if there are any; a mixture's by bisection."""
    score, sd = posterior.mean - posterior.mean.mean(), relative_sd(posterior.covariance)
    if values is not None:
        return around(score, quantiles(values - values.mean(axis=1, keepdims=True), level))
    z = float(ndtri(0.5 + 0.5 * level))
    if not posterior.parts:
        return np.column_stack([score - z * sd, score + z * sd])
    weight = np.array([weight for weight, _ in posterior.parts])
    means = np.array([part.mean - part.mean.mean() for _, part in posterior.parts])
    sds = np.array([relative_sd(part.covariance) for _, part in posterior.parts])
    ends = [_quantiles(weight, means, sds, tail) for tail in (0.5 - 0.5 * level, 0.5 + 0.5 * level)]
    return np.column_stack(ends)


def _quantiles(weight: Floats, means: Floats, sds: Floats, tail: float) -> Floats:
    """(N,) where N mixtures of the same (G,) weights, with (G, N) means and sds, have `tail` below them."""
    of_parts = means + ndtri(tail) * sds
    low, high = of_parts.min(axis=0), of_parts.max(axis=0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        is_low = weight @ ndtr((middle - means) / np.maximum(sds, np.finfo(np.float64).tiny)) < tail
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.asarray(0.5 * (low + high))


def entropy(sigma: Covariance) -> float:
    """Differential entropy of the joint posterior, in nats."""
    n = len(sigma.diagonal)
    return 0.5 * (n * (1.0 + float(np.log(2.0 * np.pi))) + sigma.log_det)


def ranks(scores: Floats) -> Ints:
    """(N,) competition ranks, 1 for the highest; scores within 1e-9 of the one above share its rank."""
    order = np.argsort(-scores, kind="stable")
    leads = np.concatenate([[True], np.diff(-scores[order]) > SAME_SCORE])[: len(scores)]
    result = np.empty(len(scores), np.int64)
    result[order] = np.maximum.accumulate(np.where(leads, np.arange(1, len(scores) + 1), 0))
    return result


def _ranks_of(values: Floats) -> Ints:
    """(D, N) ranks of (D, N) draws, 1 for the highest."""
    return np.asarray(np.argsort(np.argsort(-values, axis=1), axis=1) + 1)


def interchangeable(posterior: Scores) -> Ints:
    """(N,) the first candidate with which each may swap names and leave the posterior as it is.

    That is i where mean_i = mean_j, Sigma_ii = Sigma_jj, and Sigma_ik = Sigma_jk for every other k.
    """
    mean, sigma, n = posterior.mean, posterior.covariance.matrix(), len(posterior.mean)
    variance, alike = sigma.diagonal(), np.arange(n)
    tolerance = SAME_SCORE * max(1.0, float(variance.max(initial=0.0)))
    # Candidates apart in sum_k Sigma_ik x_k, without i and j, are apart in some Sigma_ik: few are compared row by row.
    x = np.cos(np.arange(n) ** 2.0)
    projected = sigma @ x - variance * x
    for j in range(1, n):
        near = (np.abs(mean[:j] - mean[j]) <= SAME_SCORE) & (np.abs(variance[:j] - variance[j]) <= tolerance)
        near &= np.abs(projected[:j] - projected[j] + sigma[j, :j] * (x[:j] - x[j])) <= tolerance * n
        for i in np.flatnonzero(near & (alike[:j] == np.arange(j))):
            apart = np.abs(sigma[i] - sigma[j])
            apart[[i, j]] = 0.0
            if apart.max() <= tolerance:
                alike[j] = i
                break
    return alike


def shared(values: Floats, alike: Ints) -> Floats:
    """(N,) the mean of `values` (N,) over those who are alike."""
    return means(values, alike, len(values))[alike]


def tie_groups(posterior: Scores, wanted: Wanted) -> Ints:
    """(N,) numbers of the tie groups, 1 for the best."""
    groups, sure = np.ones(len(posterior.mean), np.int64), sure_of_any(len(posterior.mean), wanted.level)
    order = np.argsort(-posterior.mean, kind="stable")
    head = order[0]
    for before, i in pairwise(order):
        apart = -ndtri(worse(posterior, head, i, wanted.epsilon)) > sure
        groups[i] = groups[before] + apart
        head = i if apart else head
    return groups


def split_by_ranks(groups: Ints, mean: Floats, rank_interval: Ints, wanted: Wanted) -> Ints:
    """(N,) these groups, split where ranks exclude each other; as they are where a tie is up to epsilon.

    Args: `rank_interval` (N, 2) are the best and worst ranks of what has these (N,) means.
    """
    if wanted.epsilon > 0.0:
        return groups
    split, order = np.ones(len(groups), np.int64), np.argsort(-mean, kind="stable")
    worst = rank_interval[order[0], 1]
    for before, i in pairwise(order):
        begins = groups[i] > groups[before] or rank_interval[i, 0] > worst
        split[i] = split[before] + begins
        worst = rank_interval[i, 1] if begins else min(worst, rank_interval[i, 1])
    return split


def sure_of_any(n: int, level: float) -> float:
    """Standard deviations that make one claim "i is above j", so that all N (N - 1) of them hold with `level`."""
    return float(-ndtri((1.0 - level) / max(n * (n - 1), 1)))


def predict(quantity: Quantity, first: int, second: int) -> PredictedVerdict:
    """Probability that `first` is truly better than `second`, and the difference of what is ranked behind it."""
    if is_drawn(quantity):
        values = drawn_values(quantity)
        apart = values[:, first] - values[:, second]
        is_better = float((apart > 0.0).mean() + 0.5 * (apart == 0.0).mean())
        return PredictedVerdict(is_better, float(apart.mean()), float(apart.std()))
    assert isinstance(quantity, Scores)
    m = float(quantity.mean[first] - quantity.mean[second])
    sd = float(np.sqrt(quantity.covariance.variance_of_difference(first, second)))
    return PredictedVerdict(worse(quantity, second, first, 0.0), m, sd)


def worse(posterior: Scores, i: int, j: int, epsilon: float) -> float:
    """P(s_i - s_j < epsilon): how likely i is worse than j, or not better by more than epsilon."""
    parts = posterior.parts or ((1.0, posterior),)
    sds = np.sqrt([part.covariance.variance_of_difference(i, j) for _, part in parts])
    z = np.array([epsilon - part.mean[i] + part.mean[j] for _, part in parts]) / sds
    return float(np.array([weight for weight, _ in parts]) @ ndtr(z))
