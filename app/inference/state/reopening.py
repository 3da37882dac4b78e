"""Pairs that open again where a set that is to stop has used them all up, for the judge that asks; what is left to ask.

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

from collections.abc import Collection
from math import ceil
from typing import NamedTuple

import numpy as np

from app.inference.choosing.asking import Plan
from app.inference.choosing.forecasting import Left
from app.inference.choosing.order import IN_BOTH_ORDERS, Order
from app.inference.choosing.quantity_stopping import needed as needed_by_draws
from app.inference.choosing.stopping import Stop, needed
from app.inference.experts import is_vote
from app.inference.fitting.repetition import ALIKE
from app.inference.state.log import Catalogue, Entries
from app.inference.state.open_pairs import (
    BOTH_ORDERS,
    HIGHER_FIRST,
    LOWER_FIRST,
    NO_END,
    BlockedPairs,
    OpenPairs,
    ShownPairs,
    open_pairs,
)
from app.inference.state.published import Sought, live_quantity
from app.inference.state.snapshot import Snapshot, plain_model, repeat_correlation_of
from app.inference.state.stops import MOST_REPEATS
from app.inference.targets import drawn_values
from app.inference.types import Bools, Ints, take

MOST_TIMES = 10  # that a judge is asked the same, where more of it is not more evidence
ONCE_MORE, NEVER = 4, 2 * NO_END  # places of kinds


class Reopening(NamedTuple):
    """Pairs may open again for this judge, until the set stops."""

    judge: int  # id
    is_person: bool
    stop: Stop


def reopened(snapshot: Snapshot, has: Bools, blocked: BlockedPairs, plan: Plan, reopening: Reopening) -> OpenPairs:
    """The pairs of outputs that open again and that nobody holds, each in the orders of its kind."""
    if plan.target == "latent":
        matters = needed(snapshot.posterior.scores, plain_model(snapshot), reopening.stop, plan.goal)
    else:
        matters = needed_by_draws(drawn_values(live_quantity(snapshot, Sought(plan.target, has, ()))))
    free = np.triu(has[:, :, None] & has[:, None, :], 1)
    free[blocked.item, np.minimum(blocked.first, blocked.second), np.maximum(blocked.first, blocked.second)] = False
    kinds = _kinds(snapshot, plan.order, reopening.judge)
    alike = None if reopening.is_person else repeats_alike(snapshot.log.entries, reopening.judge, snapshot.model.n)
    repeats = NO_END if alike is None else max(MOST_REPEATS - alike - blocked.leases, 0)
    for pairs in (free & matters, free):
        may_show = pairs if plan.order is Order.AS_SELECTED else pairs | pairs.swapaxes(1, 2)
        kind = int(kinds[may_show].min(initial=NEVER))
        most = NO_END if kind < ONCE_MORE else repeats if kind < NEVER else 0
        if most:
            break
    orders = may_show & (kinds == kind)
    closed = (~orders * LOWER_FIRST | ~orders.swapaxes(1, 2) * HIGHER_FIRST).astype(np.uint8)
    code = np.flatnonzero(np.triu(closed != BOTH_ORDERS, 1))
    in_orders = snapshot.shown._replace(code=code, orders=closed.flat[code])
    return open_pairs(has, code, in_orders, leaves_out=False, most=most)


def _kinds(snapshot: Snapshot, order: Order, judge: int) -> Ints:
    """(I, N, N), at [item, first, second] the place of its kind: the first comes first, and NEVER not at all."""
    was_shown, entries = orders_shown(snapshot.shown), snapshot.log.entries
    mine, times = entries.comparisons.judge == judge, np.zeros(was_shown.shape, np.int64)
    np.add.at(times, (entries.item[mine], entries.comparisons.first[mine], entries.comparisons.second[mine]), 1)
    turned, most = times.swapaxes(1, 2), most_times(entries, judge, repeat_correlation_of(snapshot, judge))
    may_repeat = (times < most) & ((order is Order.AS_SELECTED) | (times <= turned))
    place_of_repeat = ONCE_MORE + times if most < NO_END else np.full_like(times, ONCE_MORE)
    half_done = (order is Order.BOTH) & (times < turned)
    new_order = was_shown.swapaxes(1, 2) & ~was_shown
    conditions = [half_done, new_order, (times == 0) & (turned == 0), times == 0, may_repeat]
    return np.select(conditions, [*range(ONCE_MORE), place_of_repeat], NEVER)


def orders_shown(shown: ShownPairs) -> Bools:
    """(I, N, N), True at [item, first, second] where the pair was shown so."""
    orders = np.zeros((shown.items, shown.n, shown.n), np.uint8)
    orders.flat[shown.code] = shown.orders
    return np.asarray((orders & LOWER_FIRST | orders.swapaxes(1, 2) & HIGHER_FIRST) != 0)


def most_times(entries: Entries, judge: int, rho: float | None) -> int:
    """Number of times that the judge may be asked the same; a repeated vote may count once more."""
    if rho is None:
        return NO_END
    if not is_vote(entries.comparisons.p[entries.comparisons.judge == judge]).all():
        return MOST_TIMES
    return max(MOST_TIMES, ceil(1.0 / rho)) if rho > 0.0 else NO_END


def repeats_alike(entries: Entries, judge: int, n: int) -> int | None:
    """Number of repeated answers of the judge to what it was asked before; None where it ever answered otherwise."""
    mine = entries.comparisons.judge == judge
    first, second, p, _, _ = take(entries.comparisons, mine)
    questions, number = np.unique((entries.item[mine] * n + first) * n + second, return_inverse=True)
    low, high = np.full(len(questions), np.inf), np.full(len(questions), -np.inf)
    np.minimum.at(low, number, p)
    np.maximum.at(high, number, p)
    return None if (high - low > ALIKE).any() else len(p) - len(questions)


def comparisons_left(
    snapshot: Snapshot, catalogue: Catalogue, order: Order, people: Collection[int], budget: int | None, *, reopen: bool
) -> Left:
    """Comparisons that a set can still make: of new pairs, of pairs that open again, within its budget.

    Whoever has not judged yet may come too, so what is counted is what the judges so far can still do. Where verdict
    weights are learnt, a repeated probability refines the first verdict, and is no more evidence.

    Args: `people` are the judges, by id, who are human; with `reopen` pairs that are used up open again.
    """
    outputs, orders = catalogue.has.sum(axis=1), snapshot.shown.orders
    pairs, ways = int((outputs * (outputs - 1)).sum()) // 2, 2 if order in IN_BOTH_ORDERS else 1
    shown = len(orders) + (ways - 1) * np.count_nonzero(orders == BOTH_ORDERS)
    new = max(ways * pairs - int(shown), 0)
    in_all = _left_to_judges(snapshot, pairs if order is Order.AS_SELECTED else 2 * pairs, people) if reopen else new
    if budget is not None:
        in_budget = max(budget - snapshot.comparisons.size, 0)
        new, in_all = min(new, in_budget), in_budget if in_all is None else min(in_all, in_budget)
    is_learnt = snapshot.interpretation.method.verdict_weight == "learnt"
    return Left(new, in_all, again=not is_learnt or bool(is_vote(snapshot.comparisons.p).any()))


def _left_to_judges(snapshot: Snapshot, questions: int, people: Collection[int]) -> int | None:
    """Every question to each judge so far, and once more as far as that goes; None without an end or a judge."""
    entries, judges, left = snapshot.log.entries, snapshot.evidence.judges.tolist(), 0
    for judge in judges:
        judged = int(np.count_nonzero(entries.comparisons.judge == judge))
        alike = None if judge in people else repeats_alike(entries, judge, snapshot.model.n)
        if alike is not None:
            left += max(questions - (judged - alike), 0) + max(MOST_REPEATS - alike, 0)
        elif (most := most_times(entries, judge, repeat_correlation_of(snapshot, judge))) == NO_END:
            return None
        else:
            left += max(most * questions - judged, 0)
    return left if judges else None
