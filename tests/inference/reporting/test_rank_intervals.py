"""Rank intervals against draws of the posterior, of which they are made without any."""

import numpy as np
import pytest

from app.inference.fitting import posterior
from app.inference.gaussian import Scores
from app.inference.reporting.rank_intervals import rank_intervals
from app.inference.reporting.ranking import Wanted, relative_sd, summarise
from app.inference.types import Floats, Ints
from tests.inference.factories import draw_ranks, model, random_comparisons

each_size = pytest.mark.parametrize("n", [2, 3, 5, 12, 50, 200])


def state(n: int, each: int, hard: bool = False) -> Scores:
    """After `each` verdicts on each candidate, drawn by its score, or all won by the better."""
    return posterior.fit(random_comparisons(n, each * n, seed=n, hard=hard), model(n)).scores


def held(intervals: Ints, drawn: Ints) -> float:
    best, worst = intervals.T
    return float(((best <= drawn) & (drawn <= worst)).all(axis=1).mean())


def sd_of(scores: Scores) -> Floats:
    return relative_sd(scores.covariance)


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


@pytest.mark.parametrize("n", [12, 50, 200])
def test_another_seed_gives_the_same_ends(n: int) -> None:
    scores = state(n, 10)

    one, other = (summarise(scores, Wanted(), np.random.default_rng(seed)).rank_interval for seed in (0, 1))

    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n", [4, 8])
def test_another_seed_moves_hardly_an_end_of_few(n: int) -> None:
    """Seeds 0 and 1, twelve posteriors."""
    apart = []
    for each in range(2, 14):
        one, other = (summarise(state(n, each), Wanted(), np.random.default_rng(seed)).rank_interval for seed in (0, 1))
        apart.append(np.abs(one - other))

    assert np.max(apart) <= 1
    assert np.mean(np.array(apart) > 0) < 0.05


def test_they_are_no_wider_than_one_width_in_standard_deviations_of_normal_scores() -> None:
    """The rule before them; seed 3."""
    scores = state(50, 20, hard=True)
    drawn = draw_ranks(scores, np.random.default_rng(3), 4000)
    order = np.sort(np.abs(drawn - drawn.mean(axis=0)) / drawn.std(axis=0), axis=1)[:, -1]
    half = np.quantile(order, 0.95) * drawn.std(axis=0)

    intervals = rank_intervals(scores.mean, sd_of(scores), 0.95)

    assert np.diff(intervals, axis=1).mean() <= 2.0 * half.mean()
    assert held(intervals, drawn) >= 0.94


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
