import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference.core.design import Design
from app.inference.gaussian import DenseCovariance, from_precision
from app.inference.types import Floats
from tests.inference.factories import condition, independent, isotropic, numerics, pairs, random_precision

N = 6


def updated(seed: int = 0) -> DenseCovariance:
    """A covariance that carries two columns."""
    sigma = from_precision(random_precision(N, seed))
    return condition(condition(sigma, 0, 1, 0.2), 4, 2, 0.7)


def direction(n: int, i: int, j: int) -> Floats:
    r = np.zeros(n)
    r[i], r[j] = 1.0, -1.0
    return r


def slow_condition(sigma: Floats, i: int, j: int, weight: float) -> Floats:
    r = direction(len(sigma), i, j)
    return np.asarray(np.linalg.inv(np.linalg.inv(sigma) + weight * np.outer(r, r)))


@numerics
@given(st.integers(0, 99), st.permutations(range(N)), st.floats(0.0, 10.0))
def test_condition_equals_the_slow_inverse(seed: int, order: list[int], weight: float) -> None:
    sigma, (i, j) = updated(seed), order[:2]

    np.testing.assert_allclose(
        condition(sigma, i, j, weight).matrix(),
        slow_condition(sigma.matrix(), i, j, weight),
        atol=1e-12,
    )


def test_condition_leaves_its_input_untouched() -> None:
    sigma = updated()
    before = sigma.matrix()

    condition(sigma, 0, 3, 0.25)

    np.testing.assert_array_equal(sigma.matrix(), before)


def test_conditions_that_branch_from_one_covariance_do_not_see_each_other() -> None:
    sigma = updated()
    left = condition(sigma, 0, 3, 0.25)
    alone = left.matrix()

    condition(sigma, 1, 5, 0.25)
    condition(left, 1, 5, 0.25)

    np.testing.assert_array_equal(left.matrix(), alone)


def test_log_det_follows_every_condition() -> None:
    sigma = updated()

    assert sigma.log_det == pytest.approx(np.linalg.slogdet(sigma.matrix()).logabsdet, abs=1e-12)


def test_independent_parameters_have_a_diagonal_covariance() -> None:
    sigma = independent(np.array([4.0, 1.0, 0.5]))

    np.testing.assert_array_equal(sigma.matrix(), np.diag([4.0, 1.0, 0.5]))
    assert sigma.log_det == pytest.approx(np.log(2.0))


def test_a_thousand_conditions_do_not_drift() -> None:
    rng, sigma, precision = np.random.default_rng(0), isotropic(20, 1.0), np.eye(20)
    for weight in rng.uniform(0.0, 0.25, 1000):
        i, j = (int(k) for k in rng.choice(20, 2, replace=False))
        sigma = condition(sigma, i, j, float(weight))
        precision += weight * np.outer(direction(20, i, j), direction(20, i, j))

    np.testing.assert_allclose(sigma.matrix(), np.linalg.inv(precision), rtol=0.0, atol=1e-10)
    assert sigma.log_det == pytest.approx(-np.linalg.slogdet(precision).logabsdet, abs=1e-10)


def test_from_precision_is_the_inverse() -> None:
    precision = random_precision(N, seed=1)

    sigma = from_precision(precision.copy())

    np.testing.assert_allclose(sigma.matrix(), np.linalg.inv(precision), atol=1e-13)
    assert sigma.log_det == pytest.approx(-np.linalg.slogdet(precision).logabsdet)


def test_from_precision_is_symmetric_to_the_last_bit() -> None:
    base = from_precision(np.asfortranarray(random_precision(N, seed=1))).base

    np.testing.assert_array_equal(base, base.T)


