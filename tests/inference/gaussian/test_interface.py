"""What both kinds of covariance say of the same H, method by method."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from app.inference.core.design import Design, TooMany
from app.inference.gaussian import SOLVED, DenseCovariance, SparseCovariance, from_precision
from app.inference.types import Floats
from tests.inference.factories import pairs as pairs_of
from tests.inference.gaussian.test_sparse import (
    Pairs,
    covariance,
    differing,
    each_graph,
    each_prior,
    inverse,
    mixed,
    weighted,
)

N = 150
ROUNDING = 1e-9
CLOSE = 0.2  # relative, of a variance: test_sparse.py has the series itself


class Both(NamedTuple):
    dense: DenseCovariance
    sparse: SparseCovariance


def both(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> Both:
    (first, second), weight, q = weighted(pairs, prior, N)
    precision = np.asarray(np.linalg.inv(inverse(first, second, weight, q)), np.float64)
    return Both(from_precision(precision), covariance(first, second, weight, q))


@pytest.fixture
def some() -> Both:
    return both(mixed, differing)


def conditioned(sigma: Both, rows: Design, weights: Floats) -> Both:
    return Both(sigma.dense.condition(rows, weights), sigma.sparse.condition(rows, weights))


def more() -> tuple[Design, Floats]:
    """One pair twice, in either order; a weight of nothing."""
    return pairs_of(np.array([0, 3, 9, 3]), np.array([70, 4, 8, 0]), N), np.array([0.25, 2.0, 0.0, 0.2])


def assert_agree(sigma: Both) -> None:
    x, (i, j) = np.random.default_rng(1).standard_normal(N), np.triu_indices(N, 1)
    np.testing.assert_allclose(sigma.sparse.times(x), sigma.dense.times(x), rtol=0.0, atol=SOLVED * (1.0 + ROUNDING))
    np.testing.assert_allclose(sigma.sparse.variances(i, j), sigma.dense.variances(i, j), rtol=CLOSE)
    np.testing.assert_allclose(sigma.sparse.diagonal, sigma.dense.diagonal, rtol=CLOSE)
    for one, other in ((0, 70), (4, 3), (149, 0)):
        assert sigma.sparse.variance_of_difference(one, other) == pytest.approx(
            sigma.dense.variance_of_difference(one, other), rel=CLOSE
        )


@each_graph
@each_prior
def test_both_say_the_same_of_one_precision(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> None:
    assert_agree(both(pairs, prior))


@each_graph
@each_prior
def test_both_say_the_same_after_comparisons(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> None:
    assert_agree(conditioned(both(pairs, prior), *more()))


def test_one_by_one_is_all_at_once(some: Both) -> None:
    rows, weights = more()
    step_by_step = some
    for k in range(len(weights)):
        step_by_step = conditioned(step_by_step, pairs_of(rows.first[[k]], rows.second[[k]], N), weights[[k]])

    at_once = conditioned(some, rows, weights)

    np.testing.assert_allclose(step_by_step.dense.matrix(), at_once.dense.matrix(), rtol=0.0, atol=1e-12)
    one, other = step_by_step.sparse.precision, at_once.sparse.precision
    np.testing.assert_allclose(one.links.toarray(), other.links.toarray(), rtol=1e-14)
    np.testing.assert_allclose(one.diagonal, other.diagonal, rtol=1e-14)
    assert_agree(step_by_step)


def test_a_condition_leaves_what_it_is_of(some: Both) -> None:
    arrays: list[NDArray[Any]] = [*some.dense[:3], some.sparse.precision.links.data, some.sparse.diagonal]
    kept = [array.copy() for array in arrays]

    conditioned(conditioned(some, *more()), *more())

    for array, copy in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_no_comparison_changes_nothing(some: Both) -> None:
    nobody = np.empty(0, np.int64)

    after = conditioned(some, pairs_of(nobody, nobody, N), np.empty(0))

    assert after.dense is some.dense
    assert after.sparse is some.sparse


def test_only_an_array_has_all_entries_and_a_determinant(some: Both) -> None:
    matrix = some.dense.matrix()

    assert matrix.shape == (N, N)
    assert some.dense.log_det == pytest.approx(np.linalg.slogdet(matrix).logabsdet)
    assert (some.dense.has_matrix, some.sparse.has_matrix) == (True, False)
    with pytest.raises(TooMany, match=f"{N} candidates"):
        some.sparse.matrix()
    assert np.isnan(some.sparse.log_det)


def test_the_block_of_all_scores_is_all_of_it(some: Both) -> None:
    log_det = some.dense.log_det

    np.testing.assert_array_equal(some.dense.block(N, log_det).matrix(), some.dense.matrix())
    assert some.dense.block(N, log_det).log_det == log_det


def test_the_size_is_that_of_every_array(some: Both) -> None:
    assert some.dense.size_bytes == sum(each.nbytes for each in some.dense[:3])
    links, q, d = some.sparse.precision
    arrays = links.data, links.indices, links.indptr, q, d, some.sparse.diagonal
    assert some.sparse.size_bytes == sum(each.nbytes for each in arrays)
