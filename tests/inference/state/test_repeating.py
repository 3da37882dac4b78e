"""Questions that are asked again where a stop hangs on whether the judge repeats itself."""

from collections.abc import Callable

import numpy as np
import pytest

from app.inference.choosing import Criterion, Goal, Order, Plan, Policy, Stop
from app.inference.fitting import Method
from app.inference.state import (
    NONE_BLOCKED,
    BlockedPairs,
    Checked,
    ComparisonRow,
    Interpretation,
    Reopening,
    Snapshot,
    Sought,
    advance,
    ask,
    check,
    empty,
    has_pair,
    log_from_rows,
)
from app.inference.state.stops import MOST_REPEATS
from tests.inference.state.test_asking import catalogue

N, JUDGE, OTHER = 6, 7, 8
HAS = np.ones((1, N), np.bool_)
STOP, GOAL = Stop(top_k=1), Goal(top_k=1)
PLAN = Plan(Policy(Criterion.KNOWLEDGE), Order.BALANCED, 0, GOAL, target="all-pairs")
Answer = Callable[[int, int], float]


def told(snapshot: Snapshot, first: int, second: int, p: float, judge: int = JUDGE) -> Snapshot:
    row = ComparisonRow(snapshot.version + 1, 0, first, second, p, judge)
    return advance(snapshot, row.seq, log_from_rows([row]), [])


def asked_until(answer: Answer, sought: Sought, most: int = 40) -> tuple[Snapshot, Checked, list[tuple[int, int]]]:
    """The set once it stops or has `most` comparisons, and which questions it asked again."""
    snapshot = empty(Interpretation(Method(verdict_weight="learnt"), {}), N, 1)
    checked, again = Checked(None), list[tuple[int, int]]()
    while snapshot.version < most and not checked.reason:
        (chosen,) = ask(
            snapshot, catalogue(HAS), NONE_BLOCKED, PLAN, 1, Reopening(JUDGE, False, STOP), [JUDGE], checked
        )
        first, second = chosen.pair[:2]
        if chosen.criterion == "repeat":
            again.append((first, second))
        snapshot = told(snapshot, first, second, answer(first, second))
        checked = check(snapshot, STOP, GOAL, sought)
    return snapshot, checked, again


def by_number(first: int, second: int) -> float:
    return float(first < second)


def test_a_judge_who_repeats_itself_is_asked_a_few_again_and_then_believed() -> None:
    snapshot, checked, again = asked_until(by_number, Sought("all-pairs", HAS, ()))
    assert checked.reason == "top_k"
    assert 1 <= len(again) <= MOST_REPEATS
    shown = snapshot.log.entries.comparisons
    order = list(zip(shown.first.tolist(), shown.second.tolist(), strict=True))
    assert all(order.count(pair) > 1 for pair in again)  # in the order in which it was asked
    declared, of_declared, never = asked_until(by_number, Sought("all-pairs", HAS, (), {JUDGE: 1.0}))
    assert (of_declared.reason, never) == ("top_k", [])
    assert declared.version < snapshot.version


def test_a_judge_who_changes_its_mind_is_not_asked_for_ever() -> None:
    rng = np.random.default_rng(0)
    _, checked, again = asked_until(lambda first, second: float(rng.random() < 0.5), Sought("all-pairs", HAS, ()))
    assert checked.reason is None
    assert len(again) < MOST_REPEATS
    _, checked, again = asked_until(by_number, Sought("all-pairs", HAS, (), {JUDGE: 0.0}), most=15)
    assert again == []


@pytest.fixture(scope="module")
def waiting() -> tuple[Snapshot, Checked]:
    """A set that would stop if its judge repeated itself."""
    snapshot = empty(Interpretation(Method(verdict_weight="learnt"), {}), N, 1)
    for first, second in ((0, 1), (2, 3), (4, 5), (0, 2), (4, 2), (0, 4), (0, 3), (5, 0)):
        snapshot = told(snapshot, first, second, by_number(first, second))
    return snapshot, check(snapshot, STOP, GOAL, Sought("all-pairs", HAS, ()))


def test_it_is_asked_of_that_judge_and_while_nobody_holds_the_pair(waiting: tuple[Snapshot, Checked]) -> None:
    snapshot, checked = waiting
    (question,) = checked.to_repeat
    assert question.judge == JUDGE
    pair = question.first, question.second

    def first_of(askers: list[int], blocked: BlockedPairs = NONE_BLOCKED) -> tuple[int, int]:
        chosen = ask(snapshot, catalogue(HAS), blocked, PLAN, 2, None, askers, checked)
        assert [each.criterion for each in chosen[1:]] == [None]  # one at a time
        return chosen[0].pair[:2]

    assert first_of([JUDGE]) == pair
    assert first_of([OTHER]) != pair
    held = BlockedPairs(np.zeros(1, np.int64), np.array([pair[1]]), np.array([pair[0]]), 1)
    assert first_of([JUDGE], held) != pair


def test_people_and_other_targets_are_not_asked_again(waiting: tuple[Snapshot, Checked]) -> None:
    snapshot, _ = waiting
    for sought in (
        Sought("all-pairs", HAS, (JUDGE,)),
        Sought("latent", HAS, ()),
        Sought("all-pairs", HAS, (), {JUDGE: 0.0}),
    ):
        assert not check(snapshot, STOP, GOAL, sought).to_repeat


def test_a_repeat_is_a_pair_to_give_once_all_others_are_used_up(waiting: tuple[Snapshot, Checked]) -> None:
    snapshot, checked = waiting
    for first in range(N):
        for second in range(first):
            if (first, second) not in ((1, 0), (3, 2)):
                snapshot = told(snapshot, first, second, by_number(first, second), OTHER)
    for first, second in ((0, 1), (2, 3)):
        snapshot = told(snapshot, first, second, 1.0, OTHER)
    assert not has_pair(snapshot, catalogue(HAS), NONE_BLOCKED, PLAN, None, [JUDGE])
    assert has_pair(snapshot, catalogue(HAS), NONE_BLOCKED, PLAN, None, [JUDGE], checked)
