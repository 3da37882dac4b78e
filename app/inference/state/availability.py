"""Pairs that may be shown now, and on which items and in which orders; which ones are out."""

from typing import NamedTuple
from zlib import crc32

import numpy as np

from app.inference.choosing.asking import CERTAIN, IN_BOTH_ORDERS, Order, Presented
from app.inference.kernels.availability import BOTH_ORDERS, HIGHER_FIRST, LOWER_FIRST, ShownPairs, mark
from app.inference.kernels.pair_sets import Kinds, PairSet, among, listed
from app.inference.types import Bools, Chance, Ints
from app.inference.verdicts import LEAST, TABLE

NO_END = 10**9
THE_ONLY_ITEM = np.zeros(1, np.int64)


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


_NOBODY = np.empty(0, np.int64)
NONE_BLOCKED = BlockedPairs(_NOBODY, _NOBODY, _NOBODY, 0)


class OpenPairs(NamedTuple):
    """Pairs i < j that may be shown on some of I items: those listed, or all of which both have an output but those."""

    pairs: PairSet  # those open on one item or more
    has: Bools  # (I, N) who has an output where
    code: Ints  # (M,) ascending, as in ShownPairs
    leaves_out: bool
    closed: ShownPairs | None  # the orders in which they may not be shown, if any
    most: int = NO_END  # pairs at once


def is_blocked(blocked: BlockedPairs, item: Ints, low: Ints, high: Ints, n: int) -> Bools:
    """(M,) which of these pairs of outputs are blocked."""
    lower, higher = np.minimum(blocked.first, blocked.second), np.maximum(blocked.first, blocked.second)
    return np.asarray(np.isin((item * n + low) * n + high, (blocked.item * n + lower) * n + higher))


def open_now(shown: ShownPairs, has: Bools, blocked: BlockedPairs, order: Order) -> OpenPairs:
    """The pairs that were not shown yet, where blocked ones count as shown in both orders.

    With order "both", a pair seen in one order comes before any new pair.
    """
    item, first, second, _ = blocked
    if len(item):
        shown = mark(shown, np.append(item, item), np.append(first, second), np.append(second, first))
    closed = shown if order in IN_BOTH_ORDERS else None
    if order is Order.BOTH and (half_done := shown.code[shown.orders != BOTH_ORDERS]).size:
        return open_pairs(has, half_done, closed, leaves_out=False)
    used_up = shown.code[shown.orders == BOTH_ORDERS] if closed else shown.code
    return open_pairs(has, used_up, closed, leaves_out=True)


def open_pairs(has: Bools, code: Ints, closed: ShownPairs | None, *, leaves_out: bool, most: int = NO_END) -> OpenPairs:
    """Args: are those of OpenPairs. A pair is left out where it is on every item that its candidates have in common."""
    items, n = has.shape
    of_candidates = code
    if items > 1 and not leaves_out:
        of_candidates = np.unique(code % (n * n))
    elif items > 1 and has.all():
        pair, times = _counted(code % (n * n), n * n)
        of_candidates = pair[times == items]
    elif items > 1:
        item, low, high = np.unravel_index(code, (items, n, n))
        pair, times = _counted(code[has[item, low] & has[item, high]] % (n * n), n * n)
        low, high = np.divmod(pair, n)
        outputs = np.packbits(has, axis=0).T.copy()  # (N, I / 8)
        of_candidates = pair[times == np.bitwise_count(outputs[low] & outputs[high]).sum(axis=1)]
    pairs = listed(n, of_candidates, leaves_out=leaves_out)
    if leaves_out and not has.all():
        patterns, kind = np.unique(has, axis=1, return_inverse=True)  # of one kind: outputs on the same items
        pairs = among(pairs, Kinds(kind.reshape(-1), patterns.T @ patterns))
    return OpenPairs(pairs, has, code, leaves_out, closed, most)


def _counted(pairs: Ints, most: int) -> tuple[Ints, Ints]:
    """The different pairs, ascending, and how often each is there; numbers are below `most`."""
    if most > max(TABLE * len(pairs), LEAST):
        return np.unique(pairs, return_counts=True)
    times = np.bincount(pairs, minlength=most)
    different = np.flatnonzero(times)
    return different, times[different]


def on_item(of: OpenPairs, pair: Presented, rng: Chance, uses: Ints | None) -> tuple[int, Presented]:
    """The pair on an item where it is open, drawn if there are several; where one order alone is open, in that one.

    Args: with `uses` (I,) it is drawn from the least used items, and counted there.
    """
    items = items_of(of, pair.choice.i, pair.choice.j)
    if uses is not None:
        items = items[uses[items] == uses[items].min()]
    item = int(items[0]) if len(items) == 1 else rng.choice(items)
    if uses is not None:
        uses[item] += 1
    if of.closed is not None and was_shown(of.closed, item, pair.first, pair.second):
        return item, Presented(pair.second, pair.first, pair.choice, CERTAIN)
    if of.closed is not None and was_shown(of.closed, item, pair.second, pair.first):
        return item, pair._replace(order_chance=CERTAIN)
    return item, pair


def items_of(of: OpenPairs, i: int, j: int) -> Ints:
    """The items on which the pair i < j, which is open, is so; ascending."""
    has, code = of.has, of.code
    if len(has) == 1:
        return THE_ONLY_ITEM
    items = np.flatnonzero(has[:, i] & has[:, j])
    wanted = (items * has.shape[1] + i) * has.shape[1] + j
    is_listed = np.searchsorted(code, wanted, side="right") > np.searchsorted(code, wanted)
    return np.asarray(items[is_listed != of.leaves_out])


def was_shown(shown: ShownPairs, item: int, first: int, second: int) -> bool:
    """Whether the pair was shown in this order."""
    code = (item * shown.n + min(first, second)) * shown.n + max(first, second)
    place = int(np.searchsorted(shown.code, code))
    is_listed = place < len(shown.code) and shown.code[place] == code
    return bool(is_listed and shown.orders[place] & (LOWER_FIRST if first < second else HIGHER_FIRST))
