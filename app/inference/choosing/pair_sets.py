"""Making sets of pairs: of those that are open, of those that a goal is about, of what is left after a choice."""

import numpy as np

from app.inference.kernels.pair_sets import Kinds, PairSet, of_one_kind, rows_of
from app.inference.types import Bools, Ints


def listed(n: int, code: Ints, *, leaves_out: bool = False) -> PairSet:
    """The pairs i < j of n candidates whose (M,) codes i n + j these are, ascending; or all but those."""
    return PairSet(*rows_of(code, n), leaves_out, *of_one_kind(n))


def every_pair(n: int) -> PairSet:
    return listed(n, np.empty(0, np.int64), leaves_out=True)


def of_mask(mask: Bools) -> PairSet:
    """The pairs where (N, N) is True at [i, j], i < j; the rest is ignored."""
    return listed(len(mask), np.flatnonzero(np.triu(mask, 1)))


def in_list(pairs: PairSet) -> tuple[Ints, Ints]:
    """The (M,) listed pairs."""
    return np.repeat(np.arange(len(pairs.kind)), np.diff(pairs.start)), pairs.other


def among(pairs: PairSet, kinds: Kinds) -> PairSet:
    """Those of the pairs whose kinds meet."""
    both = pairs.kind * len(kinds.meets) + kinds.kind
    return pairs._replace(kind=both, meets=np.kron(pairs.meets, kinds.meets))


def without(pairs: PairSet, i: int, j: int) -> PairSet:
    """All but the pair i < j, which is in the set."""
    low, high = pairs.start[i], pairs.start[i + 1]
    place = low + int(np.searchsorted(pairs.other[low:high], j))
    start = pairs.start.copy()
    start[i + 1 :] += 1 if pairs.leaves_out else -1
    other = np.insert(pairs.other, place, j) if pairs.leaves_out else np.delete(pairs.other, place)
    return pairs._replace(start=start, other=other)
