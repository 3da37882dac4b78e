"""Pairs ready to be shown, from a snapshot."""

from collections.abc import Iterable

import numpy as np
import pytest

from app.inference import state
from app.inference.choosing import Criterion, Goal, Order, Overlap, Plan, Policy, Stop
from app.inference.core.cells import one_vote
from app.inference.fitting import Method
from app.inference.state import (
    NONE_BLOCKED,
    BlockedPairs,
    ChosenPair,
    ComparisonRow,
    HumanCheck,
    Interpretation,
    Reopening,
    ScoreRow,
    Snapshot,
)
from app.inference.state.open_pairs import NO_END
from app.inference.state.stops import MOST_REPEATS, MOST_TIMES, most_times_of

INTERPRETATION, LEARNT = Interpretation(Method(), {}), Interpretation(Method(verdict_weight="learnt"), {})
JUDGE, ANN, BEN = 7, 2, 9  # ids
NEVER = Stop(rank_width=0, error_level=1e-9)
Shown = tuple[int, int]
BOTH_WAYS = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]


EVERYONE = np.ones((1, 3), np.bool_)


def plan(order: Order = Order.BALANCED) -> Plan:
    return Plan(Policy(Criterion.REORDERING), order, 0)


def told(
    rows: Iterable[tuple[int, int, int, float, int]], n: int = 3, items: int = 1, of: Interpretation = INTERPRETATION
) -> Snapshot:
    """After rows of (item, first, second, p, judge)."""
    log = [ComparisonRow(seq, *row) for seq, row in enumerate(rows, 1)]
    return state.advance(state.empty(of, n, items), len(log), state.log_from_rows(log), [])


def small(*compared: tuple[int, int]) -> Snapshot:
    """Three candidates on one item."""
    return told((0, i, j, 0.5, 1) for i, j in compared)


def pairs(
    snapshot: Snapshot, blocked: BlockedPairs = NONE_BLOCKED, order: Order = Order.BALANCED
) -> set[tuple[int, int]]:
    chosen = state.ask(snapshot, EVERYONE, blocked, plan(order), 9)
    assert state.has_pair(snapshot, EVERYONE, blocked, plan(order)) == bool(chosen)
    return {(a.pair.first, a.pair.second) for a in chosen}


