"""Pairs of outputs that were shown, those that are out, and those that are open: on which items, in which orders.

A pair i < j of outputs on an item has the code (item N + i) N + j. Marking is compiled: each ask and verdict marks.
"""

from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from app.inference.choosing.asking import CERTAIN, IN_BOTH_ORDERS, Order, Presented
from app.inference.kernels import kernel
from app.inference.pair_sets import PairSet, listed
from app.inference.types import Bools, Ints
from app.inference.verdicts import LEAST, TABLE

LOWER_FIRST, HIGHER_FIRST = 1, 2
BOTH_ORDERS = LOWER_FIRST | HIGHER_FIRST
NO_END = 10**9


class ShownPairs(NamedTuple):
    """M pairs of outputs of N candidates on I items that were shown."""

    items: int  # I
    n: int  # N
    code: Ints  # (M,) ascending
    orders: NDArray[np.uint8]  # (M,) bits

    @property
    def in_order(self) -> Bools:
        """(I, N, N), True at [item, first, second] where the pair was shown so."""
        orders = np.zeros((self.items, self.n, self.n), np.uint8)
        orders.flat[self.code] = self.orders
        return np.asarray((orders & LOWER_FIRST | orders.swapaxes(1, 2) & HIGHER_FIRST) != 0)


class BlockedPairs(NamedTuple):
    """B assignments that keep their pair from being handed out; the first `leases` of them are live."""

    item: Ints  # (B,)
    first: Ints  # (B,)
    second: Ints  # (B,)
    leases: int

    @property
    def code(self) -> int:
        """The same of the same pairs, else most likely another; 0 of none."""
        return crc32(np.concatenate(self[:3]).tobytes())


NONE_BLOCKED = BlockedPairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), 0)


class OpenPairs(NamedTuple):
    """Pairs that may be shown on some of I items: those listed, or all of which both have an output but those."""

    pairs: PairSet  # of candidates: those open on one item or more
    has: Bools  # (I, N) who has an output where
    code: Ints  # (M,) ascending, of outputs
    closed: ShownPairs | None  # the orders in which they may not be shown, if any
    most: int  # pairs at once


@kernel
def mark(shown: ShownPairs, item: Ints, first: Ints, second: Ints) -> ShownPairs:
    """`shown` once these (B,) pairs have been shown. Raises IndexError for an item or candidate that is not there."""
    items, n, old, orders = shown
    new = (item * n + np.minimum(first, second)) * n + np.maximum(first, second)
    if len(new) and (item.max() >= items or max(first.max(), second.max()) >= n):
        raise IndexError("there are not as many items or candidates")
    code, bits = np.empty(len(old) + len(new), np.int64), np.empty(len(old) + len(new), np.uint8)
    many, a = 0, 0
    for b in np.argsort(new):
        upto = a + np.searchsorted(old[a:], new[b], side="right")
        code[many : many + upto - a], bits[many : many + upto - a] = old[a:upto], orders[a:upto]
        many, a = many + upto - a, upto
        if many == 0 or code[many - 1] < new[b]:
            code[many], bits[many] = new[b], 0
            many += 1
        bits[many - 1] |= LOWER_FIRST if first[b] < second[b] else HIGHER_FIRST
    rest = len(old) - a
    code[many : many + rest], bits[many : many + rest] = old[a:], orders[a:]
    return ShownPairs(items, n, code[: many + rest], bits[: many + rest])


def is_blocked(blocked: BlockedPairs, item: Ints, first: Ints, second: Ints, n: int) -> Bools:
    """(M,) which of these pairs of outputs are blocked, whichever way round."""
    of_pairs, of_blocked = (
        (on * n + np.minimum(one, other)) * n + np.maximum(one, other)
        for on, one, other in ((item, first, second), blocked[:3])
    )
    return np.asarray(np.isin(of_pairs, of_blocked))


