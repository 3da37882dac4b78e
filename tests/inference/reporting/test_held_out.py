"""Random pairs, compared with their predictions."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from app.inference.experts import make
from app.inference.reporting.held_out import check_predictions

SOFT_BT = make("soft-bt")


def test_the_prediction_is_the_mean_over_the_difference() -> None:
    """E[sigma(d)], d ~ N(0.7, 1.3^2), by quadrature of scipy's."""
    expected = quad(lambda d: expit(d) * norm.pdf(d, 0.7, 1.3), -20.0, 20.0)[0]

    found = check_predictions(np.array([1.0]), np.array([0.7]), np.array([1.3]), SOFT_BT)

    assert found.log_loss == pytest.approx(-np.log(expected), abs=1e-6)


def test_always_saying_a_half_costs_ln_2() -> None:
    p = np.array([1.0, 0.0, 0.3])

    assert check_predictions(p, np.zeros(3), np.ones(3), SOFT_BT).log_loss == pytest.approx(np.log(2.0))


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
