"""Making sets of pairs: of those that are open, of those that a goal is about, of what is left after a choice."""

import numpy as np

from app.inference.kernels.pair_sets import Kinds, PairSet, of_one_kind
from app.inference.types import Bools, Ints


def listed(n: int, code: Ints, *, leaves_out: bool = False) -> PairSet:
    """The pairs i < j of n candidates whose (M,) codes i n + j these are, ascending; or all but those."""
    return PairSet(code, leaves_out, *of_one_kind(n))


def of_mask(mask: Bools) -> PairSet:
    """The pairs where (N, N) is True at [i, j], i < j; the rest is ignored."""
    return listed(len(mask), np.flatnonzero(np.triu(mask, 1)))


def among(pairs: PairSet, kinds: Kinds) -> PairSet:
    """Pairs whose kinds meet."""
    both = pairs.kind * len(kinds.meets) + kinds.kind
    return pairs._replace(kind=both, meets=np.kron(pairs.meets, kinds.meets))


def without(pairs: PairSet, first: Ints, second: Ints) -> PairSet:
    """All but these (L,) pairs, which are in the set and different."""
    code = np.sort(np.minimum(first, second) * len(pairs.kind) + np.maximum(first, second))
    place = np.searchsorted(pairs.code, code)
    return pairs._replace(code=np.insert(pairs.code, place, code) if pairs.leaves_out else np.delete(pairs.code, place))
