"""Rank intervals that hold together: a function of the scores and their sds, almost without draws.

The rank of i is 1 + how many of the others are above it. Given how far s_i itself is off, g sd_i, it is about normal:

    mu(g) = 1 + sum_j P(s_j > s_i),    V(g) = sum_j P(s_j > s_i) P(s_j < s_i),    s_j as if independent

so that R = mu(g) + h sqrt V(g) with g, h ~ N(0, 1). R reaches r with probability Phi(-q) where q is how far the nearest
(g, h) that does so is from 0 (the first-order reliability method, Hasofer and Lind 1974): over t

    best = min mu(q cos t) - q sin t sqrt V(q cos t),    worst = max mu(-q cos t) + q sin t sqrt V(-q cos t)

Ends leave out the ranks that are rarer than one line, Phi(-q) for all. At that line all that is left out has a
probability of 1 - level in sum: together they hold with `level` or more (Bonferroni). Ends are whole ranks, and leave
out less than the line allows; so the sum is of what they do leave out. Of few candidates one is up where another is
down: the sum has that twice, and draws have it once.

s_i - mean(s) and s_j - mean(s) owe each other -1 / (N - 1) on average, hence v = (sd_i^2 + sd_j^2) N / (N - 1).
"""

import numpy as np
from scipy.special import ndtr, ndtri

from app.inference.types import Floats, Ints

COUNTED = 8  # candidates: of more, the sum counts seldom twice that one is up and another down (decision 81)
DIRECTIONS = 6  # t between 0 and a right angle
LINES = 16  # at which ends are found; between them they are interpolated
BEYOND = 1.5  # sds past the line that each of 2 N ends could have for itself
POINTS, FEWEST_POINTS = 8000, 8  # of all candidates, and of each, that stand for what scores may be
HALVINGS = 30
LEAST_SD = 1e-9


def rank_intervals(score: Floats, sd: Floats, level: float, drawn: Ints | None = None) -> Ints:
    """(N, 2) the best and the worst rank of each, from (N,) scores and the sds of s_i - mean(s).

    Args: of (D, N) `drawn` ranks, up to COUNTED candidates, all ends are to hold in a share `level`, whatever the sum.
    """
    n, error = len(score), 1.0 - level
    if n < 2:
        return np.ones((n, 2), np.int64)
    q = np.linspace(-ndtri(min(error, 0.5)), BEYOND - ndtri(0.5 * error / n), LINES)
    best, worst = _ends(score, np.maximum(sd, LEAST_SD) * np.sqrt(n / (n - 1)), q)
    low, high = q[0], q[-1]
    for _ in range(HALVINGS):
        line = 0.5 * (low + high)
        up, down = (_whole(each, line, q, n) for each in (best, n + 1 - worst))
        if drawn is not None and n <= COUNTED:
            left_out = float(((drawn < up) | (drawn > n + 1 - down)).any(axis=1).mean())
        else:
            left_out = _left_out(best, up, q) + _left_out(n + 1 - worst, down, q)
        low, high = (low, line) if left_out <= error else (line, high)
    return np.column_stack([_whole(best, high, q, n), n + 1 - _whole(n + 1 - worst, high, q, n)])


def _ends(score: Floats, sd: Floats, q: Floats) -> tuple[Floats, Floats]:
    """(L, N) how high and how low each rank gets, as numbers with fractions, at (L,) lines."""
    points = max(POINTS // len(score), FEWEST_POINTS)
    u = (np.arange(points)[:, None] + 0.5) / points
    alone = np.sort((score + sd * ndtri(u)).ravel())
    lower_of_two = np.sort((score + sd * ndtri(1.0 - np.sqrt(1.0 - u))).ravel())

    def ranks_at(g: Floats) -> tuple[Floats, Floats]:
        """mu and sqrt V, as many above as points are, and as pairs of copies both are."""
        at, own = score + g * sd, ndtr(-g)
        above = (len(alone) - np.searchsorted(alone, at)) / points - own
        both_above = (len(alone) - np.searchsorted(lower_of_two, at)) / points - own**2
        return 1.0 + np.maximum(above, 0.0), np.sqrt(np.maximum(above - both_above, 0.0))

    best, worst = np.full((len(q), len(score)), np.inf), np.full((len(q), len(score)), -np.inf)
    for t in np.linspace(0.0, 0.5 * np.pi, DIRECTIONS, endpoint=False):
        g, h = np.cos(t) * q[:, None], np.sin(t) * q[:, None]
        (high, up), (low, down) = ranks_at(g), ranks_at(-g)
        best, worst = np.minimum(best, high - h * up), np.maximum(worst, low + h * down)
    return np.minimum.accumulate(best), np.maximum.accumulate(worst)


def _whole(best: Floats, line: float, q: Floats, n: int) -> Ints:
    """(N,) the best whole rank of each that is not beyond the line."""
    k = min(int(np.searchsorted(q, line, side="right")) - 1, len(q) - 2)
    share = (line - q[k]) / (q[k + 1] - q[k])
    whole = np.floor((1.0 - share) * best[k] + share * best[k + 1] + 0.5)
    return np.asarray(np.clip(whole, 1, n), np.int64)


def _left_out(best: Floats, rank: Ints, q: Floats) -> float:
    """Sum of the probabilities of ranks above these (N,)."""
    end, who = rank - 0.5, np.arange(len(rank))
    reached = best <= end
    k = np.clip(np.where(reached.any(axis=0), reached.argmax(axis=0), len(q)) - 1, 0, len(q) - 2)
    before, after = best[k, who], best[k + 1, who]
    share = np.divide(before - end, before - after, out=np.ones(len(rank)), where=before > after)
    return float(ndtr(-(q[k] + np.clip(share, 0.0, 1.0) * (q[k + 1] - q[k])))[rank > 1].sum())
