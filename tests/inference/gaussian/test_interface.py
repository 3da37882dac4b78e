"""What both kinds of covariance say of the same H, method by method."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from app.inference.gaussian import CertifiedCovariance, DenseCovariance, DesignRows, TooMany, from_precision
from app.inference.gaussian.certified import DRIFT, SOLVED, WIDTH, measured
from app.inference.graphs.comparison_graph import precision_of
from app.inference.types import Floats
from tests.inference.graphs.test_push import (
    Pairs,
    assert_within,
    differing,
    each_graph,
    each_prior,
    inverse,
    mixed,
    weighted,
)

N = 150
ROUNDING = 1e-9


class Both(NamedTuple):
    dense: DenseCovariance
    certified: CertifiedCovariance


def both(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> Both:
    (first, second), weight, q = weighted(pairs, prior, N)
    precision = np.asarray(np.linalg.inv(inverse(first, second, weight, q)), np.float64)
    return Both(from_precision(precision), measured(precision_of(first, second, weight, q), np.zeros(N)))


@pytest.fixture
def some() -> Both:
    return both(mixed, differing)


def conditioned(sigma: Both, rows: DesignRows, weights: Floats) -> Both:
    return Both(sigma.dense.condition(rows, weights), sigma.certified.condition(rows, weights))


def more() -> tuple[DesignRows, Floats]:
    """One pair twice, in either order; a weight of nothing."""
    return DesignRows(np.array([0, 3, 9, 3]), np.array([70, 4, 8, 0])), np.array([0.25, 2.0, 0.0, 0.2])


def assert_agree(sigma: Both) -> None:
    """On all but the diagonal."""
    x, (i, j) = np.random.default_rng(1).standard_normal(N), np.triu_indices(N, 1)
    np.testing.assert_allclose(sigma.certified.times(x), sigma.dense.times(x), rtol=0.0, atol=SOLVED * (1.0 + ROUNDING))
    v = sigma.dense.variances(i, j)
    for width in (0.2, 1e-3):
        within = sigma.certified.variances(i, j, width) / v
        assert np.abs(within - 1.0).max() <= 0.5 * width + ROUNDING
        np.testing.assert_array_equal(sigma.dense.variances(i, j, width), v)
    for one, other in ((0, 70), (4, 3), (149, 0)):
        assert sigma.certified.variance_of_difference(one, other) == pytest.approx(
            sigma.dense.variance_of_difference(one, other), rel=0.5e-3
        )


@each_graph
@each_prior
def test_both_say_the_same_of_one_precision(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> None:
    sigma = both(pairs, prior)

    assert_agree(sigma)
    assert_within(sigma.dense.diagonal, sigma.certified.lower, sigma.certified.upper)
    assert (sigma.certified.upper <= (1.0 + WIDTH) * sigma.certified.lower).all()
    np.testing.assert_allclose(sigma.certified.diagonal, sigma.dense.diagonal, rtol=0.5 * WIDTH)


@each_graph
@each_prior
def test_both_say_the_same_after_comparisons(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> None:
    """Of those who were compared the upper ends are measured; those of the others hold all the more."""
    rows, weights = more()
    before = both(pairs, prior)

    after = conditioned(before, rows, weights)

    assert_agree(after)
    who = np.union1d(rows.first, rows.second)
    assert (after.certified.upper[who] <= (1.0 + WIDTH) * after.dense.diagonal[who]).all()
    assert (after.dense.diagonal <= after.certified.upper * (1.0 + ROUNDING)).all()
    np.testing.assert_array_equal(np.delete(after.certified.upper, who), np.delete(before.certified.upper, who))


def test_the_intervals_of_those_who_were_compared_hold(some: Both) -> None:
    rows, weights = more()
    who = np.union1d(rows.first, rows.second)

    after = conditioned(some, rows, weights)

    assert_within(after.dense.diagonal[who], after.certified.lower[who], after.certified.upper[who])
    np.testing.assert_allclose(after.certified.diagonal[who], after.dense.diagonal[who], rtol=0.5 * WIDTH)


def test_one_by_one_is_all_at_once(some: Both) -> None:
    rows, weights = more()
    step_by_step = some
    for k in range(len(weights)):
        step_by_step = conditioned(step_by_step, DesignRows(rows.first[[k]], rows.second[[k]]), weights[[k]])

    at_once = conditioned(some, rows, weights)

    np.testing.assert_allclose(step_by_step.dense.matrix(), at_once.dense.matrix(), rtol=0.0, atol=1e-12)
    one, other = step_by_step.certified.precision, at_once.certified.precision
    np.testing.assert_array_equal(one.rival, other.rival)
    np.testing.assert_array_equal(one.weight, other.weight)
    np.testing.assert_allclose(one.diagonal, other.diagonal, rtol=1e-14)
    assert_agree(step_by_step)


def test_a_condition_leaves_what_it_is_of(some: Both) -> None:
    held, lower, upper = some.certified
    arrays: list[NDArray[Any]] = [*some.dense[:3], *held, lower, upper]
    kept = [array.copy() for array in arrays]

    conditioned(conditioned(some, *more()), *more())

    for array, copy in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_no_comparison_changes_nothing(some: Both) -> None:
    nobody = np.empty(0, np.int64)

    after = conditioned(some, DesignRows(nobody, nobody), np.empty(0))

    assert after.dense is some.dense
    assert after.certified is some.certified


def test_only_an_array_has_all_entries_and_a_determinant(some: Both) -> None:
    matrix = some.dense.matrix()

    assert matrix.shape == (N, N)
    assert some.dense.log_det == pytest.approx(np.linalg.slogdet(matrix).logabsdet)
    assert (some.dense.has_matrix, some.certified.has_matrix) == (True, False)
    with pytest.raises(TooMany, match=f"{N} candidates"):
        some.certified.matrix()
    assert np.isnan(some.certified.log_det)


def test_the_block_of_all_scores_is_all_of_it(some: Both) -> None:
    log_det = some.dense.log_det

    np.testing.assert_array_equal(some.dense.block(N, log_det).matrix(), some.dense.matrix())
    assert some.dense.block(N, log_det).log_det == log_det
    assert some.certified.block(N, log_det) is some.certified


def test_the_size_is_that_of_every_array(some: Both) -> None:
    assert some.dense.size_bytes == sum(each.nbytes for each in some.dense[:3])
    held, lower, upper = some.certified
    assert some.certified.size_bytes == sum(each.nbytes for each in (*held, lower, upper))


def test_the_ends_hold_whatever_may_wait(some: Both) -> None:
    """All weights and priors have moved by as much as is not followed."""
    for moved in (1.0 - DRIFT, 1.0 + DRIFT):
        assert_within(some.dense.diagonal / moved, *some.certified.ends)
