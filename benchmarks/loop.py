"""Sets that simulated judges answer: the one loop of ask and tell, by the service's own numerics, for all that is here.

A set is a snapshot of n texts; nothing else here makes one, asks it for pairs or tells it what was answered.
"""

from collections.abc import Callable, Collection, Iterator

import numpy as np

from app.inference.choosing import Plan
from app.inference.fitting import Hyperprior, Method
from app.inference.state import (
    NONE_BLOCKED,
    Checked,
    Interpretation,
    Reopening,
    SharedPriors,
    Snapshot,
    advance,
    compute_due,
    empty,
    log_from_rows,
)
from app.inference.state import ask as choose
from app.inference.state.log import Entries
from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge, once_each

NOTHING, UNCHECKED = log_from_rows(), Checked(None)

Answer = Callable[[Ints, Ints], Floats]  # p (K,), from who is shown first and second (K,)


def texts(n: int) -> Bools:
    """(1, n) what n texts are there."""
    return np.ones((1, n), np.bool_)


def unjudged(n: int, method: Method, items: int = 1) -> Snapshot:
    """A set of n texts, or of n systems over items, before its first comparison."""
    return empty(Interpretation(method, {}), n, items)


def ask(
    snapshot: Snapshot,
    plan: Plan,
    count: int = 1,
    reopening: Reopening | None = None,
    checked: Checked = UNCHECKED,
    askers: Collection[int] = (),
) -> tuple[Ints, Ints]:
    """Who is to be shown first and second (K,), in up to `count` pairs; none where all are used up."""
    chosen = choose(snapshot, texts(snapshot.model.n), NONE_BLOCKED, plan, count, reopening, askers, checked)
    first, second = np.array([each.pair[:2] for each in chosen], np.int64).reshape(-1, 2).T
    return first, second


def tell(snapshot: Snapshot, comparisons: Comparisons, item: Ints | None = None) -> Snapshot:
    """Args: `comparisons` have judges by their ids; `item` (K,), where there are several."""
    seq = snapshot.version + 1 + np.arange(comparisons.size)
    item = np.zeros_like(seq) if item is None else item
    new = NOTHING._replace(entries=Entries(seq, item, *comparisons, np.full(len(seq), np.nan)))
    snapshot = advance(snapshot, snapshot.version + comparisons.size, new, [])
    while snapshot.due:
        snapshot = compute_due(snapshot)
    return snapshot


def further(
    snapshot: Snapshot,
    plan: Plan,
    answer: Answer,
    count: int = 1,
    *,
    judge: int = 0,
    reopening: Reopening | None = None,
    checked: Checked = UNCHECKED,
) -> Snapshot:
    """The set once up to `count` pairs, asked for at once, are answered by the judge of this id."""
    first, second = ask(snapshot, plan, count, reopening, checked, [judge])
    return tell(snapshot, once_each(first, second, answer(first, second), np.full(len(first), judge)))


def judged(answer: Answer, n: int, method: Method, plan: Plan, batch: int = 1, in_a_row: int = 1) -> Iterator[Snapshot]:
    """Yield the set after every batch of verdicts, without end; pairs that are used up open again.

    Args: `in_a_row` is how many times a batch is asked before the next is chosen, in alternating order.
    """
    snapshot = unjudged(n, method)
    while True:
        first, second = ask(snapshot, plan, batch)
        if not first.size:
            snapshot = opened_again(snapshot)
            continue
        for _ in range(in_a_row):
            snapshot = tell(snapshot, by_one_judge(first, second, answer(first, second)))
            yield snapshot
            first, second = second, first


def opened_again(snapshot: Snapshot) -> Snapshot:
    """The set as if no pair had been shown."""
    return snapshot._replace(shown=unjudged(snapshot.model.n, snapshot.interpretation.method).shown)


def with_pool(snapshot: Snapshot, hyperprior: Hyperprior) -> Snapshot:
    """The set once its pool has shared this."""
    seq = snapshot.version + 1
    return advance(snapshot, seq, log_from_rows([], pooled=SharedPriors(seq, hyperprior)), [])
