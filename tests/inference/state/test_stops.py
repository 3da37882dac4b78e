"""Stops: of few candidates, of votes, of sets with prompts, and where they hang on whether a judge repeats itself."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit

from app.inference.choosing import RANKING, Criterion, Goal, Order, Plan, Policy, Stop
from app.inference.choosing.forecasting import Left
from app.inference.fitting import Method
from app.inference.reporting.confidence import concordance
from app.inference.state import (
    NONE_BLOCKED,
    BlockedPairs,
    Checked,
    ComparisonRow,
    Interpretation,
    Reopening,
    ScoreRow,
    Snapshot,
    Sought,
    advance,
    ask,
    check,
    distance,
    empty,
    exact,
    has_pair,
    log_from_rows,
)
from app.inference.state.stops import MOST_REPEATS
from app.inference.types import Floats

LEARNT = Interpretation(Method(verdict_weight="learnt"), {})
N, JUDGE, OTHER = 6, 7, 8
HAS = np.ones((1, N), np.bool_)
STOP, GOAL = Stop(top_k=1), Goal(top_k=1)
PLAN = Plan(Policy(Criterion.KNOWLEDGE), Order.BALANCED, 0, GOAL, target="all-pairs")
PROMPTS, SETS, STEP = 60, 40, 6
Answer = Callable[[int, int], float]


def told(snapshot: Snapshot, first: int, second: int, p: float, judge: int = JUDGE) -> Snapshot:
    row = ComparisonRow(snapshot.version + 1, 0, first, second, p, judge)
    return advance(snapshot, row.seq, log_from_rows([row]), [])


def asked_until(answer: Answer, sought: Sought, most: int = 40) -> tuple[Snapshot, Checked, list[tuple[int, int]]]:
    """The set once it stops or has `most` comparisons, and which questions it asked again."""
    snapshot = empty(LEARNT, N, 1)
    checked, again = Checked(None), list[tuple[int, int]]()
    while snapshot.version < most and not checked.reason:
        (chosen,) = ask(snapshot, HAS, NONE_BLOCKED, PLAN, 1, Reopening(JUDGE, False, STOP), [JUDGE], checked)
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
    snapshot = empty(LEARNT, N, 1)
    for first, second in ((0, 1), (2, 3), (4, 5), (0, 2), (4, 2), (0, 4), (0, 3), (5, 0)):
        snapshot = told(snapshot, first, second, by_number(first, second))
    return snapshot, check(snapshot, STOP, GOAL, Sought("all-pairs", HAS, ()))


def test_it_is_asked_of_that_judge_and_while_nobody_holds_the_pair(waiting: tuple[Snapshot, Checked]) -> None:
    snapshot, checked = waiting
    (question,) = checked.to_repeat
    assert question.judge == JUDGE
    pair = question.first, question.second

    def first_of(askers: list[int], blocked: BlockedPairs = NONE_BLOCKED) -> tuple[int, int]:
        chosen = ask(snapshot, HAS, blocked, PLAN, 2, None, askers, checked)
        assert [each.criterion for each in chosen[1:]] == [None]  # one at a time
        return chosen[0].pair[:2]

    assert first_of([JUDGE]) == pair
    assert first_of([OTHER]) != pair
    held = BlockedPairs(np.zeros(1, np.int64), np.array([pair[1]]), np.array([pair[0]]), 1)
    assert first_of([JUDGE], held) != pair


def test_a_judge_who_only_gave_absolute_scores_is_asked_nothing_again(waiting: tuple[Snapshot, Checked]) -> None:
    snapshot, checked = waiting
    scored = log_from_rows([], [ScoreRow(snapshot.version + 1, 0, 0, OTHER, 0.0, 1.0)])
    with_scores = advance(snapshot, snapshot.version + 1, scored, [])
    again = check(with_scores, STOP, GOAL, Sought("all-pairs", HAS, ()))
    assert checked.to_repeat
    assert {question.judge for question in again.to_repeat} <= {JUDGE}


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
    assert not has_pair(snapshot, HAS, NONE_BLOCKED, PLAN, None, [JUDGE])
    assert has_pair(snapshot, HAS, NONE_BLOCKED, PLAN, None, [JUDGE], checked)


@pytest.mark.parametrize("n", [0, 1])
def test_a_set_too_small_to_compare_never_stops(n: int) -> None:
    snapshot = empty(Interpretation(Method(), {}), n, 1)
    assert check(snapshot, Stop(top_k=1, rank_width=0, entropy_change=1.0), RANKING).reason is None


def test_a_set_of_votes_is_as_far_from_a_concordance_as_its_ranking_says() -> None:
    """One vote each is another test of claims alone: here it would say that the concordance is there."""
    rng, votes = np.random.default_rng(3), []
    for seq in range(1, 31):
        first, second = rng.choice(5, 2, replace=False).tolist()
        votes.append(ComparisonRow(seq, 0, first, second, float(first < second), judge=1))
    snapshot = advance(empty(LEARNT, 5, 1), 30, log_from_rows(votes), [])
    published = exact(snapshot)
    learnt = concordance(published.scores, np.triu(np.ones((5, 5), np.bool_), 1))
    for level, reason in ((learnt - 1e-6, "concordance"), (learnt + 1e-6, None)):
        stop = Stop(concordance=level)
        assert distance(snapshot, published, stop, RANKING, Left(0, None)).reason == reason
        assert check(snapshot, stop, RANKING).reason == reason


def verdicts(effects: Floats, first: int) -> list[ComparisonRow]:
    """A verdict on each prompt, who is shown first in turn; `effects` are candidate 0's advantage there, in logits."""
    return [
        ComparisonRow(first + 1 + n, first + n, n % 2, 1 - n % 2, float(expit(each if n % 2 == 0 else -each)), 1)
        for n, each in enumerate(effects)
    ]


def stopped(gap: float, seed: int) -> tuple[Snapshot, bool]:
    """The set where it stops, or at its end; prompts differ by N(gap, 1)."""
    effects = gap + np.random.default_rng(seed).standard_normal(PROMPTS)
    has = np.ones((PROMPTS, 2), np.bool_)
    sought = Sought("new-items", has, ())
    snapshot = empty(LEARNT, 2, PROMPTS)
    for begins in range(0, PROMPTS, STEP):
        new = verdicts(effects[begins : begins + STEP], begins)
        snapshot = advance(snapshot, begins + STEP, log_from_rows(new), ())
        if check(snapshot, Stop(goal=0.95), GOAL, sought).reason:
            return snapshot, True
    return snapshot, False


@pytest.mark.study
@pytest.mark.parametrize("gap", [0.0, 0.6])
def test_equal_systems_are_rarely_told_apart_and_unequal_ones_never_the_wrong_way(gap: float) -> None:
    """Seeds 0 to 39: at most .05 of the equal pairs, at least half of those .6 logits apart."""
    ends = [stopped(gap, seed) for seed in range(SETS)]
    named = [int(np.argmax(exact(snapshot).scores.mean)) for snapshot, is_stopped in ends if is_stopped]
    assert all(np.unique(snapshot.log.entries.item).size >= 8 for snapshot, _ in ends)
    if gap:
        assert len(named) >= SETS / 2
        assert not any(named)
    else:
        assert len(named) <= 0.05 * SETS
