"""Pairs that open again where a set that is to stop has used them all up, for the judge that asks.

One kind after the other, each as soon as the kinds before it are used up:

    the other order of a pair that nobody was shown so        not where the order is as_selected: it is fixed
    a pair that this judge has not judged
    the other order of a pair that this judge has judged
    a pair once more                                          in the order that this judge saw less often

A judge that always answers alike is never asked once more: its repeats teach nothing. People do not; of others it shows
in their repeats, and until it does few of them are out. With the order "both" a judge ends what it has half done first.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from app.inference.choosing.order import Order
from app.inference.kernels.availability import HIGHER_FIRST, LOWER_FIRST, OrdersShown
from app.inference.state.log import Entries
from app.inference.types import Bools, Ints

V = TypeVar("V", Bools, Ints)

ALIKE = 0.01  # answers closer than this are alike: batches move the third digit of a model's p
PROBES = 8  # repeats, all of them alike, of one that always answers alike
NO_END = 10**9


class Reopening(NamedTuple):
    """The judge for whom pairs may open again."""

    judge: int  # id
    is_person: bool


class Reopened(NamedTuple):
    orders: Bools  # (I, N, N), True at [item, first, second] that may be shown in this order
    most: int  # pairs at once


def reopen(
    entries: Entries, shown: OrdersShown, free: Bools, order: Order, reopening: Reopening, leases: int
) -> Reopened:
    """Args: `free` (I, N, N), True at [item, i, j], i < j, where both have an output and nobody holds the pair."""
    is_fixed = order is Order.AS_SELECTED
    may_show = free if is_fixed else free | _turned(free)
    times = times_judged(entries, reopening.judge, shown.shape)
    was_shown = ((shown & LOWER_FIRST) != 0) | _turned((shown & HIGHER_FIRST) != 0)
    for orders in _unasked(times, was_shown, order):
        if (may_show & orders).any():
            return Reopened(may_show & orders, NO_END)
    once_more = may_show if is_fixed else may_show & (times <= _turned(times))
    return Reopened(once_more, repeats_left(entries, reopening, leases, len(shown[0])))


def _unasked(times: Ints, was_shown: Bools, order: Order) -> Iterator[Bools]:
    """What this judge was not asked yet, kind after kind: (I, N, N) at [item, first, second]."""
    if order is Order.BOTH:
        yield times < _turned(times)
    yield _turned(was_shown) & ~was_shown
    yield (times == 0) & (_turned(times) == 0)
    yield times == 0


def times_judged(entries: Entries, judge: int, shape: tuple[int, ...]) -> Ints:
    """(I, N, N), at [item, first, second] how often the judge was asked so."""
    times, mine = np.zeros(shape, np.int64), entries.comparisons.judge == judge
    np.add.at(times, (entries.item[mine], entries.comparisons.first[mine], entries.comparisons.second[mine]), 1)
    return times


def repeats_left(entries: Entries, reopening: Reopening, leases: int, n: int) -> int:
    """How many pairs may now be asked of this judge once more, while so many are out."""
    alike = 0 if reopening.is_person else repeats_alike(entries, reopening.judge, n)
    if reopening.is_person or alike is None:
        return NO_END
    return max(PROBES - alike - leases, 0)


def repeats_alike(entries: Entries, judge: int, n: int) -> int | None:
    """How often the judge answered once more what it was asked before; None where it ever answered otherwise."""
    mine = entries.comparisons.judge == judge
    first, second, p, _, _ = (column[mine] for column in entries.comparisons)
    questions, number = np.unique((entries.item[mine] * n + first) * n + second, return_inverse=True)
    low, high = np.full(len(questions), np.inf), np.full(len(questions), -np.inf)
    np.minimum.at(low, number, p)
    np.maximum.at(high, number, p)
    return None if (high - low > ALIKE).any() else len(p) - len(questions)


def _turned(values: V) -> V:
    """[item, second, first] for [item, first, second]."""
    return values.swapaxes(1, 2)
