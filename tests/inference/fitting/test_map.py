"""The MAP of every expert under every prior, compared with log-posteriors and optimisers of others.

What only the laplace expert has, a kink, is in test_kinks.py.
"""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from app.inference.core import maximum
from app.inference.experts import MAKERS
from app.inference.fitting import posterior
from app.inference.fitting.model import BIAS_VARIANCE, PRIORS, VAGUE, Method, Model, build
from app.inference.types import Comparisons, Floats, Outcome, no_comparisons, take
from tests.inference.factories import (
    Log,
    by_judges,
    comparisons,
    covariance_at,
    cycle,
    design_matrix,
    each_expert,
    each_smooth_expert,
    fold_rows,
    gradient,
    joined,
    log_posterior,
    logs,
    map_of,
    model,
    numerics,
    random_comparisons,
    relabelled,
    swapped,
)
from tests.inference.table import Row, each_smooth_row

TAU2 = 0.7
STEP = 1e-5
each_bias = pytest.mark.parametrize("biases", [0, 3])
each_kind = pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
each_prior = pytest.mark.parametrize(
    ("expert", "prior"),
    [(name, prior) for name in MAKERS for prior in PRIORS if (name, prior) != ("laplace", "anchor")],
)
few = settings(numerics, max_examples=30)


def connected(n: int, count: int, seed: int = 0, *, hard: bool = False) -> Comparisons:
    """Verdicts of three judges."""
    return by_judges(joined(cycle(n, seed), random_comparisons(n, count, seed, hard=hard)), 3)


def prior_variances(prior: str, n: int, biases: int) -> Floats:
    scores = np.full(n, TAU2 if prior == "unit" else VAGUE)
    return np.concatenate([scores, np.full(biases, BIAS_VARIANCE)])


def without_level(sigma: Floats, n: int) -> Floats:
    """Covariance of s_i - mean(s) and the biases."""
    centring = np.eye(len(sigma))
    centring[:n, :n] -= 1.0 / n
    return np.asarray(centring @ sigma @ centring)


def least(row: Row, log: Comparisons, variances: Floats, n: int) -> tuple[Floats, Callable[[Floats], float]]:
    """The minimum of the negative log-posterior by a general optimiser, and that function."""
    r = design_matrix(log, n, len(variances) - n)

    def loss(theta: Floats) -> float:
        return float((0.5 * theta**2 / variances).sum() - row.log_density(r @ theta, log.p).sum())

    return np.asarray(minimize(loss, np.zeros(len(variances)), method="BFGS", tol=1e-8).x), loss


@each_smooth_row
@pytest.mark.parametrize("prior", ["unit", "anchor"])
@each_bias
@each_kind
def test_the_map_agrees_with_an_independent_optimiser(row: Row, prior: str, biases: int, hard: bool) -> None:
    log = connected(5, 25, hard=hard)

    fit = map_of(log, model(5, TAU2, row.name, prior=prior, biases=biases, **row.parameters))

    best, loss = least(row, log, prior_variances(prior, 5, biases), 5)
    assert fit.convergence.converged
    assert loss(fit.mean) <= loss(best) + 1e-12
    np.testing.assert_allclose(fit.mean, best, atol=5e-5)


@each_prior
@each_bias
@few
@given(log=logs(judges=3), prior_variance=st.sampled_from([0.01, 1.0, 100.0]))
def test_any_log_converges_to_a_point_that_no_small_step_improves(
    expert: str, prior: str, biases: int, log: Log, prior_variance: float
) -> None:
    m = model(log.n, prior_variance, expert, prior=prior, biases=biases)

    fit = map_of(log.comparisons, m)

    assert fit.convergence.converged
    here = log_posterior(fit.mean, log.comparisons, m)
    step = 1e-3 * np.sqrt(prior_variance)
    around = [
        log_posterior(fit.mean + e, log.comparisons, m) for e in step * np.vstack([np.eye(m.size), -np.eye(m.size)])
    ]
    assert max(around) <= here + 1e-9


