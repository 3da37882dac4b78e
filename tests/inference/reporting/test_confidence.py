"""Chances of orders, by hand, against draws, and as stated where verdicts follow the model; ties; how they converge."""

from functools import partial

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr
from scipy.stats import multivariate_normal, norm, spearmanr

from app.inference.fitting import Method, no_absolute_scores, posterior
from app.inference.fitting.posterior import fit
from app.inference.gaussian import Scores, mixed
from app.inference.pair_sets import matching
from app.inference.reporting.confidence import (
    Confidence,
    all_pairs,
    concordance,
    concordance_after,
    confidence_of,
    differences,
    entropy,
    expected_wins,
    predict,
    rank_correlation,
    ranking_history,
    shares_in_order,
    tie_groups,
)
from app.inference.reporting.intervals import ranks
from app.inference.reporting.standings import Wanted, summary_of
from app.inference.targets import publish_for, quantity_of
from app.inference.types import Bools, Comparisons, Ints, by_one_judge, no_comparisons, take
from tests.inference.factories import (
    condition,
    covariance_of,
    draw_ranks,
    independent,
    isotropic,
    model,
    random_comparisons,
    random_scores,
    random_state,
)


def every(n: int) -> Bools:
    return matching(all_pairs(np.zeros(n)))


def only(n: int, *pairs: tuple[int, int]) -> Bools:
    named = np.zeros((n, n), np.bool_)
    for pair in pairs:
        named[pair] = True
    return named


def sure_of(scores: Scores, drawn: Ints, pairs: Bools, level: float) -> Confidence:
    in_order = shares_in_order(ranks(scores.mean), drawn, pairs)
    return confidence_of(in_order, int(pairs.sum()), level, concordance(scores, pairs))


def after(scores: Scores, factor: float) -> float:
    """The concordance of all pairs under a prior of variance 1."""
    first, second = np.nonzero(every(len(scores.mean)))
    return concordance_after(list(differences(scores, first, second)), np.full(len(first), 2.0), factor)


def groups(scores: Scores, level: float = 0.95, epsilon: float = 0.0) -> Ints:
    """Tie groups where every rank is possible."""
    n = len(scores.mean)
    return tie_groups(scores, np.tile([1, n], (n, 1)), level, epsilon)


def test_predict_agrees_with_draws_of_the_scores() -> None:
    live, draws = random_scores(5, 10), 100_000
    scores = np.random.default_rng(0).multivariate_normal(live.mean, live.covariance.matrix(), draws)

    prediction = predict(live, 3, 1)

    d = scores[:, 3] - scores[:, 1]
    assert prediction.p_first_better == pytest.approx((d > 0.0).mean(), abs=4.0 * 0.5 / np.sqrt(draws))
    assert prediction.mean_difference == pytest.approx(d.mean(), abs=4.0 * d.std() / np.sqrt(draws))
    assert prediction.sd_difference == pytest.approx(d.std(), rel=0.01)


def fitted_scores(seed: int) -> Scores:
    return posterior.fit(random_comparisons(4, 20, seed), model(4)).scores


def test_expected_wins_are_those_predicted_of_each_pair() -> None:
    """Of a normal, of a mixture, and of draws."""
    near, far = (fitted_scores(seed) for seed in (0, 1))
    log, item, has = random_comparisons(4, 5, 0), np.zeros(5, np.int64), np.ones((1, 4), np.bool_)
    published = publish_for("all-pairs", log, item, no_absolute_scores(), Method(), 4, 1)
    drawn = quantity_of("all-pairs", published, log, item, has, np.zeros(1, np.bool_))
    for quantity in (near, mixed([(0.9, near), (0.1, far._replace(mean=5.0 * far.mean))]), drawn):
        p = expected_wins(quantity)
        assert np.isnan(np.diag(p)).all()
        for i, j in ((0, 1), (3, 2), (2, 0)):
            np.testing.assert_allclose(p[i, j], predict(quantity, i, j).p_first_better)
    of_one = predict(near, 0, 1)
    np.testing.assert_allclose(of_one.p_first_better, ndtr(of_one.mean_difference / of_one.sd_difference))


def test_concordance_by_hand() -> None:
    posterior = Scores(np.array([3.0, 0.0, 1.0]), independent(np.array([1.0, 3.0, 1.0])))
    by_pair = {(0, 1): ndtr(3.0 / 2.0), (0, 2): ndtr(2.0 / np.sqrt(2.0)), (1, 2): ndtr(0.5)}
    for pair, expected in by_pair.items():
        assert concordance(posterior, only(3, pair)) == pytest.approx(expected)
    assert concordance(posterior, every(3)) == pytest.approx(np.mean(list(by_pair.values())))


def test_nothing_is_known_of_candidates_that_are_alike() -> None:
    posterior = Scores(np.zeros(4), isotropic(4, 1.0))
    drawn = draw_ranks(posterior, np.random.default_rng(0))
    assert sure_of(posterior, drawn, every(4), 0.9) == Confidence(0.5, 6, (0.5, 0.5))