def test_from_precision_refuses_what_is_not_positive_definite() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        from_precision(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_every_view_agrees_with_base_minus_the_outer_product_of_the_columns() -> None:
    sigma, x = updated(), np.arange(float(N))
    full = sigma.base - sigma.columns.T @ sigma.columns

    np.testing.assert_allclose(sigma.matrix(), full, atol=1e-14)
    np.testing.assert_allclose(sigma.diagonal, full.diagonal(), atol=1e-14)
    np.testing.assert_allclose(sigma.times(x), full @ x, atol=1e-13)
    pair = pairs(np.array([1]), np.array([4]), len(sigma.diagonal))
    np.testing.assert_allclose(sigma.times_rows(pair)[0], full[1] - full[4], atol=1e-14)


def test_condition_all_is_condition_one_after_the_other() -> None:
    sigma, first, second = updated(), np.array([0, 2, 1, 0]), np.array([1, 3, 4, 1])
    weights = np.array([0.25, 0.0, 1e-6, 0.2])

    together = sigma.condition(pairs(first, second, len(sigma.diagonal)), weights)

    for i, j, w in zip(first, second, weights, strict=True):
        sigma = condition(sigma, int(i), int(j), float(w))
    np.testing.assert_allclose(together.matrix(), sigma.matrix(), atol=1e-12)
    assert together.log_det == pytest.approx(sigma.log_det)


@numerics
@given(st.integers(0, 99), st.lists(st.floats(0.0, 10.0), min_size=3, max_size=3))
def test_rows_with_a_bias_condition_as_the_slow_inverse_does(seed: int, weight: list[float]) -> None:
    """Candidates 0 to 3, judges 4 and 5."""
    sigma, rows, weights = (
        updated(seed),
        Design(4, 6, np.array([0, 2, 3]), np.array([1, 3, 0]), np.array([4, 5, 4])),
        weight,
    )
    design = np.array([[1, -1, 0, 0, 1, 0], [0, 0, 1, -1, 0, 1], [-1, 0, 0, 1, 1, 0]], np.float64)

    after = sigma.condition(rows, np.array(weights))

    expected = np.linalg.inv(np.linalg.inv(sigma.matrix()) + design.T @ np.diag(weights) @ design)
    np.testing.assert_allclose(after.matrix(), expected, atol=1e-12)
    assert after.log_det == pytest.approx(np.linalg.slogdet(expected).logabsdet, abs=1e-11)


@pytest.mark.parametrize("weight", [0.0, 1e-320, 1e-200, 1e12])
def test_any_weight_can_be_conditioned_on(weight: float) -> None:
    """Far out, a curvature rounds to 0."""
    after = condition(updated(), 0, 1, weight)

    assert np.isfinite(after.matrix()).all()
    assert after.log_det <= updated().log_det


def test_the_block_of_the_first_parameters_is_their_marginal() -> None:
    sigma = updated()

    part = sigma.block(4, log_det=-1.5)

    np.testing.assert_array_equal(part.matrix(), sigma.matrix()[:4, :4])
    assert part.log_det == -1.5


def test_condition_all_of_nothing_changes_nothing() -> None:
    none = np.empty(0, np.int64)
    assert updated().condition(pairs(none, none, 6), np.empty(0)).log_det == updated().log_det


def test_columns_lie_in_rows_however_many_come_at_once() -> None:
    """As kernels that are compiled for them read them, and as they grow without being copied."""
    sigma = condition(isotropic(N, 1.0), 0, 5, 0.2)

    together = sigma.condition(pairs(np.array([0, 1]), np.array([1, 3]), len(sigma.diagonal)), np.array([0.2, 0.2]))

    assert together.columns.shape == (3, N)
    assert together.columns.flags.c_contiguous


def test_variance_of_difference_counts_the_covariance_twice() -> None:
    sigma = updated()
    full = sigma.matrix()

    expected = full[1, 1] + full[4, 4] - 2.0 * full[1, 4]
    assert sigma.variance_of_difference(1, 4) == pytest.approx(expected)
    assert sigma.variance_of_difference(4, 1) == pytest.approx(expected)


def test_a_comparison_of_weight_zero_tells_nothing() -> None:
    sigma = updated()

    np.testing.assert_array_equal(condition(sigma, 0, 1, 0.0).matrix(), sigma.matrix())


def test_size_counts_base_columns_and_diagonal() -> None:
    assert updated().size_bytes == 8 * (N * N + 2 * N + N)
