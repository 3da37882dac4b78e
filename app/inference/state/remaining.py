"""Comparisons that a set can still make: of new pairs, of pairs that open again, within its budget.

Whoever has not judged yet may come too, so what is counted is what the judges so far can still do. Where
verdict weights are learnt, a repeated probability refines the first verdict, and is no more evidence.
"""

from collections.abc import Collection

import numpy as np

from app.inference.choosing.asking import IN_BOTH_ORDERS, Order
from app.inference.choosing.forecasting import Left
from app.inference.experts import is_vote
from app.inference.kernels.availability import BOTH_ORDERS
from app.inference.state.availability import NO_END
from app.inference.state.catalogue import Catalogue
from app.inference.state.reopening import most_times, repeats_alike
from app.inference.state.repeating import MOST_REPEATS
from app.inference.state.snapshot import Snapshot, repeat_correlation_of


def comparisons_left(
    snapshot: Snapshot, catalogue: Catalogue, order: Order, people: Collection[int], budget: int | None, *, reopen: bool
) -> Left:
    """Args: `people` are the judges, by id, who are human; with `reopen` pairs that are used up open again."""
    new = _new(snapshot, catalogue, order)
    in_all = _in_all(snapshot, catalogue, order, people) if reopen else new
    if budget is not None:
        in_budget = max(budget - snapshot.comparisons.size, 0)
        new, in_all = min(new, in_budget), in_budget if in_all is None else min(in_all, in_budget)
    votes, is_learnt = is_vote(snapshot.evidence.answers.p), snapshot.interpretation.method.verdict_weight == "learnt"
    return Left(new, in_all, again=bool(not is_learnt or votes.any()))


def _new(snapshot: Snapshot, catalogue: Catalogue, order: Order) -> int:
    """Pairs that were not shown, in both orders where that is the set's."""
    in_both = order in IN_BOTH_ORDERS
    orders = snapshot.shown.orders
    shown = len(orders) + in_both * np.count_nonzero(orders == BOTH_ORDERS)
    return max(_questions(catalogue, both_orders=in_both) - int(shown), 0)


def _in_all(snapshot: Snapshot, catalogue: Catalogue, order: Order, people: Collection[int]) -> int | None:
    """Every question to each judge so far, and once more as far as that goes; None without an end or a judge."""
    if not snapshot.evidence.judges.size:
        return None
    questions = _questions(catalogue, both_orders=order is not Order.AS_SELECTED)
    entries, n = snapshot.log.entries, snapshot.model.n
    left = 0
    for judge in snapshot.evidence.judges.tolist():
        judged = int(np.count_nonzero(entries.comparisons.judge == judge))
        alike = None if judge in people else repeats_alike(entries, judge, n)
        if alike is not None:
            left += max(questions - (judged - alike), 0) + max(MOST_REPEATS - alike, 0)
        elif (most := most_times(entries, judge, repeat_correlation_of(snapshot, judge))) == NO_END:
            return None
        else:
            left += max(most * questions - judged, 0)
    return left


def _questions(catalogue: Catalogue, *, both_orders: bool) -> int:
    outputs = catalogue.has.sum(axis=1)
    return int((outputs * (outputs - 1)).sum()) // (1 if both_orders else 2)
