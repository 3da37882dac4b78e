"""Pairs of outputs that several judges are to judge, so that it shows how far they agree (decision 50).

A pair is drawn for it, or not, by a hash of its set and of itself. Every process draws the same pairs, and nothing is
kept. Neither verdicts nor the criterion have a part in it. So the pairs drawn are a random share of those that are
asked, whichever are asked. Once a drawn pair has a verdict it is due for every judge that has not judged it, until so
many have.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.inference.types import Bools, Comparisons, Ints


class Overlap(NamedTuple):
    """A share of the pairs that so many judges are to judge."""

    share: float
    judges: int
    seed: int  # below 2^64; of the set, so that sets do not draw alike


class Due(NamedTuple):
    """D pairs of outputs that lack judges, the one that was judged first in front."""

    item: Ints  # (D,)
    low: Ints  # (D,)
    high: Ints  # (D,)
    lacking: Ints  # (D,) how many


def drawn(overlap: Overlap, item: Ints, low: Ints, high: Ints) -> Bools:
    """(M,) which of these pairs of outputs are drawn, low < high."""
    number = np.full(len(item), overlap.seed, np.uint64)
    for column in (item, low, high):
        number = _mixed(number ^ column.astype(np.uint64))
    return np.asarray((number >> np.uint64(11)) * 2.0**-53 < overlap.share)


def due(overlap: Overlap, item: Ints, comparisons: Comparisons, n: int, askers: Collection[int]) -> Due:
    """The drawn pairs that lack judges, and that one of the askers has not judged.

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
    is_due = (judges < overlap.judges) & (askers_so_far < len(askers))
    in_turn = np.sort(begins[is_due])
    at = rows[in_turn]
    return Due(item[at], low[at], high[at], overlap.judges - judges[number[in_turn]])


def _mixed(number: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of each 64-bit number: splitmix64 (Steele, Lea and Flood 2014)."""
    number = number + np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))
