"""Pairs chosen for what they tell of a goal."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from app.inference.choosing.criteria import DRAWN, Batch, Criterion, Policy, score
from app.inference.choosing.goals import RANKING, Goal, goal_kinds, goal_pairs
from app.inference.choosing.knowledge import gains
from app.inference.choosing.picking import SHORTLIST, Choice, select
from app.inference.experts import make
from app.inference.fitting import posterior
from app.inference.fitting.model import Model
from app.inference.gaussian import DenseCovariance
from app.inference.kernels.pair_sets import of_mask
from app.inference.regimes import SMALL
from app.inference.types import Bools, Floats
from tests.inference.factories import (
    condition,
    dense,
    every_pair,
    isotropic,
    model,
    random_comparisons,
    random_state,
    together,
)
from tests.inference.kernels.test_knowledge import GOALS, moves_of, slow

KNOWLEDGE = Policy(Criterion.KNOWLEDGE)
Pair = tuple[int, int]


def own_term(m: Floats, v: Floats, weight: Floats) -> Floats:
    """E |m'| - |m| of a mean m' ~ N(m, s^2), s = v sqrt(w / (1 + w v))."""
    s = v * np.sqrt(weight / (1.0 + weight * v))
    z = np.abs(m) / s
    return np.asarray(2.0 * s * (norm.pdf(z) - z * norm.cdf(-z)))


def chosen(
    mean: Floats,
    sigma: DenseCovariance,
    goal: Goal = RANKING,
    *,
    policy: Policy = KNOWLEDGE,
    count: int = 1,
    open_pairs: Bools | None = None,
    of: Model | None = None,
    seed: int = 0,
) -> list[Choice]:
    n = len(mean)
    pairs = every_pair(n) if open_pairs is None else of_mask(open_pairs)
    return select(mean, sigma, of or model(n), pairs, together(n), policy, goal, count, np.random.default_rng(seed))


def pairs_of(choices: list[Choice]) -> list[Pair]:
    return [(choice.i, choice.j) for choice in choices]


def greedy(mean: Floats, sigma: Floats, goal: Goal, votes: float, count: int) -> list[Pair]:
    """Sum over all pairs that matter, for every pair; take the best, condition by inverting twice; and so on."""
    left, picks = list(combinations(range(len(mean)), 2)), list[Pair]()
    for _ in range(count):
        matters, values = goal_pairs(goal, mean), []
        for i, j in left:
            weight = votes * float(expit(mean[i] - mean[j]) * expit(mean[j] - mean[i]))
            values.append(slow(moves_of(sigma, np.array([i]), np.array([j]), weight), mean, matters)[0])
        i, j = left.pop(int(np.argmax(values)))
        picks.append((i, j))
        r = np.zeros(len(mean))
        r[i], r[j], weight = 1.0, -1.0, votes * float(expit(mean[i] - mean[j]) * expit(mean[j] - mean[i]))
        sigma = np.asarray(np.linalg.inv(np.linalg.inv(sigma) + weight * np.outer(r, r)))
    return picks


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("votes", [1.0, 8.0])
@pytest.mark.parametrize(("n", "seed"), [(5, 0), (5, 1), (14, 0)])
def test_select_is_the_slow_greedy_choice(goal: Goal, votes: float, n: int, seed: int) -> None:
    mean, sigma = random_state(n, seed)

    picks = chosen(mean, sigma, goal, count=4, of=model(n)._replace(votes=votes))

    assert pairs_of(picks) == greedy(mean, sigma.matrix(), goal, votes, 4)


def test_any_expert_is_served() -> None:
    mean, sigma = random_state(8, seed=0)

    (pick,) = chosen(mean, sigma, of=model(8, expert="gaussian"))

    first, second = (np.array(column) for column in zip(*combinations(range(8), 2), strict=True))
    values = slow(moves_of(sigma.matrix(), first, second, 0.25), mean, goal_pairs(RANKING, mean))
    assert make("gaussian").curvature(np.zeros(1), np.zeros(1)) == 0.25
    assert pick.score == pytest.approx(values.max())


def large_state(n: int, seed: int, each: float = 2.0) -> tuple[Floats, DenseCovariance]:
    fitted = posterior.fit(random_comparisons(n, int(each * n), seed), model(n))
    return fitted.mean, dense(fitted.covariance)


@pytest.mark.parametrize(
    ("goal", "share"), [(RANKING, 0.9), (Goal(top_k=1), 0.95), (Goal(top_k=10), 0.8), (Goal(against=3), 0.95)]
)
@pytest.mark.parametrize("seed", range(3))
def test_of_many_candidates_the_pair_is_nearly_the_best(goal: Goal, share: float, seed: int) -> None:
    """All 4,005 pairs of 90 candidates summed, of which the choice looks at some: it gets so much of the best."""
    mean, sigma = large_state(90, seed)
    first, second = (np.array(column) for column in zip(*combinations(range(90), 2), strict=True))
    every = gains(first, second, mean, sigma, model(90), goal_kinds(goal, mean))

    (pick,) = chosen(mean, sigma, goal)

    assert len(mean) > SMALL
    assert pick.score >= share * every.max()


def test_of_many_candidates_whose_pairs_are_all_alike_any_may_be_the_first() -> None:
    (pick,) = chosen(np.zeros(70), isotropic(70, 1.0))

    assert pick.propensity == pytest.approx(1.0 / (70 * 69 / 2))


def test_a_batch_of_many_candidates_is_the_choice_by_a_full_scan_after_each_pick() -> None:
    mean, sigma = large_state(80, seed=0)
    batch, left = chosen(mean, sigma, count=6), np.ones((80, 80), np.bool_)

    for pick in batch:
        first, second = np.nonzero(np.triu(left, 1))
        m = mean[first] - mean[second]
        v = np.array([sigma.variance_of_difference(int(i), int(j)) for i, j in zip(first, second, strict=True)])
        own = own_term(m, v, expit(m) * expit(-m))
        front = np.argsort(-own)[:SHORTLIST]
        values = gains(first[front].copy(), second[front].copy(), mean, sigma, model(80), goal_kinds(RANKING, mean))
        best = front[int(values.argmax())]
        assert (pick.i, pick.j) == (first[best], second[best])
        left[pick.i, pick.j] = False
        sigma = condition(sigma, pick.i, pick.j, float(expit(m[best]) * expit(-m[best])))


def test_where_no_pair_of_the_unsettled_is_open_the_others_are_asked() -> None:
    mean, sigma = np.linspace(40.0, 0.0, 80), isotropic(80, 1.0)
    only = np.zeros((80, 80), np.bool_)
    only[70, 79] = True

    assert pairs_of(chosen(mean, sigma, Goal(top_k=1), open_pairs=only)) == [(70, 79)]


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("batch", Batch)
def test_a_goal_never_runs_out_of_pairs_before_they_are_all_asked(goal: Goal, batch: Batch) -> None:
    mean, sigma = random_state(6, seed=0)

    for criterion in Criterion:
        picks = chosen(mean, sigma, goal, policy=Policy(criterion, batch=batch), count=99)
        assert sorted(pairs_of(picks)) == list(combinations(range(6), 2))


SCORED = [c for c in Criterion if c not in (*DRAWN, Criterion.KNOWLEDGE)]


@pytest.mark.parametrize("criterion", SCORED)
@pytest.mark.parametrize("n", [12, 80])
@pytest.mark.parametrize("goal", [Goal(top_k=2), Goal(against=5)])
def test_other_criteria_choose_among_the_pairs_that_matter_while_one_is_open(
    criterion: Criterion, n: int, goal: Goal
) -> None:
    mean, sigma = random_state(n, seed=1)
    matters = goal_pairs(goal, mean)
    many = int(matters.sum())

    picks = chosen(mean, sigma, goal, policy=Policy(criterion), count=many + 1)

    assert [bool(matters[pair]) for pair in pairs_of(picks)] == [True] * many + [False]


def test_once_the_pair_in_question_is_asked_those_with_one_of_the_two_follow() -> None:
    mean, sigma = random_state(6, seed=2)

    picks = pairs_of(chosen(mean, sigma, Goal(pair=(4, 1)), policy=Policy(Criterion.REORDERING), count=15))

    assert picks[0] == (1, 4)
    assert all({1, 4} & set(pair) for pair in picks[1:9])
    assert not any({1, 4} & set(pair) for pair in picks[9:])


def test_pairs_drawn_by_chance_ignore_the_goal() -> None:
    """They are there to test the ranking on; each of 15 pairs in 3,000 draws, within 4.5 standard errors."""
    mean, sigma = random_state(6, seed=0)
    policies = *map(Policy, DRAWN), Policy(Criterion.REORDERING, random_share=1.0)

    for policy in policies:
        picks = [pairs_of(chosen(mean, sigma, Goal(pair=(0, 1)), policy=policy, seed=s))[0] for s in range(3000)]
        counts = np.array([picks.count(pair) for pair in combinations(range(6), 2)])
        assert np.abs(counts - 200.0).max() < 4.5 * np.sqrt(200.0 * 14.0 / 15.0)


def test_the_first_batch_for_the_best_one_sees_everybody() -> None:
    """At the start nobody is known; a batch of 3 N pairs leaves no candidate out."""
    picks = pairs_of(chosen(np.zeros(12), isotropic(12, 1.0), Goal(top_k=1), count=36))

    assert {candidate for pair in picks for candidate in pair} == set(range(12))


def test_a_choice_explains_what_it_adds_to_the_goal() -> None:
    mean, sigma = random_state(7, seed=0)
    for goal in (RANKING, Goal(top_k=2)):
        (pick,) = chosen(mean, sigma, goal)
        pair = np.array([pick.i]), np.array([pick.j])
        (gain,) = gains(*pair, mean, sigma, model(7), goal_kinds(goal, mean))
        assert pick.score == pytest.approx(gain, rel=1e-12)


def test_the_own_term_is_what_a_pair_adds_to_its_own_order() -> None:
    mean, sigma = random_state(7, seed=0)
    v = np.array([sigma.variance_of_difference(2, 5)])
    m, pair = mean[[2]] - mean[[5]], (np.array([2]), np.array([5]))

    own = score(KNOWLEDGE, model(7), m, v, 0.0)

    np.testing.assert_allclose(own, gains(*pair, mean, sigma, model(7), goal_kinds(Goal(pair=(2, 5)), mean)), rtol=1e-9)
