"""The laplace expert: a linear program without a prior, a quadratic one with one."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import linprog, lsq_linear, minimize
from scipy.special import expit

from app.inference.fitting import posterior
from app.inference.types import Comparisons, Floats, Outcome
from tests.inference.factories import (
    Log,
    by_judges,
    comparisons,
    design_matrix,
    logs,
    map_of,
    model,
    numerics,
    random_comparisons,
)

B = 2.0  # the scale, and alpha = 4: the defaults
few = settings(numerics, max_examples=40)
each_bias = pytest.mark.parametrize("biases", [0, 2])


def least_absolute_deviations(r: Floats, t: Floats) -> float:
    """min over theta of sum |t - R theta| / b, as a linear program in theta and the deviations e >= +-(t - R theta)."""
    count, size = r.shape
    cost = np.concatenate([np.zeros(size), np.full(count, 1.0 / B)])
    above, below = np.hstack([-r, -np.eye(count)]), np.hstack([r, -np.eye(count)])
    found = linprog(
        cost, A_ub=np.vstack([above, below]), b_ub=np.concatenate([-t, t]), bounds=(None, None), method="highs"
    )
    assert found.fun is not None
    return found.fun


def dual_maximum(r: Floats, t: Floats, q: Floats) -> float:
    """max over u in [-1/b, 1/b] of t.u - |R^T u|^2 / (2 q), by a quasi-Newton method with bounds, begun three times."""

    def loss(u: Floats) -> tuple[float, Floats]:
        theta = r.T @ u / q
        return float(0.5 * theta @ (q * theta) - t @ u), r @ theta - t

    u = np.zeros(len(t))
    for _ in range(3):
        u = minimize(
            loss,
            u,
            jac=True,
            bounds=[(-1.0 / B, 1.0 / B)] * len(t),
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 20_000, "maxfun": 100_000},
        ).x
    return -loss(u)[0]


def saturated(n: int, count: int, seed: int) -> Comparisons:
    """A judge whose logits run to tens: pairs that come again are within 1e-4 to 1e-12 of each other."""
    log, rng = random_comparisons(n, count, seed), np.random.default_rng([n, count, seed])
    truth = 3.0 * rng.standard_normal(n)
    return log._replace(p=expit(6.0 * (truth[log.first] - truth[log.second]) + rng.standard_normal(count)))


@pytest.mark.parametrize("seed", range(5))
@each_bias
def test_next_to_no_prior_gives_the_value_of_the_linear_program(seed: int, biases: int) -> None:
    """PoE-v1 App. B, by HiGHS. Of all its solutions ours is one, to within what a prior of variance 1e6 costs."""
    log, m = by_judges(random_comparisons(7, 40, seed), 2), model(7, 1e6, "laplace", biases=biases)
    m = m._replace(prior=m.prior._replace(precision=np.full(m.size, 1e-6)))
    r, t = design_matrix(log, 7, biases), 4.0 * (log.p - 0.5)

    fit = map_of(log, m)

    ours = float(np.abs(t - r @ fit.mean).sum() / B)
    assert fit.convergence.converged
    assert ours == pytest.approx(least_absolute_deviations(r, t), abs=1e-4)


@pytest.mark.parametrize("prior_variance", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(4))
@each_bias
def test_with_a_prior_the_value_is_that_of_the_dual(prior_variance: float, seed: int, biases: int) -> None:
    """No dual value is above any primal one, so where both meet both are best."""
    log, m = by_judges(random_comparisons(6, 30, seed), 2), model(6, prior_variance, "laplace", biases=biases)
    r, t, q = design_matrix(log, 6, biases), 4.0 * (log.p - 0.5), m.prior.precision

    theta = map_of(log, m).mean

    primal = float(np.abs(t - r @ theta).sum() / B + 0.5 * theta @ (q * theta))
    assert primal == pytest.approx(dual_maximum(r, t, q), abs=1e-6)


def stationarity(theta: Floats, r: Floats, t: Floats, q: Floats) -> float:
    """The distance of Q theta from R^T u over all subgradients u: +-1/b off the kinks, anything between at them."""
    distance = t - r @ theta
    at_kink = np.abs(distance) < 1e-7
    missing = q * theta - r[~at_kink].T @ np.sign(distance[~at_kink]) / B
    if not at_kink.any():
        return float(np.abs(missing).max())
    found = lsq_linear(r[at_kink].T, missing, bounds=(-1.0 / B, 1.0 / B), tol=1e-14)
    return float(np.abs(found.fun).max())


@each_bias
@pytest.mark.parametrize("prior_variance", [0.01, 1.0, 100.0])
@few
@given(log=logs(judges=2))
def test_some_subgradient_is_zero_at_the_map_of_any_log(biases: int, prior_variance: float, log: Log) -> None:
    m = model(log.n, prior_variance, "laplace", biases=biases)
    r, t = design_matrix(log.comparisons, log.n, biases), 4.0 * (log.comparisons.p - 0.5)

    fit = map_of(log.comparisons, m)

    assert fit.convergence.converged
    if log.comparisons.size:
        assert stationarity(fit.mean, r, t, m.prior.precision) < 1e-6


@pytest.mark.parametrize("prior_variance", [1e-6, 0.1, 1.0, 100.0])
@pytest.mark.parametrize(("n", "count"), [(3, 60), (12, 200), (60, 1500)])
@pytest.mark.parametrize("b", [0.1, 2.0, 20.0])
def test_a_saturated_judge_converges(prior_variance: float, n: int, count: int, b: float) -> None:
    """Kinks so close to each other that a penalty on the distance to them hardly moves."""
    for seed in range(3):
        log, m = by_judges(saturated(n, count, seed), 2), model(n, prior_variance, "laplace", biases=2, b=b)

        fit = map_of(log, m)

        assert fit.convergence.converged
        assert fit.convergence.iterations < 100


@pytest.mark.parametrize("p", [0.5, 0.6, 0.74, 0.76, 0.9, 1.0])
def test_a_mild_verdict_is_met_exactly_and_a_bold_one_moves_no_further_than_the_slope_can_push(p: float) -> None:
    """The slope 1/b = 1/2 outweighs the prior's d / (2 tau2) as long as d < 1."""
    scores = map_of(comparisons((0, 1, p)), model(2, 1.0, "laplace")).mean

    d = min(4.0 * (p - 0.5), 1.0)
    np.testing.assert_allclose(scores, [d / 2.0, -d / 2.0], atol=1e-9)


def test_one_outlier_among_five_does_not_move_the_median() -> None:
    log = comparisons(*[(0, 1, 0.7)] * 4, (0, 1, 0.0))

    robust = map_of(log, model(2, 10.0, "laplace")).mean
    mean = map_of(log, model(2, 10.0, "gaussian")).mean

    assert robust[0] - robust[1] == pytest.approx(0.8, abs=1e-9)
    assert mean[0] - mean[1] < 0.3


def test_a_tolerance_below_rounding_ends_close_to_the_map_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    log, m = saturated(8, 100, seed=0), model(8, 1.0, "laplace")
    close = map_of(log, m).mean

    monkeypatch.setattr(posterior, "KINK_TOLERANCE", 0.0)

    mean, convergence, _ = map_of(log, m)

    assert convergence.iterations < posterior.MAX_ITERATIONS
    np.testing.assert_allclose(mean, close, atol=1e-7)


def test_a_fit_that_runs_out_of_iterations_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posterior, "MAX_ITERATIONS", 3)

    fit = map_of(saturated(8, 100, seed=0), model(8, 1.0, "laplace"))

    assert fit.convergence.outcome is Outcome.MAX_ITERATIONS
    assert fit.convergence.iterations == 3