def unordered(pairs_shown: set[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(min(pair), max(pair)) for pair in pairs_shown}


def unordered_in_turn(chosen: list[ChosenPair]) -> list[tuple[int, int]]:
    return [(min(each.pair[:2]), max(each.pair[:2])) for each in chosen]


def test_a_compared_pair_is_used_up() -> None:
    assert unordered(pairs(small((1, 0)))) == {(0, 2), (1, 2)}


def test_of_nobody_there_is_no_pair() -> None:
    nobody = np.ones((1, 0), np.bool_)

    assert state.ask(state.empty(INTERPRETATION, 0, 1), nobody, NONE_BLOCKED, plan(), 9) == []


def test_a_blocked_pair_is_left_out_whichever_way_round_it_is() -> None:
    blocked = BlockedPairs(np.array([0]), np.array([2]), np.array([1]), 1)
    assert unordered(pairs(small(), blocked)) == {(0, 1), (0, 2)}


def test_with_both_orders_a_half_done_pair_comes_first_and_the_other_way_round() -> None:
    for shown in ((1, 0), (0, 1)):
        (first, *_) = state.ask(small(shown), EVERYONE, NONE_BLOCKED, plan(Order.BOTH), 9)
        assert (first.pair.first, first.pair.second, first.pair.order_chance) == (*shown[::-1], 1.0)


def test_no_two_pairs_hang_on_one_coin() -> None:
    """A lease that failed leaves the version and the number of leases as they were, not the pairs that are out."""
    out = [BlockedPairs(np.array([0]), np.array([0]), np.array([other]), 1) for other in (1, 2)]
    both = BlockedPairs(np.zeros(2, np.int64), np.zeros(2, np.int64), np.array([1, 2]), 1)
    assert len({each.code for each in (NONE_BLOCKED, *out, both)}) == 4
    assert NONE_BLOCKED.code == 0


def test_with_both_orders_a_half_done_pair_that_is_out_does_not_hold_the_rest_up() -> None:
    blocked = BlockedPairs(np.array([0]), np.array([0]), np.array([1]), 1)
    assert unordered(pairs(small((1, 0)), blocked, Order.BOTH)) == {(0, 2), (1, 2)}


def test_with_both_orders_a_pair_seen_both_ways_is_used_up() -> None:
    assert pairs(small((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)), order=Order.BOTH) == set()


def test_with_each_order_a_pair_shown_one_way_is_open_the_other_way() -> None:
    shown = pairs(small((1, 0), (0, 2), (2, 0)), order=Order.EACH)
    assert (0, 1) in shown
    assert unordered(shown) == {(0, 1), (1, 2)}


def test_with_each_order_a_pair_that_is_out_is_out_in_both() -> None:
    blocked = BlockedPairs(np.array([0]), np.array([1]), np.array([0]), 1)
    assert unordered(pairs(small(), blocked, Order.EACH)) == {(0, 2), (1, 2)}


def test_with_each_order_the_criterion_says_when_the_other_order_comes() -> None:
    """A judge that is sure of (0, 1) and ties the rest is asked the others' pairs first, not its reverse."""
    snapshot = told([(0, 0, 1, 0.99, 1), (0, 2, 1, 0.5, 1)])
    *first, last = unordered_in_turn(state.ask(snapshot, EVERYONE, NONE_BLOCKED, plan(Order.EACH), 3))
    assert last == (0, 1)
    assert set(first) == {(0, 2), (1, 2)}


def test_a_pair_is_asked_only_where_both_have_an_output() -> None:
    has = np.array([[True, True, False], [False, True, True]])
    empty = state.empty(INTERPRETATION, 3, 2)
    chosen = state.ask(empty, has, NONE_BLOCKED, plan(), 9)
    assert {(a.item, *sorted((a.pair.first, a.pair.second))) for a in chosen} == {(0, 0, 1), (1, 1, 2)}


@pytest.mark.parametrize("seed", range(40))
def test_a_set_has_a_pair_wherever_an_ask_would_get_one(seed: int) -> None:
    """Items that not all have outputs for, both orders, judges for whom pairs open again, overlap."""
    rng, n, items = np.random.default_rng(seed), 3, 2
    has, order = rng.random((items, n)) < 0.8, list(Order)[seed % 4]
    places = np.argwhere(has[:, :, None] & has[:, None, :] & ~np.eye(n, dtype=np.bool_)).tolist()
    shown = [places[k] for k in rng.permutation(len(places))[: rng.integers(len(places) + 1)]]
    snapshot = told(((item, i, j, 0.8, int(rng.choice([JUDGE, ANN]))) for item, i, j in shown), n, items)
    item, first, second = np.array([place for place in places if rng.random() < 0.3], np.int64).reshape(-1, 3).T
    blocked = BlockedPairs(item, first, second, int(rng.integers(len(item) + 1)))
    wishes = plan(order)._replace(overlap=Overlap(0.5, 2, 0) if seed % 3 == 0 else None)
    reopening = Reopening(JUDGE, bool(seed % 2), Stop(top_k=1)) if seed % 5 else None
    terms = (snapshot, has, blocked, wishes)

    chosen = state.ask(*terms, 1, reopening, (ANN,))

    assert state.has_pair(*terms, reopening, (ANN,)) == bool(chosen)


def test_a_score_uses_no_pair_up_and_moves_the_choice() -> None:
    scored = [ScoreRow(n + 1, 0, n, 1, mean, 0.1) for n, mean in enumerate((9.0, 8.9, 1.0))]
    snapshot = state.advance(state.empty(INTERPRETATION, 3, 1), 3, state.log_from_rows([], scored), [])
    first, *rest = state.ask(snapshot, EVERYONE, NONE_BLOCKED, plan(), 9)
    assert {first.pair.first, first.pair.second} == {0, 1}
    assert len(rest) == 2


def checked() -> Snapshot:
    """A judge on all pairs of four candidates on three items, ann on the first item, ben on one pair of the second."""
    every = [(item, i, j) for item in range(3) for i in range(4) for j in range(i)]
    by_people = [*((*pair, float(pair[1] > 1), ANN) for pair in every[:6]), (1, 1, 0, 1.0, BEN)]
    return told([*((*pair, 0.8, JUDGE) for pair in every), *by_people], 4, 3)


def outputs(chosen: list[ChosenPair]) -> list[tuple[int, ...]]:
    return [(each.item, *sorted((each.pair.first, each.pair.second))) for each in chosen]


def test_people_check_each_pair_that_the_judge_alone_has_judged_once() -> None:
    snapshot, check = checked(), HumanCheck(JUDGE, frozenset({ANN, BEN}))
    chosen = state.ask_people(snapshot, NONE_BLOCKED, plan(), check, 99)
    expected = {(item, i, j) for item in (1, 2) for j in range(4) for i in range(j)} - {(1, 0, 1)}
    assert set(outputs(chosen)) == expected
    assert len(chosen) == len(expected)
    assert {each.criterion for each in chosen} == {"rank-sets"}
    assert outputs(state.ask_people(snapshot, NONE_BLOCKED, plan(), check, 3)) == outputs(chosen)[:3]


def test_a_pair_that_somebody_is_about_to_judge_is_not_checked_again() -> None:
    blocked = BlockedPairs(np.array([2]), np.array([3]), np.array([1]), 1)
    chosen = state.ask_people(checked(), blocked, plan(), HumanCheck(JUDGE, frozenset({ANN, BEN})), 99)
    assert (2, 1, 3) not in outputs(chosen)
    assert len(chosen) == 10


def test_a_judge_without_verdicts_has_nothing_to_check() -> None:
    assert state.ask_people(checked(), NONE_BLOCKED, plan(), HumanCheck(99, frozenset({ANN})), 9) == []


def test_pairs_due_for_overlap_come_first_to_those_who_have_not_judged_them() -> None:
    snapshot = small((1, 0), (0, 2))
    overlapping = plan()._replace(overlap=Overlap(1.0, 2, 0))
    *overlapped, last = state.ask(snapshot, EVERYONE, NONE_BLOCKED, overlapping, 9, askers=[JUDGE])
    assert unordered_in_turn(overlapped) == [(0, 1), (0, 2)]
    assert [each.criterion for each in (*overlapped, last)] == ["overlap", "overlap", None]
    assert unordered_in_turn([last]) == [(1, 2)]
    assert overlapped[0].pair.choice.score == 1.0
    (only,) = state.ask(snapshot, EVERYONE, NONE_BLOCKED, overlapping, 9, askers=[1])
    assert unordered_in_turn([only]) == [(1, 2)]
    blocked = BlockedPairs(np.array([0]), np.array([1]), np.array([0]), 1)
    free = state.ask(snapshot, EVERYONE, blocked, overlapping, 1, askers=[JUDGE])
    assert unordered_in_turn(free) == [(0, 2)]


def test_a_posterior_that_refused_a_stop_says_who_contends() -> None:
    snapshot = told(((0, 0, other, 1.0, 1) for other in range(1, 6)), 6)
    live = state.exact(snapshot)
    published = live._replace(scores=live.scores._replace(mean=np.array([0.0, 0.0, 0.0, 9.0, 9.0, 0.0])))
    best = Plan(Policy(Criterion.KNOWLEDGE), Order.BALANCED, 0, Goal(top_k=1), target="all-pairs")
    (chosen,) = state.ask(
        snapshot, np.ones((1, 6), np.bool_), NONE_BLOCKED, best, 1, checked=state.Checked(None, published)
    )
    assert unordered_in_turn([chosen]) == [(3, 4)]


def test_for_new_items_the_least_used_one_comes_next() -> None:
    """Whatever was judged and is out: each pair is on an item that no open one is used less than."""
    rng, items, n = np.random.default_rng(28), 6, 5
    has = rng.random((items, n)) < 0.8
    has[:, :2] = True
    places = [
        (item, i, j) for item in range(items) for j in range(n) for i in range(j) if has[item, i] and has[item, j]
    ]
    drawn = [places[number] for number in rng.permutation(len(places))]
    snapshot = told(((*place, 0.7, 1) for place in drawn[:7]), n, items)
    item, first, second = np.array(drawn[7:10]).T
    blocked = BlockedPairs(item, first, second, 3)
    uses = np.bincount([item for item, _, _ in drawn[:10]], minlength=items)
    is_open = dict.fromkeys(drawn[10:], True)
    for on, low, high in outputs(state.ask(snapshot, has, blocked, plan()._replace(target="new-items"), 99)):
        assert uses[on] == min(uses[m] for m in range(items) if is_open.get((m, low, high)))
        uses[on] += 1
        assert is_open.pop((on, low, high))
    assert not is_open


def judged(*answers: tuple[Shown, int, float]) -> Snapshot:
    """Three candidates on one item; each answer is a pair as shown, a judge and p."""
    return told((0, *shown, p, judge) for shown, judge, p in answers)


def by(judge: int, pairs: list[Shown], p: float = 0.7) -> list[tuple[Shown, int, float]]:
    return [(shown, judge, p) for shown in pairs]


def opened(
    snapshot: Snapshot,
    judge: int,
    order: Order = Order.BALANCED,
    *,
    person: bool = False,
    blocked: BlockedPairs = NONE_BLOCKED,
    count: int = 99,
) -> set[Shown]:
    chosen = state.ask(snapshot, EVERYONE, blocked, plan(order), count, Reopening(judge, person, NEVER))
    return {(each.pair.first, each.pair.second) for each in chosen}


ALL = {(0, 1), (0, 2), (1, 2)}


def test_new_pairs_come_first() -> None:
    assert (1, 2) in unordered(opened(judged(*by(ANN, [(0, 1), (0, 2)])), ANN))
    (first,) = state.ask(
        judged(*by(ANN, [(0, 1), (0, 2)])), EVERYONE, NONE_BLOCKED, plan(), 1, Reopening(ANN, False, NEVER)
    )
    assert {first.pair.first, first.pair.second} == {1, 2}


@pytest.mark.parametrize("judge", [ANN, BEN])
def test_the_other_order_comes_next_whoever_asks(judge: int) -> None:
    assert opened(judged(*by(ANN, [(0, 1), (2, 0), (1, 2)])), judge) == {(1, 0), (0, 2), (2, 1)}


def test_then_what_the_judge_has_not_judged_and_then_its_other_order() -> None:
    log = by(ANN, BOTH_WAYS)
    assert unordered(opened(judged(*log), BEN)) == ALL
    assert unordered(opened(judged(*log, *by(BEN, [(0, 1), (2, 0)])), BEN, count=1)) == {(1, 2)}
    assert opened(judged(*log, *by(BEN, [(0, 1), (2, 0), (1, 2)])), BEN) == {(1, 0), (0, 2), (2, 1)}


def test_a_fixed_order_stays() -> None:
    log = by(ANN, [(0, 1), (0, 2), (1, 2)])
    assert opened(judged(*log), BEN, Order.AS_SELECTED) == ALL
    assert opened(judged(*log), ANN, Order.AS_SELECTED, person=True) == ALL
    again = judged(*log, *by(BEN, [(0, 1), (0, 2)]))
    assert opened(again, BEN, Order.AS_SELECTED, count=1) == {(1, 2)}


def test_with_both_orders_a_judge_ends_what_it_has_half_done() -> None:
    log = by(ANN, BOTH_WAYS)
    assert unordered(opened(judged(*log), BEN, Order.BOTH)) == ALL
    assert opened(judged(*log, *by(BEN, [(1, 0)])), BEN, Order.BOTH, count=1) == {(0, 1)}
    assert opened(judged(*log, *by(ANN, [(2, 0)])), ANN, Order.BOTH, person=True, count=1) == {(0, 2)}


def test_an_order_that_opens_alone_is_certain_and_else_a_coin_decides() -> None:
    log = judged(*by(ANN, [(0, 1), (0, 2), (1, 2)]))
    turned = state.ask(log, EVERYONE, NONE_BLOCKED, plan(), 3, Reopening(ANN, False, NEVER))
    assert {(pair.first, pair.second, pair.order_chance) for _, pair, _ in turned} == {
        (1, 0, 1.0), (2, 0, 1.0), (2, 1, 1.0),
    }  # fmt: skip
    both_ways = judged(*by(ANN, BOTH_WAYS))
    anew = state.ask(both_ways, EVERYONE, NONE_BLOCKED, plan(), 3, Reopening(BEN, False, NEVER))
    assert len(anew) == 3
    assert all(pair.order_chance < 1.0 for _, pair, _ in anew)


def test_a_person_is_asked_once_more_in_the_order_seen_less_often() -> None:
    log = judged(*by(ANN, [*BOTH_WAYS, (0, 1), (2, 0), (2, 1)]))
    assert opened(log, ANN, person=True) == {(1, 0), (0, 2), (1, 2)}


def test_a_judge_that_answers_otherwise_is_asked_once_more_and_one_that_answers_alike_is_not() -> None:
    alike = by(ANN, BOTH_WAYS + [(0, 1)] * MOST_REPEATS)
    assert opened(judged(*alike), ANN) == set()
    assert unordered(opened(judged(*alike), BEN)) == ALL
    assert unordered(opened(judged(*alike, ((1, 2), ANN, 0.72)), ANN)) == ALL
    assert opened(judged(*alike, ((1, 2), ANN, 0.705)), ANN) == set()


def test_until_it_shows_few_repeats_are_out() -> None:
    assert unordered(opened(judged(*by(ANN, BOTH_WAYS)), ANN)) == ALL
    assert len(opened(judged(*by(ANN, BOTH_WAYS + [(0, 1)] * (MOST_REPEATS - 2))), ANN)) == 2
    held = BlockedPairs(np.array([0]), np.array([1]), np.array([2]), 1)
    assert len(opened(judged(*by(ANN, BOTH_WAYS + [(0, 1)] * (MOST_REPEATS - 2))), ANN, blocked=held)) == 1


def test_a_pair_that_is_out_or_that_the_judge_failed_at_stays_closed() -> None:
    for leases in (0, 1):
        blocked = BlockedPairs(np.array([0]), np.array([2]), np.array([1]), leases)
        assert unordered(opened(judged(*by(ANN, BOTH_WAYS)), BEN, blocked=blocked)) == {(0, 1), (0, 2)}


def test_items_open_again_each_for_itself() -> None:
    snapshot = told([(0, 0, 1, 0.7, ANN), (1, 1, 0, 0.7, ANN), (1, 0, 1, 0.7, ANN)], 2, 2)
    everything = np.ones((2, 2), np.bool_)
    (chosen, *_) = state.ask(snapshot, everything, NONE_BLOCKED, plan(), 1, Reopening(ANN, False, NEVER))
    assert (chosen.item, chosen.pair.first, chosen.pair.second) == (0, 1, 0)


def test_the_pairs_whose_order_keeps_the_set_from_stopping_come_first() -> None:
    """0 leads; 1 and 2 follow, of whom it matters not which is better."""
    log = by(ANN, BOTH_WAYS[:4] * 3, 0.7) + by(ANN, [(1, 2), (2, 1)], 0.5)
    chosen = state.ask(judged(*log), EVERYONE, NONE_BLOCKED, plan(), 2, Reopening(BEN, True, Stop(top_k=1)))
    assert unordered({(each.pair.first, each.pair.second) for each in chosen}) == {(0, 1), (0, 2)}
    assert unordered(opened(judged(*log), BEN)) == ALL


def test_where_repeats_are_no_more_evidence_each_pair_comes_again_and_it_ends() -> None:
    times = {shown: MOST_TIMES - (shown == (2, 1)) for shown in BOTH_WAYS}
    rows = [(0, *shown, 0.6 + 0.02 * (n % 2), ANN) for shown, many in times.items() for n in range(many)]
    snapshot = told(rows, of=LEARNT)
    assert opened(snapshot, ANN, person=True) == {(2, 1)}
    one_more = state.log_from_rows([ComparisonRow(len(rows) + 1, 0, 2, 1, 0.6, ANN)])
    assert opened(state.advance(snapshot, len(rows) + 1, one_more, []), ANN, person=True) == set()
    assert unordered(opened(snapshot, BEN, person=True)) == ALL


@pytest.mark.parametrize(
    ("p", "rho", "most"),
    [(1.0, None, NO_END), (1.0, 0.0, NO_END), (1.0, 0.01, 100), (1.0, 0.42, MOST_TIMES), (0.8, 0.0, MOST_TIMES)],
)
def test_the_same_is_asked_as_long_as_it_tells_more(p: float, rho: float | None, most: int) -> None:
    snapshot = judged(((0, 1), ANN, p))
    learnt = None if rho is None else one_vote(1)._replace(repeat_correlation=np.array([rho]))

    assert most_times_of(snapshot._replace(learnt=learnt), ANN) == most


def test_where_votes_on_what_keeps_the_set_from_stopping_tell_no_more_others_are_asked() -> None:
    """A judge who never answered otherwise: what is learnt is that its repeats are repeat_correlations."""
    shown = [pair for pair in BOTH_WAYS if pair != (1, 2) for _ in range(MOST_TIMES)]
    snapshot = told(((0, first, second, float(first < second), ANN) for first, second in shown), of=LEARNT)

    assert snapshot.learnt is not None
    assert snapshot.learnt.repeat_correlation.tolist() == [1.0]
    assert opened(snapshot, ANN, person=True) == {(1, 2)}
