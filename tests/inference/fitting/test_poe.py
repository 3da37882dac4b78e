"""The Gaussian product of experts: what the papers prove, compared with our fit (PoE eq. 7, 8, 11, 16 and A.3)."""

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.special import logit

from app.inference.experts import linear_gaussian
from app.inference.fitting import posterior
from app.inference.fitting.baselines import average_probability
from app.inference.fitting.model import VAGUE, Method, build
from app.inference.types import Comparisons, Floats
from tests.inference.factories import comparisons, cycle, design_matrix, joined, map_of, model, random_comparisons

ALPHA, BETA = 4.0, 0.5
each_n = pytest.mark.parametrize("n", [2, 3, 7, 20])


def all_pairs(n: int, seed: int, *, both_orders: bool = False) -> Comparisons:
    rng, pairs = (
        np.random.default_rng([n, seed]),
        permutations(range(n), 2) if both_orders else combinations(range(n), 2),
    )
    return comparisons(*[(i, j, rng.random()) for i, j in pairs])


def anchored_design(log: Comparisons, n: int) -> Floats:
    """W~: the anchor's row on the first score, then one row for each comparison (PoE-v1 A.1)."""
    return np.vstack([np.eye(1, n), design_matrix(log, n)])


@each_n
@pytest.mark.parametrize("both_orders", [False, True])
def test_on_the_full_set_scores_are_affine_in_the_average_probability(n: int, both_orders: bool) -> None:
    """PoE A.3, with next to no prior. W^T W = m (N - 11^T) for m comparisons of each pair, so with a_i the average
    probability of i over its m (N - 1) comparisons, s_i = alpha (N - 1) / N (a_i - 1/2) exactly."""
    log = all_pairs(n, seed=0, both_orders=both_orders)

    scores = map_of(log, model(n, 1e9, "gaussian")).mean

    average = average_probability(log, n).score  # the common level, known to 1e9 only, is left to rounding
    np.testing.assert_allclose(scores - scores.mean(), ALPHA * (n - 1) / n * (average - 0.5), atol=1e-8)


@each_n
@pytest.mark.parametrize("prior_variance", [0.1, 1.0])
def test_on_the_full_set_a_prior_changes_the_slope_of_that_map_alone(n: int, prior_variance: float) -> None:
    """(N / v + 1 / tau2) s_i = (N - 1) alpha / v (a_i - 1/2)."""
    log = all_pairs(n, seed=1)

    scores = map_of(log, model(n, prior_variance, "gaussian", v=2.0)).mean

    average = average_probability(log, n).score
    slope = (n - 1) * ALPHA / 2.0 / (n / 2.0 + 1.0 / prior_variance)
    np.testing.assert_allclose(scores, slope * (average - 0.5), atol=1e-10)


def test_on_the_full_set_the_orders_agree_and_on_part_of_it_they_need_not() -> None:
    """2 met a strong one and won a little over 3, who met nobody else: the average puts it last."""
    full, part = all_pairs(12, seed=2), comparisons((0, 1, 0.9), (1, 2, 0.9), (2, 3, 0.6))

    def order(scores: Floats) -> list[int]:
        return [int(i) for i in np.argsort(-scores)]

    assert order(map_of(full, model(12, 1e6, "gaussian")).mean) == order(average_probability(full, 12).score)
    assert order(map_of(part, model(4, 1e6, "gaussian")).mean) == [0, 1, 2, 3]
    assert order(average_probability(part, 4).score) == [0, 1, 3, 2]


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("expert", ["gaussian", "logit-gaussian"])
def test_eq_7_and_8_in_closed_form_are_our_map_and_covariance(expert: str, power: float) -> None:
    """(W^T S^-1 W)^-1 W^T S^-1 mu with the variances S that each p has; the unit prior adds a row to each score."""
    log = random_comparisons(6, 20, seed=3)
    w, precision = design_matrix(log, 6), (4.0 * log.p * (1.0 - log.p)) ** power / 2.0
    of_gaussian = (("alpha", 3.0), ("beta", 0.6)) if expert == "gaussian" else ()
    mu = 3.0 * (log.p - 0.6) if expert == "gaussian" else logit(log.p)

    fitted = posterior.fit(log, build(Method(expert, (("v", 2.0), ("power", power), *of_gaussian)), 6))

    expected = np.linalg.inv(np.eye(6) + w.T * precision @ w)
    np.testing.assert_allclose(fitted.mean, expected @ (w.T * precision @ mu), atol=1e-10)
    np.testing.assert_allclose(fitted.covariance.matrix(), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_eq_11_in_closed_form_is_our_map(seed: int) -> None:
    """s = alpha (W~^T W~)^-1 W~^T mu~, mu~ = (0, p - beta): the anchor's variance is that of the expert."""
    log = joined(cycle(6, seed), random_comparisons(6, 15, seed))
    w, mu = anchored_design(log, 6), np.concatenate([[0.0], log.p - BETA])

    expected = 1.5 * np.linalg.inv(w.T @ w) @ w.T @ mu

    fit = map_of(log, model(6, 1.0, "gaussian", prior="anchor", alpha=1.5, v=1.0))
    np.testing.assert_allclose(fit.mean - fit.mean[0], expected - expected[0], atol=20.0 / VAGUE)


def test_any_two_functions_of_p_make_a_gaussian_expert() -> None:
    """PoE eq. 7 and 8 with f_mu(p) = tan(3 (p - 1/2)) and f_sigma(p) = 1/10 + p (1 - p), under the unit prior."""
    n, log = 6, random_comparisons(6, 40, seed=3)

    def f_mu(p: Floats) -> Floats:
        return np.asarray(np.tan(3.0 * (p - 0.5)))

    def f_sigma(p: Floats) -> Floats:
        return 0.1 + p * (1.0 - p)

    general = model(n)._replace(expert=linear_gaussian(f_mu, f_sigma, lambda d: 0.5 + np.arctan(d) / 3.0))
    fitted = posterior.fit(log, general)

    w, weight = design_matrix(log, n), 1.0 / f_sigma(log.p)
    precision = w.T @ (weight[:, None] * w) + np.eye(n)
    np.testing.assert_allclose(fitted.mean, np.linalg.solve(precision, w.T @ (weight * f_mu(log.p))), atol=1e-8)
    np.testing.assert_allclose(fitted.covariance.matrix(), np.linalg.inv(precision), atol=1e-10)
