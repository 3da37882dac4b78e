from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from app.inference import laplace
from app.inference.covariance import dense
from app.inference.types import Comparisons, Floats, Outcome, no_comparisons
from tests.inference.factories import (
    Log,
    comparisons,
    logs,
    model,
    numerics,
    random_comparisons,
    relabelled,
    reordered,
    swapped,
    true_scores,
)

STEP = 1e-5


def negative_log_posterior(scores: Floats, log: Comparisons, prior_variance: float) -> float:
    """Soft Bradley-Terry, written once more."""
    d = scores[log.first] - scores[log.second]
    loss = log.p * np.logaddexp(0.0, -d) + (1.0 - log.p) * np.logaddexp(0.0, d)
    return float(loss.sum() + scores @ scores / (2.0 * prior_variance))


@numerics
@given(logs(), st.integers(0, 99))
def test_gradient_is_the_derivative_of_log_posterior(log: Log, seed: int) -> None:
    scores, m = true_scores(log.n, seed), model(log.n, 2.0)

    numeric = [
        (laplace.log_posterior(scores + e, log.comparisons, m) - laplace.log_posterior(scores - e, log.comparisons, m))
        / (2.0 * STEP)
        for e in STEP * np.eye(log.n)
    ]
    np.testing.assert_allclose(laplace.gradient(scores, log.comparisons, m), numeric, atol=1e-7)


@numerics
@given(logs(), st.integers(0, 99))
def test_precision_is_minus_the_derivative_of_the_gradient(log: Log, seed: int) -> None:
    scores, m = true_scores(log.n, seed), model(log.n, 2.0)

    numeric = [
        (laplace.gradient(scores - e, log.comparisons, m) - laplace.gradient(scores + e, log.comparisons, m))
        / (2.0 * STEP)
        for e in STEP * np.eye(log.n)
    ]
    np.testing.assert_allclose(laplace.precision(scores, log.comparisons, m), numeric, atol=1e-7)


@pytest.mark.parametrize("prior_variance", [0.3, 1.0, 25.0])
@pytest.mark.parametrize("hard", [False, True])
def test_the_map_agrees_with_an_independent_optimiser(prior_variance: float, hard: bool) -> None:
    log = random_comparisons(6, 30, seed=0, hard=hard)

    fit = laplace.fit(log, model(6, prior_variance))

    best = minimize(negative_log_posterior, np.zeros(6), (log, prior_variance), method="BFGS", tol=1e-8)
    np.testing.assert_allclose(fit.scores, best.x, atol=1e-5)


def test_covariance_is_the_inverse_of_the_precision() -> None:
    log, m = random_comparisons(8, 30, seed=0), model(8)
    scores = laplace.fit(log, m).scores

    sigma = laplace.covariance(scores, log, m)

    np.testing.assert_allclose(dense(sigma) @ laplace.precision(scores, log, m), np.eye(8), atol=1e-13)


def test_no_data_gives_the_prior() -> None:
    fit = laplace.fit(no_comparisons(), model(4, 2.5))

    np.testing.assert_array_equal(fit.scores, np.zeros(4))
    sigma = laplace.covariance(fit.scores, no_comparisons(), model(4, 2.5))
    np.testing.assert_allclose(dense(sigma), 2.5 * np.eye(4))


def test_one_comparison_solved_by_hand() -> None:
    """Stationary where p - sigma(d) = d / (2 tau2): tau2 is set so that d = 1 is the answer."""
    tau2 = 1.0 / (2.0 * (0.9 - 1.0 / (1.0 + np.exp(-1.0))))

    scores = laplace.fit(comparisons((0, 1, 0.9)), model(2, tau2)).scores

    np.testing.assert_allclose(scores, [0.5, -0.5], atol=1e-10)


@numerics
@given(logs(), st.randoms(use_true_random=False))
def test_relabelling_relabels(log: Log, random: Random) -> None:
    label = np.array(random.sample(range(log.n), log.n))

    there = laplace.fit(relabelled(log.comparisons, label), model(log.n)).scores

    np.testing.assert_allclose(there[label], laplace.fit(log.comparisons, model(log.n)).scores, atol=1e-9)


@numerics
@given(logs())
def test_swapping_every_order_with_its_verdict_changes_nothing(log: Log) -> None:
    there = laplace.fit(swapped(log.comparisons), model(log.n)).scores

    np.testing.assert_allclose(there, laplace.fit(log.comparisons, model(log.n)).scores, atol=1e-9)


@numerics
@given(logs())
def test_the_order_of_the_log_does_not_matter(log: Log) -> None:
    backwards = reordered(log.comparisons, np.arange(log.comparisons.size)[::-1])

    there = laplace.fit(backwards, model(log.n)).scores

    np.testing.assert_allclose(there, laplace.fit(log.comparisons, model(log.n)).scores, atol=1e-9)


@numerics
@given(logs())
def test_any_log_converges_and_the_scores_sum_to_zero(log: Log) -> None:
    fit = laplace.fit(log.comparisons, model(log.n))

    assert fit.convergence.converged
    assert fit.scores.sum() == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("prior_variance", [1e-3, 1.0, 1e4])
def test_a_far_start_ends_at_the_same_map(prior_variance: float) -> None:
    log, m = random_comparisons(10, 60, seed=0, hard=True), model(10, prior_variance)
    start = np.random.default_rng(0).uniform(-50.0, 50.0, 10)

    far = laplace.fit(log, m, start=start)

    assert far.convergence.converged
    np.testing.assert_allclose(far.scores, laplace.fit(log, m).scores, atol=1e-8 * max(prior_variance, 1.0))


def test_a_start_is_not_overwritten() -> None:
    start = np.ones(5)

    laplace.fit(random_comparisons(5, 20, seed=0), model(5), start=start)

    np.testing.assert_array_equal(start, np.ones(5))


def test_the_gradient_norm_is_that_of_the_scores_returned() -> None:
    log = random_comparisons(5, 20, seed=0)

    fit = laplace.fit(log, model(5))

    assert fit.convergence.gradient_norm == np.abs(laplace.gradient(fit.scores, log, model(5))).max()
    assert fit.convergence.iterations > 0


def test_a_probability_that_is_not_a_number_is_reported() -> None:
    fit = laplace.fit(comparisons((0, 1, float("nan")), (1, 2, 0.7)), model(3))

    assert fit.convergence.outcome is Outcome.NOT_FINITE


def test_a_gradient_that_is_not_small_is_reported() -> None:
    log = random_comparisons(5, 20, seed=0)
    g = laplace.gradient(np.zeros(5), log, model(5))

    assert laplace.convergence(g, 100, log, model(5)).outcome is Outcome.MAX_ITERATIONS


@pytest.mark.parametrize("n", [2, 5])
def test_a_hundred_thousand_verdicts_sorted_by_who_won_converge(n: int) -> None:
    """The longest sums, and the ones that round the worst: all losses come before the first win."""
    log = random_comparisons(n, 100_000, seed=0, hard=True)

    fit = laplace.fit(reordered(log, np.argsort(log.p, kind="stable")), model(n))

    assert fit.convergence.converged
    np.testing.assert_allclose(fit.scores, laplace.fit(log, model(n)).scores, atol=1e-9)
