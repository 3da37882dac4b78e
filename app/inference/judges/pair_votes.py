"""Each judge's vote on each pair of outputs: an item and two candidates, low < high.

Both orders of a pair are one pair here; a judge's verdicts on it are turned to one side and averaged.
"""

from typing import NamedTuple

import numpy as np

from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import directions, firsts, lean_to_lower, means, numbered


class PairVotes(NamedTuple):
    """M pairs of outputs that any of J judges judged, in the order of item, low and high, and the V votes on them."""

    item: Ints  # (M,)
    low: Ints  # (M,)
    high: Ints  # (M,)
    pair: Ints  # (V,) ascending
    judge: Ints  # (V,)
    lean: Floats  # (V,) how far the mean probability that low is better is above 1/2
    judges: int  # J

    @property
    def size(self) -> int:
        """M."""
        return len(self.item)

    @property
    def direction(self) -> Floats:
        """(V,) who each vote names: 1 for low, -1 for high, 0 for neither."""
        return directions(self.lean)

    @property
    def counts(self) -> Ints:
        """(M, 3) votes for high, for neither and for low."""
        place = 3 * self.pair + self.direction.astype(np.int64) + 1
        return np.bincount(place, minlength=3 * self.size).reshape(-1, 3)

    @property
    def p(self) -> Floats:
        """(M, J) mean probability that low is better; NaN where a judge has no verdict."""
        p = np.full((self.size, self.judges), np.nan)
        p[self.pair, self.judge] = 0.5 + self.lean
        return p


def votes_by_pair(comparisons: Comparisons, item: Ints, judges: int) -> PairVotes:
    """Args: `item` (K,) is what each comparison was about."""
    low, high = np.minimum(comparisons.first, comparisons.second), np.maximum(comparisons.first, comparisons.second)
    pair = numbered(item, low, high)
    vote = numbered(pair, comparisons.judge)
    at_pair, at_vote = (firsts(number) for number in (pair, vote))
    lean = means(lean_to_lower(comparisons), vote, len(at_vote), comparisons.weight)
    votes = pair[at_vote], comparisons.judge[at_vote], lean
    return PairVotes(item[at_pair], low[at_pair], high[at_pair], *votes, judges)


def on_pairs(votes: PairVotes, chosen: Bools) -> PairVotes:
    """The votes on the (M,) chosen pairs alone."""
    kept, number = chosen[votes.pair], np.cumsum(chosen) - 1
    pairs = votes.item[chosen], votes.low[chosen], votes.high[chosen]
    return PairVotes(*pairs, number[votes.pair[kept]], votes.judge[kept], votes.lean[kept], votes.judges)