def test_there_is_no_confidence_without_pairs() -> None:
    assert summary_of(Scores(np.zeros(1), isotropic(1, 1.0)), Wanted())[1] is None


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_that_of_the_shares_of_draws(seed: int) -> None:
    posterior = Scores(*random_state(9, seed))
    pairs = np.triu(np.random.default_rng(seed).random((9, 9)) < 0.6, 1)
    rank, drawn = ranks(posterior.mean), draw_ranks(posterior, np.random.default_rng(seed))
    named = [(i, j) for i in range(9) for j in range(9) if pairs[i, j]]
    shares = np.mean([(drawn[:, i] < drawn[:, j]) == (rank[i] < rank[j]) for i, j in named], axis=0)

    stated = sure_of(posterior, drawn, pairs, 0.8)

    assert stated.interval == pytest.approx(np.quantile(shares, [0.1, 0.9]))
    assert stated.expected_concordance == pytest.approx(shares.mean(), abs=0.01)


def test_the_forecast_is_the_mean_over_what_more_comparisons_may_say() -> None:
    """Two candidates: a comparison of weight w adds it to the precision of their difference, so factors are exact."""
    rng = np.random.default_rng(1)
    before = condition(isotropic(2, 1.0), 0, 1, 0.7)
    v = before.variance_of_difference(0, 1)
    posterior = Scores(np.array([0.4, -0.1]), before)
    for factor in (1.5, 4.0):
        still = condition(before, 0, 1, 0.7 * (factor - 1.0)).variance_of_difference(0, 1)
        moved = 0.5 + np.sqrt(v - still) * rng.standard_normal(1_000_000)
        expected = ndtr(np.abs(moved) / np.sqrt(still)).mean()
        assert after(posterior, factor) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_a_forecast_begins_at_what_is_known_and_rises(seed: int) -> None:
    posterior, pairs = Scores(*random_state(7, seed)), every(7)
    predicted = [after(posterior, factor) for factor in (1.0, 1.25, 2.0, 4.0, 1e9)]
    assert predicted[0] == pytest.approx(concordance(posterior, pairs), abs=1e-12)
    assert (np.diff(predicted) > 0.0).all()
    assert predicted[-1] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_of_a_mixture_it_is_the_chance_that_its_one_published_order_is_right(seed: int) -> None:
    posterior = mixed([(0.7, Scores(*random_state(6, seed))), (0.3, Scores(*random_state(6, seed + 10)))])
    pairs, rank = every(6), ranks(posterior.mean)
    drawn = draw_ranks(posterior, np.random.default_rng(seed), 200_000)
    i, j = np.nonzero(pairs)
    share = np.mean((drawn[:, i] < drawn[:, j]) == (rank[i] < rank[j]))
    assert concordance(posterior, pairs) == pytest.approx(share, abs=0.003)
    predicted = [after(posterior, factor) for factor in (1.0, 2.0, 4.0)]
    assert concordance(posterior, pairs) <= predicted[0] < predicted[1] < predicted[2]


def test_the_interval_of_very_many_pairs_is_from_draws_of_every_part() -> None:
    """Two parts in opposite orders, 90% of the first: which the draws begin with."""
    n = 700
    one = Scores(np.linspace(10.0, 0.0, n), isotropic(n, 1e-6))
    posterior = mixed([(0.9, one), (0.1, one._replace(mean=-one.mean))])
    drawn = draw_ranks(posterior, np.random.default_rng(0))
    sure = sure_of(posterior, drawn, every(n), 0.95)
    assert sure.expected_concordance == pytest.approx(0.9)
    assert sure.interval == pytest.approx((0.0, 1.0))


def test_where_verdicts_say_nothing_more_of_them_say_nothing() -> None:
    alike = Scores(np.zeros(3), isotropic(3, 1.0))
    assert after(alike, 4.0) == pytest.approx(0.5)


def test_stated_and_true_shares_agree() -> None:
    """300 sets of 10 with scores from the prior, 30 hard verdicts each; seed 20,261."""
    rng, m, pairs = np.random.default_rng(20_261), model(10), every(10)
    stated, true, inside = [], [], []
    for _ in range(300):
        s, first = rng.standard_normal(10), rng.integers(10, size=30)
        second = (first + rng.integers(1, 10, size=30)) % 10
        won = (rng.random(30) < expit(s[first] - s[second])).astype(np.float64)
        posterior = fit(by_one_judge(first, second, won), m).scores
        rank = ranks(posterior.mean)
        sure = sure_of(posterior, draw_ranks(posterior, rng, 400), pairs, 0.9)
        i, j = np.nonzero(pairs)
        stated.append(sure.expected_concordance)
        true.append(float(np.mean((s[i] > s[j]) == (rank[i] < rank[j]))))
        inside.append(sure.interval[0] <= true[-1] <= sure.interval[1])
    assert np.mean(stated) == pytest.approx(np.mean(true), abs=0.02)
    assert 0.86 <= np.mean(inside) <= 0.96


