"""Sets of pairs i < j of N candidates, without a matrix of all pairs.

Kinds of candidates tell which pairs come into question, and a list of pairs, by their codes i N + j, which of those are
in the set: only the listed ones, or all but them. Slow formulas of the functions, with mask(pairs) the (N, N) matrix:

    size      np.count_nonzero(mask)
    nth       np.argwhere(mask)[k]
    has       mask[first, second]
    within    np.argwhere(mask[np.ix_(who, who)])
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.inference.types import Bools, Ints


class PairSet(NamedTuple):
    code: Ints  # (M,) of the listed pairs, ascending
    leaves_out: bool  # whether the set is all but the listed pairs
    kind: Ints  # (N,)
    meets: Bools  # (C, C) symmetric, which kinds may be in one pair


class Kinds(NamedTuple):
    kind: Ints  # (N,)
    meets: Bools  # (C, C) symmetric


@lru_cache(maxsize=64)
def of_one_kind(n: int) -> Kinds:
    """All pairs of n candidates come into question. Shared: not to be written to."""
    return Kinds(np.zeros(n, np.int64), np.ones((1, 1), np.bool_))


@lru_cache(maxsize=8)
def upper_triangle(n: int) -> Bools:
    """(N, N), True where i < j. Shared: not to be written to."""
    return np.triu(np.ones((n, n), np.bool_), 1)


def matching(kinds: Kinds | PairSet) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs that come into question."""
    return kinds.meets[kinds.kind][:, kinds.kind] & upper_triangle(len(kinds.kind))


def listed(n: int, code: Ints, *, leaves_out: bool = False) -> PairSet:
    """The pairs of n candidates whose (M,) codes these are, ascending; or all but those."""
    return PairSet(code, leaves_out, *of_one_kind(n))


def among(pairs: PairSet, kinds: Kinds) -> PairSet:
    """Pairs whose kinds meet."""
    both = pairs.kind * len(kinds.meets) + kinds.kind
    meets = pairs.meets[:, None, :, None] & kinds.meets[:, None, :]
    return pairs._replace(kind=both, meets=meets.reshape(2 * (len(pairs.meets) * len(kinds.meets),)))


def without(pairs: PairSet, first: Ints, second: Ints) -> PairSet:
    """All but these (L,) pairs, which are in the set and different."""
    code = np.sort(np.minimum(first, second) * len(pairs.kind) + np.maximum(first, second))
    place = np.searchsorted(pairs.code, code)
    return pairs._replace(code=np.insert(pairs.code, place, code) if pairs.leaves_out else np.delete(pairs.code, place))


def mask(pairs: PairSet) -> Bools:
    """(N, N), True at [i, j] for the pairs in the set."""
    matches = matching(pairs)
    is_listed = np.zeros_like(matches)
    is_listed.flat[pairs.code] = True
    return np.asarray(matches & (is_listed != pairs.leaves_out))


def size(pairs: PairSet) -> int:
    many = len(_listed_of_kinds(pairs))
    if not pairs.leaves_out:
        return many
    of_kind = np.bincount(pairs.kind, minlength=len(pairs.meets))
    ordered = int(np.einsum("c,cd,d->", of_kind, pairs.meets, of_kind)) - int(pairs.meets.diagonal() @ of_kind)
    return ordered // 2 - many


def nth(pairs: PairSet, k: int) -> tuple[int, int]:
    """The k-th pair, row by row. Raises IndexError where there are not as many."""
    n, code = len(pairs.kind), _listed_of_kinds(pairs)
    if not pairs.leaves_out:
        return divmod(int(code[k]), n)
    ends = np.cumsum(_in_rows_of_kinds(pairs) - np.bincount(code // n, minlength=n))
    i = int(np.searchsorted(ends, k, side="right"))
    others = np.arange(i + 1, n)
    return i, int(others[has(pairs, i, others)][k - ends[i]])  # counted from the row's end


def has(pairs: PairSet, first: Ints | int, second: Ints | int) -> Bools:
    """(L,) which of these pairs i < j are in the set."""
    code = first * len(pairs.kind) + second
    is_listed = np.searchsorted(pairs.code, code, side="right") > np.searchsorted(pairs.code, code)
    return np.asarray((is_listed != pairs.leaves_out) & pairs.meets[pairs.kind[first], pairs.kind[second]])


def within(pairs: PairSet, who: Ints) -> tuple[Ints, Ints]:
    """The pairs of the set that have both ends in `who`, ascending, row by row, as places in it."""
    first, second = np.nonzero(upper_triangle(len(who)))
    are_in = has(pairs, who[first], who[second])
    return first[are_in], second[are_in]


def _listed_of_kinds(pairs: PairSet) -> Ints:
    """Codes of the listed pairs that come into question."""
    if pairs.meets.all():
        return pairs.code
    first, second = np.divmod(pairs.code, len(pairs.kind))
    return pairs.code[pairs.meets[pairs.kind[first], pairs.kind[second]]]


def _in_rows_of_kinds(pairs: PairSet) -> Ints:
    """(N,) pairs that come into question, listed or not, by their lower candidate."""
    is_of_kind = np.arange(len(pairs.meets))[:, None] == pairs.kind
    up_to = np.cumsum(is_of_kind[:, ::-1], axis=1, dtype=np.int32)[:, ::-1]  # (C, N) of each kind, from the last one on
    behind = np.einsum("cn,cn->n", up_to, pairs.meets[:, pairs.kind])
    return np.asarray(behind - pairs.meets.diagonal()[pairs.kind], np.int64)
