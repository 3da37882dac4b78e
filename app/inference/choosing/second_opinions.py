"""Pairs of outputs that somebody has judged and others are to judge: overlap of judges, and people who check a judge.

Overlap, so that it shows how far judges agree (decision 50). A pair is drawn for it, or not, by a hash of its set and
of itself: every process draws the same pairs, whatever was judged or is chosen. Once a drawn pair has a verdict it is
due for every judge that has not judged it, until so many have.

Checks, the pairs that shrink the rank-sets of both the judge and people most (ours, decision 22). One more verdict of
people on systems a and b, of which they have c, takes about

    D_ab = 1 / c - 1 / (c + 1)      in units of the variance of one verdict over the squared number of opponents

off the variance of theta_a and of theta_b each, and of the difference of one of them and a third system; as one's win
is mostly the other's loss, 4 D off that of their own difference. Two systems m and m' are apart when their difference
exceeds its reach (judges/rank_sets.py). Of pairs that are not yet apart, those that nearly are count most:

    gain_ab = sum over m < m' not apart of  (|theta_m - theta_m'| / reach_mm') D_mm' / V_mm'

Within the pair of systems chosen, which instance people see is left to chance: theta stays unbiased.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from app.inference.judges.pair_votes import PairVotes
from app.inference.judges.rank_sets import ENOUGH, RankBounds, judged_instances, least_seen, prediction_powered, ranked
from app.inference.types import Bools, Comparisons, Floats, Ints

ALPHA = 0.05
UNSEEN = 0.5  # what a pair that people never judged counts for: it comes before every other
TIE = 1e-9


class Overlap(NamedTuple):
    """A share of the pairs that so many judges are to judge."""

    share: float
    judges: int
    seed: int  # below 2^64; of the set, so that sets do not draw alike


def drawn(overlap: Overlap, item: Ints, low: Ints, high: Ints) -> Bools:
    """(M,) which of these pairs of outputs are drawn, low < high."""
    number = np.full(len(item), overlap.seed, np.uint64)
    for column in (item, low, high):  # splitmix64 (Steele, Lea and Flood 2014)
        number = (number ^ column.astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        number ^= number >> np.uint64(31)
    return np.asarray((number >> np.uint64(11)) * 2.0**-53 < overlap.share)


def due(overlap: Overlap, item: Ints, comparisons: Comparisons, n: int, askers: Collection[int]) -> Ints:
    """(D, 4) the drawn pairs that lack judges, and that one of the askers has not judged; judged first, in front.

    Item, low and high of each, and how many judges it lacks.

    Args: `item` (K,) is what each comparison of n candidates was about; askers and the comparisons' judges by the same
    numbers.
    """
    low, high = np.minimum(comparisons.first, comparisons.second), np.maximum(comparisons.first, comparisons.second)
    rows = np.flatnonzero(drawn(overlap, item, low, high))
    pair = (item[rows] * n + low[rows]) * n + high[rows]
    _, begins, number = np.unique(pair, return_index=True, return_inverse=True)
    judge, size = comparisons.judge[rows], int(comparisons.judge.max(initial=0)) + 1
    pair_of_vote, judge_of_vote = np.divmod(np.unique(number * size + judge), size)
    judges = np.bincount(pair_of_vote, minlength=len(begins))
    askers_so_far = np.bincount(pair_of_vote, np.isin(judge_of_vote, list(askers)), len(begins))
    in_turn = np.sort(begins[(judges < overlap.judges) & (askers_so_far < len(askers))])
    at = rows[in_turn]
    return np.column_stack([item[at], low[at], high[at], overlap.judges - judges[number[in_turn]]])


def next_checks(
    votes: PairVotes, k: int, judge: int, people: Sequence[int], is_out: Bools, count: int, rng: np.random.Generator
) -> Iterator[tuple[int, float, float]]:
    """Up to `count` votes of a judge on k systems that people should check, best first: row, gain and propensity.

    Rank-sets are about these prompts: other ones make all differences less certain, and take longer to estimate.

    Args: judge and people by their numbers; `is_out` (M,) which votes somebody is about to check.
    """
    by_judge = votes.judged_by([judge])
    alone = by_judge & ~votes.judged_by(people)
    free, counted = alone & ~is_out, by_judge & (~alone | is_out)
    counts = np.bincount(votes.low[counted] * k + votes.high[counted], minlength=k * k).reshape(k, k)
    counts = np.asarray(counts + counts.T)
    instances = judged_instances(votes, [judge], people)
    enough = least_seen(instances.shown, instances.people, k)[1] >= ENOUGH
    rank_sets = ranked(prediction_powered(*instances[:3], k=k), ALPHA) if enough else None
    for _ in range(min(count, int(free.sum()))):
        gain = np.where(free, gains(rank_sets, counts)[votes.low, votes.high], -np.inf)
        best = np.flatnonzero(gain >= gain.max() * (1.0 - TIE))
        row = int(rng.choice(best))
        yield row, float(gain[row]), 1.0 / len(best)
        free[row] = False
        counts[[votes.low[row], votes.high[row]], [votes.high[row], votes.low[row]]] += 1


def gains(rank_sets: RankBounds | None, counts: Ints) -> Floats:
    """(k, k) gain_ab, symmetric.

    Args: `rank_sets`, where people have judged enough to have them; `counts` (k, k) of people's verdicts on each pair.
    """
    c, others, value = np.maximum(counts, UNSEEN), 1.0 - np.eye(len(counts)), np.ones(counts.shape)
    if rank_sets is not None:  # a little for those that are apart, lest all be 0
        estimate, theta, tiny = rank_sets.estimate, rank_sets.estimate.theta, np.finfo(np.float64).tiny
        close = np.abs(theta[:, None] - theta) / np.maximum(rank_sets.reach, tiny)
        value = np.where(close < 1.0, np.maximum(close, 1e-3), 1e-6)
        value = value / np.maximum(estimate.variances_of_differences, tiny)
    value = value * others
    of_either = value.sum(axis=1)
    return np.asarray((1.0 / c - 1.0 / (c + 1.0)) * (of_either[:, None] + of_either + 2.0 * value) * others)
