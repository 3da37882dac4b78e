"""Pairs that were shown and those that may be, against matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference.pair_sets import mask, size
from app.inference.state.open_pairs import ShownPairs, items_of, mark, open_pairs
from app.inference.types import Bools
from tests.inference.factories import numerics

sizes = {"items": st.integers(1, 4), "n": st.integers(2, 6), "seed": st.integers(0, 999), "full": st.booleans()}


def none_shown(items: int, n: int) -> ShownPairs:
    return ShownPairs(items, n, np.empty(0, np.int64), np.empty(0, np.uint8))


def outputs(items: int, n: int, rng: np.random.Generator, *, full: bool) -> Bools:
    return np.ones((items, n), np.bool_) if full else rng.random((items, n)) < 0.7


@numerics
@given(**sizes, leaves_out=st.booleans())
def test_open_pairs_are_those_open_on_any_item(items: int, n: int, seed: int, full: bool, leaves_out: bool) -> None:
    rng = np.random.default_rng(seed)
    has = outputs(items, n, rng, full=full)
    some = np.triu(rng.random((items, n, n)) < rng.choice([0.2, 0.9, 1.0]), 1)
    both = np.triu(has[:, :, None] & has[:, None, :], 1)
    is_open = both & (some != leaves_out)
    code = np.flatnonzero(both & some)

    some_open = open_pairs(has, code, none_shown(items, n), leaves_out=leaves_out)

    np.testing.assert_array_equal(mask(some_open.pairs), is_open.any(axis=0))
    assert size(some_open.pairs) == is_open.any(axis=0).sum()
    for i, j in np.argwhere(is_open.any(axis=0)).tolist():
        np.testing.assert_array_equal(items_of(some_open, i, j), np.flatnonzero(is_open[:, i, j]))


@numerics
@given(**sizes)
def test_pairs_are_marked_in_the_order_in_which_they_were_shown(items: int, n: int, seed: int, full: bool) -> None:
    rng = np.random.default_rng(seed)
    count = 0 if full else 12
    item, first = rng.integers(items, size=count), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    expected = np.zeros((items, n, n), np.bool_)
    expected[item, first, second] = True

    before = mark(none_shown(items, n), item[:5], first[:5], second[:5])
    code = before.code.copy()
    shown = mark(before, item[5:], first[5:], second[5:])

    np.testing.assert_array_equal(shown.in_order, expected)
    np.testing.assert_array_equal(shown.code, np.unique(shown.code))
    np.testing.assert_array_equal(before.code, code)


@pytest.mark.parametrize("place", range(3))
def test_an_item_or_a_candidate_who_does_not_exist_is_an_error(place: int) -> None:
    nobody = [np.array([0]), np.array([0]), np.array([1])]
    nobody[place] = np.array([6])
    with pytest.raises(IndexError):
        mark(none_shown(6, 6), *nobody)
