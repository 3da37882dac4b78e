"""What each judge says of each pair of outputs: a cell is an item and two candidates, low < high.

Both orders of a pair are one cell; a judge's verdicts on it are turned to one side and averaged.
"""

from typing import NamedTuple

import numpy as np

from app.inference.types import Comparisons, Floats, Ints


class PairVotes(NamedTuple):
    """M cells that any of J judges judged, in the order of item, low and high."""

    item: Ints  # (M,)
    low: Ints  # (M,)
    high: Ints  # (M,)
    p: Floats  # (M, J) mean probability that low is better; NaN where a judge said nothing

    @property
    def size(self) -> int:
        """M."""
        return len(self.item)


def votes_by_pair(comparisons: Comparisons, item: Ints, judges: int) -> PairVotes:
    """Args: `item` (K,) is what each comparison was about."""
    first, second, p, judge, weight = comparisons
    place = np.column_stack([item, np.minimum(first, second), np.maximum(first, second)])
    where, number = np.unique(place, axis=0, return_inverse=True)
    at, size = number.reshape(-1) * judges + judge, len(where) * judges
    votes = np.bincount(at, weight, size)
    total = np.bincount(at, weight * np.where(first < second, p, 1.0 - p), size)
    mean = np.divide(total, votes, out=np.full(size, np.nan), where=votes > 0.0).reshape(len(where), judges)
    return PairVotes(where[:, 0], where[:, 1], where[:, 2], mean)
