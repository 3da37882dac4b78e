from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference.reporting.diagnostics import (
    DRAWS,
    AgreedShare,
    Consistency,
    PositionBalance,
    Triads,
    circulation,
    cycles,
    order_balance,
    repeats,
)
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, no_comparisons, take
from tests.inference.factories import Log, comparisons, joined, logs, numerics, random_comparisons, relabelled, swapped

NOTHING = AgreedShare(0, None)


class Judged(NamedTuple):
    n: int
    comparisons: Comparisons
    item: Ints


@st.composite
def judged_logs(draw: st.DrawFn) -> Judged:
    """Few candidates, judges and items, so that most verdicts are repeats of others."""
    log = draw(logs(max_n=3))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    judge, item = rng.integers(3, size=(2, log.comparisons.size))
    return Judged(log.n, log.comparisons._replace(judge=judge), item)


def one_item(log: Comparisons) -> Ints:
    return np.zeros(log.size, np.int64)


def all_pairs(n: int, p: Floats) -> Comparisons:
    first, second = np.triu_indices(n, 1)
    return by_one_judge(first, second, p)


def sign(lean: float) -> int:
    return int(lean > 1e-9) - int(lean < -1e-9)


def turned(log: Comparisons, k: int) -> float:
    """How far p of the lower-numbered candidate is above 1/2."""
    return float(log.p[k] - 0.5 if log.first[k] < log.second[k] else 0.5 - log.p[k])


def pair_of(log: Comparisons, item: Ints, k: int) -> tuple[int, int, int]:
    low, high = sorted((int(log.first[k]), int(log.second[k])))
    return int(item[k]), low, high


def pooled(log: Comparisons, rows: list[int]) -> int:
    return sign(sum(turned(log, k) for k in rows) / len(rows))


