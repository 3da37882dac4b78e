"""Pairs that people should judge to check a judge: those that shrink the rank-sets of both most (ours).

One more verdict of people on systems a and b, of which they have c, takes about

    D_ab = 1 / c - 1 / (c + 1)      in units of the variance of one verdict over the squared number of opponents

off the variance of theta_a and of theta_b each, and as one's win is mostly the other's loss, 4 D off that of their
difference; 1 D off that of any difference of one of them and a third system. Two systems m and m' are apart when their
difference exceeds its reach (judges/rank_sets.py). Of pairs that are not yet apart, those that nearly are count most:

    gain_ab = sum over m < m' not apart of  (|theta_m - theta_m'| / reach_mm') D_mm' / V_mm'

Several pairs are chosen one after the other, each counted as judged before the next. Within the pair of systems
chosen, which instance people see is left to chance: theta stays unbiased.
"""

from collections.abc import Sequence

import numpy as np

from app.inference.choosing.asking import Order, Presented, presented_beside
from app.inference.choosing.picking import TIE
from app.inference.gaussian import Scores
from app.inference.judges.pair_votes import PairVotes
from app.inference.judges.rank_sets import ENOUGH, RankBounds, judged_instances, least_seen, prediction_powered, ranked
from app.inference.types import Bools, Chance, Floats, Ints

ALPHA = 0.05
UNSEEN = 0.5  # what a pair that people never judged counts for: it comes before every other


def next_checks(
    votes: PairVotes,
    judge: int,
    people: Sequence[int],
    is_out: Bools,
    marginal: Scores,
    leads: Ints | None,
    order: Order,
    count: int,
    rng: Chance,
) -> list[tuple[int, Presented]]:
    """Up to `count` votes of a judge that people should check, best first, each by its row and as it is shown.

    Rank-sets are about these prompts: other ones make all differences less certain, and take longer to estimate.

    Args:
        judge, people: by their numbers.
        is_out: (M,) which votes somebody is about to check.
        marginal: explains the choice.
        leads: (k,) how many times more often each system was shown first; counted up.
    """
    k, by_judge = len(marginal.mean), votes.judged_by([judge])
    alone = by_judge & ~votes.judged_by(people)
    free, counted = alone & ~is_out, by_judge & (~alone | is_out)
    counts = np.bincount(votes.low[counted] * k + votes.high[counted], minlength=k * k).reshape(k, k)
    counts = np.asarray(counts + counts.T)
    instances = judged_instances(votes, [judge], people)
    enough = least_seen(instances.shown, instances.people, k)[1] >= ENOUGH
    rank_sets = ranked(prediction_powered(*instances[:3], k=k), ALPHA) if enough else None
    checks = []
    for _ in range(min(count, int(free.sum()))):
        gain = np.where(free, gains(rank_sets, counts)[votes.low, votes.high], -np.inf)
        best = np.flatnonzero(gain >= gain.max() * (1.0 - TIE))
        row = int(rng.choice(best))
        low, high = int(votes.low[row]), int(votes.high[row])
        free[row] = False
        counts[[low, high], [high, low]] += 1
        pair = presented_beside(marginal, low, high, float(gain[row]), 1.0 / len(best), leads, order, rng)
        checks.append((row, pair))
    return checks


def gains(rank_sets: RankBounds | None, counts: Ints) -> Floats:
    """(k, k) gain_ab, symmetric.

    Args: `rank_sets`, where people have judged enough to have them; `counts` (k, k) of people's verdicts on each pair.
    Conceptually: for each pair a, b the sum above, in a loop.
    """
    c = np.maximum(counts, UNSEEN)
    relief = 1.0 / c - 1.0 / (c + 1.0)
    value = np.ones(counts.shape) if rank_sets is None else _value_of_variances(rank_sets)
    value = value * (1.0 - np.eye(len(counts)))
    of_either = value.sum(axis=1)
    gain = relief * (of_either[:, None] + of_either[None, :] + 2.0 * value)
    return np.asarray(gain * (1.0 - np.eye(len(counts))))


def _value_of_variances(rank_sets: RankBounds) -> Floats:
    """(k, k) what a smaller variance of each difference gains; a little for those that are apart, lest all be 0."""
    theta, tiny = rank_sets.estimate.theta, np.finfo(np.float64).tiny
    variance = np.maximum(rank_sets.estimate.variances_of_differences, tiny)
    close = np.abs(theta[:, None] - theta) / np.maximum(rank_sets.reach, tiny)
    return np.where(close < 1.0, np.maximum(close, 1e-3), 1e-6) / variance
