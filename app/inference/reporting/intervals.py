"""Ranks, marginal intervals of scores, and rank intervals that hold together.

Rank 1 is the best; equal scores share the better rank. Scores are relative to their mean (decision 14).

`rank_intervals` are of normal scores, almost without draws (decision 81). The rank of i is 1 + how many of the others
are above it. Given how far s_i itself is off, g sd_i, it is about normal:

    mu(g) = 1 + sum_j P(s_j > s_i),    V(g) = sum_j P(s_j > s_i) P(s_j < s_i),    s_j as if independent

so that R = mu(g) + h sqrt V(g) with g, h ~ N(0, 1). R reaches r with probability Phi(-q) where q is how far the nearest
(g, h) that does so is from 0 (the first-order reliability method, Hasofer and Lind 1974): over t

    best = min mu(q cos t) - q sin t sqrt V(q cos t),    worst = max mu(-q cos t) + q sin t sqrt V(-q cos t)

Ends leave out the ranks that are rarer than one line, Phi(-q) for all, at which the probabilities of what they leave
out, as whole ranks, sum to 1 - level (Bonferroni). Worst ranks are counted from below: both ends are then heights.
s_i - mean(s) and s_j - mean(s) owe each other -1 / (N - 1) on average, hence v = (sd_i^2 + sd_j^2) N / (N - 1).

`drawn_rank_intervals` are of ranks that lean to one side, as those by win rates do. On normal scores z =
Phi^-1((rank - 1/2) / N) each is mean - c below .. mean + c above, where above^2 / 2 is the mean square of z - mean
where that is positive, and below likewise; c is what a share `level` of the draws stays within: their own ends would be
too narrow.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from app.inference.gaussian import Covariance, Scores
from app.inference.types import Floats, Ints

SAME_SCORE = 1e-9
COUNTED = 8  # candidates: of more, the sum counts seldom twice that one is up and another down (decision 81)
DIRECTIONS = 6  # t between 0 and a right angle
LINES = 16  # at which ends are found; between them they are interpolated
BEYOND = 1.5  # sds past the line that each of 2 N ends could have for itself
POINTS, FEWEST_POINTS = 8000, 8  # of all candidates, and of each, that stand for what scores may be
HALVINGS, HALVINGS_OF_QUANTILES = 30, 50
LEAST_SD, TINY = 1e-9, np.finfo(np.float64).tiny
ROUNDED = 1e-9  # of a normal score


def ranks(scores: Floats) -> Ints:
    """(N,) ranks of scores; those within SAME_SCORE of the one above share its rank."""
    return ranks_of(scores, SAME_SCORE)


def ranks_of(values: Floats, tie: float = 0.0) -> Ints:
    """(..., N) ranks of draws, which tie where they are no more than that below the one above."""
    best_first = (-values).argsort(axis=-1)
    in_order = np.take_along_axis(values, best_first, axis=-1)
    is_lower = np.full(values.shape, True)
    is_lower[..., 1:] = in_order[..., :-1] - in_order[..., 1:] > tie
    rank = np.maximum.accumulate(is_lower * np.arange(1, values.shape[-1] + 1), axis=-1)
    result = np.empty(values.shape, np.int64)
    np.put_along_axis(result, best_first, rank, axis=-1)
    return result


def around(estimate: Floats | Ints | float, ends: Floats | Ints) -> NDArray[Any]:
    """(..., 2) intervals, moved outwards to hold their (...,) estimates."""
    return np.stack([np.minimum(ends[..., 0], estimate), np.maximum(ends[..., 1], estimate)], axis=-1)


def interval_of(drawn: Floats, level: float, estimate: Floats | float) -> Floats:
    """(..., 2) central intervals of (D, ...) draws, moved outwards to hold the (...,) estimates."""
    return around(estimate, np.quantile(drawn, [0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=0).T)


def relative_sd(sigma: Covariance) -> Floats:
    """(N,) of s_i - mean(s): the root of the diagonal of C Sigma C, C = I - 1/N."""
    n = len(sigma.diagonal)
    with_mean = sigma.times(np.full(n, 1.0 / n))
    variance = sigma.diagonal - 2.0 * with_mean + with_mean.mean()
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)), dtype=np.float64)


def marginal_intervals(scores: Scores, sd: Floats, level: float, drawn: Floats | None = None) -> Floats:
    """(N, 2) marginal intervals of s_i - mean(s), from its (N,) sds, or (D, N) draws; a mixture's by bisection."""
    score, tails = scores.mean - scores.mean.mean(), np.array([0.5 - 0.5 * level, 0.5 + 0.5 * level])
    if drawn is not None:
        return interval_of(drawn - drawn.mean(axis=1, keepdims=True), level, score)
    if not scores.parts:
        return np.asarray(score[:, None] + ndtri(tails) * sd[:, None])
    weight = np.array([weight for weight, _ in scores.parts])
    means = np.array([part.mean - part.mean.mean() for _, part in scores.parts])  # (G, N)
    sds = np.maximum([relative_sd(part.covariance) for _, part in scores.parts], TINY)
    ends = means + ndtri(tails)[:, None, None] * sds  # (2, G, N)
    low, high = ends.min(axis=1), ends.max(axis=1)
    for _ in range(HALVINGS_OF_QUANTILES):
        middle = 0.5 * (low + high)
        is_low = weight @ ndtr((middle[:, None] - means) / sds) < tails[:, None]
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.asarray(0.5 * (low + high)).T


