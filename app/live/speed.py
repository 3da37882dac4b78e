"""Steps that take some milliseconds, and the compiled loops that they need."""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np

from app.inference.choosing import Criterion, Goal, Order, Plan, Policy
from app.inference.fitting import Method
from app.inference.regimes import SMALL
from app.inference.state import (
    NONE_BLOCKED,
    ComparisonRow,
    Interpretation,
    Snapshot,
    Sought,
    advance,
    ask,
    empty,
    exact,
    log_from_rows,
    quantity,
)

QUICK = 300  # comparisons or asks, each a tenth of a millisecond
MANY = SMALL + 1  # candidates for whom other kernels work
COLUMNS = 500  # of a covariance, more or less, that has taken in as many comparisons and fantasies as it may
KNOWN_QUICKLY = 12  # candidates (decision 40)
SLOWER = 4  # times, as many pairs by the knowledge gradient among more than KNOWN_QUICKLY candidates


def are_quick(snapshots: Iterable[Snapshot], steps: int) -> bool:
    """True where so many comparisons or asks over these take some milliseconds."""
    models = (each.model for each in snapshots)
    return steps <= QUICK and all(model.expert.as_soft_bt is not None and model.size <= SMALL for model in models)


def choices_are_quick(sets: Sequence[tuple[Snapshot, Plan]], pairs: int) -> bool:
    """True where choosing so many pairs of these takes some milliseconds."""
    know = max((each.model.n for each, plan in sets if plan.policy.criterion is Criterion.KNOWLEDGE), default=0)
    steps = pairs if know <= KNOWN_QUICKLY else SLOWER * pairs
    return know <= 2 * KNOWN_QUICKLY and are_quick((each for each, _ in sets), steps)


def work_of_a_pair(n: int, plan: Plan) -> int:
    """The time that choosing one of the pairs of n candidates takes, where a product of two numbers takes 1.

    Of few all pairs are read; of many some, and the fantasy of the last pair takes a column for each one before it.
    """
    few = min(n, SMALL) if plan.policy.criterion is Criterion.KNOWLEDGE else 0
    return max(n * min(n, COLUMNS) + few**3, 1)


def warm_up() -> None:
    """Compile the kernels that sets need, or load them: seconds once, then a fraction of one. Safe in any thread."""
    some, one_more = (
        log_from_rows([ComparisonRow(seq, 0, first=0, second=1, p=1.0, judge=1) for seq in range(*ends)])
        for ends in ((1, 11), (11, 12))
    )
    for n, method in product((3, MANY), (Method(), Method(position_bias="estimate"))):
        snapshot = advance(empty(Interpretation(method, {}), n, 1), 10, some, [])
        snapshot = advance(snapshot, 11, one_more, [])
        everyone = np.ones((1, n), np.bool_)
        for plan in (Plan(Policy(each), Order.BALANCED, 0) for each in (Criterion.VARIANCE, Criterion.KNOWLEDGE)):
            ask(snapshot, everyone, NONE_BLOCKED, plan, 1)
            ask(snapshot, everyone, NONE_BLOCKED, plan._replace(goal=Goal(pair=(0, 1))), 2)
    few = advance(empty(Interpretation(Method(verdict_weight="learnt"), {}), 3, 1), 10, some, [])
    quantity(few, exact(few, target="all-pairs"), Sought("all-pairs", np.ones((1, 3), np.bool_), ()))
