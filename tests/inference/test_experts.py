import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr, logit, ndtr

from app.inference.experts import MAKERS, excess, log_tail, make, parameters, truncated_variance
from app.inference.types import Bools, Floats
from tests.inference.factories import each_expert, numerics
from tests.inference.table import BY_DEFAULT, OTHERWISE, Row, each_default, each_row, each_smooth_row

D, P = (grid.ravel() for grid in np.meshgrid(np.linspace(-8.0, 8.0, 33), np.linspace(0.0, 1.0, 11)))
NEAR = np.abs(D) <= 5.0
STEP = 1e-5
SYMMETRIC = [row for row in BY_DEFAULT + OTHERWISE if row.symmetric]
ILL = [(name, key, value) for name in MAKERS for key in parameters(name) for value in (-1.0, np.nan, np.inf, -np.inf)]
ILL += [
    ("gaussian", "power", 1.5),
    ("logit-gaussian", "power", 1.5),
    ("gaussian", "beta", 1.5),
    ("laplace", "beta", 1.5),
]


def one(value: float) -> Floats:
    return np.array([value])


def off_the_kink(row: Row) -> Bools:
    """(K,) True where l has derivatives within a step."""
    kink = row.expert.kink
    return np.ones(len(D), np.bool_) if kink is None else np.abs(D - kink(P)) > 2.0 * STEP


def test_the_table_has_a_row_for_every_expert() -> None:
    assert [row.name for row in BY_DEFAULT] == list(MAKERS)
    assert all(row.parameters == parameters(row.name) for row in BY_DEFAULT)


@each_row
def test_log_density_is_the_formula_of_the_table(row: Row) -> None:
    ours, theirs = row.expert.log_density(D, P), row.log_density(D, P)

    np.testing.assert_allclose(ours - theirs, np.broadcast_to((ours - theirs)[P[0] == P][0], D.shape), atol=1e-12)


@each_row
def test_log_density_follows_from_the_definition(row: Row) -> None:
    """Up to a constant for each p: densities relative to d = 0."""
    d, p, zero = D[NEAR], P[NEAR], np.zeros(NEAR.sum())

    ours = row.expert.log_density(d, p) - row.expert.log_density(zero, p)

    np.testing.assert_allclose(ours, row.density(d, p) - row.density(zero, p), atol=1e-8)


@each_row
def test_slope_is_the_derivative_of_log_density(row: Row) -> None:
    expert, there = row.expert, off_the_kink(row)
    numeric = (expert.log_density(D + STEP, P) - expert.log_density(D - STEP, P)) / (2.0 * STEP)

    np.testing.assert_allclose(expert.slope(D, P)[there], numeric[there], atol=1e-8)


@each_row
def test_an_expert_says_whether_its_log_density_is_linear_in_p(row: Row) -> None:
    """Relative to d = 0, where the ends of [0, 1] are its mean at any p between them."""

    def relative(p: Floats) -> Floats:
        return row.expert.log_density(D, p) - row.expert.log_density(np.zeros(len(D)), p)

    mean = P * relative(np.ones(len(D))) + (1.0 - P) * relative(np.zeros(len(D)))

    assert row.expert.linear_in_p == np.allclose(relative(P), mean, atol=1e-9)


@each_smooth_row
def test_curvature_is_minus_the_derivative_of_slope(row: Row) -> None:
    """Not of laplace: its curvature is the Fisher information by definition, since l'' is 0 wherever it exists."""
    expert = row.expert
    numeric = -(expert.slope(D + STEP, P) - expert.slope(D - STEP, P)) / (2.0 * STEP)

    np.testing.assert_allclose(expert.curvature(D, P), numeric, atol=1e-8)


