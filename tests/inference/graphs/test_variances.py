"""Variances by the first terms of the series, against the series by matrices and the inverse."""

from collections.abc import Callable

import numpy as np
import pytest

from app.inference.graphs.comparison_graph import precision_of
from app.inference.graphs.variances import diagonal, variances
from app.inference.types import Floats, Ints

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
    precision, h = precision_of(first, second, weight, q), np.linalg.inv(inverse(first, second, weight, q))
    by_diagonal = np.diag(1.0 / h.diagonal())
    step = np.eye(n) - by_diagonal @ h
    series, (i, j) = (np.eye(n) + step + step @ step) @ by_diagonal, np.triu_indices(n, 1)
    v = series[i, i] + series[j, j] - 2.0 * series[i, j]

    np.testing.assert_allclose(diagonal(precision), series.diagonal(), rtol=1e-12)
    np.testing.assert_allclose(variances(precision, i, j), v, rtol=1e-12)
    np.testing.assert_allclose(variances(precision, i, j), variances(precision, j, i), rtol=1e-12)


@pytest.mark.parametrize(("pairs", "least"), [(at_random, 0.97), (mixed, 0.95), (near, 0.85), (islands, 0.93)])
def test_it_is_little_less_than_the_variance(pairs: Callable[..., Pairs], least: float) -> None:
    """Seed 0, candidates compared sixteen times. Who meets but neighbours moves with them: more is left out."""
    n = 400
    (first, second), weight, q = weighted(pairs, alike, n)
    share = diagonal(precision_of(first, second, weight, q)) / inverse(first, second, weight, q).diagonal()

    assert least < share.min()
    assert share.max() < 1.0 + 1e-12


def test_who_was_never_compared_keeps_the_variance_of_the_prior() -> None:
    (first, second), weight, q = weighted(islands, differing, 100)
    precision = precision_of(first, second, weight, q)

    np.testing.assert_array_equal(diagonal(precision)[95:], 1.0 / q[95:])
    v = variances(precision, np.array([95]), np.array([96]))
    np.testing.assert_allclose(v, 1.0 / q[95] + 1.0 / q[96], rtol=1e-15)
