"""Pairs that open again where a set that is to stop has used them all up, for the judge that asks.

First those pairs alone whose order keeps the set from stopping, and all the others after them; of each, one kind after
the other, as soon as the kinds before it are used up:

    the other order of a pair that nobody was shown so        not where the order is as_selected: it is fixed
    a pair that this judge has not judged
    the other order of a pair that this judge has judged
    a pair once more                                          in the order that this judge saw less often

A judge that always answers alike is never asked once more: its repeats teach nothing. People do not; of others it shows
in their repeats, and until it does few of them are out. Where verdict weights are learnt, repeats of a
probability share one verdict's weight and can but refine it: there a judge is asked the same at most MOST_TIMES. Votes
that are repeated count as at most 1 / rho there, and 1 / rho of them as half of that: if that is more, so often. Then
other pairs tell more. With the order "both" a judge ends what it has half done first.
"""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple, TypeVar

import numpy as np

from app.inference.choosing.asking import Order, Plan
from app.inference.choosing.stopping import Stop, needed
from app.inference.experts import is_vote
from app.inference.fitting.repetition import ALIKE
from app.inference.kernels.availability import BOTH_ORDERS, HIGHER_FIRST, LOWER_FIRST, Orders, ShownPairs
from app.inference.state.availability import NO_END, BlockedPairs, OpenPairs, open_pairs
from app.inference.state.log import Entries
from app.inference.state.published import Sought, live_quantity
from app.inference.state.repeating import MOST_REPEATS
from app.inference.state.snapshot import Snapshot, plain_model, repeat_correlation_of
from app.inference.types import Bools, Ints

V = TypeVar("V", Bools, Ints, Orders)

MOST_TIMES = 10  # that a judge is asked the same, where more of it is not more evidence


class Reopening(NamedTuple):
    """Pairs may open again for this judge, until the set stops."""

    judge: int  # id
    is_person: bool
    stop: Stop


class Asked(NamedTuple):
    """All that was asked, for one judge."""

    times: Ints  # (I, N, N), at [item, first, second] how often this judge was asked so
    was_shown: Bools  # (I, N, N) whether anybody was
    repeats: int  # that this judge may now be asked
    most_times: int


def reopened(snapshot: Snapshot, has: Bools, blocked: BlockedPairs, plan: Plan, reopening: Reopening) -> OpenPairs:
    """The pairs of outputs that open again and that nobody holds, each in the orders of its kind."""
    rho = repeat_correlation_of(snapshot, reopening.judge)
    ranked = None if plan.target == "latent" else live_quantity(snapshot, Sought(plan.target, has, ()))
    matters = needed(snapshot.posterior.scores, plain_model(snapshot), reopening.stop, plan.goal, ranked)
    free = np.triu(has[:, :, None] & has[:, None, :], 1)
    free[blocked.item, np.minimum(blocked.first, blocked.second), np.maximum(blocked.first, blocked.second)] = False
    asked = _asked(snapshot, reopening, blocked.leases, rho)
    orders, most = _reopen(asked, free & matters, plan.order)
    if not (most and orders.any()):
        orders, most = _reopen(asked, free, plan.order)
    closed = (~orders * LOWER_FIRST | ~_turned(orders) * HIGHER_FIRST).astype(np.uint8)
    code = np.flatnonzero(np.triu(closed != BOTH_ORDERS, 1))
    in_orders = snapshot.shown._replace(code=code, orders=closed.flat[code])
    return open_pairs(has, code, in_orders, leaves_out=False, most=most)


def _asked(snapshot: Snapshot, reopening: Reopening, leases: int, rho: float | None) -> Asked:
    """Args: so many `leases` are live; `rho` is rho of the judge, None where each answer is one vote."""
    entries, was_shown = snapshot.log.entries, orders_shown(snapshot.shown)
    repeats = repeats_left(entries, reopening, leases, snapshot.shown.n)
    times = times_judged(entries, reopening.judge, was_shown.shape)
    return Asked(times, was_shown, repeats, most_times(entries, reopening.judge, rho))


def _reopen(asked: Asked, free: Bools, order: Order) -> tuple[Bools, int]:
    """(I, N, N), True at [item, first, second] that may be shown in this order; and how many pairs at once.

    Args: `free` (I, N, N) is True at [item, i, j], i < j, for the pairs in question.
    """
    is_fixed = order is Order.AS_SELECTED
    may_show = free if is_fixed else free | _turned(free)
    for orders in _unasked(asked, order):
        if (may_show & orders).any():
            return may_show & orders, NO_END
    once_more = may_show & (asked.times < asked.most_times)
    if not is_fixed:
        once_more &= asked.times <= _turned(asked.times)
    if asked.most_times < NO_END and once_more.any():
        once_more &= asked.times == asked.times[once_more].min()
    return once_more, asked.repeats


def _unasked(asked: Asked, order: Order) -> Iterator[Bools]:
    """Pairs that this judge was not asked yet, kind after kind: (I, N, N) at [item, first, second]."""
    times, was_shown, _, _ = asked
    if order is Order.BOTH:
        yield times < _turned(times)
    yield _turned(was_shown) & ~was_shown
    yield (times == 0) & (_turned(times) == 0)
    yield times == 0


def orders_shown(shown: ShownPairs) -> Bools:
    """(I, N, N), True at [item, first, second] where the pair was shown so."""
    orders = np.zeros((shown.items, shown.n, shown.n), np.uint8)
    orders.flat[shown.code] = shown.orders
    return np.asarray((orders & LOWER_FIRST | _turned(orders) & HIGHER_FIRST) != 0)


def most_times(entries: Entries, judge: int, rho: float | None) -> int:
    """Number of times that the judge may be asked the same; a repeated vote may count once more."""
    if rho is None:
        return NO_END
    if not is_vote(entries.comparisons.p[entries.comparisons.judge == judge]).all():
        return MOST_TIMES
    return max(MOST_TIMES, ceil(1.0 / rho)) if rho > 0.0 else NO_END


def times_judged(entries: Entries, judge: int, shape: tuple[int, ...]) -> Ints:
    """(I, N, N), at [item, first, second] how often the judge was asked so."""
    times, mine = np.zeros(shape, np.int64), entries.comparisons.judge == judge
    np.add.at(times, (entries.item[mine], entries.comparisons.first[mine], entries.comparisons.second[mine]), 1)
    return times


def repeats_left(entries: Entries, reopening: Reopening, leases: int, n: int) -> int:
    """Number of pairs that this judge may now be asked once more, while so many are out."""
    alike = None if reopening.is_person else repeats_alike(entries, reopening.judge, n)
    return NO_END if alike is None else max(MOST_REPEATS - alike - leases, 0)


def repeats_alike(entries: Entries, judge: int, n: int) -> int | None:
    """Number of repeated answers of the judge to what it was asked before; None where it ever answered otherwise."""
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
