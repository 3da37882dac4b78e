"""Pairs that connect candidates come first (decision 47)."""

import numpy as np
import pytest

from app.inference.choosing.asking import NONE_LEASED, Draws, Leased, Order, Plan, next_pairs
from app.inference.choosing.criteria import DRAWN, Criterion, Policy
from app.inference.choosing.goals import RANKING, Goal, upper_triangle
from app.inference.choosing.picking import connected, joining
from app.inference.fitting import posterior
from app.inference.fitting.model import Model
from app.inference.kernels.pair_sets import PairSet, mask, of_mask
from app.inference.regimes import SMALL
from app.inference.types import Comparisons, Ints, no_comparisons
from tests.inference.factories import comparisons, cycle, every_pair, model

MANY = SMALL + 2
NOBODY = np.empty(0, np.int64)
each_criterion = pytest.mark.parametrize("criterion", [each for each in Criterion if each not in DRAWN])


def asked(
    criterion: Criterion,
    count: int,
    *,
    log: Comparisons | None = None,
    of: Model | None = None,
    leased: Leased = NONE_LEASED,
    goal: Goal = RANKING,
    n: int = MANY,
) -> list[tuple[int, int]]:
    log, of = log or no_comparisons(), of or model(n)
    plan, live = Plan(Policy(criterion), Order.AS_SELECTED, 0, goal), posterior.fit(log, of)
    open_pairs = every_pair(n)
    presented = next_pairs(
        live.scores,
        of,
        log,
        leased,
        open_pairs,
        plan,
        count,
        Draws(plan, log.size, len(leased.first)),
    )
    return [(pair.first, pair.second) for pair in presented]


def joins(component: Ints, open_pairs: PairSet, criterion: Criterion = Criterion.REORDERING) -> set[tuple[int, int]]:
    pairs = joining(component, open_pairs, criterion)
    assert pairs is not None
    return {(int(i), int(j)) for i, j in np.argwhere(mask(pairs))}


def components_after(pairs: list[tuple[int, int]], n: int) -> Ints:
    first, second = np.array(pairs).T
    return connected(np.arange(n), first, second, model(n), RANKING, Criterion.REORDERING)


