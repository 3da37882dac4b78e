"""Covariances that many rank-one updates share, sparse ones by the first terms of a series, and both of the same H."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference import gaussian as module
from app.inference.core.edges import Design, TooMany
from app.inference.gaussian import (
    BLOCK,
    SOLVED,
    DenseCovariance,
    SparseCovariance,
    draws,
    from_edges,
    from_precision,
    solve,
)
from app.inference.types import Floats, Ints
from tests.inference.factories import condition, isotropic, numerics, pairs, random_precision
from tests.inference.factories import pairs as pairs_of

N = 6


def updated(seed: int = 0) -> DenseCovariance:
    """A covariance that carries two columns."""
    sigma = from_precision(random_precision(N, seed))
    return condition(condition(sigma, 0, 1, 0.2), 4, 2, 0.7)


def test_conditions_that_branch_from_one_covariance_do_not_see_each_other() -> None:
    sigma = updated()
    left = condition(sigma, 0, 3, 0.25)
    alone = left.matrix()

    condition(sigma, 1, 5, 0.25)
    condition(left, 1, 5, 0.25)

    np.testing.assert_array_equal(left.matrix(), alone)


@pytest.mark.parametrize("n", [1, N, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_from_precision_is_the_inverse(n: int) -> None:
    precision = random_precision(n, seed=1)

    sigma = from_precision(precision.copy())

    np.testing.assert_allclose(sigma.matrix(), np.linalg.inv(precision), atol=1e-13)
    assert sigma.log_det == pytest.approx(-np.linalg.slogdet(precision).logabsdet)


@pytest.mark.parametrize("n", [N, 3 * BLOCK + 5])
def test_from_precision_is_symmetric_to_the_last_bit(n: int) -> None:
    base = from_precision(np.asfortranarray(random_precision(n, seed=1))).base

    np.testing.assert_array_equal(base, base.T)
    assert base.flags.carray


@pytest.mark.parametrize("n", [2, BLOCK + 1, 2 * BLOCK + 3])
def test_from_precision_refuses_what_is_not_positive_definite(n: int) -> None:
    precision = np.eye(n)
    precision[0, -1] = precision[-1, 0] = 2.0
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        from_precision(precision)


def test_every_view_agrees_with_base_minus_the_outer_product_of_the_columns() -> None:
    sigma, x = updated(), np.arange(float(N))
    full = sigma.base - sigma.columns.T @ sigma.columns

    np.testing.assert_allclose(sigma.matrix(), full, atol=1e-14)
    np.testing.assert_allclose(sigma.diagonal, full.diagonal(), atol=1e-14)
    np.testing.assert_allclose(sigma.times(x), full @ x, atol=1e-13)
    pair = pairs(np.array([1]), np.array([4]), len(sigma.diagonal))
    np.testing.assert_allclose(sigma.times_rows(pair)[0], full[1] - full[4], atol=1e-14)
    expected = full[1, 1] + full[4, 4] - 2.0 * full[1, 4]
    assert sigma.variance_of_difference(1, 4) == pytest.approx(expected)
    assert sigma.variance_of_difference(4, 1) == pytest.approx(expected)


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


def test_condition_all_of_nothing_changes_nothing() -> None:
    none = np.empty(0, np.int64)
    assert updated().condition(pairs(none, none, 6), np.empty(0)).log_det == updated().log_det


def test_columns_lie_in_rows_however_many_come_at_once() -> None:
    """As kernels that are compiled for them read them, and as they grow without being copied."""
    sigma = condition(isotropic(N, 1.0), 0, 5, 0.2)

    together = sigma.condition(pairs(np.array([0, 1]), np.array([1, 3]), len(sigma.diagonal)), np.array([0.2, 0.2]))

    assert together.columns.shape == (3, N)
    assert together.columns.flags.c_contiguous


Pairs = tuple[Ints, Ints]


def at_random(n: int, count: int, rng: np.random.Generator) -> Pairs:
    first = rng.integers(n, size=count)
    return first, (first + rng.integers(1, n, size=count)) % n


def near(n: int, count: int, rng: np.random.Generator) -> Pairs:
    first = rng.integers(n, size=count)
    return first, (first + rng.integers(1, 21, size=count)) % n


def mixed(n: int, count: int, rng: np.random.Generator) -> Pairs:
    one, other = at_random(n, count // 3, rng), near(n, count - count // 3, rng)
    return np.append(one[0], other[0]), np.append(one[1], other[1])


def islands(n: int, count: int, rng: np.random.Generator) -> Pairs:
    """Only among those who are alike modulo 7; the last five were never compared."""
    first = rng.integers(n - 5, size=count)
    second = (first + 7 * rng.integers(1, n // 14, size=count)) % (n - 5)
    return first[first != second], second[first != second]


def alike(n: int, rng: np.random.Generator) -> Floats:
    return np.full(n, 0.5)


def differing(n: int, rng: np.random.Generator) -> Floats:
    """Some were scored on their own too."""
    return 0.2 + np.where(rng.random(n) < 0.1, rng.exponential(30.0, n), 0.0)


each_graph = pytest.mark.parametrize("pairs", [at_random, near, mixed, islands])
each_prior = pytest.mark.parametrize("prior", [alike, differing])


def weighted(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats], n: int, seed: int = 0
) -> tuple[Pairs, Floats, Floats]:
    rng = np.random.default_rng(seed)
    first, second = pairs(n, 8 * n, rng)
    return (first, second), rng.uniform(0.05, 0.25, len(first)), prior(n, rng)


def covariance(first: Ints, second: Ints, weight: Floats, prior: Floats) -> SparseCovariance:
    return from_edges(pairs_of(first, second, len(prior)), weight, prior)


def inverse(first: Ints, second: Ints, weight: Floats, prior: Floats) -> Floats:
    h = np.diag(prior)
    for rows, columns, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(h, (rows, columns), sign * weight)
    return np.asarray(np.linalg.inv(h))


@each_graph
@each_prior
def test_it_is_three_terms_of_the_series(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> None:
    n = 150
    (first, second), weight, q = weighted(pairs, prior, n)
    sigma, h = covariance(first, second, weight, q), np.linalg.inv(inverse(first, second, weight, q))
    by_diagonal = np.diag(1.0 / h.diagonal())
    step = np.eye(n) - by_diagonal @ h
    series, (i, j) = (np.eye(n) + step + step @ step) @ by_diagonal, np.triu_indices(n, 1)
    v = series[i, i] + series[j, j] - 2.0 * series[i, j]

    np.testing.assert_allclose(sigma.diagonal, series.diagonal(), rtol=1e-12)
    np.testing.assert_allclose(sigma.variances(i, j), v, rtol=1e-12)
    np.testing.assert_allclose(sigma.variances(i, j), sigma.variances(j, i), rtol=1e-12)


@pytest.mark.parametrize(("pairs", "least"), [(at_random, 0.97), (mixed, 0.95), (near, 0.85), (islands, 0.93)])
def test_it_is_little_less_than_the_variance(pairs: Callable[..., Pairs], least: float) -> None:
    """Seed 0, candidates compared sixteen times. Who meets but neighbours moves with them: more is left out."""
    n = 400
    (first, second), weight, q = weighted(pairs, alike, n)
    share = covariance(first, second, weight, q).diagonal / inverse(first, second, weight, q).diagonal()

    assert least < share.min()
    assert share.max() < 1.0 + 1e-12


@each_graph
@each_prior
@pytest.mark.parametrize("columns", [(), (3,)])
def test_what_is_solved_is_as_near_as_it_says(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats], columns: tuple[int, ...]
) -> None:
    (first, second), weight, q = weighted(pairs, prior, 150)
    b = np.random.default_rng(2).standard_normal((150, *columns))

    x, off = solve(covariance(first, second, weight, q).precision, b, 1e-6)

    assert off <= 1.1e-6
    assert np.abs(x - inverse(first, second, weight, q) @ b).max() <= off


def test_the_draws_have_the_mean_and_the_covariance_of_the_posterior() -> None:
    """Seed 5, 20,000 draws: a share has a standard error of 0.01 of its sd's product, 4.5 of them are allowed."""
    n, count = 40, 20_000
    (first, second), weight, q = weighted(mixed, differing, n)
    sigma, mean = inverse(first, second, weight, q), np.linspace(-1.0, 1.0, n)

    scores = np.concatenate(
        list(draws(mean, covariance(first, second, weight, q).precision, count, np.random.default_rng(5)))
    )

    sd = np.sqrt(sigma.diagonal())
    assert scores.shape == (count, n)
    np.testing.assert_allclose((scores.mean(axis=0) - mean) / sd, 0.0, atol=4.5 / np.sqrt(count))
    correlations = np.cov(scores.T, bias=True) / np.outer(sd, sd)
    np.testing.assert_allclose(correlations, sigma / np.outer(sd, sd), atol=4.5 * np.sqrt(2.0 / count))


