"""Sets of pairs, and the best of them, against matrices of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference.pair_sets import Kinds, PairSet, among, has, listed, mask, nth, size, within, without
from tests.inference.factories import numerics


def random_pairs(n: int, seed: int, kinds: int) -> PairSet:
    """Some pairs, listed or left out, of candidates of so many kinds."""
    rng = np.random.default_rng(seed)
    meets = rng.random((kinds, kinds)) < 0.7
    some = np.flatnonzero(np.triu(rng.random((n, n)) < rng.choice([0.0, 0.3, 1.0]), 1))
    pairs = listed(n, some, leaves_out=bool(rng.random() < 0.5))
    return among(pairs, Kinds(rng.integers(kinds, size=n), meets | meets.T)) if kinds else pairs


some_pairs = st.builds(random_pairs, st.integers(1, 12), st.integers(0, 999), st.integers(0, 3))


@numerics
@given(some_pairs)
def test_a_set_of_pairs_is_a_matrix_of_them(pairs: PairSet) -> None:
    n = len(pairs.kind)
    is_listed = np.zeros((n, n), np.bool_)
    is_listed.flat[pairs.code] = True

    of_all = mask(pairs)

    meets = pairs.meets[pairs.kind[:, None], pairs.kind]
    np.testing.assert_array_equal(of_all, np.triu((is_listed != pairs.leaves_out) & meets, 1))
    assert size(pairs) == of_all.sum()
    assert [nth(pairs, k) for k in range(size(pairs))] == list(map(tuple, np.argwhere(of_all).tolist()))
    first, second = np.triu_indices(n, 1)
    np.testing.assert_array_equal(has(pairs, first, second), of_all[first, second])
    with pytest.raises(IndexError):
        nth(pairs, size(pairs))


@numerics
@given(some_pairs, st.integers(0, 99))
def test_pairs_within_are_those_of_the_smaller_matrix(pairs: PairSet, seed: int) -> None:
    who = np.flatnonzero(np.random.default_rng(seed).random(len(pairs.kind)) < 0.6)

    np.testing.assert_array_equal(np.column_stack(within(pairs, who)), np.argwhere(mask(pairs)[np.ix_(who, who)]))


@numerics
@given(some_pairs, st.integers(0, 99))
def test_without_some_pairs_all_the_others_are_left(pairs: PairSet, seed: int) -> None:
    rng, expected = np.random.default_rng(seed), mask(pairs)
    some = rng.permutation(np.flatnonzero(expected))[: rng.integers(4)]
    expected.flat[some] = False

    np.testing.assert_array_equal(mask(without(pairs, *np.divmod(some, len(pairs.kind)))), expected)