def share_of(hits: list[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None


def cycles_by_triples(log: Comparisons, n: int) -> Triads:
    beats, decided = set(), set()
    for i, j in combinations(range(n), 2):
        rows = [k for k in range(log.size) if {log.first[k], log.second[k]} == {i, j}]
        if rows and (direction := pooled(log, rows)):
            beats.add((i, j) if direction > 0 else (j, i))
            decided.add((i, j))
    triads = [t for t in combinations(range(n), 3) if decided.issuperset(combinations(t, 2))]
    cyclic = [any({(i, j), (j, k), (k, i)} <= beats for i, j, k in permutations(triad)) for triad in triads]
    return Triads(len(triads), sum(cyclic), share_of(cyclic))


def repeats_by_search(log: Comparisons, item: Ints) -> Consistency:
    same, other = [], []
    for k in range(log.size):
        earlier = [
            e for e in range(k) if log.judge[e] == log.judge[k] and pair_of(log, item, e) == pair_of(log, item, k)
        ]
        same += [(e, k) for e in earlier if log.first[e] == log.first[k]][:1]
        other += [(e, k) for e in earlier if log.first[e] != log.first[k]][:1]
    agrees = [[sign(turned(log, e)) == sign(turned(log, k)) for e, k in pairs] for pairs in (same, other)]
    shown = [(sign(log.p[e] - 0.5), sign(log.p[k] - 0.5)) for e, k in other]
    by_chance = []
    for _, k in other:
        ways = [
            way for pair, (_, of) in zip(shown, other, strict=True) if log.judge[of] == log.judge[k] for way in pair
        ]
        by_chance.append((2 * ways.count(1) * ways.count(-1) + ways.count(0) ** 2) / len(ways) ** 2)
    return Consistency(
        AgreedShare(len(same), share_of(agrees[0])),
        AgreedShare(len(other), share_of(agrees[1])),
        share_of([both == (1, 1) for both in shown]),
        share_of([both == (-1, -1) for both in shown]),
        float(np.mean(by_chance)) if by_chance else None,
    )


@numerics
@given(logs(max_n=6, max_count=40))
def test_cycles_are_those_found_triple_by_triple(log: Log) -> None:
    assert cycles(log.comparisons, log.n) == cycles_by_triples(log.comparisons, log.n)


@pytest.mark.parametrize("seed", range(5))
def test_cycles_of_uneven_graphs_are_those_found_triple_by_triple(seed: int) -> None:
    """Two hubs and a random remainder: candidates differ much in how often they are compared."""
    rest, rng = random_comparisons(14, 40, seed), np.random.default_rng(seed)
    hubs = comparisons(*((hub, other, rng.random()) for hub in (3, 12) for other in range(14) if other != hub))
    log = joined(rest, hubs)

    assert cycles(log, 14) == cycles_by_triples(log, 14)


@pytest.mark.parametrize("tie", [[(0, 1, 0.5)], [(0, 1, 0.1), (0, 1, 0.9)], [(0, 1, 0.6), (1, 0, 0.4), (0, 1, 0.3)]])
def test_a_pair_that_pools_to_a_tie_is_no_edge(tie: list[tuple[int, int, float]]) -> None:
    assert cycles(comparisons((1, 2, 1.0), (2, 0, 1.0), *tie), 3) == Triads(0, 0, None)


@numerics
@given(judged_logs())
def test_repeats_are_those_found_by_search(log: Judged) -> None:
    assert repeats(log.comparisons, log.n, log.item) == repeats_by_search(log.comparisons, log.item)


def test_a_tie_agrees_with_a_tie_only() -> None:
    tie_tie, tie_win = comparisons((0, 1, 0.5), (1, 0, 0.5)), comparisons((0, 1, 0.5), (1, 0, 1.0))

    assert repeats(tie_tie, 2, one_item(tie_tie)) == Consistency(NOTHING, AgreedShare(1, 1.0), 0.0, 0.0, 1.0)
    assert repeats(tie_win, 2, one_item(tie_win)) == Consistency(NOTHING, AgreedShare(1, 0.0), 0.0, 0.0, 0.25)


@numerics
@given(judged_logs(), st.permutations(range(3)))
def test_names_do_not_matter(log: Judged, label: list[int]) -> None:
    other = relabelled(log.comparisons, np.array(label))

    assert cycles(other, 3) == cycles(log.comparisons, 3)
    assert repeats(other, 3, log.item) == repeats(log.comparisons, 3, log.item)


@numerics
@given(judged_logs())
def test_swapping_every_order_with_its_verdict_only_exchanges_the_positions(log: Judged) -> None:
    n, item, other = log.n, log.item, swapped(log.comparisons)
    same_order, reversed_order, first_both, second_both, by_chance = repeats(log.comparisons, n, item)

    assert cycles(other, n) == cycles(log.comparisons, n)
    assert repeats(other, n, item) == Consistency(same_order, reversed_order, second_both, first_both, by_chance)
    assert order_balance(other, n).worst == order_balance(log.comparisons, n).worst


def test_order_balance_by_hand() -> None:
    balance = order_balance(comparisons((0, 1, 0.9), (0, 2, 0.8), (1, 0, 0.4), (0, 1, 0.5)), 4)

    assert balance.worst == 2
    assert balance.first_picked == pytest.approx(0.65)
    assert balance.mixed == pytest.approx(1.0 - (1.0 / 3.0 + 1.0) / 4.0)  # 0 and 2 met once, 0 led 1 by one in three


@pytest.mark.parametrize("n", [4, 30])
def test_orders_are_mixed_as_far_as_scores_cannot_stand_for_a_bias(n: int) -> None:
    """One order for all pairs leaves a third of large sets; everyone first as often as second, all; a tree, nothing."""
    first, second = np.triu_indices(n, 1)
    one_way = by_one_judge(first, second, np.full(len(first), 0.5))
    tree = take(one_way, slice(n - 1))

    assert order_balance(one_way, n).mixed == pytest.approx((n - 2) / (3 * n), abs=1e-9)
    assert order_balance(joined(one_way, swapped(one_way)), n).mixed == pytest.approx(1.0)
    assert order_balance(tree, n).mixed == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_an_empty_log_has_nothing_to_share(n: int) -> None:
    empty = no_comparisons()

    assert cycles(empty, n) == Triads(0, 0, None)
    assert repeats(empty, n, one_item(empty)) == Consistency(NOTHING, NOTHING, None, None, None)
    assert order_balance(empty, n) == PositionBalance(0, None, None)


def test_a_big_log_is_no_trouble() -> None:
    log, rng = random_comparisons(2000, 100_000, seed=0), np.random.default_rng(0)
    log, item = log._replace(judge=rng.integers(20, size=100_000)), rng.integers(10, size=100_000)

    found = cycles(log, 2000)

    assert 0 < found.cyclic < found.triads
    assert repeats(log, 2000, item).same_order.pairs > 0
    assert order_balance(log, 2000).worst > 0


def test_the_most_triads_that_a_big_log_can_have_are_no_trouble() -> None:
    assert cycles(all_pairs(447, np.ones(447 * 446 // 2)), 447) == Triads(447 * 446 * 445 // 6, 0, 0.0)


def test_circulation_is_the_largest_singular_value_of_what_scores_leave() -> None:
    """Six candidates in a circle, each before the next two; against the three of its own length a coin."""
    rng, n = np.random.default_rng(3), 6
    first, second = np.triu_indices(n, 1)
    won = np.where((second - first) % n < 3, 1.0, rng.integers(2, size=len(first)))
    d = np.zeros((len(first), n))
    d[np.arange(len(first)), first], d[np.arange(len(first)), second] = 1.0, -1.0
    y = 2.0 * won - 1.0
    rest = np.zeros((n, n))
    rest[first, second] = y - d @ np.linalg.pinv(d) @ y
    wanted = np.linalg.norm(rest - rest.T, 2)
    assert circulation(by_one_judge(first, second, won), n, rng).size == pytest.approx(wanted, rel=1e-3)


def test_a_full_cycle_has_more_cycles_than_chance_and_an_order_fewer() -> None:
    n, rng = 11, np.random.default_rng(0)
    first, second = np.triu_indices(n, 1)
    circle = ((second - first) % n < n / 2).astype(np.float64)
    assert circulation(by_one_judge(first, second, circle), n, rng).at_random == 0
    assert circulation(by_one_judge(first, second, np.ones(len(first))), n, rng).at_random == DRAWS
