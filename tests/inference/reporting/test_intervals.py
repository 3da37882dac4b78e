"""Ranks, and intervals against draws of the posterior, of which they are made without any, or with others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from app.inference.fitting import posterior
from app.inference.gaussian import Scores
from app.inference.reporting.intervals import (
    drawn_rank_intervals,
    marginal_intervals,
    rank_intervals,
    ranks,
    ranks_of,
    relative_sd,
)
from app.inference.types import Floats, Ints
from tests.inference.factories import draw_ranks, model, numerics, random_comparisons

each_size = pytest.mark.parametrize("n", [2, 3, 5, 12, 50, 200])


def state(n: int, each: int, hard: bool = False) -> Scores:
    """After `each` verdicts on each candidate, drawn by its score, or all won by the better."""
    return posterior.fit(random_comparisons(n, each * n, seed=n, hard=hard), model(n)).scores


def held(intervals: Ints, drawn: Ints) -> float:
    best, worst = intervals.T
    return float(((best <= drawn) & (drawn <= worst)).all(axis=1).mean())


def sd_of(scores: Scores) -> Floats:
    return relative_sd(scores.covariance)


def leaning(n: int, draws: int, seed: int) -> Floats:
    """(D, N) values that lean to one side."""
    rng = np.random.default_rng(seed)
    return np.linspace(0.0, 1.0, n) + 3.0 / n * rng.standard_exponential((draws, n))


@pytest.mark.parametrize(("apart", "expected"), [(1e-12, [1, 1, 3]), (1e-6, [2, 1, 3])])
def test_scores_that_differ_by_rounding_alone_share_a_rank(apart: float, expected: list[int]) -> None:
    assert ranks(np.array([1.0, 1.0 + apart, 0.0])).tolist() == expected


@numerics
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_rank_is_one_more_than_how_many_are_better(scores: list[int]) -> None:
    expected = [1 + sum(other > score for other in scores) for score in scores]

    assert ranks(np.array(scores, np.float64)).tolist() == expected


def test_ranks_are_those_of_scipy() -> None:
    values = np.round(np.random.default_rng(0).standard_normal((50, 30)), 1)
    np.testing.assert_array_equal(ranks_of(values), rankdata(-values, method="min", axis=1))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_each_interval_holds_its_score_with_the_marginal_level(level: float) -> None:
    """Of the score relative to the average candidate, whose covariance is C Sigma C."""
    live, centring = state(8, 3), np.eye(8) - 1.0 / 8
    mean, sd = centring @ live.mean, np.sqrt((centring @ live.covariance.matrix() @ centring).diagonal())

    low, high = marginal_intervals(live, sd_of(live), level).T

    np.testing.assert_allclose(sd_of(live), sd)
    np.testing.assert_allclose(norm.cdf(high, mean, sd) - norm.cdf(low, mean, sd), level, atol=1e-12)
    np.testing.assert_allclose((low + high) / 2.0, mean, atol=1e-12)


@each_size
@pytest.mark.parametrize("each", [2, 20])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_they_hold_together_with_the_level(n: int, each: int, level: float) -> None:
    """Seed 2, 4000 draws: a standard error of 0.008 at most. Whole ranks of few candidates hold more often."""
    scores = state(n, each)

    share = held(rank_intervals(scores.mean, sd_of(scores), level), draw_ranks(scores, np.random.default_rng(2), 4000))

    assert share >= level - 0.02
    if n >= 50 and level == 0.95:
        assert share <= 0.98


@pytest.mark.parametrize("n", [4, 8])
def test_another_seed_moves_hardly_an_end_of_few(n: int) -> None:
    """Seeds 0 and 1, twelve posteriors."""
    apart = []
    for each in range(2, 14):
        scores = state(n, each)
        drawn = (draw_ranks(scores, np.random.default_rng(seed)) for seed in (0, 1))
        one, other = (rank_intervals(scores.mean, sd_of(scores), 0.95, ranks) for ranks in drawn)
        apart.append(np.abs(one - other))

    assert np.max(apart) <= 1
    assert np.mean(np.array(apart) > 0) < 0.05


def test_they_widen_with_the_level_and_hold_marginal_ones() -> None:
    scores = state(20, 5)
    drawn = draw_ranks(scores, np.random.default_rng(0))
    by_level = [rank_intervals(scores.mean, sd_of(scores), level) for level in (0.5, 0.9, 0.99)]

    width = [np.diff(each, axis=1).sum() for each in by_level]

    assert width == sorted(set(width))
    assert (by_level[1][:, 0] <= np.quantile(drawn, 0.05, axis=0)).all()
    assert (by_level[1][:, 1] >= np.quantile(drawn, 0.95, axis=0)).all()


@each_size
def test_best_and_worst_are_mirror_images(n: int) -> None:
    scores = state(n, 3)
    up, down = (rank_intervals(sign * scores.mean, sd_of(scores), 0.9) for sign in (1.0, -1.0))

    assert np.abs(n + 1 - down[:, ::-1] - up).max() <= 1


@pytest.mark.parametrize("sd", [0.0, 1e-6])
def test_scores_that_are_known_have_one_rank(sd: float) -> None:
    score = np.array([0.0, 3.0, -2.0, 1.0])

    assert rank_intervals(score, np.full(4, sd), 0.95).tolist() == [[3, 3], [1, 1], [4, 4], [2, 2]]


def test_one_candidate_is_first() -> None:
    assert rank_intervals(np.zeros(1), np.ones(1), 0.95).tolist() == [[1, 1]]


@pytest.mark.parametrize(("n", "draws"), [(12, 4000), (100, 1000)])
def test_drawn_ones_hold_together_in_draws_that_they_have_not_seen(n: int, draws: int) -> None:
    """The ends of the draws themselves would hold in 81% of them where there are 100 candidates and 1,000 draws."""
    values = leaning(n, draws, 0)
    best, worst = drawn_rank_intervals(ranks(values.mean(axis=0)), ranks_of(values), 0.95).T
    fresh = ranks_of(leaning(n, 4000, 1))
    assert ((best <= fresh) & (fresh <= worst)).all(axis=1).mean() >= 0.93


def test_drawn_ones_hold_the_rank_itself() -> None:
    """All draws have a tie of the first two where their means differ in one draw alone."""
    values = np.array([[1.0, 1.0, 0.0]] * 99 + [[1.0, 0.9, 0.0]])
    rank = ranks(values.mean(axis=0))
    assert rank.tolist() == [1, 2, 3]
    best, worst = drawn_rank_intervals(rank, ranks_of(values), 0.9).T
    assert ((best <= rank) & (rank <= worst)).all()


def test_what_is_decided_is_one_rank() -> None:
    values = np.repeat([[0.9, 0.1, 0.5, 0.5]], 200, axis=0)
    intervals = drawn_rank_intervals(ranks(values[0]), ranks_of(values), 0.95)
    assert intervals.tolist() == [[1, 1], [4, 4], [2, 2], [2, 2]]
