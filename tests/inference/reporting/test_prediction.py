"""Predictions of verdicts: the filter against its equations in numpy, and random pairs, compared with theirs."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from app.inference.experts import make
from app.inference.reporting.calibration import (
    BIAS_VARIANCE,
    SCALES,
    check_predictions,
    log_likelihoods,
    logits,
    predict,
)
from app.inference.types import Comparisons

N, K, JUDGES = 5, 40, 2
SOFT_BT = make("soft-bt")


def test_the_filter_is_what_its_equations_say() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(N, size=K)
    second = (first + rng.integers(1, N, size=K)) % N
    log = Comparisons(first, second, rng.random(K), rng.integers(JUDGES, size=K), rng.uniform(0.5, 2.0, K))
    predictions = predict(log, N)
    mean, variance = np.zeros(N + JUDGES), np.append(np.ones(N), np.full(JUDGES, BIAS_VARIANCE))
    for k, (a, b, p, judge, weight) in enumerate(zip(*log, strict=True)):
        r = np.zeros(N + JUDGES)
        r[[a, b, N + judge]] = 1.0, -1.0, 1.0
        assert predictions.difference[k] == pytest.approx(mean[a] - mean[b])
        assert predictions.variance[k] == pytest.approx(variance[a] + variance[b])
        assert predictions.bias[k] == pytest.approx(mean[N + judge])
        u = r**2 @ variance
        q = expit(r @ mean / np.sqrt(1.0 + np.pi * u / 8.0))
        w = weight * q * (1.0 - q)
        mean += variance * r * weight * (p - q) / (1.0 + w * u)
        variance -= (variance * r) ** 2 * w / (1.0 + w * u)


def test_a_verdict_is_as_likely_as_the_one_that_would_take_its_place_is_not() -> None:
    log = Comparisons(
        np.array([0, 0, 1]), np.array([1, 1, 2]), np.array([1.0, 1.0, 0.0]), np.zeros(3, np.int64), np.ones(3)
    )
    of_each = logits(predict(log, N))
    won, lost = (np.exp(log_likelihoods(of_each, np.full(3, way))) for way in (True, False))
    assert of_each.shape == (len(SCALES), 3)
    np.testing.assert_allclose(won + lost, 1.0)
    assert (won[:, 0] == 0.5).all()
    assert (np.diff(won[:, 1]) > 0.0).all()


def test_the_prediction_is_the_mean_over_the_difference() -> None:
    """E[sigma(d)], d ~ N(0.7, 1.3^2), by quadrature of scipy's."""
    expected = quad(lambda d: expit(d) * norm.pdf(d, 0.7, 1.3), -20.0, 20.0)[0]

    found = check_predictions(np.array([1.0]), np.array([0.7]), np.array([1.3]), SOFT_BT)

    assert found.log_loss == pytest.approx(-np.log(expected), abs=1e-6)


def test_ties_do_not_count_for_agreement() -> None:
    found = check_predictions(np.array([1.0, 0.5, 0.2]), np.array([2.0, 2.0, 2.0]), np.ones(3), SOFT_BT)

    assert (found.comparisons, found.agreement) == (3, 0.5)
    assert check_predictions(np.array([0.5]), np.array([1.0]), np.ones(1), SOFT_BT).agreement is None


def test_the_other_order_says_the_same() -> None:
    rng = np.random.default_rng(0)
    p, m, sd = rng.random(20), rng.standard_normal(20), rng.uniform(0.2, 2.0, 20)

    assert check_predictions(1.0 - p, -m, sd, SOFT_BT) == pytest.approx(check_predictions(p, m, sd, SOFT_BT))


def test_a_judge_of_the_model_is_predicted_as_well_as_it_can_be() -> None:
    """Verdicts from the model: the stated predictions beat both bolder and meeker ones."""
    rng = np.random.default_rng(1)
    m, sd = rng.standard_normal(20_000), np.full(20_000, 0.8)
    p = (rng.random(20_000) < expit(m + sd * rng.standard_normal(20_000))).astype(np.float64)

    losses = [check_predictions(p, factor * m, sd, SOFT_BT).log_loss for factor in (0.5, 1.0, 2.0)]

    assert losses[1] == min(losses)
