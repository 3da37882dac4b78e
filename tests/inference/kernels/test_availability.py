"""Kernels against numpy."""

from typing import Any

import numpy as np
import pytest

from app.inference import state
from app.inference.choosing.asking import Plan
from app.inference.choosing.goals import Goal
from app.inference.choosing.order import Order, lead
from app.inference.choosing.selection import Criterion, Policy
from app.inference.fitting.model import Method
from app.inference.kernels import bradley_terry
from app.inference.kernels.availability import BOTH_ORDERS, HIGHER_FIRST, LOWER_FIRST, OrdersShown, mark, still_open
from app.inference.kernels.knowledge import knowledge, most_knowledge, most_own_terms
from app.inference.kernels.pairs import best_pairs, conditioned, nth_pair
from app.inference.state import BlockedPairs, Interpretation
from app.inference.types import Ints

ITEMS, N = 3, 6


def pairs(count: int, seed: int) -> tuple[Ints, Ints, Ints]:
    """Item, first and second."""
    rng = np.random.default_rng(seed)
    first = rng.integers(N, size=count)
    return rng.integers(ITEMS, size=count), first, (first + rng.integers(1, N, size=count)) % N


def marked(count: int, seed: int) -> OrdersShown:
    return mark(np.zeros((ITEMS, N, N), np.uint8), *pairs(count, seed))


@pytest.mark.parametrize("count", [0, 1, 40])
def test_mark_sets_the_bit_of_the_order(count: int) -> None:
    before = marked(9, seed=7)
    item, first, second = pairs(count, seed=0)
    expected = before.copy()
    bits = np.where(first < second, LOWER_FIRST, HIGHER_FIRST)
    np.bitwise_or.at(expected, (item, np.minimum(first, second), np.maximum(first, second)), bits)
    kept = before.copy()

    np.testing.assert_array_equal(mark(before, item, first, second), expected)
    np.testing.assert_array_equal(before, kept)


def test_a_candidate_who_does_not_exist_is_an_error() -> None:
    nobody = np.array([N])
    with pytest.raises(IndexError):
        mark(marked(0, seed=0), nobody * 0, nobody * 0, nobody)


@pytest.mark.parametrize("full", [LOWER_FIRST, BOTH_ORDERS])
@pytest.mark.parametrize("seed", range(5))
def test_still_open_leaves_out_what_is_asked_blocked_or_missing(full: int, seed: int) -> None:
    asked, has = marked(30, seed), np.random.default_rng(seed).random((ITEMS, N)) < 0.8
    item, first, second = pairs(6, seed + 10)
    expected = np.triu(has[:, :, None] & has[:, None, :] & (asked < full), 1)
    expected[item, np.minimum(first, second), np.maximum(first, second)] = False

    np.testing.assert_array_equal(still_open(asked, has, item, first, second, full), expected)


@pytest.mark.parametrize("method", [Method(), Method("hard-bt", position_bias="estimate")])
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("criterion", [Criterion.REORDERING, Criterion.KNOWLEDGE])
def test_after_a_warm_up_no_set_waits_for_a_compiler(method: Method, order: Order, criterion: Criterion) -> None:
    of_pairs = [conditioned, best_pairs, knowledge, most_knowledge, most_own_terms, nth_pair, lead, mark, still_open]
    kernels: list[Any] = [bradley_terry.fit, *of_pairs]
    state.warm_up()
    known = [each.signatures.copy() for each in kernels]

    rows = [(k + 1, *row, 0.5, k % 2, 1.0) for k, row in enumerate(np.column_stack(pairs(8, seed=0)).tolist())]
    held = state.advance(state.empty(Interpretation(method, {1: 2.0}), N, ITEMS), 8, state.log_from_rows(rows), [])
    everyone = state.make_catalogue(0, tuple("abcdef"), (("x", None),) * ITEMS, np.ones((ITEMS, N), np.int64))
    table = np.column_stack(pairs(4, seed=1))
    plan = Plan(Policy(criterion, random_share=0.5), order, 0, Goal(top_k=1))
    asked = state.ask(held, everyone, BlockedPairs(table[:, 0], table[:, 1], table[:, 2], 2), plan, 9)

    assert len(asked) == 9
    assert all(known)
    assert [each.signatures for each in kernels] == known
