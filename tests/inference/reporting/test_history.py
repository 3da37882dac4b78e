"""How a ranking converged."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import spearmanr

from app.inference.fitting import Method, no_absolute_scores, posterior
from app.inference.gaussian import Scores
from app.inference.kernels.pair_sets import matching
from app.inference.reporting.confidence import all_pairs, concordance
from app.inference.reporting.history import rank_correlation, ranking_history
from app.inference.reporting.ranking import Wanted, entropy
from app.inference.reporting.standings import summary_of
from app.inference.targets import publish_for, quantity_of
from app.inference.types import Comparisons, no_comparisons, take
from tests.inference.factories import model, random_comparisons


def test_correlations_with_the_last_order_by_hand() -> None:
    last = np.array([0.1, 0.4, 0.2, 9.0])

    assert [rank_correlation(then, last) for then in (-last, np.zeros(4), np.exp(last), last)] == [-1.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", range(3))
def test_correlations_are_spearmans_with_average_ranks(seed: int) -> None:
    history = list(np.random.default_rng(seed).integers(6, size=(5, 20)).astype(np.float64))

    expected = [spearmanr(scores, history[-1]).statistic for scores in history]
    np.testing.assert_allclose([rank_correlation(scores, history[-1]) for scores in history], expected, atol=1e-14)


def test_rounding_errors_do_not_break_ties_between_scores() -> None:
    last, noise = np.array([0.0, 0.0, 0.0, 1.0]), np.array([3e-17, -2e-17, 1e-17, 0.0])

    assert [rank_correlation(then, last) for then in (noise, last + noise, last)] == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("n", [0, 1, 4])
def test_correlations_of_constant_scores_are_zero(n: int) -> None:
    assert rank_correlation(np.ones(n), np.full(n, 0.3)) == 0.0


def test_moments_are_evenly_spaced_up_to_now() -> None:
    log = random_comparisons(6, 40, 0)
    moments = ranking_history(40, 12, partial(fit_of_first, log))
    assert [moment.comparisons for moment in moments] == [4, 7, 10, 14, 17, 20, 24, 27, 30, 34, 37, 40]
    assert moments[-1].rank_correlation == 1.0
    for moment in moments:
        fitted = fit_of_first(log, moment.comparisons)
        assert moment.entropy == pytest.approx(entropy(fitted.covariance))
        assert moment.concordance == pytest.approx(concordance(fitted, matching(all_pairs(fitted.mean))))


def test_the_concordance_of_win_rates_is_that_of_their_ranking() -> None:
    log, item, has = random_comparisons(6, 9, 0), np.zeros(9, np.int64), np.ones((1, 6), np.bool_)
    published = publish_for("all-pairs", log, item, no_absolute_scores(), Method(), 6, 1)
    drawn = quantity_of("all-pairs", published, log, item, has, np.zeros(1, np.bool_))
    (moment,) = ranking_history(9, 1, lambda _: drawn)
    ranking = summary_of(drawn, Wanted())
    assert ranking.confidence
    assert (moment.concordance, moment.entropy) == (ranking.confidence.expected_concordance, ranking.entropy)


def test_a_moment_without_a_ranking_is_left_out_and_without_one_now_there_is_no_history() -> None:
    log = random_comparisons(6, 40, 0)
    later = ranking_history(40, 4, lambda count: fit_of_first(log, count) if count > 10 else None)
    assert [moment.comparisons for moment in later] == [20, 30, 40]
    assert ranking_history(40, 4, lambda count: fit_of_first(log, count) if count < 40 else None) == []


def test_a_log_without_comparisons_has_no_history() -> None:
    assert ranking_history(0, 12, partial(fit_of_first, no_comparisons())) == []


def fit_of_first(log: Comparisons, count: int) -> Scores:
    fitted = posterior.fit(take(log, slice(count)), model(6))
    return Scores(fitted.mean, fitted.covariance)
