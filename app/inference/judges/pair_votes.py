"""Each judge's vote on each pair of outputs: an item and two candidates, low < high.

Both orders of a pair are one pair here; a judge's verdicts on it are turned to one side and averaged.
"""

from typing import NamedTuple

import numpy as np

from app.inference.types import Comparisons, Floats, Ints
from app.inference.verdicts import directions, means


class PairVotes(NamedTuple):
    """M pairs of outputs that any of J judges judged, in the order of item, low and high."""

    item: Ints  # (M,)
    low: Ints  # (M,)
    high: Ints  # (M,)
    p: Floats  # (M, J) mean probability that low is better; NaN where a judge has no verdict

    @property
    def size(self) -> int:
        """M."""
        return len(self.item)

    @property
    def direction(self) -> Floats:
        """(M, J) who each judge names: 1 for low, -1 for high, 0 for neither; NaN where it has no verdict."""
        return directions(self.p - 0.5)


def votes_by_pair(comparisons: Comparisons, item: Ints, judges: int) -> PairVotes:
    """Args: `item` (K,) is what each comparison was about."""
    first, second, p, judge, weight = comparisons
    pair_of_each = np.column_stack([item, np.minimum(first, second), np.maximum(first, second)])
    pairs, number = np.unique(pair_of_each, axis=0, return_inverse=True)
    vote = number.reshape(-1) * judges + judge
    mean = means(np.where(first < second, p, 1.0 - p), vote, len(pairs) * judges, weight)
    return PairVotes(pairs[:, 0], pairs[:, 1], pairs[:, 2], mean.reshape(len(pairs), judges))
