"""How a ranking settled."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from app.inference.fitting import posterior
from app.inference.reporting.history import rank_correlations_with_last, ranking_history
from app.inference.reporting.ranking import entropy
from app.inference.types import no_comparisons, take
from tests.inference.factories import model, random_comparisons


def test_correlations_with_the_last_order_by_hand() -> None:
    last = np.array([0.1, 0.4, 0.2, 9.0])

    assert rank_correlations_with_last([-last, np.zeros(4), np.exp(last), last]) == [-1.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", range(3))
def test_correlations_are_spearmans_with_average_ranks(seed: int) -> None:
    history = list(np.random.default_rng(seed).integers(6, size=(5, 20)).astype(np.float64))

    expected = [spearmanr(scores, history[-1]).statistic for scores in history]
    np.testing.assert_allclose(rank_correlations_with_last(history), expected, atol=1e-14)


def test_rounding_errors_do_not_break_ties_between_scores() -> None:
    last, noise = np.array([0.0, 0.0, 0.0, 1.0]), np.array([3e-17, -2e-17, 1e-17, 0.0])

    assert rank_correlations_with_last([noise, last + noise, last]) == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("n", [0, 1, 4])
def test_correlations_of_constant_scores_are_zero(n: int) -> None:
    assert rank_correlations_with_last([]) == []
    assert rank_correlations_with_last([np.ones(n), np.full(n, 0.3)]) == [0.0, 0.0]


def test_moments_are_fits_of_the_first_comparisons_evenly_spaced_up_to_now() -> None:
    log = random_comparisons(6, 40, 0)
    moments = ranking_history(log, model(6))
    assert [moment.comparisons for moment in moments] == [4, 7, 10, 14, 17, 20, 24, 27, 30, 34, 37, 40]
    assert moments[-1].rank_correlation == 1.0
    for moment in moments:
        first = posterior.fit(take(log, slice(moment.comparisons)), model(6))
        assert moment.entropy == pytest.approx(entropy(first.covariance))


def test_a_log_without_comparisons_has_no_history() -> None:
    assert ranking_history(no_comparisons(), model(3)) == []
