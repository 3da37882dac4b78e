"""Pairs that may be shown now, and on which items."""

from typing import NamedTuple

import numpy as np

from app.inference.choosing.pair_sets import among, listed
from app.inference.kernels.availability import HIGHER_FIRST, LOWER_FIRST, ShownPairs
from app.inference.kernels.pair_sets import Kinds, PairSet
from app.inference.types import Bools, Ints

BOTH = np.array([[False, False], [False, True]])  # of two, with an output each


class OpenOnItems(NamedTuple):
    """Pairs i < j on I items: those listed, or all of which both have an output but those."""

    has: Bools  # (I, N) who has an output where
    code: Ints  # (M,) ascending, as in ShownPairs
    leaves_out: bool


def open_pairs(on_items: OpenOnItems) -> PairSet:
    """The pairs that are open on one item or more."""
    (has, code, leaves_out), (items, n) = on_items, on_items.has.shape
    if not leaves_out or items == 1:
        pairs = listed(n, code if items == 1 else np.unique(code % (n * n)), leaves_out=leaves_out)
        return pairs if has.all() or not leaves_out else among(pairs, Kinds(has[0].astype(np.int64), BOTH))
    pair, times = np.unique(code[_on_both(has, code)] % (n * n), return_counts=True)
    low, high = np.divmod(pair, n)
    is_closed = times == (has[:, low] & has[:, high]).sum(axis=0)
    pairs = listed(n, pair[is_closed], leaves_out=True)
    return pairs if has.all() else among(pairs, _with_an_item_in_common(has))


def _with_an_item_in_common(has: Bools) -> Kinds:
    """Candidates of one kind have outputs on the same items."""
    patterns, kind = np.unique(has, axis=1, return_inverse=True)
    return Kinds(kind.reshape(-1), patterns.T @ patterns)


def items_of(on_items: OpenOnItems, i: int, j: int) -> Ints:
    """The items on which the pair i < j is open, ascending."""
    has, code, leaves_out = on_items
    items = np.flatnonzero(has[:, i] & has[:, j])
    wanted = (items * has.shape[1] + i) * has.shape[1] + j
    is_listed = np.searchsorted(code, wanted, side="right") > np.searchsorted(code, wanted)
    return np.asarray(items[is_listed != leaves_out])


def any_open(on_items: OpenOnItems) -> bool:
    has, code, leaves_out = on_items
    if not leaves_out:
        return len(code) > 0
    outputs = has.sum(axis=1)
    return int((outputs * (outputs - 1)).sum()) // 2 > int(np.count_nonzero(_on_both(has, code)))


def orders_shown(shown: ShownPairs) -> Bools:
    """(I, N, N), True at [item, first, second] where the pair was shown so."""
    result = np.zeros((shown.items, shown.n, shown.n), np.bool_)
    item, low, high = parts(shown.code, shown.n)
    result[item, low, high] = shown.orders & LOWER_FIRST != 0
    result[item, high, low] = shown.orders & HIGHER_FIRST != 0
    return result


def was_shown(shown: ShownPairs, item: int, first: int, second: int) -> bool:
    """Whether the pair was shown in this order."""
    code = (item * shown.n + min(first, second)) * shown.n + max(first, second)
    place = int(np.searchsorted(shown.code, code))
    is_listed = place < len(shown.code) and shown.code[place] == code
    return bool(is_listed and shown.orders[place] & (LOWER_FIRST if first < second else HIGHER_FIRST))


def parts(code: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """(M,) item, i and j of each code."""
    item_and_low, high = np.divmod(code, n)
    return (*np.divmod(item_and_low, n), high)


def _on_both(has: Bools, code: Ints) -> Bools:
    """(M,) whether both have an output there."""
    item, low, high = parts(code, has.shape[1])
    return np.asarray(has[item, low] & has[item, high])
