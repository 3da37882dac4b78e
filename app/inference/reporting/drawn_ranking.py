"""The ranking by win rates, or by scores from votes, of which there are draws: what ranking.py says of scores, counted.

rank            by the scores beneath, which a ranking shows; win rates are drawn, and would order those who are nearly
                equal by chance
drawn rank      1 + how many win rates are above, so that a tie shares the better one
p_best, p_top   shares of the draws in which a candidate is first, or among the first k, alone or with others
rank interval   simultaneous: all hold together in a share `level` of the draws. On normal scores, with one spread
                upwards and another downwards, for ranks by win rates lean; and with the rank itself, which draws in
                which others tie may not have
tie group       going down the ranking, a new group begins where the whole rank interval is below that of somebody in
                the group; with epsilon, only where its head is above by more than that in a share `level` of the draws
confidence      share of the pairs that a draw has as the ranking does: tied where this is tied, above where above
forecast        as in confidence.py with the draws' m and v, where v' = v (1 - c f) / (f (1 - c)), c the share of the
                pairs that is known, as judged by judges who repeat themselves; what is not is known by more
"""

from itertools import pairwise

import numpy as np
from scipy.special import ndtri

from app.inference.kernels.pair_sets import matching
from app.inference.reporting.confidence import PairsOf, by_draws, in_order_after, shares_in_order
from app.inference.reporting.ranking import (
    RankTable,
    Wanted,
    entropy,
    interchangeable,
    intervals,
    ranks,
    relative_sd,
    shared,
    split_by_ranks,
)
from app.inference.reporting.win_rates import VOTES, Rates, around, quantiles, rates
from app.inference.targets import Quantity, WinRates, drawn_values
from app.inference.types import Floats, Ints

ROUNDED = 1e-9  # of a normal score
KNOWN = 1e-18  # variance of a difference of win rates


def summarise(quantity: Quantity, wanted: Wanted, pairs_of: PairsOf, attenuation: Floats = VOTES) -> RankTable:
    """The ranking by what is drawn; scores and their intervals are those of the posterior beneath.

    Args: `attenuation` of verdicts is for win rates by scores.
    """
    values = drawn_values(quantity)
    if isinstance(quantity, WinRates):
        scores = quantity.scores
        of_scores = drawn_values(scores, len(values)) if scores.has_votes else None
        win_rate = Rates(quantity.mean, around(quantity.mean, quantiles(values, wanted.level)))
    else:
        scores, of_scores = quantity, values
        win_rate = rates(values, attenuation, wanted.level)
    rank, drawn_ranks, alike = ranks(scores.mean), ranks_of(values), interchangeable(scores)
    rank_interval = _widest(rank_intervals(rank, drawn_ranks, wanted.level), alike)
    pairs = matching(pairs_of(scores.mean))
    return RankTable(
        rank=rank,
        score=scores.mean - scores.mean.mean(),
        sd=relative_sd(scores.covariance),
        interval=_shared_ends(intervals(scores, wanted.level, of_scores), alike),
        rank_interval=rank_interval,
        p_best=shared((drawn_ranks == 1).mean(axis=0), alike),
        p_top=shared((drawn_ranks <= wanted.top_k).mean(axis=0), alike),
        tie_group=_tie_groups(values, scores.mean, rank_interval, wanted),
        win_rate=shared(win_rate.mean, alike),
        win_rate_interval=_shared_ends(win_rate.interval, alike),
        entropy=entropy(scores.covariance),
        confidence=by_draws(shares_in_order(rank, drawn_ranks, pairs), int(pairs.sum()), wanted.level)
        if pairs.any()
        else None,
    )


def _shared_ends(interval: Floats, alike: Ints) -> Floats:
    """(N, 2) intervals, the same of those who are alike."""
    return np.column_stack([shared(end, alike) for end in interval.T])


