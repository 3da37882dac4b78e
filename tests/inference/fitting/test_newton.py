from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.inference.core import maximum
from app.inference.types import Floats, Outcome, no_comparisons
from tests.inference.factories import (
    Log,
    comparisons,
    covariance_at,
    each_smooth_expert,
    gradient,
    log_posterior,
    logs,
    map_of,
    model,
    numerics,
    precision_at,
    random_comparisons,
    reordered,
    true_scores,
)

STEP = 1e-5
few = settings(numerics, max_examples=25)


def by_central_differences(value: Callable[[Floats], Floats | float], theta: Floats) -> Floats:
    """Row i holds the derivative of `value` in theta_i."""
    steps = STEP * np.eye(len(theta))
    return np.array([(np.asarray(value(theta + e)) - np.asarray(value(theta - e))) / (2.0 * STEP) for e in steps])


@each_smooth_expert
@few
@given(logs(judges=2), st.sampled_from(["unit", "anchor"]), st.integers(0, 99))
def test_gradient_is_the_derivative_of_log_posterior(expert: str, log: Log, prior: str, seed: int) -> None:
    m = model(log.n, 2.0, expert, prior=prior, biases=2)
    theta = true_scores(m.size, seed)

    numeric = by_central_differences(lambda x: log_posterior(x, log.comparisons, m), theta)

    np.testing.assert_allclose(gradient(theta, log.comparisons, m), numeric, atol=1e-7)


@each_smooth_expert
@few
@given(logs(judges=2), st.sampled_from(["unit", "anchor"]), st.integers(0, 99))
def test_precision_is_minus_the_derivative_of_the_gradient(expert: str, log: Log, prior: str, seed: int) -> None:
    m = model(log.n, 2.0, expert, prior=prior, biases=2)
    theta = true_scores(m.size, seed)

    numeric = -by_central_differences(lambda x: gradient(x, log.comparisons, m), theta)

    np.testing.assert_allclose(precision_at(theta, log.comparisons, m), numeric, atol=1e-7)


def test_the_gradient_holds_the_pull_of_the_prior() -> None:
    """N(h / q, 1 / q): without comparisons its mean is where the gradient is 0."""
    m = model(3, 2.0)
    m = m._replace(prior=m.prior._replace(pull=np.array([1.0, -0.5, 0.0])))

    fit = map_of(no_comparisons(), m)

    np.testing.assert_allclose(fit.mean, [2.0, -1.0, 0.0], atol=1e-9)
    assert log_posterior(fit.mean, no_comparisons(), m) == pytest.approx(2.0 / 2.0 + 0.5 / 2.0)


def test_a_start_where_all_weights_are_nearly_0_leads_to_the_maximum_too() -> None:
    weight = np.array([10.0, 10.0, 1000.0, 10.0])
    log = comparisons((2, 0, 0.2), (0, 2, 1.0), (2, 0, 1.0), (1, 0, 0.2))._replace(weight=weight)
    m = model(3, prior="anchor")

    far = map_of(log, m, start=np.array([28.0, -26.0, -30.0]))

    assert far.convergence.converged
    np.testing.assert_allclose(far.mean, map_of(log, m).mean, atol=1e-3)


def test_covariance_is_the_inverse_of_the_precision() -> None:
    log, m = random_comparisons(8, 30, seed=0), model(8)
    scores = map_of(log, m).mean

    sigma = covariance_at(scores, log, m)

    np.testing.assert_allclose(sigma.matrix() @ precision_at(scores, log, m), np.eye(8), atol=1e-13)


def test_one_comparison_solved_by_hand() -> None:
    """Stationary where p - sigma(d) = d / (2 tau2): tau2 is set so that d = 1 is the answer."""
    tau2 = 1.0 / (2.0 * (0.9 - 1.0 / (1.0 + np.exp(-1.0))))

    scores = map_of(comparisons((0, 1, 0.9)), model(2, tau2)).mean

    np.testing.assert_allclose(scores, [0.5, -0.5], atol=1e-10)


@numerics
@given(logs())
def test_the_order_of_the_log_does_not_matter(log: Log) -> None:
    backwards = reordered(log.comparisons, np.arange(log.comparisons.size)[::-1])

    there = map_of(backwards, model(log.n)).mean

    np.testing.assert_allclose(there, map_of(log.comparisons, model(log.n)).mean, atol=1e-9)


@numerics
@given(logs())
def test_any_log_converges_and_the_scores_sum_to_zero(log: Log) -> None:
    fit = map_of(log.comparisons, model(log.n))

    assert fit.convergence.converged
    assert fit.mean.sum() == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("prior_variance", [1e-3, 1.0, 1e4])
def test_a_far_start_ends_at_the_same_map(prior_variance: float) -> None:
    log, m = random_comparisons(10, 60, seed=0, hard=True), model(10, prior_variance)
    start = np.random.default_rng(0).uniform(-50.0, 50.0, 10)

    far = map_of(log, m, start=start)

    assert far.convergence.converged
    np.testing.assert_allclose(far.mean, map_of(log, m).mean, atol=1e-8 * max(prior_variance, 1.0))


def test_a_start_is_not_overwritten() -> None:
    start = np.ones(5)

    map_of(random_comparisons(5, 20, seed=0), model(5), start=start)

    np.testing.assert_array_equal(start, np.ones(5))


def test_the_gradient_norm_is_that_before_the_last_step() -> None:
    log = random_comparisons(5, 20, seed=0)

    fit = map_of(log, model(5))

    assert np.abs(gradient(fit.mean, log, model(5))).max() <= fit.convergence.gradient_norm < 1e-8
    assert fit.convergence.iterations > 0


def test_a_probability_that_is_not_a_number_is_reported() -> None:
    fit = map_of(comparisons((0, 1, float("nan")), (1, 2, 0.7)), model(3))

    assert fit.convergence.outcome is Outcome.NOT_FINITE


def test_steps_that_do_not_suffice_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maximum, "MAX_ITERATIONS", 1)

    end = map_of(random_comparisons(5, 20, seed=0), model(5)).convergence

    assert (end.outcome, end.iterations) == (Outcome.MAX_ITERATIONS, 1)


@pytest.mark.parametrize("n", [2, 5])
def test_a_hundred_thousand_verdicts_sorted_by_who_won_converge(n: int) -> None:
    """The longest sums, and the ones that round the worst: all losses come before the first win."""
    log = random_comparisons(n, 100_000, seed=0, hard=True)

    fit = map_of(reordered(log, np.argsort(log.p, kind="stable")), model(n))

    assert fit.convergence.converged
    np.testing.assert_allclose(fit.mean, map_of(log, model(n)).mean, atol=1e-9)
