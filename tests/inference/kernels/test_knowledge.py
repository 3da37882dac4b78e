"""The knowledge gradient against its slow formula, and against what answers really add."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from app.inference.choosing.goals import RANKING, Goal, goal_kinds, goal_pairs
from app.inference.choosing.knowledge import knowledge, most_knowledge
from app.inference.fitting import posterior
from app.inference.types import Bools, Floats, Ints
from tests.inference.factories import model, numerics, random_comparisons, random_state

GOALS = [RANKING, Goal(top_k=1), Goal(top_k=2), Goal(against=1), Goal(pair=(0, 2))]
each_goal = pytest.mark.parametrize("goal", GOALS, ids=str)
TIE = 1e-9


def all_pairs(n: int) -> tuple[Ints, Ints]:
    first, second = np.triu_indices(n, 1)
    return first.copy(), second.copy()


def moves_of(sigma: Floats, first: Ints, second: Ints, weight: float = 0.25) -> Floats:
    """(L, N) u = Sigma r sqrt(w / (1 + w v))."""
    spread = sigma[first] - sigma[second]
    v = spread[np.arange(len(first)), first] - spread[np.arange(len(first)), second]
    return spread * np.sqrt(weight / (1.0 + weight * v))[:, None]


def slow(moves: Floats, mean: Floats, matters: Bools) -> Floats:
    """The sum over all k < l that matter."""
    k, other = np.nonzero(matters)
    m, s = np.abs(mean[k] - mean[other]), np.abs(moves[:, k] - moves[:, other])
    z = m / np.maximum(s, 1e-300)
    terms = 2.0 * (s * np.exp(-0.5 * np.minimum(z, 40.0) ** 2) / np.sqrt(2.0 * np.pi) - m * ndtr(-z))
    return np.asarray(terms.sum(axis=1))


@each_goal
@pytest.mark.parametrize("n", [3, 5, 40])
@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("weight", [0.25, 4.0])
def test_knowledge_is_the_sum_over_the_pairs_that_matter(goal: Goal, n: int, spread: float, weight: float) -> None:
    mean, sigma = random_state(n, seed=0)
    mean, (first, second) = spread * mean, all_pairs(n)
    moves, matters = moves_of(sigma.matrix(), first, second, weight), goal_kinds(goal, mean)

    gains = knowledge(first, second, moves, mean, np.argsort(mean), *matters)

    np.testing.assert_allclose(gains, slow(moves, mean, goal_pairs(goal, mean)), rtol=0.0, atol=1e-8)


@each_goal
@pytest.mark.parametrize("n", [3, 8, 40])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spread", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("few", [False, True])
def test_the_most_knowledge_is_the_maximum_and_what_is_tied_with_it(
    goal: Goal, n: int, seed: int, spread: float, few: bool
) -> None:
    mean, sigma = random_state(n, seed)
    mean, (first, second) = spread * mean, all_pairs(n)
    if few:
        first, second = first[: n - 1], second[: n - 1]
    moves, matters = moves_of(sigma.matrix(), first, second), goal_kinds(goal, mean)
    every = knowledge(first, second, moves, mean, np.argsort(mean), *matters)

    most = most_knowledge(first, second, moves, mean, np.argsort(mean), *matters, TIE)

    line = every.max() * (1.0 - TIE)
    np.testing.assert_array_equal(most >= line, every >= line)
    np.testing.assert_array_equal(most[most >= line], every[every >= line])
    assert (most <= every * (1.0 + TIE)).all()


@each_goal
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("places", [30, 10_000])
def test_of_few_pairs_of_many_candidates_the_best_is_found(goal: Goal, seed: int, places: int) -> None:
    """Most candidates move little; with few places many means are equal."""
    n, rng = 200, np.random.default_rng(seed)
    fitted = posterior.fit(random_comparisons(n, 4 * n, seed), model(n))
    mean = np.round(fitted.mean * places) / places
    first, second = rng.choice(n, (2, 40))
    moves = moves_of(fitted.covariance.matrix(), first, second)
    given = first, second, moves, mean, np.argsort(mean), *goal_kinds(goal, mean)
    every = knowledge(*given)

    most = most_knowledge(*given, TIE)

    np.testing.assert_array_equal(most >= every.max() * (1.0 - TIE), every >= every.max() * (1.0 - TIE))
    assert most.max() == every.max()


def test_no_pair_has_no_knowledge() -> None:
    nobody, mean = np.empty(0, np.int64), np.zeros(3)

    assert not len(
        most_knowledge(nobody, nobody, np.empty((0, 3)), mean, np.argsort(mean), *goal_kinds(RANKING, mean), TIE)
    )


@each_goal
def test_knowledge_is_what_a_verdict_adds_to_the_confidence_of_the_order(goal: Goal) -> None:
    """E sum |m'| - sum |m| over 200,000 answers that the posterior expects, within 4.5 standard errors."""
    mean, sigma = random_state(6, seed=1)
    (first, second), matters = all_pairs(6), goal_kinds(goal, mean)
    moves = moves_of(sigma.matrix(), first, second, weight=2.0)
    gains = knowledge(first, second, moves, mean, np.argsort(mean), *matters)
    k, other = np.nonzero(goal_pairs(goal, mean))

    for pair in (0, 7, 14):
        answers = np.random.default_rng(pair).standard_normal((200_000, 1))
        after = mean + answers * moves[pair]
        added = np.abs(after[:, k] - after[:, other]).sum(axis=1) - np.abs(mean[k] - mean[other]).sum()
        assert gains[pair] == pytest.approx(added.mean(), abs=4.5 * added.std() / np.sqrt(len(added)))


