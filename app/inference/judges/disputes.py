"""Disputes: pairs of outputs on which judges name different winners.

What a judge says of a pair is the mean of its verdicts on it, turned to the lower-numbered candidate. A tie disputes
nothing.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from app.inference.types import Comparisons, Ints
from app.inference.verdicts import directions, lean_to_lower, means, numbered, pair_numbers


class DisputedPair(NamedTuple):
    seq: int  # of the last comparison on the pair
    item: int
    low: int
    high: int
    p_low: Mapping[int, float]  # by judge: its probability that low is better


def disputed_pairs(
    comparisons: Comparisons, item: Ints, seq: Ints, n: int, *, after: int = 0, limit: int | None = None
) -> list[DisputedPair]:
    """Up to `limit` disputes among n candidates, in the order of their last comparison, from behind `after` on.

    Args: `item` and `seq` (K,) are what each comparison was about, and its place in the log.
    """
    pair = numbered(item, pair_numbers(comparisons, n))
    vote = numbered(pair, comparisons.judge)
    _, begins = np.unique(vote, return_index=True)
    lean = means(lean_to_lower(comparisons), vote, len(begins), comparisons.weight)
    pair_of_vote, direction, size = pair[begins], directions(lean), int(pair.max(initial=-1)) + 1
    names_low, names_high = (np.bincount(pair_of_vote[direction == way], minlength=size) for way in (1.0, -1.0))
    last = np.zeros(size, np.int64)
    np.maximum.at(last, pair, seq)
    disputed = np.flatnonzero((names_low > 0) & (names_high > 0) & (last > after))
    disputes, ends = [], np.cumsum(np.bincount(pair_of_vote, minlength=size)).tolist()  # votes are in order of pairs
    for number in disputed[np.argsort(last[disputed])][:limit].tolist():
        votes = slice(ends[number - 1] if number else 0, ends[number])
        at = begins[votes][0]
        sides = comparisons.first[at], comparisons.second[at]
        p_low = dict(zip(comparisons.judge[begins[votes]].tolist(), (0.5 + lean[votes]).tolist(), strict=True))
        disputes.append(DisputedPair(int(last[number]), int(item[at]), int(min(sides)), int(max(sides)), p_low))
    return disputes