def test_draws_that_are_not_solved_for_are_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (first, second), weight, q = weighted(mixed, differing, 40)
    monkeypatch.setattr(module, "MOST_ITERATIONS", 1)

    with pytest.raises(ArithmeticError):
        next(draws(np.zeros(40), covariance(first, second, weight, q).precision, 1, np.random.default_rng(0)))


MANY = 150
ROUNDING = 1e-9
CLOSE = 0.2  # relative, of a variance: the series itself is above


class Both(NamedTuple):
    dense: DenseCovariance
    sparse: SparseCovariance


def both(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> Both:
    (first, second), weight, q = weighted(pairs, prior, MANY)
    precision = np.asarray(np.linalg.inv(inverse(first, second, weight, q)), np.float64)
    return Both(from_precision(precision), covariance(first, second, weight, q))


@pytest.fixture
def some() -> Both:
    return both(mixed, differing)


def assert_agree(sigma: Both) -> None:
    x, (i, j) = np.random.default_rng(1).standard_normal(MANY), np.triu_indices(MANY, 1)
    np.testing.assert_allclose(sigma.sparse.times(x), sigma.dense.times(x), rtol=0.0, atol=SOLVED * (1.0 + ROUNDING))
    np.testing.assert_allclose(sigma.sparse.variances(i, j), sigma.dense.variances(i, j), rtol=CLOSE)
    np.testing.assert_allclose(sigma.sparse.diagonal, sigma.dense.diagonal, rtol=CLOSE)
    for one, other in ((0, 70), (4, 3), (149, 0)):
        assert sigma.sparse.variance_of_difference(one, other) == pytest.approx(
            sigma.dense.variance_of_difference(one, other), rel=CLOSE
        )


@each_graph
@each_prior
def test_both_say_the_same_before_and_after_comparisons(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats]
) -> None:
    """Of these one pair comes twice, in either order, and one has a weight of nothing."""
    before = both(pairs, prior)
    rows = pairs_of(np.array([0, 3, 9, 3]), np.array([70, 4, 8, 0]), MANY), np.array([0.25, 2.0, 0.0, 0.2])

    assert_agree(before)
    assert_agree(Both(before.dense.condition(*rows), before.sparse.condition(*rows)))


def test_only_an_array_has_all_entries_and_a_determinant(some: Both) -> None:
    matrix = some.dense.matrix()

    assert matrix.shape == (MANY, MANY)
    assert some.dense.log_det == pytest.approx(np.linalg.slogdet(matrix).logabsdet)
    assert (some.dense.has_matrix, some.sparse.has_matrix) == (True, False)
    with pytest.raises(TooMany, match=f"{MANY} candidates"):
        some.sparse.matrix()
    assert np.isnan(some.sparse.log_det)


def test_the_size_is_that_of_every_array(some: Both) -> None:
    assert some.dense.size_bytes == sum(each.nbytes for each in some.dense[:3])
    links, q, d = some.sparse.precision
    arrays = links.data, links.indices, links.indptr, q, d, some.sparse.diagonal
    assert some.sparse.size_bytes == sum(each.nbytes for each in arrays)