def rank_intervals(score: Floats, sd: Floats, level: float, drawn: Ints | None = None) -> Ints:
    """(N, 2) the best and the worst rank, from (N,) scores and the sds of s_i - mean(s); of COUNTED by (D, N) ranks."""
    n, error = len(score), 1.0 - level
    if n < 2:
        return np.ones((n, 2), np.int64)
    q = np.linspace(-ndtri(min(error, 0.5)), BEYOND - ndtri(0.5 * error / n), LINES)
    heights = _heights(score, np.maximum(sd, LEAST_SD) * np.sqrt(n / (n - 1)), q)
    drawn_heights = None if drawn is None or n > COUNTED else np.column_stack([drawn, n + 1 - drawn])
    low, high = q[0], q[-1]
    for _ in range(HALVINGS):
        line = 0.5 * (low + high)
        ends = _whole(heights, line, q)
        if drawn_heights is None:
            left_out = _left_out(heights, ends, q)
        else:
            left_out = float((drawn_heights < ends).any(axis=1).mean())
        low, high = (low, line) if left_out <= error else (line, high)
    best, from_below = np.split(_whole(heights, high, q), 2)
    return around(ranks(score), np.column_stack([best, n + 1 - from_below]))


def _heights(score: Floats, sd: Floats, q: Floats) -> Floats:
    """(L, 2 N) how high each rank gets at (L,) lines, from above and then from below."""
    n = len(score)
    points = max(POINTS // n, FEWEST_POINTS)
    u = (np.arange(points)[:, None] + 0.5) / points
    alone = np.sort((score + sd * ndtri(u)).ravel())
    lower_of_two = np.sort((score + sd * ndtri(1.0 - np.sqrt(1.0 - u))).ravel())

    def ranks_at(g: Floats) -> tuple[Floats, Floats]:
        """mu and sqrt V, by the points above, and by those of two copies of which both are above."""
        at, own = score + g * sd, ndtr(-g)
        above = (len(alone) - np.searchsorted(alone, at)) / points - own
        both_above = (len(alone) - np.searchsorted(lower_of_two, at)) / points - own**2
        return 1.0 + np.maximum(above, 0.0), np.sqrt(np.maximum(above - both_above, 0.0))

    heights = np.full((len(q), 2 * n), np.inf)
    for t in np.linspace(0.0, 0.5 * np.pi, DIRECTIONS, endpoint=False):
        g, h = np.cos(t) * q[:, None], np.sin(t) * q[:, None]
        (high, up), (low, down) = ranks_at(g), ranks_at(-g)
        heights = np.minimum(heights, np.hstack([high - h * up, n + 1 - low - h * down]))
    return np.minimum.accumulate(heights)


def _whole(heights: Floats, line: float, q: Floats) -> Ints:
    """(2 N,) the best whole rank that is not beyond the line."""
    k = min(int(np.searchsorted(q, line, side="right")) - 1, len(q) - 2)
    share = (line - q[k]) / (q[k + 1] - q[k])
    whole = np.floor((1.0 - share) * heights[k] + share * heights[k + 1] + 0.5)
    return np.asarray(np.clip(whole, 1, heights.shape[1] // 2), np.int64)


def _left_out(heights: Floats, ends: Ints, q: Floats) -> float:
    """Sum of the probabilities of ranks above these (2 N,)."""
    end, who = ends - 0.5, np.arange(len(ends))
    reached = heights <= end
    k = np.clip(np.where(reached.any(axis=0), reached.argmax(axis=0), len(q)) - 1, 0, len(q) - 2)
    before, after = heights[k, who], heights[k + 1, who]
    share = np.divide(before - end, before - after, out=np.ones(len(ends)), where=before > after)
    return float(ndtr(-(q[k] + np.clip(share, 0.0, 1.0) * (q[k + 1] - q[k])))[ends > 1].sum())


def drawn_rank_intervals(rank: Ints, drawn: Ints, level: float) -> Ints:
    """(N, 2) rank intervals around the (N,) ranks that hold together in at least `level` of the (D, N) drawn ones."""
    n = len(rank)
    scale = ndtri((np.arange(n) + 0.5) / n)
    z = scale[drawn - 1]
    centre = z.mean(axis=0)
    apart = z - centre
    ways = np.minimum(apart, 0.0), np.maximum(apart, 0.0)
    below, above = (np.sqrt(2.0 * np.square(way).mean(axis=0)) for way in ways)
    spread = np.where(apart < 0.0, below, above)
    farthest = (np.abs(apart) / np.where(spread > ROUNDED, spread, 1.0)).max(axis=1)
    c = np.quantile(farthest, level, method="inverted_cdf")
    best = np.minimum(np.searchsorted(scale, centre - c * below - ROUNDED) + 1, n)
    worst = np.maximum(np.searchsorted(scale, centre + c * above + ROUNDED, side="right"), best)
    return around(rank, np.column_stack([best, worst]))
