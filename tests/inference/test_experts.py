import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference.experts import MAKERS, Expert, make
from app.inference.types import Floats
from tests.inference.factories import numerics

each_expert = pytest.mark.parametrize("expert", map(make, MAKERS), ids=MAKERS)
D, P = (grid.ravel() for grid in np.meshgrid(np.linspace(-8.0, 8.0, 33), np.linspace(0.0, 1.0, 11)))
STEP = 1e-5


def one(value: float) -> Floats:
    return np.array([value])


@each_expert
def test_slope_is_the_derivative_of_log_density(expert: Expert) -> None:
    numeric = (expert.log_density(D + STEP, P) - expert.log_density(D - STEP, P)) / (2.0 * STEP)

    np.testing.assert_allclose(expert.slope(D, P), numeric, atol=1e-8)


@each_expert
def test_curvature_is_minus_the_derivative_of_slope(expert: Expert) -> None:
    numeric = -(expert.slope(D + STEP, P) - expert.slope(D - STEP, P)) / (2.0 * STEP)

    np.testing.assert_allclose(expert.curvature(D, P), numeric, atol=1e-8)


@each_expert
@numerics
@given(st.floats(-50.0, 50.0), st.floats(0.0, 1.0))
def test_the_other_order_with_the_other_probability_says_the_same(expert: Expert, d: float, p: float) -> None:
    here, there = (one(d), one(p)), (one(-d), one(1.0 - p))

    np.testing.assert_allclose(expert.log_density(*there), expert.log_density(*here), atol=1e-12)
    np.testing.assert_allclose(expert.slope(*there), -expert.slope(*here), atol=1e-12)
    np.testing.assert_allclose(expert.curvature(*there), expert.curvature(*here), atol=1e-12)


@each_expert
@pytest.mark.parametrize("p", [0.0, 1.0])
@pytest.mark.parametrize("d", [-800.0, 800.0])
def test_certain_verdicts_are_finite_far_out(expert: Expert, d: float, p: float) -> None:
    assert np.isfinite(expert.log_density(one(d), one(p))).all()
    assert np.isfinite(expert.slope(one(d), one(p))).all()
    assert np.isfinite(expert.curvature(one(d), one(p))).all()


@each_expert
def test_curvature_is_never_negative(expert: Expert) -> None:
    assert (expert.curvature(100.0 * D, P) >= 0.0).all()


@each_expert
def test_a_certain_win_pulls_the_difference_up(expert: Expert) -> None:
    assert expert.slope(one(0.0), one(1.0))[0] > 0.0


def test_soft_bt_peaks_where_the_model_agrees_with_the_judge() -> None:
    """sigma(d) = p."""
    assert make("soft-bt").slope(one(np.log(3.0)), one(0.75))[0] == pytest.approx(0.0, abs=1e-15)
