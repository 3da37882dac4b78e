"""Variances by the first terms of the series against matrices and the inverse; draws without a factor."""

from collections.abc import Callable

import numpy as np
import pytest

from app.inference import gaussian as module
from app.inference.gaussian import Scores, SparseCovariance, draws, from_edges, plain, solve
from app.inference.types import Floats, Ints
from tests.inference.factories import draw_ranks
from tests.inference.factories import pairs as pairs_of

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


def test_who_was_never_compared_keeps_the_variance_of_the_prior() -> None:
    (first, second), weight, q = weighted(islands, differing, 100)
    sigma = covariance(first, second, weight, q)

    np.testing.assert_array_equal(sigma.diagonal[95:], 1.0 / q[95:])
    v = sigma.variances(np.array([95]), np.array([96]))
    np.testing.assert_allclose(v, 1.0 / q[95] + 1.0 / q[96], rtol=1e-15)


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


def test_ranks_and_the_chance_to_be_best_are_those_of_the_dense_sampler() -> None:
    """Seed 1, 4,000 draws each: shares differ by 0.011 a standard error at most, 4.5 of them are allowed."""
    n, count = 60, 4000
    (first, second), weight, q = weighted(mixed, differing, n)
    posterior = Scores(np.linspace(1.0, -1.0, n), plain(inverse(first, second, weight, q), 0.0))

    rng = np.random.default_rng(1)
    scores = np.concatenate(list(draws(posterior.mean, covariance(first, second, weight, q).precision, count, rng)))
    ours = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    theirs = draw_ranks(posterior, rng, count)

    np.testing.assert_allclose((ours == 1).mean(axis=0), (theirs == 1).mean(axis=0), atol=0.05)
    np.testing.assert_allclose(ours.std(axis=0), theirs.std(axis=0), rtol=0.1)


def test_draws_that_are_not_solved_for_are_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (first, second), weight, q = weighted(mixed, differing, 40)
    monkeypatch.setattr(module, "MOST_ITERATIONS", 1)

    with pytest.raises(ArithmeticError):
        next(draws(np.zeros(40), covariance(first, second, weight, q).precision, 1, np.random.default_rng(0)))
