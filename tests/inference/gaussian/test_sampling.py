"""Draws without a factor against the covariance and the sampler that has one."""

import numpy as np
import pytest

from app.inference.gaussian import Scores, plain, sampling
from app.inference.gaussian.sampling import draws
from app.inference.graphs.comparison_graph import precision_of
from tests.inference.factories import draw_ranks
from tests.inference.graphs.test_variances import differing, inverse, mixed, weighted


def test_the_draws_have_the_mean_and_the_covariance_of_the_posterior() -> None:
    """Seed 5, 20,000 draws: a share has a standard error of 0.01 of its sd's product, 4.5 of them are allowed."""
    n, count = 40, 20_000
    (first, second), weight, q = weighted(mixed, differing, n)
    sigma, mean = inverse(first, second, weight, q), np.linspace(-1.0, 1.0, n)

    scores = np.concatenate(list(draws(mean, precision_of(first, second, weight, q), count, np.random.default_rng(5))))

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
    scores = np.concatenate(list(draws(posterior.mean, precision_of(first, second, weight, q), count, rng)))
    ours = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    theirs = draw_ranks(posterior, rng, count)

    np.testing.assert_allclose((ours == 1).mean(axis=0), (theirs == 1).mean(axis=0), atol=0.05)
    np.testing.assert_allclose(ours.std(axis=0), theirs.std(axis=0), rtol=0.1)


def test_draws_that_are_not_solved_for_are_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (first, second), weight, q = weighted(mixed, differing, 40)
    monkeypatch.setattr(sampling, "MOST_ITERATIONS", 1)

    with pytest.raises(ArithmeticError):
        next(draws(np.zeros(40), precision_of(first, second, weight, q), 1, np.random.default_rng(0)))
