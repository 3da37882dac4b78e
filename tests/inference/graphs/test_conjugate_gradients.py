"""Conjugate gradients against the inverse."""

from collections.abc import Callable

import numpy as np
import pytest

from app.inference.graphs.comparison_graph import precision_of
from app.inference.graphs.conjugate_gradients import newton_step, newton_step_by_products, solve, spread
from app.inference.types import Floats
from tests.inference.graphs.test_variances import Pairs, differing, each_graph, each_prior, inverse, mixed, weighted


@each_graph
@each_prior
def test_conjugate_gradients_are_no_farther_off_than_they_say(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats]
) -> None:
    n = 300
    (first, second), weight, q = weighted(pairs, prior, n)
    b = np.random.default_rng(1).standard_normal((n, 3))
    b[:, 2] = 0.0

    x, off = solve(precision_of(first, second, weight, q), b, 1e-8, 1000)

    error = np.abs(x - inverse(first, second, weight, q) @ b).max(axis=0)
    assert error.max() <= off + 1e-14
    assert off <= 1e-8


def test_conjugate_gradients_that_are_cut_short_say_so() -> None:
    (first, second), weight, q = weighted(mixed, differing, 300)

    _, off = solve(precision_of(first, second, weight, q), np.eye(300, 1), 1e-8, 3)

    assert off > 1e-8


@each_graph
@each_prior
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_newton_step_is_the_more_exact_the_smaller_it_is(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats], size: float
) -> None:
    """In rows, and by products with H and with what is close to its inverse: all of it, or its diagonal."""
    n, tolerance = 300, 1e-9
    (first, second), weight, q = weighted(pairs, prior, n)
    sigma, rows = inverse(first, second, weight, q), precision_of(first, second, weight, q)
    h, g = np.linalg.inv(sigma), size * np.random.default_rng(1).standard_normal(n)

    by_rows = newton_step(rows, g, tolerance)
    by_diagonal, by_sigma = (
        newton_step_by_products(lambda x: h @ x, near, g, tolerance)
        for near in (lambda r: r / rows.diagonal, lambda r: sigma @ r)
    )

    largest = float(np.abs(g).max())
    how_far = float(np.sqrt(np.mean((g / rows.diagonal) ** 2)))
    assert np.abs(h @ by_rows - g).max() <= max(min(0.1, how_far) * largest, tolerance) * (1.0 + 1e-6)
    for step in (by_diagonal, by_sigma):
        residual = max(min(0.1, float(np.sqrt(np.mean(g**2)))) * largest, tolerance)
        assert np.abs(h @ step - g).max() <= residual * (1.0 + 1e-6)


def test_noise_is_spread_as_the_precision_is() -> None:
    """H = B^T B, where B has a column for each e and f that there is."""
    n = 40
    (first, second), weight, q = weighted(mixed, differing, n)
    count = len(weight)
    e, f = np.eye(n, n + count), np.eye(count, n + count, n)

    b = spread(precision_of(first, second, weight, q), e, f)

    np.testing.assert_allclose(b @ b.T, np.linalg.inv(inverse(first, second, weight, q)), atol=1e-9)
