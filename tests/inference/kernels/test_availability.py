"""Kernels against numpy."""

from typing import Any

import numpy as np
import pytest

from app.inference import state
from app.inference.choosing.asking import Order, Plan
from app.inference.choosing.criteria import Criterion, Policy
from app.inference.choosing.goals import Goal
from app.inference.choosing.knowledge import knowledge
from app.inference.core.cells import put, read
from app.inference.core.design import precision, precision_times
from app.inference.core.edges import evaluate
from app.inference.fitting.model import Method
from app.inference.kernels import pair_sets, tilted
from app.inference.kernels.all_pairs import mean_verdicts
from app.inference.kernels.availability import HIGHER_FIRST, LOWER_FIRST, ShownPairs, mark, none_shown
from app.inference.state import BlockedPairs, Interpretation
from app.inference.types import Ints

ITEMS, N = 3, 6


def pairs(count: int, seed: int) -> tuple[Ints, Ints, Ints]:
    """Item, first and second."""
    rng = np.random.default_rng(seed)
    first = rng.integers(N, size=count)
    return rng.integers(ITEMS, size=count), first, (first + rng.integers(1, N, size=count)) % N


def marked(count: int, seed: int) -> ShownPairs:
    return mark(none_shown(ITEMS, N), *pairs(count, seed))


@pytest.mark.parametrize("count", [0, 1, 40])
def test_mark_sets_the_bit_of_the_order(count: int) -> None:
    before = marked(9, seed=7)
    item, first, second = pairs(count, seed=0)
    expected = np.zeros((ITEMS, N, N), np.uint8)
    expected.flat[before.code] = before.orders
    bits = np.where(first < second, LOWER_FIRST, HIGHER_FIRST)
    np.bitwise_or.at(expected, (item, np.minimum(first, second), np.maximum(first, second)), bits)
    untouched = before.code.copy()

    after = mark(before, item, first, second)

    np.testing.assert_array_equal(after.code, np.flatnonzero(expected))
    np.testing.assert_array_equal(after.orders, expected.flat[after.code])
    np.testing.assert_array_equal(before.code, untouched)


@pytest.mark.parametrize("place", range(3))
def test_an_item_or_a_candidate_who_does_not_exist_is_an_error(place: int) -> None:
    nobody = [np.array([0]), np.array([0]), np.array([1])]
    nobody[place] = np.array([N])
    with pytest.raises(IndexError):
        mark(marked(0, seed=0), *nobody)


@pytest.mark.parametrize("method", [Method(), Method("hard-bt", position_bias="estimate")])
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("criterion", [Criterion.REORDERING, Criterion.KNOWLEDGE])
@pytest.mark.parametrize("n", [N, state.MANY + 1])
def test_after_a_warm_up_no_set_waits_for_a_compiler(
    method: Method, order: Order, criterion: Criterion, n: int
) -> None:
    of_sets = [
        pair_sets.in_rows,
        pair_sets.nth,
        pair_sets.has,
        pair_sets.within,
    ]
    of_pairs = [knowledge, mark, *of_sets]
    of_sums = [put, read, evaluate, precision, *([precision_times] if n > N else [])]
    kernels: list[Any] = [*of_pairs, *of_sums]
    state.warm_up()
    known = [each.signatures.copy() for each in kernels]

    places = np.column_stack(pairs(11, seed=0)).tolist()
    rows = [state.ComparisonRow(k + 1, item, i, j, 0.5, judge=k % 2) for k, (item, i, j) in enumerate(places)]
    before = state.advance(
        state.empty(Interpretation(method, {1: 2.0}), n, ITEMS), 10, state.log_from_rows(rows[:10]), []
    )
    held = state.advance(before, 11, state.log_from_rows(rows[10:]), [])
    keys, outputs = tuple(map(str, range(n))), np.ones((ITEMS, n), np.int64)
    everyone = state.make_catalogue(0, keys, (("x", None),) * ITEMS, outputs)
    table = np.column_stack(pairs(4, seed=1))
    plan = Plan(Policy(criterion, random_share=0.5), order, 0, Goal(top_k=1))
    asked = state.ask(held, everyone, BlockedPairs(table[:, 0], table[:, 1], table[:, 2], 2), plan, 9)

    assert len(asked) == 9
    assert all(known)
    assert [each.signatures for each in kernels] == known


def test_after_a_warm_up_no_ranking_of_all_pairs_waits_for_a_compiler() -> None:
    kernels: list[Any] = [mean_verdicts, tilted.moments]
    state.warm_up()
    known = [each.signatures.copy() for each in kernels]

    places = np.column_stack(pairs(11, seed=0)).tolist()
    rows = [state.ComparisonRow(k + 1, item, i, j, 0.5, judge=k % 2) for k, (item, i, j) in enumerate(places)]
    method = Method(verdict_weight="learnt", position_bias="estimate")
    held = state.advance(state.empty(Interpretation(method, {}), N, ITEMS), 11, state.log_from_rows(rows), [])
    sought = state.Sought("all-pairs", np.ones((ITEMS, N), np.bool_), ())
    state.quantity(held, state.exact(held, target="all-pairs"), sought)

    assert all(known)
    assert [each.signatures for each in kernels] == known