@each_smooth_expert
@pytest.mark.parametrize("prior", ["unit", "anchor"])
@each_bias
def test_the_covariance_is_the_inverse_of_a_numerical_hessian(expert: str, prior: str, biases: int) -> None:
    log, m = connected(6, 30), model(6, TAU2, expert, prior=prior, biases=biases)
    fitted = posterior.fit(log, m)

    steps = STEP * np.eye(m.size)
    hessian = [gradient(fitted.mean - e, log, m) - gradient(fitted.mean + e, log, m) for e in steps]

    expected = np.linalg.inv(np.array(hessian) / (2.0 * STEP))
    ours = without_level(fitted.covariance.matrix(), 6)
    np.testing.assert_allclose(ours, without_level(np.asarray(expected, np.float64), 6), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("expert", ["gaussian", "logit-gaussian", "laplace"])
@each_bias
def test_the_covariance_under_constant_curvature_is_that_of_weighted_least_squares(expert: str, biases: int) -> None:
    """(Q + R^T R / 4)^-1 for all by default: 1 / v of the gaussians, the Fisher information 1 / b^2 of laplace."""
    log, m = connected(6, 30), model(6, TAU2, expert, biases=biases)
    r = design_matrix(log, 6, biases)

    expected = np.linalg.inv(np.diag(1.0 / prior_variances("unit", 6, biases)) + r.T @ r / 4.0)

    np.testing.assert_allclose(posterior.fit(log, m).covariance.matrix(), expected, atol=1e-12)


@each_prior
@each_bias
def test_no_data_gives_the_prior(expert: str, prior: str, biases: int) -> None:
    m = model(4, TAU2, expert, prior=prior, biases=biases)

    fit, before = map_of(no_comparisons(), m), posterior.fit(no_comparisons(), m)

    np.testing.assert_array_equal(fit.mean, np.zeros(m.size))
    np.testing.assert_array_equal(before.mean, np.zeros(m.size))
    for sigma in (before.covariance, covariance_at(fit.mean, no_comparisons(), m)):
        np.testing.assert_allclose(sigma.matrix(), np.diag(prior_variances(prior, 4, biases)), rtol=1e-12)
        assert sigma.log_det == pytest.approx(np.log(prior_variances(prior, 4, biases)).sum())


@each_expert
@few
@given(logs(judges=2), st.randoms(use_true_random=False))
def test_relabelling_relabels_and_leaves_the_biases(expert: str, log: Log, random: Random) -> None:
    label, m = np.array(random.sample(range(log.n), log.n)), model(log.n, 1.0, expert, biases=2)

    here, there = map_of(log.comparisons, m).mean, map_of(relabelled(log.comparisons, label), m).mean

    np.testing.assert_allclose(there[: log.n][label], here[: log.n], atol=1e-7)
    np.testing.assert_allclose(there[log.n :], here[log.n :], atol=1e-7)


@each_expert
@pytest.mark.parametrize("biases", [0, 2])
@few
@given(log=logs(judges=2))
def test_swapping_every_order_with_its_verdict_turns_the_biases_and_leaves_the_scores(
    expert: str, biases: int, log: Log
) -> None:
    """Every expert by default: their parameters favour no side."""
    m = model(log.n, 1.0, expert, biases=biases)

    here, there = map_of(log.comparisons, m).mean, map_of(swapped(log.comparisons), m).mean

    np.testing.assert_allclose(there[: log.n], here[: log.n], atol=1e-7)
    np.testing.assert_allclose(there[log.n :], -here[log.n :], atol=1e-7)


@each_smooth_expert
@each_bias
@each_kind
@pytest.mark.parametrize("anchor", [0, 5])
def test_differences_are_those_under_any_anchor(expert: str, biases: int, hard: bool, anchor: int) -> None:
    """A connected graph, to the millionth that VAGUE lets through: means and covariances of all differences."""
    n, log, m = 6, connected(6, 40, hard=hard), model(6, TAU2, expert, prior="anchor", biases=biases)
    held = m.prior.precision.copy()
    held[anchor] = 1.0 / TAU2

    ours, papers = posterior.fit(log, m), posterior.fit(log, m._replace(prior=m.prior._replace(precision=held)))

    scale = 100.0 / VAGUE
    np.testing.assert_allclose(ours.mean[:n] - ours.mean[0], papers.mean[:n] - papers.mean[0], atol=scale)
    np.testing.assert_allclose(ours.mean[n:], papers.mean[n:], atol=scale)
    np.testing.assert_allclose(
        without_level(ours.covariance.matrix(), n), without_level(papers.covariance.matrix(), n), atol=scale
    )


@each_smooth_expert
@pytest.mark.parametrize("hard", [False, True])
def test_candidates_that_did_equally_well_tie_under_the_anchor_prior_whoever_they_are(expert: str, hard: bool) -> None:
    """Every pair once, 0 beaten by 1, 1 by 2, 2 by 0, and all of them by 3 and 4, who drew."""
    p = 1.0 if hard else 0.8
    log = comparisons(
        (1, 0, p), (2, 1, p), (0, 2, p), (3, 4, 0.5), *[(better, worse, p) for better in (3, 4) for worse in range(3)]
    )  # fmt: skip
    m = model(5, 1.0, expert, prior="anchor")

    for scores in (posterior.fit(log, m).mean, fold_rows(posterior.prior(m), log).mean):
        assert np.ptp(scores[:3]) < 1e-9
        assert np.ptp(scores[3:]) < 1e-9


def test_the_anchor_prior_bears_fifty_million_votes() -> None:
    log = random_comparisons(4, 500_000, seed=0)
    votes = log._replace(weight=np.full(log.size, 100.1))

    under_anchor, under_unit = (covariance_at(np.zeros(4), votes, model(4, prior=prior)) for prior in PRIORS)

    assert under_anchor.variance_of_difference(0, 1) == pytest.approx(under_unit.variance_of_difference(0, 1), rel=0.01)


@each_smooth_expert
def test_islands_keep_a_vague_level_under_the_anchor_prior(expert: str) -> None:
    """0, 1 and 2, 3: nothing but VAGUE holds them together; their own orders are equally well known."""
    log = comparisons(*[(0, 1, 0.8), (0, 1, 0.7), (1, 0, 0.9)], *[(2, 3, 0.8), (2, 3, 0.7), (3, 2, 0.9)])

    fitted = posterior.fit(log, model(4, 1.0, expert, prior="anchor"))

    sigma = fitted.covariance.matrix()
    assert fitted.convergence.converged
    np.testing.assert_allclose(fitted.mean[2] - fitted.mean[3], fitted.mean[0] - fitted.mean[1], rtol=1e-4)
    assert sigma[2, 2] == pytest.approx(VAGUE / 2.0, rel=1e-3)
    assert sigma[2, 2] - 2.0 * sigma[2, 3] + sigma[3, 3] == pytest.approx(
        sigma[0, 0] - 2.0 * sigma[0, 1] + sigma[1, 1], rel=1e-3
    )


@each_prior
@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_candidates_are_sets_too(expert: str, prior: str, n: int) -> None:
    log = no_comparisons() if n == 1 else comparisons((0, 1, 1.0), (1, 0, 0.0), (0, 1, 1.0))

    fitted = posterior.fit(log, model(n, 1.0, expert, prior=prior, biases=1))

    assert fitted.convergence.converged
    assert np.isfinite(fitted.mean).all()
    assert n == 1 or fitted.mean[0] > fitted.mean[1]


@each_expert
def test_a_thousand_certain_wins_to_one_loss_are_no_trouble(expert: str) -> None:
    """And the loss comes last, under a prior as wide as may be asked for."""
    log, m = comparisons(*[(0, 1, 1.0)] * 1000, (1, 0, 1.0)), model(3, 100.0, expert)

    fit = map_of(log, m)

    assert fit.convergence.converged
    assert 0.05 < fit.mean[0] < 20.0
    np.testing.assert_allclose(fit.mean[:2].sum(), 0.0, atol=1e-6)


@each_expert
@pytest.mark.parametrize("biases", [0, 2])
def test_many_verdicts_sorted_by_who_won_converge(expert: str, biases: int) -> None:
    log, m = by_judges(random_comparisons(4, 30_000, seed=0, hard=True), 2), model(4, 1.0, expert, biases=biases)
    order = np.argsort(log.p, kind="stable")

    fit = map_of(take(log, order), m)

    assert fit.convergence.converged
    np.testing.assert_allclose(fit.mean, map_of(log, m).mean, atol=1e-7)


@each_prior
def test_a_far_start_ends_at_the_same_map(expert: str, prior: str) -> None:
    log, m = connected(8, 40, hard=True), model(8, 1.0, expert, prior=prior, biases=3)
    start = np.random.default_rng(0).uniform(-50.0, 50.0, m.size)

    far = map_of(log, m, start=start)

    assert far.convergence.converged
    np.testing.assert_allclose(far.mean, map_of(log, m).mean, atol=1e-7)


@pytest.mark.parametrize("expert", ["phi-beta", "soft-bt"])
def test_a_separated_set_under_the_widest_anchor_converges(expert: str) -> None:
    """0 always wins. Under phi-beta its lead runs to thousands, where a careless 1 - h is lost in rounding."""
    log, m = comparisons(*[(0, j, 1.0) for j in range(1, 6)]), model(6, 100.0, expert, prior="anchor")

    fit = map_of(log, m)

    assert fit.convergence.converged
    np.testing.assert_allclose(fit.mean[1:], fit.mean[1], rtol=1e-6)


@pytest.mark.parametrize("prior_variance", [1e-6, 1e-3])
def test_biases_are_exact_under_a_narrow_prior_on_the_scores(prior_variance: float) -> None:
    """Scores are all held at 0, so delta alone explains the verdicts: p - sigma(delta) = delta / (100 K)."""
    log = comparisons(*[(0, 1, 0.9), (1, 0, 0.9)] * 20)

    fit = map_of(log, model(2, prior_variance, biases=1))

    delta = fit.mean[2]
    assert 40.0 * (0.9 - 1.0 / (1.0 + np.exp(-delta))) == pytest.approx(delta / BIAS_VARIANCE, abs=1e-9)


def test_an_anchor_is_not_enough_for_an_expert_whose_maximum_may_be_a_whole_range() -> None:
    with pytest.raises(ValueError, match="laplace needs the prior unit"):
        model(3, 1.0, "laplace", prior="anchor")


def test_names_that_nobody_has_are_key_errors() -> None:
    with pytest.raises(KeyError):
        build(Method(prior="nobody"), 3)
    with pytest.raises(KeyError):
        build(Method(expert="nobody"), 3)


def test_one_parameter_is_fitted_for_each_judge_and_none_without_estimate() -> None:
    def parameters(m: Model) -> tuple[int, bool]:
        return m.size, m.has_biases

    assert parameters(build(Method(), 5, judges=3)) == (5, False)
    assert parameters(build(Method(position_bias="estimate"), 5, judges=3)) == (8, True)
    assert parameters(build(Method(position_bias="estimate"), 5, judges=0)) == (5, False)


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