def distinguished_by(difference: float, means: ArrayLike) -> Scores:
    """Independent scores: those that differ by more are different at the level of 95%."""
    mean = np.asarray(means, np.float64)
    sure = norm.isf(0.05 / (len(mean) * (len(mean) - 1)))
    return Scores(mean, isotropic(len(mean), 0.5 * (difference / sure) ** 2))


def test_tie_groups_by_hand() -> None:
    """Proven means by more than 1.6: 2.9 and 2.0 tie with 3.5; 1.8 does not, nor 0.1 with its own head 1.8."""
    live = distinguished_by(1.6, [1.8, 3.5, 0.1, 2.9, 2.0, 0.1 + 1e-12, -1.6])

    assert groups(live).tolist() == [2, 1, 3, 1, 1, 3, 4]


def test_a_group_is_compared_with_its_head_and_not_with_its_neighbour() -> None:
    """Small steps add up: nobody ties with a head that is proven better."""
    live = distinguished_by(1.6, -np.arange(6.0))

    assert groups(live).tolist() == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(("epsilon", "expected"), [(0.0, [1, 2, 3]), (0.4, [1, 1, 2]), (2.2, [1, 1, 1])])
def test_epsilon_widens_the_groups(epsilon: float, expected: list[int]) -> None:
    """1.6 + epsilon is what separates."""
    live = distinguished_by(1.6, [3.7, 1.8, 0.1])

    assert groups(live, epsilon=epsilon).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_groups_go_down_the_ranking_and_merge_as_more_is_asked_of_them(seed: int) -> None:
    live = random_scores(12, 60, seed)
    order = np.argsort(-live.mean)

    count = []
    for level in (0.6, 0.9, 0.99):
        numbers = groups(live, level)[order]
        assert numbers[0] == 1
        assert set(np.diff(numbers)) <= {0, 1}
        count.append(numbers[-1])
    assert count == sorted(count, reverse=True)


def test_without_data_all_are_in_one_group() -> None:
    assert groups(posterior.prior(model(4)).scores, 0.5).tolist() == [1, 1, 1, 1]


def test_correlated_scores_are_distinguished_by_the_variance_of_their_difference() -> None:
    """Each sd is 1, but what is common to both does not blur their order."""
    close = Scores(np.array([0.5, 0.0]), covariance_of(np.array([[1.0, 0.99], [0.99, 1.0]])))

    assert groups(close).tolist() == [1, 2]
    assert groups(close._replace(covariance=isotropic(2, 1.0))).tolist() == [1, 1]


def test_ranks_that_exclude_each_other_are_no_tie() -> None:
    """Of the three in one group by their scores, the last cannot have the rank of the first."""
    live, possible = Scores(np.array([0.2, 0.1, 0.0]), isotropic(3, 1.0)), np.array([[1, 1], [1, 2], [2, 3]])
    assert tie_groups(live, possible, 0.95).tolist() == [1, 1, 2]
    assert tie_groups(live, possible, 0.95, 0.1).tolist() == [1, 1, 1]


def test_in_draws_a_group_ends_where_ranks_do_and_with_epsilon_where_the_head_is_above_too() -> None:
    drawn, possible = np.tile([1.0, 0.7, 0.0], (50, 1)), np.array([[1, 1], [2, 2], [3, 3]])
    live = Scores(drawn[0], isotropic(3, 1.0))
    assert tie_groups(live, possible, 0.95, 0.0, drawn).tolist() == [1, 2, 3]
    assert tie_groups(live, possible, 0.95, 0.5, drawn).tolist() == [1, 1, 2]


@pytest.mark.parametrize("count", [0, 30])
def test_entropy_is_that_of_the_joint_normal(count: int) -> None:
    live = random_scores(6, count)

    expected = multivariate_normal(live.mean, live.covariance.matrix()).entropy()
    assert entropy(live.covariance) == pytest.approx(expected)


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
    _, stated = summary_of(drawn, Wanted())
    assert stated
    assert moment.concordance == stated.expected_concordance
    assert moment.entropy == entropy(published.scores.covariance)


def test_a_moment_without_a_ranking_is_left_out_and_without_one_now_there_is_no_history() -> None:
    log = random_comparisons(6, 40, 0)
    later = ranking_history(40, 4, lambda count: fit_of_first(log, count) if count > 10 else None)
    assert [moment.comparisons for moment in later] == [20, 30, 40]
    assert ranking_history(40, 4, lambda count: fit_of_first(log, count) if count < 40 else None) == []


def test_a_log_without_comparisons_has_no_history() -> None:
    assert ranking_history(0, 12, partial(fit_of_first, no_comparisons())) == []


def fit_of_first(log: Comparisons, count: int) -> Scores:
    return posterior.fit(take(log, slice(count)), model(6)).scores
