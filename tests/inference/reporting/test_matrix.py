"""Who beats whom."""

import numpy as np
from scipy.special import ndtr

from app.inference.fitting import Method, no_absolute_scores, posterior
from app.inference.gaussian import Scores, mixed
from app.inference.reporting.matrix import expected_wins, observed_wins
from app.inference.reporting.ranking import predict
from app.inference.targets import publish_for, quantity_of
from app.inference.types import by_one_judge
from tests.inference.factories import model, random_comparisons


def test_observed_wins_are_means_over_both_orders() -> None:
    log = by_one_judge(np.array([0, 1, 2]), np.array([1, 0, 0]), np.array([0.9, 0.3, 1.0]))
    nan = np.nan
    np.testing.assert_allclose(observed_wins(log, 3), [[nan, 0.8, 0.0], [0.2, nan, nan], [1.0, nan, nan]], atol=1e-15)


def test_expected_wins_are_those_predicted_of_each_pair() -> None:
    marginal = scores_of(0)
    p = expected_wins(marginal)
    assert np.isnan(np.diag(p)).all()
    for i, j in ((0, 1), (3, 2), (2, 0)):
        expected = predict(marginal, i, j)
        np.testing.assert_allclose(p[i, j], expected.p_first_better)
        np.testing.assert_allclose(p[i, j], ndtr(expected.mean_difference / expected.sd_difference))


def test_expected_wins_of_a_mixture_are_those_predicted_of_it() -> None:
    near, far = (scores_of(seed) for seed in (0, 1))
    mixture = mixed([(0.9, near), (0.1, far._replace(mean=5.0 * far.mean))])
    p = expected_wins(mixture)
    for i, j in ((0, 1), (3, 2), (2, 0)):
        np.testing.assert_allclose(p[i, j], predict(mixture, i, j).p_first_better)


def test_expected_wins_of_draws_are_those_predicted_of_them() -> None:
    log, item, has = random_comparisons(4, 5, 0), np.zeros(5, np.int64), np.ones((1, 4), np.bool_)
    published = publish_for("all-pairs", log, item, no_absolute_scores(), Method(), 4, 1)
    drawn = quantity_of("all-pairs", published, log, item, has, np.zeros(1, np.bool_))
    p = expected_wins(drawn)
    assert np.isnan(np.diag(p)).all()
    for i, j in ((0, 1), (3, 2), (2, 0)):
        np.testing.assert_allclose(p[i, j], predict(drawn, i, j).p_first_better)


def scores_of(seed: int) -> Scores:
    live = posterior.fit(random_comparisons(4, 20, seed), model(4))
    return Scores(live.mean, live.covariance)
