"""The errata of methods.md, 1 to 5, 9 and 10: what is implemented holds, and what the paper prints does not.

Each test evaluates both.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import expit, logit

from app.inference.experts import SOFT_BT
from app.inference.fitting import posterior
from app.inference.fitting.model import VAGUE, known_biases
from app.inference.gaussian import DenseCovariance
from app.inference.reporting.calibration import tempered
from app.inference.types import Comparisons, Floats, by_one_judge
from tests.inference.factories import comparisons, condition, map_of, model, random_state

N = 6


def difference(n: int, i: int, j: int) -> Floats:
    r = np.zeros(n)
    r[i], r[j] = 1.0, -1.0
    return r


def some_covariance() -> DenseCovariance:
    return random_state(N, seed=0)[1].compact()


# 1. PoE-v1 eq. 28 has + in Sherman-Morrison


def test_a_comparison_is_taken_off_the_covariance_and_not_added() -> None:
    before, r = some_covariance(), difference(N, 1, 4)
    a, weight = before.matrix(), 0.3
    correction = weight * np.outer(a @ r, a @ r) / (1.0 + weight * r @ a @ r)

    after = condition(before, 1, 4, weight).matrix()

    inverse = np.linalg.inv(np.linalg.inv(a) + weight * np.outer(r, r))
    np.testing.assert_allclose(after, inverse, atol=1e-14)
    np.testing.assert_allclose(a - correction, inverse, atol=1e-14)
    assert np.abs(a + correction - inverse).max() > 0.05


def test_as_printed_a_comparison_would_make_its_pair_less_certain() -> None:
    before, r = some_covariance(), difference(N, 1, 4)
    a = before.matrix()
    printed = a + np.outer(a @ r, a @ r) / (1.0 + r @ a @ r)

    assert condition(before, 1, 4, 1.0).variance_of_difference(1, 4) < r @ a @ r < r @ printed @ r


# 2. PoE-v1 3.6 has the inverse updated in O(N)


def test_an_update_changes_every_entry_of_the_inverse() -> None:
    """N^2 of them, so no O(N) update of the matrix exists; O(N) is A r, the difference of two of its columns."""
    before = some_covariance()

    after = condition(before, 1, 4, 0.3)

    assert (after.matrix() != before.matrix()).all()


def test_an_update_in_order_n_leaves_the_matrix_and_notes_one_column() -> None:
    """N new numbers are stored instead. The matrix is read through them."""
    before = some_covariance()

    after = condition(before, 1, 4, 0.3)

    assert after.base is before.base
    assert after.columns.shape == (len(before.columns) + 1, N)


# 3. PoE A.9: the derivation has E[p] / (1 + E[p]), and its last step drops the minus of gamma = -logit(E[p])


def in_closed_form(p: Floats) -> float:
    """delta of one judge, of whose pairs it has these p."""
    log = by_one_judge(np.zeros(len(p), np.int64), np.ones(len(p), np.int64), p)
    return float(known_biases(SOFT_BT, log, 1)[0])


@pytest.mark.parametrize("delta", [-1.2, 0.4, 2.0])
def test_the_bias_is_plus_the_logit_of_the_mean_probability(delta: float) -> None:
    """Nearly equal candidates in random order, and a judge that adds delta to whoever is shown first."""
    rng = np.random.default_rng(0)
    p = expit(0.2 * rng.standard_normal(5000) + delta)
    mean = float(p.mean())

    gamma_as_printed_last, gamma_as_derived = float(logit(mean)), -float(np.log(mean / (1.0 + mean)))

    assert in_closed_form(p) == pytest.approx(delta, abs=0.03)
    assert in_closed_form(p) == pytest.approx(float(logit(mean)), abs=1e-9)
    assert abs(-gamma_as_printed_last - delta) > 0.4  # delta = -gamma in the paper's f(s_i - s_j - gamma)
    assert abs(-gamma_as_derived - delta) > 0.4


def test_an_unbiased_judge_has_no_bias_by_the_logit_and_a_large_one_as_derived() -> None:
    p = np.array([0.3, 0.7, 0.5])

    assert in_closed_form(p) == pytest.approx(0.0, abs=1e-9)
    assert np.log(0.5 / (1.0 + 0.5)) == pytest.approx(-np.log(3.0))


def test_the_derivative_that_the_derivation_sets_to_zero_is_zero_at_the_logit() -> None:
    """d/d gamma E[log p_gamma(0)] = sigma(-gamma) - E[p]."""
    mean = 0.7

    assert expit(logit(mean)) - mean == pytest.approx(0.0, abs=1e-15)
    assert expit(np.log(mean / (1.0 + mean))) - mean < -0.2


# 4. PoE-v1 eq. 19, and PoE A.3 again, split the inverse of eq. 18 with a factor 1 / (2N) where 1 / N is needed


@pytest.mark.parametrize("n", [3, 4, 10])
def test_the_inverse_of_the_full_set_splits_with_one_over_n(n: int) -> None:
    """(N + 1) / N in every entry, and a share of [[-1, -1 ...], [-1, 1, 0 ...], ...].

    Without the variance of the anchor, eq. 18 has 2/N and 1/N for differences from the first, as our posterior does.
    """
    information = n * np.eye(n) - 1.0  # eq. 17: N - 1 comparisons each ...
    information[0, 0] += 1.0  # ... and the anchor
    rest = np.eye(n)
    rest[0, :] = rest[:, 0] = -1.0

    def split(share: float) -> Floats:
        return np.full((n, n), (n + 1.0) / n) + share * rest

    np.testing.assert_allclose(np.linalg.inv(information), split(1.0 / n), atol=1e-13)
    assert np.abs(np.linalg.inv(information) - split(1.0 / (2.0 * n))).max() == pytest.approx(1.0 / (2.0 * n))

    log = comparisons(*[(i, j, 0.5) for i, j in combinations(range(n), 2)])
    ours = posterior.fit(log, model(n, 1.0, "gaussian", prior="anchor", v=1.0))
    from_first = np.eye(n) - np.eye(1, n)
    np.testing.assert_allclose(
        from_first @ ours.covariance.matrix() @ from_first.T,
        from_first @ split(1.0 / n) @ from_first.T,
        atol=20.0 / VAGUE,
    )


# 5. GPM App. B: temperature only rescales the scores


def best_first(log: Comparisons, at_temperature: float, prior_variance: float) -> list[int]:
    log = log._replace(p=tempered(log.p, at_temperature))
    return [int(i) for i in np.argsort(-map_of(log, model(3, prior_variance)).mean)]


@pytest.mark.parametrize("prior_variance", [1.0, 1e4])
def test_temperature_can_change_the_ranking(prior_variance: float) -> None:
    """Three verdicts on two score differences, with a prior or with next to none.

    On all pairs the order is that of sum(p - 1/2). The near certain 0.999 keeps most of it at T = 4, the 0.15 does not:

        candidate   T = 1                     T = 4
        0           -0.350 + 0.499 =  0.149   -0.107 + 0.349 =  0.242
        1            0.350 - 0.050 =  0.300    0.107 - 0.013 =  0.094
        2           -0.499 + 0.050 = -0.449   -0.349 + 0.013 = -0.336

    Scores that were only rescaled would keep their order.
    """
    log = comparisons((0, 1, 0.15), (0, 2, 0.999), (2, 1, 0.55))

    assert best_first(log, 1.0, prior_variance) == [1, 0, 2]
    assert best_first(log, 4.0, prior_variance) == [0, 1, 2]


# 9. PoE A.6 prints sigma(s_i - s_j) twice where a comparison's weight is sigma(s_i - s_j) sigma(s_j - s_i)


def test_what_a_comparison_adds_to_the_determinant_does_not_depend_on_which_is_named_first() -> None:
    a, scores = some_covariance().matrix(), random_state(N, seed=0)[0]

    def factor(i: int, j: int, weight: float) -> float:
        """Growth of det(A^-1)."""
        r = difference(N, i, j)
        return float(np.linalg.det(np.linalg.inv(a) + weight * np.outer(r, r)) * np.linalg.det(a))

    for i, j in combinations(range(N), 2):
        d = float(scores[i] - scores[j])
        weight = float(SOFT_BT.curvature(np.array([d]), np.array([0.5]))[0])
        assert weight == pytest.approx(float(expit(d) * expit(-d)))
        assert factor(i, j, weight) == pytest.approx(1.0 + weight * difference(N, i, j) @ a @ difference(N, i, j))
        assert factor(i, j, weight) == pytest.approx(factor(j, i, weight))
        assert abs(factor(i, j, float(expit(d)) ** 2) - factor(j, i, float(expit(-d)) ** 2)) > 0.1 * abs(d)


# 10. PoE-v1 eq. 22 has + before the cross term of the exponent


def test_the_scores_are_at_the_maximum_of_the_exponent_with_a_minus() -> None:
    """-(s^T H s - 2 s^T b) / 2 with H = W^T W / v + I, the prior's, and b = W^T mu / v is greatest at H^-1 b."""
    log = comparisons((0, 1, 0.9), (1, 2, 0.6), (0, 2, 0.7))
    w = np.array([difference(3, 0, 1), difference(3, 1, 2), difference(3, 0, 2)])
    h, b = w.T @ w / 2.0 + np.eye(3), w.T @ (4.0 * (log.p - 0.5)) / 2.0

    ours = posterior.fit(log, model(3, 1.0, "gaussian", v=2.0)).mean

    np.testing.assert_allclose(ours, np.linalg.solve(h, b), atol=1e-12)
    np.testing.assert_allclose(np.linalg.solve(h, -b), -ours, atol=1e-12)  # as printed: the worst comes first
    assert ours[0] > 0.1
