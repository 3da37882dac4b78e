"""Pairs chosen for what they tell of a goal; the knowledge gradient against its slow formula and what answers add."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, ndtr

from app.inference.choosing.criteria import (
    DRAWN,
    RANKING,
    Batch,
    Criterion,
    Goal,
    Policy,
    goal_kinds,
    goal_pairs,
    score,
)
from app.inference.choosing.knowledge import (
    EVERY,
    JudgedRound,
    answered_in,
    gains,
    knowledge,
)
from app.inference.choosing.picking import SHORTLIST
from app.inference.experts import make
from app.inference.fitting import posterior
from app.inference.fitting.model import Method, build
from app.inference.gaussian import DenseCovariance, plain
from app.inference.regimes import SMALL
from app.inference.types import Bools, Floats, Ints, by_one_judge
from tests.inference.choosing.test_picking import all_open, chosen, greedy, pairs_of
from tests.inference.factories import (
    condition,
    dense,
    isotropic,
    model,
    numerics,
    random_comparisons,
    random_state,
)

GOALS = [RANKING, Goal(top_k=1), Goal(top_k=2), Goal(against=1), Goal(pair=(0, 2))]
each_goal = pytest.mark.parametrize("goal", GOALS, ids=str)
TIE = 1e-9


def all_pairs(n: int) -> tuple[Ints, Ints]:
    first, second = np.triu_indices(n, 1)
    return first.copy(), second.copy()


def moves_of(sigma: Floats, first: Ints, second: Ints, weight: Floats | float = 0.25) -> Floats:
    """(L, N) u = Sigma r sqrt(w / (1 + w v))."""
    spread = sigma[first] - sigma[second]
    v = spread[np.arange(len(first)), first] - spread[np.arange(len(first)), second]
    return np.asarray(spread * np.sqrt(weight / (1.0 + weight * v))[:, None])


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

    gains = knowledge(first, second, moves, mean, *matters, EVERY)

    np.testing.assert_allclose(gains, slow(moves, mean, goal_pairs(goal, mean)), rtol=0.0, atol=1e-8)


@each_goal
@pytest.mark.parametrize("n", [3, 8, 40])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spread", [0.0, 0.3, 3.0])
def test_the_most_knowledge_is_the_maximum_and_what_is_tied_with_it(
    goal: Goal, n: int, seed: int, spread: float
) -> None:
    mean, sigma = random_state(n, seed)
    mean, (first, second) = spread * mean, all_pairs(n)
    moves, matters = moves_of(sigma.matrix(), first, second), goal_kinds(goal, mean)
    every = knowledge(first, second, moves, mean, *matters, EVERY)

    most = knowledge(first, second, moves, mean, *matters, TIE)

    line = every.max() * (1.0 - TIE)
    np.testing.assert_array_equal(most >= line, every >= line)
    np.testing.assert_array_equal(most[most >= line], every[every >= line])
    assert (most <= every * (1.0 + TIE)).all()


def test_no_pair_has_no_knowledge() -> None:
    nobody, mean = np.empty(0, np.int64), np.zeros(3)

    assert not len(knowledge(nobody, nobody, np.empty((0, 3)), mean, *goal_kinds(RANKING, mean), TIE))


@each_goal
def test_knowledge_is_what_a_verdict_adds_to_the_confidence_of_the_order(goal: Goal) -> None:
    """E sum |m'| - sum |m| over 200,000 answers that the posterior expects, within 4.5 standard errors."""
    mean, sigma = random_state(6, seed=1)
    (first, second), matters = all_pairs(6), goal_kinds(goal, mean)
    moves = moves_of(sigma.matrix(), first, second, weight=2.0)
    gains = knowledge(first, second, moves, mean, *matters, EVERY)
    k, other = np.nonzero(goal_pairs(goal, mean))

    for pair in (0, 7, 14):
        answers = np.random.default_rng(pair).standard_normal((200_000, 1))
        after = mean + answers * moves[pair]
        added = np.abs(after[:, k] - after[:, other]).sum(axis=1) - np.abs(mean[k] - mean[other]).sum()
        assert gains[pair] == pytest.approx(added.mean(), abs=4.5 * added.std() / np.sqrt(len(added)))


@numerics
@given(n=st.integers(2, 12), seed=st.integers(0, 99), goal=st.sampled_from([RANKING, Goal(top_k=1), Goal(against=0)]))
def test_knowledge_is_never_negative_and_the_same_for_either_order(n: int, seed: int, goal: Goal) -> None:
    mean, sigma = random_state(n, seed)
    (first, second), matters = all_pairs(n), goal_kinds(goal, mean)

    gains = knowledge(first, second, moves_of(sigma.matrix(), first, second), mean, *matters, EVERY)

    assert (gains >= 0.0).all()
    swapped = knowledge(second, first, moves_of(sigma.matrix(), second, first), mean, *matters, EVERY)
    np.testing.assert_allclose(swapped, gains, rtol=1e-12, atol=1e-15)


