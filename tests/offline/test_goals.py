"""Goals of a simulation: how they are named, and how far scores get there."""

import numpy as np
import pytest

from app.files.tables import InputError
from app.inference.choosing import RANKING, Criterion, Goal
from app.offline.goals import WantedGoal, parse, reached, wanting
from app.offline.replay import LocalLoop, agreement
from app.offline.simulation import costs, simulate
from app.offline.tournaments import Tournament
from tests.offline.factories import SETUP, make_case

TRUTH = np.array([3.0, 2.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("top_k=3", WantedGoal(top_k=3)),
        ("against=a=b", WantedGoal(against="a=b")),
        ("pair=a,b", WantedGoal(pair=("a", "b"))),
    ],
)
def test_a_goal_is_named_as_the_contract_names_it(text: str, wanted: WantedGoal) -> None:
    assert parse(text) == wanted


@pytest.mark.parametrize("text", ["", "top_k", "top_k=0", "top_k=x", "against=", "pair=a", "pair=a,a", "best=1"])
def test_what_is_no_goal_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="top_k=NUMBER, against=KEY or pair=KEY,KEY"):
        parse(text)


def test_a_goal_names_candidates_of_every_case() -> None:
    case = make_case()
    assert case.goal == RANKING
    assert wanting(case, WantedGoal(top_k=2)).goal == Goal(top_k=2)
    assert wanting(case, WantedGoal(against="b")).goal == Goal(against=1)
    assert wanting(case, WantedGoal(pair=("d", "a"))).goal == Goal(pair=(3, 0))
    with pytest.raises(InputError, match="g / z"):
        wanting(case, WantedGoal(against="z"))


@pytest.mark.parametrize(
    ("scores", "goal", "share"),
    [
        ([4, 3, 2, 1], Goal(top_k=2), 1.0),
        ([4, 1, 3, 2], Goal(top_k=2), 0.5),
        ([1, 2, 3, 4], Goal(top_k=1), 0.0),
        ([0, 0, 0, 0], Goal(top_k=1), 0.25),
        ([4, 0, 0, 0], Goal(top_k=2), 2 / 3),
        ([1, 2, 3, 4], Goal(top_k=9), 1.0),
        ([4, 3, 2, 1], Goal(against=1), 1.0),
        ([2, 3, 2, 1], Goal(against=1), 2 / 3),
        ([3, 3, 2, 1], Goal(against=1), 5 / 6),
        ([4, 3, 2, 1], Goal(pair=(3, 0)), 1.0),
        ([1, 3, 2, 4], Goal(pair=(3, 0)), 0.0),
        ([1, 3, 2, 1], Goal(pair=(3, 0)), 0.5),
    ],
)
def test_how_far_scores_get(scores: list[int], goal: Goal, share: float) -> None:
    assert reached(np.array(scores, np.float64), TRUTH, goal) == pytest.approx(share)


def test_of_equals_in_truth_any_may_be_in_the_top() -> None:
    assert reached(np.array([1.0, 3.0, 2.0]), np.array([2.0, 1.0, 1.0]), Goal(top_k=2)) == 1.0


def test_agreement_is_about_the_goal_of_the_case() -> None:
    case = make_case()
    nearly = case.truth.copy()
    best, worst = int(nearly.argmax()), int(nearly.argmin())
    nearly[worst] = nearly[best] - 1e-6
    assert agreement(nearly, case) < 1.0
    assert agreement(nearly, case._replace(goal=Goal(top_k=1))) == 1.0


def test_the_first_pair_of_a_loop_is_for_the_goal_of_its_case() -> None:
    policy = SETUP.policy._replace(criterion=Criterion.KNOWLEDGE)
    ((first, second),) = LocalLoop(
        wanting(make_case(), WantedGoal(pair=("c", "f"))), SETUP._replace(policy=policy)
    ).ask()
    assert {first, second} == {2, 5}


def test_pairs_chosen_for_the_goal_reach_it_sooner() -> None:
    """Six judges who never err, of eight candidates: whether c is better than f takes one comparison."""
    cases = [wanting(make_case(8, seed), WantedGoal(pair=("c", "f"))) for seed in range(6)]
    curves = simulate(cases, [Criterion.KNOWLEDGE, Tournament.ROUND_ROBIN], 1, SETUP, limit_share=0.2)
    knowledge, robin = costs(curves, 1.0)
    assert curves.measure == "goal"
    assert knowledge.comparisons == 1.0
    assert robin.comparisons is None or robin.comparisons > 3.0
