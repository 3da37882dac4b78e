import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from app.inference.fitting import posterior
from app.inference.gaussian import Scores, plain
from app.inference.reporting.ranking import (
    Wanted,
    entropy,
    interchangeable,
    predict,
    ranks,
    summarise,
    sure_of_any,
    tie_groups,
)
from app.inference.types import Floats
from tests.inference.factories import (
    comparisons,
    covariance_of,
    cycle,
    draw_ranks,
    isotropic,
    joined,
    marginal,
    model,
    numerics,
    random_comparisons,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def random_posterior(n: int, count: int, seed: int = 0) -> Scores:
    return marginal(posterior.fit(joined(cycle(n, seed), random_comparisons(n, count, seed, hard=True)), model(n)))


def relative(live: Scores) -> tuple[Floats, Floats]:
    """Mean and sd of s_i - mean(s), the slow way."""
    n = len(live.mean)
    centring = np.eye(n) - 1.0 / n
    return centring @ live.mean, np.sqrt((centring @ live.covariance.matrix() @ centring).diagonal())


def test_equal_scores_share_the_better_rank() -> None:
    assert ranks(np.array([0.5, 2.0, 0.5, 3.0, -1.0, 0.5])).tolist() == [3, 2, 3, 1, 6, 3]


def test_scores_that_differ_by_rounding_share_a_rank() -> None:
    assert ranks(np.array([1.0, 1.0 + 1e-12, 0.0])).tolist() == [1, 1, 3]


def test_scores_that_differ_by_more_than_rounding_do_not_share_a_rank() -> None:
    assert ranks(np.array([1.0, 1.0 + 1e-6, 0.0])).tolist() == [2, 1, 3]


@pytest.mark.parametrize(("n", "expected"), [(0, []), (1, [1]), (3, [1, 1, 1])])
def test_ranks_of_equal_scores(n: int, expected: list[int]) -> None:
    assert ranks(np.zeros(n)).tolist() == expected


@numerics
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_rank_is_one_more_than_how_many_are_better(scores: list[int]) -> None:
    expected = [1 + sum(other > score for other in scores) for score in scores]

    assert ranks(np.array(scores, np.float64)).tolist() == expected


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_each_interval_holds_its_score_with_the_marginal_level(level: float) -> None:
    """Of the score relative to the average candidate, whose covariance is C Sigma C."""
    live = random_posterior(8, 20)

    low, high = summarise(live, Wanted(level), rng()).interval.T

    mean, sd = relative(live)
    held = norm.cdf(high, mean, sd) - norm.cdf(low, mean, sd)
    np.testing.assert_allclose(held, level, atol=1e-12)
    np.testing.assert_allclose((low + high) / 2.0, mean, atol=1e-12)


@pytest.mark.parametrize(("n", "count"), [(2, 3), (10, 30), (40, 400)])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_rank_intervals_hold_together_for_fresh_draws(n: int, count: int, level: float) -> None:
    """Of 5000 draws that the intervals were not made from, at least the level less 2.5%."""
    live = random_posterior(n, count)

    low, high = summarise(live, Wanted(level), rng(1)).rank_interval.T

    fresh = draw_ranks(live, rng(2), draws=5000)
    held = ((low <= fresh) & (fresh <= high)).all(axis=1).mean()
    assert held >= level - 0.025


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("n", [1, 2, 24, 30, 100])
def test_before_any_comparison_all_rows_are_the_same(n: int, level: float) -> None:
    ranking = summarise(marginal(posterior.prior(model(n))), Wanted(level, top_k=2), rng())

    assert np.unique(ranking.rank_interval, axis=0).tolist() == [[1, n]]
    np.testing.assert_allclose(ranking.p_best, 1.0 / n, atol=1e-12)
    np.testing.assert_allclose(ranking.p_top, min(2.0 / n, 1.0), atol=1e-12)


def test_candidates_that_were_never_compared_share_their_row() -> None:
    ranking = summarise(marginal(posterior.fit(random_comparisons(8, 20, 3), model(12))), Wanted(), rng())

    assert len(np.unique(np.column_stack([ranking.rank_interval, ranking.p_best, ranking.p_top])[8:], axis=0)) == 1
    assert len(np.unique(ranking.p_best[:8])) > 1


def test_interchangeable_candidates_may_swap_names() -> None:
    """0 beats 1 and 2 alike, who may swap; 3 beats 4 as 5 beats 6: 3 and 5 may swap only together with 4 and 6."""
    live = marginal(posterior.fit(comparisons((0, 1, 0.8), (2, 0, 0.2), (3, 4, 0.9), (5, 6, 0.9)), model(9)))
    n = len(live.mean)

    def unchanged(i: int, j: int) -> bool:
        order = np.arange(n)
        order[[i, j]] = j, i
        sigma = live.covariance.matrix()
        return np.allclose(live.mean[order], live.mean) and np.allclose(sigma[np.ix_(order, order)], sigma)

    alike = interchangeable(live)

    assert alike.tolist() == [0, 1, 1, 3, 4, 5, 6, 7, 7]
    assert all((alike[i] == alike[j]) == unchanged(i, j) for i in range(n) for j in range(i))


def test_winners_of_a_perfect_matching_are_not_interchangeable() -> None:
    """Each has an opponent of its own."""
    n = 400
    matching = posterior.fit(comparisons(*[(i, i + 1, 1.0) for i in range(0, n, 2)]), model(n))

    assert interchangeable(marginal(matching)).tolist() == list(range(n))


def test_candidates_are_interchangeable_up_to_the_rounding_of_their_variance() -> None:
    """Under the anchor prior that is a million times what is usual."""
    n = 400
    sigma = np.full((n, n), 1e6 / n) + np.diag(1e6 + 1e-4 * np.sin(np.arange(n)))

    assert interchangeable(Scores(np.zeros(n), plain(sigma, 0.0))).tolist() == [0] * n


def test_rank_intervals_of_a_decided_order_are_points() -> None:
    decided = Scores(np.array([0.0, 100.0, -100.0]), isotropic(3, 1.0))

    assert summarise(decided, Wanted(0.95), rng()).rank_interval.tolist() == [[2, 2], [1, 1], [3, 3]]


def test_rank_intervals_without_data_say_nothing() -> None:
    nothing = marginal(posterior.prior(model(5)))

    assert summarise(nothing, Wanted(0.95), rng()).rank_interval.tolist() == [[1, 5]] * 5


@pytest.mark.parametrize("n", [1, 2, 12])
def test_someone_is_best(n: int) -> None:
    live = random_posterior(n, 3 * n) if n > 1 else marginal(posterior.prior(model(1)))

    assert summarise(live, Wanted(0.95), rng()).p_best.sum() == pytest.approx(1.0)


def test_p_best_of_two_is_the_prediction() -> None:
    live = marginal(posterior.fit(comparisons((0, 1, 0.9)), model(2)))

    p_best = summarise(live, Wanted(0.95), rng()).p_best

    assert p_best[0] == pytest.approx(predict(live, 0, 1).p_first_better, abs=4.0 * 0.5 / np.sqrt(2000))


def test_every_draw_ranks_everyone_once() -> None:
    drawn = draw_ranks(random_posterior(6, 20), rng(), draws=50)

    np.testing.assert_array_equal(np.sort(drawn, axis=1), np.tile(np.arange(1, 7), (50, 1)))


def test_the_same_seed_draws_the_same_summary() -> None:
    live = random_posterior(6, 20)

    one, other = summarise(live, Wanted(0.9), rng(5)), summarise(live, Wanted(0.9), rng(5))

    np.testing.assert_array_equal(one.rank_interval, other.rank_interval)
    np.testing.assert_array_equal(one.p_best, other.p_best)


@pytest.mark.parametrize("count", [0, 30])
def test_entropy_is_that_of_the_joint_normal(count: int) -> None:
    live = random_posterior(6, count)

    expected = multivariate_normal(live.mean, live.covariance.matrix()).entropy()
    assert entropy(live.covariance) == pytest.approx(expected)
    assert summarise(live, Wanted(0.9), rng()).entropy == pytest.approx(expected)


def test_a_comparison_lowers_the_entropy() -> None:
    one, two = comparisons((0, 1, 0.7)), comparisons((0, 1, 0.7), (1, 2, 0.6))

    assert entropy(posterior.fit(two, model(3)).covariance) < entropy(posterior.fit(one, model(3)).covariance)


def test_predict_agrees_with_draws_of_the_scores() -> None:
    live, draws = random_posterior(5, 10), 100_000
    scores = rng().multivariate_normal(live.mean, live.covariance.matrix(), draws)

    prediction = predict(live, 3, 1)

    d = scores[:, 3] - scores[:, 1]
    assert prediction.p_first_better == pytest.approx((d > 0.0).mean(), abs=4.0 * 0.5 / np.sqrt(draws))
    assert prediction.mean_difference == pytest.approx(d.mean(), abs=4.0 * d.std() / np.sqrt(draws))
    assert prediction.sd_difference == pytest.approx(d.std(), rel=0.01)


def test_predict_the_other_way_round_is_the_complement() -> None:
    live = random_posterior(5, 10)

    here, there = predict(live, 3, 1), predict(live, 1, 3)

    assert here.p_first_better + there.p_first_better == pytest.approx(1.0)
    assert here.mean_difference == -there.mean_difference


def test_summary_has_the_scores_and_their_sd() -> None:
    live = random_posterior(5, 10)

    summary = summarise(live, Wanted(0.9), rng())

    mean, sd = relative(live)
    np.testing.assert_allclose(summary.score, mean, atol=1e-15)
    np.testing.assert_array_equal(summary.rank, ranks(live.mean))
    np.testing.assert_allclose(summary.sd, sd)


def test_the_common_level_of_all_scores_does_not_show() -> None:
    """Twenty more units of it in the mean and fifty in its variance."""
    live = random_posterior(5, 10)
    lifted = Scores(live.mean + 20.0, covariance_of(live.covariance.matrix() + 50.0))

    here, there = summarise(live, Wanted(0.9), rng()), summarise(lifted, Wanted(0.9), rng())

    np.testing.assert_allclose(there.score, here.score, atol=1e-13)
    np.testing.assert_allclose(there.sd, here.sd, atol=1e-10)
    np.testing.assert_array_equal(there.tie_group, here.tie_group)


def test_p_top_by_hand() -> None:
    """Scores 3, 0, 0 with sd 1, the last two alike: the first is among the best two unless both are above it."""
    live = Scores(np.array([3.0, 0.0, 0.0]), isotropic(3, 1.0))
    below = quad(lambda x: norm.pdf(x, 3.0) * norm.sf(x) ** 2, -10.0, 15.0)[0]

    p_top = summarise(live, Wanted(top_k=2), rng()).p_top

    assert p_top[0] == pytest.approx(1.0 - below, abs=4.0 * np.sqrt(below / 10_000))
    assert p_top[1] == pytest.approx((1.0 + below) / 2.0, abs=4.0 * 0.5 / np.sqrt(10_000))


@pytest.mark.parametrize("k", [1, 3, 8, 20])
def test_k_candidates_are_among_the_first_k(k: int) -> None:
    summary = summarise(random_posterior(8, 20), Wanted(top_k=k), rng())

    assert summary.p_top.sum() == pytest.approx(min(k, 8))
    assert (summary.p_top >= summary.p_best).all()
    assert ((summary.p_top == summary.p_best).all()) == (k == 1)


def test_p_top_grows_with_k() -> None:
    live = random_posterior(8, 20)

    of_k = np.array([summarise(live, Wanted(top_k=k), rng()).p_top for k in range(1, 9)])

    assert (np.diff(of_k, axis=0) >= 0.0).all()
    np.testing.assert_array_equal(of_k[-1], 1.0)


def distinguished_by(difference: float, means: ArrayLike) -> Scores:
    """Independent scores: those that differ by more are different at the level of 95%."""
    mean = np.asarray(means, np.float64)
    return Scores(mean, isotropic(len(mean), 0.5 * (difference / sure_of_any(len(mean), 0.95)) ** 2))


def test_tie_groups_by_hand() -> None:
    """Proven means by more than 1.6: 2.9 and 2.0 tie with 3.5; 1.8 does not, nor 0.1 with its own head 1.8."""
    live = distinguished_by(1.6, [1.8, 3.5, 0.1, 2.9, 2.0, 0.1 + 1e-12, -1.6])

    assert tie_groups(live, Wanted()).tolist() == [2, 1, 3, 1, 1, 3, 4]


def test_a_group_is_compared_with_its_head_and_not_with_its_neighbour() -> None:
    """Small steps add up: nobody ties with a head that is proven better."""
    live = distinguished_by(1.6, -np.arange(6.0))

    assert tie_groups(live, Wanted()).tolist() == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(("epsilon", "expected"), [(0.0, [1, 2, 3]), (0.4, [1, 1, 2]), (2.2, [1, 1, 1])])
def test_epsilon_widens_the_groups(epsilon: float, expected: list[int]) -> None:
    """1.6 + epsilon is what separates."""
    live = distinguished_by(1.6, [3.7, 1.8, 0.1])

    assert tie_groups(live, Wanted(epsilon=epsilon)).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_groups_go_down_the_ranking_and_merge_as_more_is_asked_of_them(seed: int) -> None:
    live = random_posterior(12, 60, seed)
    order = np.argsort(-live.mean)

    count = []
    for level in (0.6, 0.9, 0.99):
        groups = tie_groups(live, Wanted(level))[order]
        assert groups[0] == 1
        assert set(np.diff(groups)) <= {0, 1}
        count.append(groups[-1])
    assert count == sorted(count, reverse=True)


def test_one_claim_of_two_candidates_is_two_sided() -> None:
    assert sure_of_any(2, 0.95) == pytest.approx(1.959964, abs=1e-6)


def test_without_data_all_are_in_one_group() -> None:
    assert tie_groups(marginal(posterior.prior(model(4))), Wanted(0.5)).tolist() == [1, 1, 1, 1]


def test_correlated_scores_are_distinguished_by_the_variance_of_their_difference() -> None:
    """Each sd is 1, but what is common to both does not blur their order."""
    close = Scores(np.array([0.5, 0.0]), covariance_of(np.array([[1.0, 0.99], [0.99, 1.0]])))

    assert tie_groups(close, Wanted()).tolist() == [1, 2]
    assert tie_groups(close._replace(covariance=isotropic(2, 1.0)), Wanted()).tolist() == [1, 1]


def test_relabelling_relabels_the_whole_summary() -> None:
    live, label = random_posterior(8, 30), np.array([3, 1, 7, 0, 6, 2, 5, 4])
    back = np.argsort(label)
    there = Scores(live.mean[back], covariance_of(live.covariance.matrix()[np.ix_(back, back)]))

    here, relabelled = summarise(live, Wanted(0.9, 3), rng()), summarise(there, Wanted(0.9, 3), rng())

    for mine, theirs in zip(here[:-2], relabelled[:-2], strict=True):
        np.testing.assert_allclose(np.asarray(theirs)[label], np.asarray(mine), atol=1e-9)
    assert relabelled.entropy == pytest.approx(here.entropy)
    assert here.confidence is not None
    assert relabelled.confidence is not None
    assert relabelled.confidence.expected_concordance == pytest.approx(here.confidence.expected_concordance)
    assert relabelled.confidence.interval == pytest.approx(here.confidence.interval)