KNOWLEDGE = Policy(Criterion.KNOWLEDGE)


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("votes", [1.0, 8.0])
@pytest.mark.parametrize(("n", "seed"), [(5, 0), (5, 1), (14, 0)])
def test_select_is_the_slow_greedy_choice(goal: Goal, votes: float, n: int, seed: int) -> None:
    mean, sigma = random_state(n, seed)

    def values(full: Floats, i: Ints, j: Ints) -> Floats:
        weight = votes * expit(mean[i] - mean[j]) * expit(mean[j] - mean[i])
        return slow(moves_of(full, i, j, weight), mean, goal_pairs(goal, mean))

    picks = chosen(mean, sigma, KNOWLEDGE, goal=goal, count=4, of=model(n)._replace(votes=votes))

    assert pairs_of(picks) == greedy(mean, sigma.matrix(), all_open(n), values, 4, votes)


def test_any_expert_is_served() -> None:
    mean, sigma = random_state(8, seed=0)

    (pick,) = chosen(mean, sigma, KNOWLEDGE, of=model(8, expert="gaussian"))

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

    (pick,) = chosen(mean, sigma, KNOWLEDGE, goal=goal)

    assert len(mean) > SMALL
    assert pick.score >= share * every.max()


def test_a_batch_of_many_candidates_is_the_choice_by_a_full_scan_after_each_pick() -> None:
    mean, sigma = large_state(80, seed=0)
    batch, left = chosen(mean, sigma, KNOWLEDGE, count=6), np.ones((80, 80), np.bool_)

    for pick in batch:
        first, second = np.nonzero(np.triu(left, 1))
        m = mean[first] - mean[second]
        v = np.array([sigma.variance_of_difference(int(i), int(j)) for i, j in zip(first, second, strict=True)])
        own = score(KNOWLEDGE, model(80), m, v, 0.0)
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

    assert pairs_of(chosen(mean, sigma, KNOWLEDGE, goal=Goal(top_k=1), open_pairs=only)) == [(70, 79)]


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("batch", Batch)
def test_a_goal_never_runs_out_of_pairs_before_they_are_all_asked(goal: Goal, batch: Batch) -> None:
    mean, sigma = random_state(6, seed=0)

    for criterion in Criterion:
        picks = chosen(mean, sigma, Policy(criterion, batch=batch), goal=goal, count=99)
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

    picks = chosen(mean, sigma, Policy(criterion), goal=goal, count=many + 1)

    assert [bool(matters[pair]) for pair in pairs_of(picks)] == [True] * many + [False]


def test_once_the_pair_in_question_is_asked_those_with_one_of_the_two_follow() -> None:
    mean, sigma = random_state(6, seed=2)

    picks = pairs_of(chosen(mean, sigma, Policy(Criterion.REORDERING), goal=Goal(pair=(4, 1)), count=15))

    assert picks[0] == (1, 4)
    assert all({1, 4} & set(pair) for pair in picks[1:9])
    assert not any({1, 4} & set(pair) for pair in picks[9:])


def test_pairs_drawn_by_chance_ignore_the_goal() -> None:
    """They are there to test the ranking on; each of 15 pairs in 3,000 draws, within 4.5 standard errors."""
    mean, sigma = random_state(6, seed=0)
    policies = *map(Policy, DRAWN), Policy(Criterion.REORDERING, random_share=1.0)

    for policy in policies:
        picks = [pairs_of(chosen(mean, sigma, policy, goal=Goal(pair=(0, 1)), seed=s))[0] for s in range(3000)]
        counts = np.array([picks.count(pair) for pair in combinations(range(6), 2)])
        assert np.abs(counts - 200.0).max() < 4.5 * np.sqrt(200.0 * 14.0 / 15.0)


def test_the_first_batch_for_the_best_one_sees_everybody() -> None:
    """At the start nobody is known; a batch of 3 N pairs leaves no candidate out."""
    picks = pairs_of(chosen(np.zeros(12), isotropic(12, 1.0), KNOWLEDGE, goal=Goal(top_k=1), count=36))

    assert {candidate for pair in picks for candidate in pair} == set(range(12))


def test_a_choice_explains_what_it_adds_to_the_goal() -> None:
    mean, sigma = random_state(7, seed=0)
    for goal in (RANKING, Goal(top_k=2)):
        (pick,) = chosen(mean, sigma, KNOWLEDGE, goal=goal)
        pair = np.array([pick.i]), np.array([pick.j])
        (gain,) = gains(*pair, mean, sigma, model(7), goal_kinds(goal, mean))
        assert pick.score == pytest.approx(gain, rel=1e-12)


