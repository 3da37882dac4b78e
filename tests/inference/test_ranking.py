import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from app.inference import posterior
from app.inference.covariance import dense, diagonal
from app.inference.posterior import Posterior
from app.inference.ranking import draw_ranks, entropy, predict, ranks, simultaneous_intervals, summarise
from app.inference.types import no_comparisons
from tests.inference.factories import comparisons, cycle, joined, model, numerics, random_comparisons


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def random_posterior(n: int, count: int, seed: int = 0) -> Posterior:
    return posterior.fit(joined(cycle(n, seed), random_comparisons(n, count, seed, hard=True)), model(n))


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
    live = random_posterior(8, 20)

    low, high = summarise(live, level, rng()).interval.T

    sd = np.sqrt(dense(live.covariance).diagonal())
    held = norm.cdf(high, live.mean, sd) - norm.cdf(low, live.mean, sd)
    np.testing.assert_allclose(held, level, atol=1e-12)
    np.testing.assert_allclose((low + high) / 2.0, live.mean, atol=1e-12)


@pytest.mark.parametrize(("n", "count"), [(2, 3), (10, 30), (40, 400)])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_rank_intervals_hold_together_for_fresh_draws(n: int, count: int, level: float) -> None:
    """Of 5000 draws that the intervals were not made from, at least the level less 2.5%."""
    live = random_posterior(n, count)

    low, high = summarise(live, level, rng(1)).rank_interval.T

    fresh = draw_ranks(live, rng(2), draws=5000)
    held = ((low <= fresh) & (fresh <= high)).all(axis=1).mean()
    assert held >= level - 0.025


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_rank_intervals_hold_together_in_the_level_of_their_own_draws(level: float) -> None:
    drawn = draw_ranks(random_posterior(10, 30), rng(), draws=500)

    low, high = simultaneous_intervals(drawn, level).T

    assert ((low <= drawn) & (drawn <= high)).all(axis=1).mean() >= level


def test_rank_intervals_widen_with_the_level() -> None:
    drawn = draw_ranks(random_posterior(20, 100), rng())

    width = [np.diff(simultaneous_intervals(drawn, level), axis=1).sum() for level in (0.5, 0.9, 0.99)]

    assert width == sorted(set(width))


def test_rank_intervals_are_wider_than_marginal_ones() -> None:
    drawn = draw_ranks(random_posterior(20, 100), rng())

    low, high = simultaneous_intervals(drawn, 0.9).T

    assert (low <= np.quantile(drawn, 0.05, axis=0)).all()
    assert (high >= np.quantile(drawn, 0.95, axis=0)).all()


def test_rank_intervals_of_a_settled_order_are_points() -> None:
    settled = Posterior(
        np.array([0.0, 100.0, -100.0]),
        posterior.prior(model(3)).covariance,
        np.empty(0),
        posterior.prior(model(3)).convergence,
    )

    assert summarise(settled, 0.95, rng()).rank_interval.tolist() == [[2, 2], [1, 1], [3, 3]]


def test_rank_intervals_without_data_say_nothing() -> None:
    nothing = posterior.fit(no_comparisons(), model(5))

    assert summarise(nothing, 0.95, rng()).rank_interval.tolist() == [[1, 5]] * 5


@pytest.mark.parametrize("n", [1, 2, 12])
def test_someone_is_best(n: int) -> None:
    live = random_posterior(n, 3 * n) if n > 1 else posterior.prior(model(1))

    assert summarise(live, 0.95, rng()).p_best.sum() == pytest.approx(1.0)


def test_p_best_of_two_is_the_prediction() -> None:
    live = posterior.fit(comparisons((0, 1, 0.9)), model(2))

    p_best = summarise(live, 0.95, rng()).p_best

    assert p_best[0] == pytest.approx(predict(live, 0, 1).p_first_better, abs=4.0 * 0.5 / np.sqrt(2000))


def test_every_draw_ranks_everyone_once() -> None:
    drawn = draw_ranks(random_posterior(6, 20), rng(), draws=50)

    np.testing.assert_array_equal(np.sort(drawn, axis=1), np.tile(np.arange(1, 7), (50, 1)))


def test_the_same_seed_draws_the_same_summary() -> None:
    live = random_posterior(6, 20)

    one, other = summarise(live, 0.9, rng(5)), summarise(live, 0.9, rng(5))

    np.testing.assert_array_equal(one.rank_interval, other.rank_interval)
    np.testing.assert_array_equal(one.p_best, other.p_best)


@pytest.mark.parametrize("count", [0, 30])
def test_entropy_is_that_of_the_joint_normal(count: int) -> None:
    live = random_posterior(6, count)

    expected = multivariate_normal(live.mean, dense(live.covariance)).entropy()
    assert entropy(live.covariance) == pytest.approx(expected)
    assert summarise(live, 0.9, rng()).entropy == pytest.approx(expected)


def test_a_comparison_lowers_the_entropy() -> None:
    one, two = comparisons((0, 1, 0.7)), comparisons((0, 1, 0.7), (1, 2, 0.6))

    assert entropy(posterior.fit(two, model(3)).covariance) < entropy(posterior.fit(one, model(3)).covariance)


def test_predict_agrees_with_draws_of_the_scores() -> None:
    live, draws = random_posterior(5, 10), 100_000
    scores = rng().multivariate_normal(live.mean, dense(live.covariance), draws)

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

    summary = summarise(live, 0.9, rng())

    np.testing.assert_array_equal(summary.score, live.mean)
    np.testing.assert_array_equal(summary.rank, ranks(live.mean))
    np.testing.assert_allclose(summary.sd, np.sqrt(diagonal(live.covariance)))