def test_a_tie_counts_for_four_fifths_of_what_it_moves() -> None:
    """Two candidates of prior variance 1, an answer of weight 1/4: v = 2, s = 2 sqrt(1/4 / (3/2))."""
    first, second = all_pairs(2)
    moves = moves_of(np.eye(2), first, second)

    (gain,) = knowledge(first, second, moves, np.zeros(2), np.arange(2), *goal_kinds(RANKING, np.zeros(2)))

    assert gain == pytest.approx(2.0 / np.sqrt(2.0 * np.pi) * 2.0 * np.sqrt(0.25 / 1.5))


@numerics
@given(n=st.integers(2, 12), seed=st.integers(0, 99), goal=st.sampled_from([RANKING, Goal(top_k=1), Goal(against=0)]))
def test_knowledge_is_never_negative_and_the_same_for_either_order(n: int, seed: int, goal: Goal) -> None:
    mean, sigma = random_state(n, seed)
    (first, second), matters = all_pairs(n), goal_kinds(goal, mean)

    gains = knowledge(first, second, moves_of(sigma.matrix(), first, second), mean, np.argsort(mean), *matters)

    assert (gains >= 0.0).all()
    swapped = knowledge(second, first, moves_of(sigma.matrix(), second, first), mean, np.argsort(mean), *matters)
    np.testing.assert_allclose(swapped, gains, rtol=1e-12, atol=1e-15)


def test_goals_that_part_the_pairs_part_the_knowledge() -> None:
    mean, sigma = random_state(9, seed=2)
    first, second = all_pairs(9)
    moves = moves_of(sigma.matrix(), first, second)
    kind, across = goal_kinds(Goal(top_k=3), mean)

    parts = [knowledge(first, second, moves, mean, np.argsort(mean), kind, meets) for meets in (across, ~across)]

    everything = knowledge(first, second, moves, mean, np.argsort(mean), *goal_kinds(RANKING, mean))
    np.testing.assert_allclose(parts[0] + parts[1], everything, rtol=1e-12)


@pytest.mark.parametrize("goal", [RANKING, Goal(top_k=3)])
def test_knowledge_does_not_depend_on_how_candidates_are_numbered(goal: Goal) -> None:
    mean, sigma = random_state(10, seed=3)
    label = np.random.default_rng(0).permutation(10)
    back = np.argsort(label)
    first, second = all_pairs(10)
    here = knowledge(
        first, second, moves_of(sigma.matrix(), first, second), mean, np.argsort(mean), *goal_kinds(goal, mean)
    )

    full, there = sigma.matrix()[np.ix_(back, back)].copy(), mean[back]
    ends = label[first], label[second]
    moved = knowledge(*ends, moves_of(full, *ends), there, np.argsort(there), *goal_kinds(goal, there))

    np.testing.assert_allclose(moved, here, rtol=1e-10)