@pytest.mark.parametrize(
    "row", [row for row in BY_DEFAULT + OTHERWISE if row.curvature is not None], ids=lambda row: row.label
)
def test_curvature_is_the_formula_of_the_table(row: Row) -> None:
    assert row.curvature is not None
    d, p = D[NEAR], P[NEAR]

    np.testing.assert_allclose(row.expert.curvature(d, p), row.curvature(d, p), atol=1e-10)


@each_row
def test_every_expert_is_log_concave_everywhere(row: Row) -> None:
    """Up to d = +-800, p at the ends included; and not only by its own word: slopes fall along d."""
    far, expert = 100.0 * D, row.expert
    along = np.linspace(-40.0, 40.0, 4001)

    assert (expert.curvature(far, P) >= 0.0).all()
    assert (expert.curvature(D, P) > 0.0).all()
    for p in (0.0, 0.3, 0.5, 1.0):
        assert (np.diff(expert.slope(along, np.full(4001, p))) <= 1e-12).all()


@pytest.mark.parametrize("name", ["sigma-gaussian", "phi-gaussian"])
def test_a_gaussian_in_p_refuses_a_variance_at_which_log_concavity_is_not_certain(name: str) -> None:
    for v in (0.999, 0.0, -1.0):
        with pytest.raises(ValueError, match=r"^v is .* at least 1"):
            make(name, {"v": v})


@pytest.mark.parametrize("row", SYMMETRIC, ids=lambda row: row.label)
@numerics
@given(st.floats(-50.0, 50.0), st.floats(0.0, 1.0))
def test_the_other_order_with_the_other_probability_says_the_same(row: Row, d: float, p: float) -> None:
    """Every expert, where its parameters favour no side: a = b, beta = 1/2."""
    here, there = (one(d), one(p)), (one(-d), one(1.0 - p))
    expert, size = row.expert, 1.0 + d * d

    np.testing.assert_allclose(expert.log_density(*there), expert.log_density(*here), atol=1e-12 * size)
    np.testing.assert_allclose(expert.curvature(*there), expert.curvature(*here), atol=1e-12)
    kink = 0.0 if expert.kink is None else 1e-12  # where rounding may turn the slope
    if abs(d - (expert.kink(one(p))[0] if expert.kink else np.inf)) > kink:
        np.testing.assert_allclose(expert.slope(*there), -expert.slope(*here), atol=1e-12 * size)


@pytest.mark.parametrize("row", [row for row in OTHERWISE if not row.symmetric], ids=lambda row: row.label)
def test_parameters_that_favour_a_side_break_that_symmetry(row: Row) -> None:
    assert row.expert.slope(one(0.0), one(0.5))[0] != 0.0


@each_row
def test_the_expected_probability_is_one_and_rises_with_the_difference(row: Row) -> None:
    d = np.linspace(-900.0, 900.0, 200_001)

    expected = row.expert.expected(d)

    assert ((expected >= 0.0) & (expected <= 1.0)).all()
    assert (np.diff(expected) >= 0.0).all()
    assert (np.diff(row.expert.expected(np.linspace(-0.3, 0.3, 61))) > 0.0).all()


@each_default
def test_equals_are_expected_to_tie(row: Row) -> None:
    assert row.expert.expected(one(0.0))[0] == pytest.approx(0.5)


@each_row
@pytest.mark.parametrize("p", [0.0, 1.0])
@pytest.mark.parametrize("d", [-1e5, -800.0, -101.0, -99.0, 0.0, 99.0, 101.0, 800.0, 1e5])
def test_certain_verdicts_are_finite_far_out(row: Row, d: float, p: float) -> None:
    expert = row.expert

    assert np.isfinite(expert.log_density(one(d), one(p))).all()
    assert np.isfinite(expert.slope(one(d), one(p))).all()
    assert np.isfinite(expert.curvature(one(d), one(p))).all()


@each_default
def test_the_surer_the_judge_the_stronger_the_pull(row: Row) -> None:
    pull = row.expert.slope(np.zeros(5), np.linspace(0.0, 1.0, 5))

    assert (np.diff(pull) >= 0.0).all()
    assert pull[0] < 0.0 < pull[-1]