@each_criterion
@pytest.mark.parametrize("n", [MANY, MANY + 1])
def test_everyone_is_compared_once_before_anyone_twice_and_a_tree_comes_before_any_cycle(
    criterion: Criterion, n: int
) -> None:
    pairs = asked(criterion, n - 1, n=n)

    assert len(np.unique(pairs[: n // 2])) == 2 * (n // 2)
    assert set(components_after(pairs, n)) == {0}


def test_what_is_apart_joins_the_largest_component() -> None:
    component = np.array([0, 0, 0, 1, 1, 2, 2])

    assert joins(component, every_pair(7)) == {(i, j) for i in (0, 1, 2) for j in (3, 4, 5, 6)}


def test_never_compared_candidates_meet_each_other_first() -> None:
    component, open_pairs = np.array([0, 0, 1, 2, 3]), upper_triangle(5).copy()

    assert joins(component, every_pair(5)) == {(2, 3), (2, 4), (3, 4)}

    open_pairs[2:, 2:] = False  # somebody else has these
    assert joins(component, of_mask(open_pairs)) == {(i, j) for i in (0, 1) for j in (2, 3, 4)}


def test_nothing_is_left_to_join_once_all_are_connected_or_no_such_pair_is_open() -> None:
    within = np.zeros((4, 4), np.bool_)
    within[0, 1] = True

    assert joining(np.zeros(4, np.int64), every_pair(4), Criterion.REORDERING) is None
    assert joining(np.array([0, 0, 1, 1]), of_mask(within), Criterion.REORDERING) is None


def test_pairs_that_are_out_on_a_lease_count_as_compared() -> None:
    out = np.arange(0, MANY - 2, 2)

    (pair,) = asked(Criterion.REORDERING, 1, leased=Leased(out, out + 1))

    assert pair == (MANY - 2, MANY - 1)


def test_an_absolute_score_connects() -> None:
    scored, precision = model(MANY), np.zeros(MANY)
    precision[[0, 2, 3]] = [1.0, 2.0, 1.0]
    scored = scored._replace(prior=scored.prior._replace(absolute=precision))

    component = connected(np.arange(MANY), NOBODY, NOBODY, scored, RANKING, Criterion.REORDERING)

    assert len({component[0], component[2], component[3]}) == 1
    assert len(set(component)) == MANY - 2


@pytest.mark.parametrize(("n", "goal"), [(SMALL, RANKING), (MANY, Goal(top_k=1))])
def test_few_candidates_and_other_goals_need_no_joining(n: int, goal: Goal) -> None:
    assert set(connected(np.arange(n), NOBODY, NOBODY, model(n), goal, Criterion.REORDERING)) == {0}


def test_a_candidate_that_comes_late_is_asked_about_next() -> None:
    (pair,) = asked(Criterion.REORDERING, 1, log=cycle(MANY - 1, seed=0))

    assert pair[1] == MANY - 1


def test_another_goal_than_the_ranking_asks_what_it_needs() -> None:
    """The candidates that are not in the pair in question stay as they are."""
    log = comparisons((0, 1, 0.9), (1, 2, 0.6))

    assert asked(Criterion.KNOWLEDGE, 1, log=log, goal=Goal(pair=(0, 2))) == [(0, 2)]


def test_pairs_that_join_are_drawn_uniformly_and_say_so() -> None:
    """Four of the candidates were never compared."""
    log, of = cycle(MANY - 4, seed=0), model(MANY)
    plan, live = Plan(Policy(Criterion.REORDERING), Order.AS_SELECTED, 0), posterior.fit(log, of)
    open_pairs = every_pair(MANY)

    pairs = [
        next_pairs(live.scores, of, log, NONE_LEASED, open_pairs, plan, 2, np.random.default_rng(seed))
        for seed in range(300)
    ]

    counts = np.unique([(first.first, first.second) for first, _ in pairs], axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert counts.min() > 30
    assert {(round(1 / a.choice.propensity), round(1 / b.choice.propensity)) for a, b in pairs} == {(6, 1)}


@pytest.mark.parametrize("n", [2, 5, 12, 13, MANY])
@pytest.mark.parametrize("goal", [RANKING, Goal(top_k=1)])
def test_covering_is_random_but_has_every_candidate_in_a_pair_at_once(n: int, goal: Goal) -> None:
    """PoE 4.2 draws random pairs in which each text is at least once."""
    half = (n + 1) // 2

    pairs = asked(Criterion.COVERING, half + 3, n=n, goal=goal)

    assert len(np.unique(pairs[: n // 2])) == 2 * (n // 2)
    assert set(np.ravel(pairs[:half])) == set(range(n))


def test_covering_joins_nothing_and_leaves_alone_who_has_no_open_pair() -> None:
    component, open_pairs = np.array([0, 0, 1, 1, 2, 3]), upper_triangle(6).copy()

    assert joins(component, every_pair(6), Criterion.COVERING) == {(4, 5)}

    open_pairs[4, 5] = False
    open_pairs[:, 5] = False
    assert joins(component, of_mask(open_pairs), Criterion.COVERING) == {(i, 4) for i in range(4)}

    open_pairs[:, 4] = False
    assert joining(component, of_mask(open_pairs), Criterion.COVERING) is None
    assert joining(np.array([0, 0, 1, 1]), every_pair(4), Criterion.COVERING) is None


def test_covering_reads_no_absolute_score() -> None:
    of = model(4)
    of = of._replace(prior=of.prior._replace(absolute=np.ones(4)))

    assert len(set(connected(np.arange(4), NOBODY, NOBODY, of, RANKING, Criterion.COVERING))) == 4