def open_now(shown: ShownPairs, has: Bools, blocked: BlockedPairs, order: Order) -> OpenPairs:
    """Pairs not shown yet, blocked ones counting as shown both ways; with order "both" first those half done."""
    item, first, second, _ = blocked
    if len(item):
        shown = mark(shown, np.append(item, item), np.append(first, second), np.append(second, first))
    if order not in IN_BOTH_ORDERS:
        return open_pairs(has, shown.code, None, leaves_out=True)
    are_done = shown.orders == BOTH_ORDERS
    if order is Order.BOTH and not are_done.all():
        return open_pairs(has, shown.code[~are_done], shown, leaves_out=False)
    return open_pairs(has, shown.code[are_done], shown, leaves_out=True)


def open_in(has: Bools, orders: Bools, most: int) -> OpenPairs:
    """The pairs that may be shown in these orders, (I, N, N) at [item, first, second], `most` of them at once."""
    closed = (~orders * LOWER_FIRST | ~orders.swapaxes(1, 2) * HIGHER_FIRST).astype(np.uint8)
    code = np.flatnonzero(np.triu(closed != BOTH_ORDERS, 1))
    items, n = has.shape
    return open_pairs(has, code, ShownPairs(items, n, code, closed.flat[code]), leaves_out=False, most=most)


def open_pairs(has: Bools, code: Ints, closed: ShownPairs | None, *, leaves_out: bool, most: int = NO_END) -> OpenPairs:
    """Pairs (M,) of outputs, or all but those: then candidates whose outputs are all listed have none left."""
    (items, n), pair = has.shape, code
    if items > 1:
        pair, times = _counted(code % (n * n), n * n)
    pairs = listed(n, pair)
    if leaves_out:
        kind, in_common = _in_common(has)
        if items > 1:
            low, high = np.divmod(pair, n)
            pair = pair[times == in_common[kind[low], kind[high]]]
        pairs = PairSet(pair, leaves_out, kind, in_common > 0)
    return OpenPairs(pairs, has, code, closed, most)


def _counted(pair: Ints, most: int) -> tuple[Ints, Ints]:
    """The different pairs, ascending, and how often each is there; numbers are below `most`."""
    if most > max(TABLE * len(pair), LEAST):
        return np.unique(pair, return_counts=True)
    times = np.bincount(pair, minlength=most)
    different = np.flatnonzero(times)
    return different, times[different]


def _in_common(has: Bools) -> tuple[Ints, Ints]:
    """(N,) kinds of candidates, who have outputs on the same items, and (C, C) items that two kinds share."""
    if has.all():
        return np.zeros(has.shape[1], np.int64), np.array([[len(has)]])
    of_kinds, kind = np.unique(has, axis=1, return_inverse=True)
    outputs = of_kinds.astype(np.float32)
    return kind.reshape(-1), (outputs.T @ outputs).astype(np.int32)


def on_item(of: OpenPairs, pair: Presented, rng: np.random.Generator, uses: Ints | None) -> tuple[int, Presented]:
    """The pair on an item where it is open, drawn if there are several; where one order alone is open, in that one.

    With `uses` (I,) it is drawn from the least used items, and counted there.
    """
    i, j, n = pair.choice.i, pair.choice.j, of.has.shape[1]
    items = items_of(of, i, j)
    if uses is not None:
        items = items[uses[items] == uses[items].min()]
    item = int(items[0] if len(items) == 1 else rng.choice(items))
    if uses is not None:
        uses[item] += 1
    if of.closed is None:
        return item, pair
    code = (item * n + i) * n + j
    closed = of.closed.orders[slice(*np.searchsorted(of.closed.code, (code, code + 1)))].sum()
    if not closed:
        return item, pair
    first, second = (j, i) if closed == LOWER_FIRST else (i, j)
    return item, Presented(first, second, pair.choice, CERTAIN)


def items_of(of: OpenPairs, i: int, j: int) -> Ints:
    """The items on which the pair i < j, which is open, is so; ascending."""
    items, n = np.flatnonzero(of.has[:, i] & of.has[:, j]), of.has.shape[1]
    if len(items) > 1:
        wanted = (items * n + i) * n + j
        is_listed = np.searchsorted(of.code, wanted, side="right") > np.searchsorted(of.code, wanted)
        items = items[is_listed != of.pairs.leaves_out]
    return items