def test_gaussian_and_laplace_mean_the_same_difference_by_a_probability() -> None:
    """Defaults start as soft-bt does: the same slope and curvature where equals tie."""
    p = np.linspace(0.0, 1.0, 11)
    gaussian, soft = make("gaussian"), make("soft-bt")

    np.testing.assert_allclose(gaussian.slope(np.zeros(11), p), soft.slope(np.zeros(11), p), atol=1e-15)
    assert gaussian.curvature(one(0.0), one(0.5)) == soft.curvature(one(0.0), one(0.5))
    assert make("laplace").curvature(one(0.0), one(0.5)) == soft.curvature(one(0.0), one(0.5))
    np.testing.assert_allclose(gaussian.slope(4.0 * (p - 0.5), p), 0.0, atol=1e-15)


def test_the_gaussian_of_the_logit_with_power_1_is_laplaces_approximation_of_soft_bt() -> None:
    """The same mode, logit p, and the same curvature there (PoE A.5)."""
    p = np.linspace(0.01, 0.99, 15)
    ours, soft, mode = make("logit-gaussian", {"power": 1.0}), make("soft-bt"), logit(p)

    np.testing.assert_allclose(soft.slope(mode, p), 0.0, atol=1e-15)
    np.testing.assert_allclose(ours.slope(mode, p), 0.0, atol=1e-15)
    np.testing.assert_allclose(ours.curvature(mode, p), soft.curvature(mode, p), rtol=1e-12)


def test_the_gaussian_of_the_logit_expects_what_a_judge_of_the_difference_says() -> None:
    d = np.linspace(-5.0, 5.0, 11)

    ours = make("logit-gaussian", {"power": 0.5})

    np.testing.assert_allclose(ours.slope(d, ours.expected(d)), 0.0, atol=1e-9)


@each_expert
def test_an_unknown_parameter_is_refused_by_its_name(expert: str) -> None:
    with pytest.raises(ValueError, match=f"^{expert} has no parameter 'nonsense'"):
        make(expert, {"nonsense": 1.0})


@pytest.mark.parametrize(("name", "key", "value"), ILL)
def test_an_impossible_parameter_is_refused_by_its_name(name: str, key: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"^{key} is {value:g}; it "):
        make(name, {key: value})


@each_expert
def test_parameters_are_those_of_the_maker_with_their_defaults(expert: str) -> None:
    by_name, by_default = make(expert, parameters(expert)), make(expert)

    np.testing.assert_array_equal(by_name.log_density(D, P), by_default.log_density(D, P))


@pytest.mark.parametrize("x", [-1e6, -1e4, -150.0, -100.1, -99.9, -30.0, -5.0, -0.5, 0.0, 0.5, 5.0, 40.0])
def test_the_normal_tail_is_stable_and_seamless(x: float) -> None:
    """L = log Phi + x^2 / 2; its derivatives near x = -100 come from a series and must meet."""
    if x > -1e4:
        assert log_tail(one(x))[0] == pytest.approx(log_ndtr(x) + 0.5 * x * x, abs=1e-15 * x * x + 1e-14)
    assert excess(one(x))[0] == pytest.approx(reference_excess(x), rel=1e-11)
    variance = truncated_variance(one(x))[0]
    assert 0.0 < variance <= 1.0
    assert variance == pytest.approx(1.0 - (reference_excess(x) - x) * reference_excess(x), abs=1e-11 * (1.0 + x * x))


def reference_excess(x: float) -> float:
    """x + phi(x) / Phi(x), from Laplace's continued fraction of Mills' ratio where x < -3."""
    if x >= -3.0:
        return float(x + np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi) / ndtr(x))
    tail = 0.0
    for k in range(400, 0, -1):
        tail = k / (-x + tail)
    return tail
