"""Sums over comparisons against the design as a matrix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference.fitting.model import bias_places, hessian
from app.inference.kernels.design import are_near, precision_times
from app.inference.types import Comparisons, Floats
from tests.inference.factories import Log, by_judges, logs, model, numerics, random_comparisons, true_scores

JUDGES = 3
each_bias = pytest.mark.parametrize("biases", [0, JUDGES])


def design(log: Comparisons, n: int, biases: int) -> Floats:
    """R, (K, P)."""
    everyone = np.eye(n + biases)
    rows = everyone[log.first] - everyone[log.second]
    return rows + everyone[n + log.judge] if biases else rows


@each_bias
@numerics
@given(log=logs(judges=JUDGES, max_n=9, max_count=30), seed=st.integers(0, 99))
def test_precision_and_its_product_are_those_of_the_design(biases: int, log: Log, seed: int) -> None:
    m, rng = model(log.n, 2.0, biases=biases), np.random.default_rng(seed)
    weights, r = rng.random(log.comparisons.size), design(log.comparisons, log.n, biases)
    h = np.diag(m.prior.precision) + r.T @ (weights[:, None] * r)

    fast, x = hessian(weights, log.comparisons, m), true_scores(m.size, seed)

    np.testing.assert_allclose(fast, h, atol=1e-13)
    np.testing.assert_array_equal(fast, fast.T)
    first, second, bias = log.comparisons.first, log.comparisons.second, bias_places(log.comparisons, m)
    np.testing.assert_allclose(precision_times(x, first, second, bias, weights, m.prior.precision), h @ x, atol=1e-12)


@each_bias
def test_of_scores_all_alike_the_precision_is_that_of_the_prior(biases: int) -> None:
    """H 1 = q over the scores, to less than the anchor prior's precision."""
    rng, n = np.random.default_rng(0), 40
    log = by_judges(random_comparisons(n, 5000, seed=0), JUDGES)
    m = model(n, prior="anchor", biases=biases)

    h = hessian(rng.random(5000), log, m)

    np.testing.assert_allclose(h[:n, :n].sum(axis=1), m.prior.precision[:n], atol=1e-9)


@pytest.mark.parametrize("worst", [0.0, 0.49, 0.51, np.nan])
def test_weights_are_near_if_each_is(worst: float) -> None:
    before = np.random.default_rng(0).uniform(0.1, 2.0, 50)
    weights = before * np.random.default_rng(1).uniform(0.8, 1.2, 50)
    weights[7] = before[7] * (1.0 - worst)

    assert are_near(weights, before, 0.5) == bool((np.abs(weights - before) <= 0.5 * before).all())