def test_the_own_term_is_what_a_pair_adds_to_its_own_order() -> None:
    mean, sigma = random_state(7, seed=0)
    v = np.array([sigma.variance_of_difference(2, 5)])
    m, pair = mean[[2]] - mean[[5]], (np.array([2]), np.array([5]))

    own = score(KNOWLEDGE, model(7), m, v, 0.0)

    np.testing.assert_allclose(own, gains(*pair, mean, sigma, model(7), goal_kinds(Goal(pair=(2, 5)), mean)), rtol=1e-9)


FOUR = 4
FIRST, SECOND, P = np.array([0, 1, 1, 2]), np.array([1, 0, 2, 3]), np.array([1.0, 0.0, 0.5, 1.0])


def test_a_question_is_answered_once() -> None:
    comparisons = by_one_judge(FIRST, SECOND, P)
    verdict, answered = answered_in(JudgedRound(comparisons, np.array([0, 0, 1, 1]), 2), FOUR)
    share = np.zeros((FOUR, FOUR))
    share[[0, 1, 2], [1, 2, 3]] = 0.5
    np.testing.assert_array_equal(answered, share + share.T)
    np.testing.assert_array_equal(verdict[[0, 1, 1, 2], [1, 0, 2, 1]], [1.0, 0.0, 0.5, 0.5])


@pytest.mark.parametrize("votes", [1.0, 50.0])
def test_what_is_open_moves_with_the_scores_and_what_is_answered_does_not(votes: float) -> None:
    """Slow formula: the wins of a candidate whose score, with those of all others, moves by Sigma r times little.

    A gain far below the differences grows faster than the move, whose own error is 3%: that of the curvature at v = 0.
    """
    rng, model = np.random.default_rng(3), build(Method(), FOUR, 1)._replace(votes=votes)
    root = rng.standard_normal((FOUR, FOUR))
    sigma, mean = 0.01 * (root @ root.T + np.eye(FOUR)), rng.standard_normal(FOUR)
    comparisons = by_one_judge(FIRST, SECOND, P)
    judged, little = JudgedRound(comparisons, np.array([0, 0, 1, 1]), 2), 1e-6
    verdict, share = answered_in(judged, FOUR)

    def wins(s: Floats) -> Floats:
        variance = sigma.diagonal()[:, None] + sigma.diagonal() - 2.0 * sigma
        expected = expit((s[:, None] - s) / np.sqrt(1.0 + np.pi / 8.0 * variance))
        of_pairs = share * verdict + (1.0 - share) * expected
        return np.asarray(of_pairs.sum(axis=1) - of_pairs.diagonal())

    i, j = all_pairs(FOUR)
    gained = gains(i, j, mean, plain(sigma, 0.0), model, goal_kinds(RANKING, mean), EVERY, judged)
    expected = []
    for a, b in zip(i, j, strict=True):
        r = np.eye(FOUR)[a] - np.eye(FOUR)[b]
        move = (wins(mean + little * sigma @ r) - wins(mean)) / little + r / (2 * votes)
        v, p = r @ sigma @ r, expit((mean[a] - mean[b]) / np.sqrt(1.0 + np.pi / 8.0 * (r @ sigma @ r)))
        weight = votes * p * (1.0 - p)
        u = move * np.sqrt(weight / (1.0 + weight * v))
        apart, m = np.abs(u[:, None] - u), np.abs(wins(mean)[:, None] - wins(mean))
        draws = np.random.default_rng(0).standard_normal(200_000)
        pairs = [(k, low) for k in range(FOUR) for low in range(k)]
        expected.append(sum(np.abs(m[at] + apart[at] * draws).mean() - m[at] for at in pairs))
    np.testing.assert_allclose(gained, expected, rtol=0.15)


def test_judge_of_many_votes_is_asked_about_an_unknown_candidate_first() -> None:
    """Three candidates are known well, the last one not at all; a verdict of theirs would add next to nothing."""
    sigma, mean = np.diag([1e-3, 1e-3, 1e-3, 4.0]), np.array([0.3, 0.0, -0.3, 0.0])
    i, j = all_pairs(FOUR)
    nothing = JudgedRound(by_one_judge(FIRST[:0], SECOND[:0], P[:0]), np.empty(0, np.int64), 1)
    for votes in (1.0, 1000.0):
        model = build(Method(), FOUR, 1)._replace(votes=votes)
        gained = gains(i, j, mean, plain(sigma, 0.0), model, goal_kinds(RANKING, mean), EVERY, nothing)
        assert 3 in (i[gained.argmax()], j[gained.argmax()])
