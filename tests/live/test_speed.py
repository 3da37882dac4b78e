"""What is computed in the event loop, where a thread would take longer; and no compiler is waited for there."""

from typing import Any

import numpy as np
import pytest

from app.inference.choosing.asking import Order, Plan
from app.inference.choosing.criteria import Criterion, Goal, Policy
from app.inference.choosing.knowledge import knowledge
from app.inference.core.cells import put, read
from app.inference.core.edges import evaluate, precision, precision_times
from app.inference.fitting.evidence import tilted_moments
from app.inference.fitting.model import Method
from app.inference.state import (
    BlockedPairs,
    ComparisonRow,
    Interpretation,
    Sought,
    advance,
    ask,
    empty,
    exact,
    log_from_rows,
    quantity,
)
from app.inference.state.open_pairs import mark
from app.inference.targets.all_pairs import mean_verdicts
from app.inference.types import Ints
from app.live.speed import KNOWN_QUICKLY, MANY, QUICK, SLOWER, choices_are_quick, warm_up

ITEMS, N = 3, 6


def places_of(count: int, seed: int) -> tuple[Ints, Ints, Ints]:
    """Item, first and second."""
    rng = np.random.default_rng(seed)
    first = rng.integers(N, size=count)
    return rng.integers(ITEMS, size=count), first, (first + rng.integers(1, N, size=count)) % N


@pytest.mark.parametrize(
    ("criterion", "n", "pairs", "is_quick"),
    [
        (Criterion.REORDERING, 64, QUICK, True),
        (Criterion.REORDERING, 65, 1, False),
        (Criterion.KNOWLEDGE, KNOWN_QUICKLY, QUICK, True),
        (Criterion.KNOWLEDGE, KNOWN_QUICKLY, QUICK + 1, False),
        (Criterion.KNOWLEDGE, 2 * KNOWN_QUICKLY, QUICK // SLOWER, True),
        (Criterion.KNOWLEDGE, 2 * KNOWN_QUICKLY, QUICK // SLOWER + 1, False),
        (Criterion.KNOWLEDGE, 2 * KNOWN_QUICKLY + 1, 1, False),
    ],
)
def test_choices_that_take_some_milliseconds_are_quick(
    criterion: Criterion, n: int, pairs: int, is_quick: bool
) -> None:
    snapshot, plan = empty(Interpretation(Method(), {}), n, 1), Plan(Policy(criterion), Order.BALANCED, 0)

    assert choices_are_quick([(snapshot, plan)], pairs) == is_quick


def test_without_a_set_all_is_quick() -> None:
    assert choices_are_quick([], 1)


@pytest.mark.parametrize("method", [Method(), Method("hard-bt", position_bias="estimate")])
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("criterion", [Criterion.REORDERING, Criterion.KNOWLEDGE])
@pytest.mark.parametrize("n", [N, MANY + 1])
def test_after_a_warm_up_no_set_waits_for_a_compiler(
    method: Method, order: Order, criterion: Criterion, n: int
) -> None:
    of_sums = [put, read, evaluate, precision, *([precision_times] if n > N else [])]
    kernels: list[Any] = [knowledge, mark, *of_sums]
    warm_up()
    known = [each.signatures.copy() for each in kernels]

    places = np.column_stack(places_of(11, seed=0)).tolist()
    rows = [ComparisonRow(k + 1, item, i, j, 0.5, judge=k % 2) for k, (item, i, j) in enumerate(places)]
    before = advance(empty(Interpretation(method, {1: 2.0}), n, ITEMS), 10, log_from_rows(rows[:10]), [])
    held = advance(before, 11, log_from_rows(rows[10:]), [])
    everyone = np.ones((ITEMS, n), np.bool_)
    table = np.column_stack(places_of(4, seed=1))
    plan = Plan(Policy(criterion, random_share=0.5), order, 0, Goal(top_k=1))
    asked = ask(held, everyone, BlockedPairs(table[:, 0], table[:, 1], table[:, 2], 2), plan, 9)

    assert len(asked) == 9
    assert all(known)
    assert [each.signatures for each in kernels] == known


def test_after_a_warm_up_no_ranking_of_all_pairs_waits_for_a_compiler() -> None:
    kernels: list[Any] = [mean_verdicts, tilted_moments]
    warm_up()
    known = [each.signatures.copy() for each in kernels]

    places = np.column_stack(places_of(11, seed=0)).tolist()
    rows = [ComparisonRow(k + 1, item, i, j, 0.5, judge=k % 2) for k, (item, i, j) in enumerate(places)]
    method = Method(verdict_weight="learnt", position_bias="estimate")
    held = advance(empty(Interpretation(method, {}), N, ITEMS), 11, log_from_rows(rows), [])
    sought = Sought("all-pairs", np.ones((ITEMS, N), np.bool_), ())
    quantity(held, exact(held, target="all-pairs"), sought)

    assert all(known)
    assert [each.signatures for each in kernels] == known
