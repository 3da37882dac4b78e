"""The filter against its equations in numpy."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.fitting.prediction import BIAS_VARIANCE, SCALES, log_likelihoods, logits, predict
from app.inference.types import Comparisons

N, K, JUDGES = 5, 40, 2


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
