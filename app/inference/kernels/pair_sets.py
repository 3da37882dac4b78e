"""Sets of pairs i < j of N candidates, without a matrix of all pairs.

Kinds of candidates tell which pairs come into question, and a list of pairs, by their codes, which of those are in the
set: only the listed ones, or all but them.

    kernel    slow formula, with mask(pairs) the (N, N) matrix
    mask      kind i meets kind j, and (i, j) is listed or is not
    size      np.count_nonzero(mask)
    nth       np.argwhere(mask)[k]
    has       mask[i, j]
    within    np.argwhere(mask[np.ix_(who, who)])
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Bools, Ints


class PairSet(NamedTuple):
    """Pairs i < j."""

    code: Ints  # (M,) of the listed pairs, i N + j, ascending
    leaves_out: bool  # whether the set is all but the listed pairs
    kind: Ints  # (N,)
    meets: Bools  # (C, C) symmetric, which kinds may be in one pair


class Kinds(NamedTuple):
    """Pairs of candidates that come into question, by what each of the two is."""

    kind: Ints  # (N,)
    meets: Bools  # (C, C) symmetric


@lru_cache(maxsize=64)
def of_one_kind(n: int) -> Kinds:
    """All pairs of n candidates come into question. Shared: not to be written to."""
    return Kinds(np.zeros(n, np.int64), np.ones((1, 1), np.bool_))


def matching(kinds: Kinds) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs that come into question."""
    return np.asarray(np.triu(kinds.meets[kinds.kind[:, None], kinds.kind], 1))


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


@kernel
def mask(pairs: PairSet) -> Bools:
    """(N, N), True at [i, j] for the pairs in the set."""
    n = len(pairs.kind)
    result = np.zeros((n, n), np.bool_)
    for i in range(n if pairs.leaves_out else 0):
        for j in range(i + 1, n):
            result[i, j] = pairs.meets[pairs.kind[i], pairs.kind[j]]
    for code in pairs.code:
        i, j = code // n, code % n
        result[i, j] = not pairs.leaves_out and pairs.meets[pairs.kind[i], pairs.kind[j]]
    return result


def size(pairs: PairSet) -> int:
    """The number of pairs in the set."""
    if not pairs.meets.all():
        return int(in_rows(pairs).sum())
    n, many = len(pairs.kind), len(pairs.code)
    return n * (n - 1) // 2 - many if pairs.leaves_out else many


@kernel
def nth(pairs: PairSet, k: int) -> tuple[int, int]:
    """The k-th pair, row by row. Raises IndexError where there are not as many."""
    n = len(pairs.kind)
    if pairs.leaves_out:
        many = in_rows(pairs)
        for i in range(n):
            if k >= many[i]:
                k -= many[i]
                continue
            for j in range(i + 1, n):
                k -= has(pairs, i, j)
                if k < 0:
                    return i, j
    else:
        for code in pairs.code:
            k -= pairs.meets[pairs.kind[code // n], pairs.kind[code % n]]
            if k < 0:
                return code // n, code % n
    raise IndexError("there are not as many pairs")


@kernel
def has(pairs: PairSet, i: int, j: int) -> bool:
    """Tell whether the set has the pair i < j."""
    if not pairs.meets[pairs.kind[i], pairs.kind[j]]:
        return False
    code = i * len(pairs.kind) + j
    place = np.searchsorted(pairs.code, code)
    is_listed = place < len(pairs.code) and pairs.code[place] == code
    return bool(is_listed != pairs.leaves_out)


@kernel
def within(pairs: PairSet, who: Ints) -> tuple[Ints, Ints]:
    """The pairs of the set that have both ends in `who`, ascending, row by row, as places in it."""
    first, second = np.empty(len(who) ** 2, np.int64), np.empty(len(who) ** 2, np.int64)
    many = 0
    for a in range(len(who)):
        for b in range(a + 1, len(who)):
            if has(pairs, who[a], who[b]):
                first[many], second[many] = a, b
                many += 1
    return first[:many].copy(), second[:many].copy()


@kernel
def in_rows(pairs: PairSet) -> Ints:
    """(N,) pairs in the set, by their lower candidate."""
    n, kinds = len(pairs.kind), len(pairs.meets)
    result, of_kind = np.zeros(n, np.int64), np.zeros(kinds, np.int64)
    for i in range(n - 1 if pairs.leaves_out else -1, -1, -1):
        for kind in range(kinds):
            result[i] += of_kind[kind] * pairs.meets[pairs.kind[i], kind]
        of_kind[pairs.kind[i]] += 1
    i = 0
    for code in pairs.code:
        while code >= (i + 1) * n:
            i += 1
        result[i] += (1 - 2 * pairs.leaves_out) * pairs.meets[pairs.kind[i], pairs.kind[code - i * n]]
    return result
