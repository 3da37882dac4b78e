"""Pairs that open again, for whom and in which order of showing."""

import numpy as np
import pytest

from app.inference import state
from app.inference.choosing import Order, Stop
from app.inference.fitting import Method
from app.inference.state import BlockedPairs, ComparisonRow, Interpretation, Reopening, Snapshot
from app.inference.state.open_pairs import NO_END
from app.inference.state.snapshot import repeat_correlation_of
from app.inference.state.stops import MOST_REPEATS, MOST_TIMES, most_times
from tests.inference.state.test_asking import INTERPRETATION, NONE_BLOCKED, catalogue, plan

ANN, BEN = 2, 9  # ids
NEVER = Stop(rank_width=0, error_level=1e-9)
Shown = tuple[int, int]
BOTH_WAYS = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]


def judged(*answers: tuple[Shown, int, float]) -> Snapshot:
    """Three candidates on one item; each answer is a pair as shown, a judge and p."""
    rows = [ComparisonRow(seq, 0, *shown, p, judge) for seq, (shown, judge, p) in enumerate(answers, 1)]
    return state.advance(state.empty(INTERPRETATION, 3, 1), len(rows), state.log_from_rows(rows), [])


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
    everyone = catalogue(np.ones((1, 3), np.bool_))
    chosen = state.ask(snapshot, everyone, blocked, plan(order), count, Reopening(judge, person, NEVER))
    return {(each.pair.first, each.pair.second) for each in chosen}


def unordered(pairs: set[Shown]) -> set[Shown]:
    return {(min(pair), max(pair)) for pair in pairs}


ALL = {(0, 1), (0, 2), (1, 2)}


def test_new_pairs_come_first() -> None:
    assert (1, 2) in unordered(opened(judged(*by(ANN, [(0, 1), (0, 2)])), ANN))
    everyone = catalogue(np.ones((1, 3), np.bool_))
    (first,) = state.ask(
        judged(*by(ANN, [(0, 1), (0, 2)])), everyone, NONE_BLOCKED, plan(), 1, Reopening(ANN, False, NEVER)
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
    log, everyone = judged(*by(ANN, [(0, 1), (0, 2), (1, 2)])), catalogue(np.ones((1, 3), np.bool_))
    turned = state.ask(log, everyone, NONE_BLOCKED, plan(), 3, Reopening(ANN, False, NEVER))
    assert {(pair.first, pair.second, pair.order_chance) for _, pair, _ in turned} == {
        (1, 0, 1.0), (2, 0, 1.0), (2, 1, 1.0),
    }  # fmt: skip
    both_ways = judged(*by(ANN, BOTH_WAYS))
    anew = state.ask(both_ways, everyone, NONE_BLOCKED, plan(), 3, Reopening(BEN, False, NEVER))
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
    rows = [ComparisonRow(seq, *shown, 0.7, ANN) for seq, shown in enumerate([(0, 0, 1), (1, 1, 0), (1, 0, 1)], 1)]
    snapshot = state.advance(state.empty(INTERPRETATION, 2, 2), 3, state.log_from_rows(rows), [])
    everything = catalogue(np.ones((2, 2), np.bool_))
    (chosen, *_) = state.ask(snapshot, everything, NONE_BLOCKED, plan(), 1, Reopening(ANN, False, NEVER))
    assert (chosen.item, chosen.pair.first, chosen.pair.second) == (0, 1, 0)


def test_the_pairs_whose_order_keeps_the_set_from_stopping_come_first() -> None:
    """0 leads; 1 and 2 follow, of whom it matters not which is better."""
    log = by(ANN, BOTH_WAYS[:4] * 3, 0.7) + by(ANN, [(1, 2), (2, 1)], 0.5)
    everyone = catalogue(np.ones((1, 3), np.bool_))
    chosen = state.ask(judged(*log), everyone, NONE_BLOCKED, plan(), 2, Reopening(BEN, True, Stop(top_k=1)))
    assert unordered({(each.pair.first, each.pair.second) for each in chosen}) == {(0, 1), (0, 2)}
    assert unordered(opened(judged(*log), BEN)) == ALL


def test_where_repeats_are_no_more_evidence_each_pair_comes_again_and_it_ends() -> None:
    learnt = Interpretation(Method(verdict_weight="learnt"), {})
    times = {shown: MOST_TIMES - (shown == (2, 1)) for shown in BOTH_WAYS}
    rows = [(0, *shown, 0.6 + 0.02 * (n % 2), ANN, 1.0) for shown, many in times.items() for n in range(many)]
    log = state.log_from_rows(ComparisonRow(seq, *row) for seq, row in enumerate(rows, 1))
    snapshot = state.advance(state.empty(learnt, 3, 1), len(rows), log, [])
    assert opened(snapshot, ANN, person=True) == {(2, 1)}
    one_more = state.log_from_rows([ComparisonRow(len(rows) + 1, 0, 2, 1, 0.6, ANN)])
    assert opened(state.advance(snapshot, len(rows) + 1, one_more, []), ANN, person=True) == set()
    assert unordered(opened(snapshot, BEN, person=True)) == ALL


@pytest.mark.parametrize(
    ("p", "rho", "most"),
    [(1.0, None, NO_END), (1.0, 0.0, NO_END), (1.0, 0.01, 100), (1.0, 0.42, MOST_TIMES), (0.8, 0.0, MOST_TIMES)],
)
def test_the_same_is_asked_as_long_as_it_tells_more(p: float, rho: float | None, most: int) -> None:
    log = state.log_from_rows([ComparisonRow(1, 0, 0, 1, p, ANN)])

    assert most_times(log.entries, ANN, rho) == most


def test_where_votes_on_what_keeps_the_set_from_stopping_tell_no_more_others_are_asked() -> None:
    """A judge who never answered otherwise: what is learnt is that its repeats are repeat_correlations."""
    learnt = Interpretation(Method(verdict_weight="learnt"), {})
    rows = [(0, *shown, float(shown[0] < shown[1]), ANN, 1.0) for shown in BOTH_WAYS for _ in range(MOST_TIMES)]
    rows = [row for row in rows if row[1:3] != (1, 2)]
    log = state.log_from_rows(ComparisonRow(seq, *row) for seq, row in enumerate(rows, 1))
    snapshot = state.advance(state.empty(learnt, 3, 1), len(rows), log, [])

    assert repeat_correlation_of(snapshot, ANN) == 1.0
    assert opened(snapshot, ANN, person=True) == {(1, 2)}