def _widest(interval: Ints, alike: Ints) -> Ints:
    """(N, 2) intervals, that of all who are alike together."""
    ends = interval.copy()
    np.minimum.at(ends[:, 0], alike, interval[:, 0])
    np.maximum.at(ends[:, 1], alike, interval[:, 1])
    return np.asarray(ends[alike])


def concordance_after(drawn: WinRates, factor: float, pairs_of: PairsOf) -> float:
    """The concordance expected when there are `factor` >= 1 times as many comparisons, new pairs all of them."""
    first, second = np.nonzero(np.triu(matching(pairs_of(drawn.scores.mean)), 1))
    sigma = np.cov(drawn.values, rowvar=False)
    m = drawn.mean[first] - drawn.mean[second]
    v = sigma[first, first] + sigma[second, second] - 2.0 * sigma[first, second]
    known = drawn.known / drawn.verdicts
    later = max(1.0 - known * factor, 0.0) / (factor * (1.0 - known)) if known < 1.0 else 0.0
    return float(np.where(v > KNOWN, in_order_after(m, v, v * later), 1.0).mean())


def ranks_of(values: Floats) -> Ints:
    """(D, N) ranks of (D, N) values, 1 for the highest; a tie shares the better rank."""
    best_first = (-values).argsort(axis=1)
    in_order = np.take_along_axis(values, best_first, axis=1)
    is_lower = np.full(values.shape, True)
    is_lower[:, 1:] = in_order[:, 1:] < in_order[:, :-1]
    rank = np.maximum.accumulate(is_lower * np.arange(1, values.shape[1] + 1), axis=1)
    ranks = np.empty(values.shape, np.int64)
    np.put_along_axis(ranks, best_first, rank, axis=1)
    return ranks


def rank_intervals(rank: Ints, drawn: Ints, level: float) -> Ints:
    """(N, 2) rank intervals around the (N,) ranks that hold together in at least `level` of the (D, N) drawn ones.

    On normal scores z each is mean - c below .. mean + c above, where above^2 / 2 is the mean square of z - mean where
    that is positive, and below likewise. The ends of the draws themselves would be too narrow: of many candidates one
    is beyond all of a thousand draws.
    """
    count, n = drawn.shape
    z = _normal_scores(n)[drawn - 1]
    centre = z.mean(axis=0)
    apart = z - centre
    below, above = (
        np.sqrt(2.0 * np.square(side).mean(axis=0)) for side in (np.minimum(apart, 0), np.maximum(apart, 0))
    )
    spread = np.where(apart < 0.0, below, above)
    farthest = (np.abs(apart) / np.where(spread > ROUNDED, spread, 1.0)).max(axis=1)
    c = np.sort(farthest)[int(np.ceil(level * count)) - 1]
    return around(rank, _ranks_within(centre - c * below - ROUNDED, centre + c * above + ROUNDED))


def _ranks_within(low: Floats, high: Floats) -> Ints:
    """(N, 2) the best and the worst rank with a normal score from `low` to `high`."""
    n = len(low)
    scale = _normal_scores(n)
    best = np.minimum(np.searchsorted(scale, low, side="left") + 1, n)
    return np.column_stack([best, np.maximum(np.searchsorted(scale, high, side="right"), best)])


def _normal_scores(n: int) -> Floats:
    """(n,) Phi^-1((rank - 1/2) / n) of ranks 1 to n."""
    return np.asarray(ndtri((np.arange(n) + 0.5) / n))


def _tie_groups(values: Floats, score: Floats, rank_interval: Ints, wanted: Wanted) -> Ints:
    """(N,) numbers of the groups, 1 for the best."""
    groups, order = np.ones(len(score), np.int64), np.argsort(-score, kind="stable")
    apart = split_by_ranks(groups, score, rank_interval, wanted._replace(epsilon=0.0))
    if not wanted.epsilon:
        return apart
    head = order[0]
    for before, i in pairwise(order):
        is_above = (values[:, head] - values[:, i] > wanted.epsilon).mean() >= wanted.level
        begins = apart[i] > apart[head] and is_above
        groups[i] = groups[before] + begins
        head = i if begins else head
    return groups
