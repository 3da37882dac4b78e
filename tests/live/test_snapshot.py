"""snapshot = fold(log), however the log comes in."""

from collections.abc import Iterable

import numpy as np
import pytest

from app.inference import posterior as posteriors
from app.inference.asking import Plan
from app.inference.covariance import dense
from app.inference.model import Method, build
from app.inference.order import Order
from app.inference.selection import Criterion, Policy
from app.inference.types import Bools
from app.live import snapshot as snapshots
from app.live.snapshot import Blocked, Catalogue, Reading, Snapshot

N, ITEMS, LENGTH = 23, 2, 70  # an exact covariance every second comparison
VOIDS = {30: 4, 55: 29, 70: 68}  # by its own seq, the seq that it takes back
READING = Reading(Method(), {})
MODEL = build(Method(), N)
NOTHING = np.empty(0, np.int64)
NONE_BLOCKED = Blocked(NOTHING, NOTHING, NOTHING, 0)


def rows() -> list[tuple[int, int, int, int, float, int]]:
    rng = np.random.default_rng(7)
    made = []
    for seq in range(1, LENGTH + 1):
        first, second = rng.choice(N, 2, replace=False)
        made.append((seq, int(rng.integers(ITEMS)), int(first), int(second), float(rng.random()), int(rng.integers(3))))
    return [row for row in made if row[0] not in VOIDS]


def advance(held: Snapshot, version: int) -> Snapshot:
    new = snapshots.log(row for row in rows() if held.version < row[0] <= version)
    return snapshots.advance(held, version, new, [v for seq, v in VOIDS.items() if held.version < seq <= version])


def by_steps(*versions: int) -> Snapshot:
    held = snapshots.empty(READING, N, ITEMS)
    for version in versions:
        held = advance(held, version)
    return held


def assert_same(one: Snapshot, other: Snapshot) -> None:
    assert one.version == other.version
    assert np.array_equal(one.log.entries.seq, other.log.entries.seq)
    assert np.array_equal(one.asked, other.asked)
    assert one.posterior.mean == pytest.approx(other.posterior.mean, abs=1e-8)
    assert dense(one.posterior.covariance) == pytest.approx(dense(other.posterior.covariance), abs=1e-8)


@pytest.mark.parametrize("steps", [range(1, LENGTH + 1), range(7, LENGTH + 1, 7), (29, 31, 54, 70)])
def test_catching_up_in_one_go_equals_step_by_step(steps: Iterable[int]) -> None:
    assert_same(by_steps(*steps), by_steps(LENGTH))


def test_the_scores_are_those_of_a_fit_from_scratch() -> None:
    held = by_steps(*range(1, LENGTH + 1))
    fitted = posteriors.fit(held.comparisons, MODEL)
    published = snapshots.exact(held).posterior
    assert published.mean == pytest.approx(fitted.mean, abs=1e-8)
    assert dense(published.covariance) == pytest.approx(dense(fitted.covariance), abs=1e-8)


def test_voided_entries_are_gone() -> None:
    assert not set(VOIDS.values()) & set(by_steps(LENGTH).log.entries.seq.tolist())


def test_a_step_leaves_the_old_snapshot_as_it_was() -> None:
    held = by_steps(20)
    mean, asked = held.posterior.mean.copy(), held.asked.copy()
    advance(held, LENGTH)
    assert np.array_equal(held.posterior.mean, mean)
    assert np.array_equal(held.asked, asked)
    assert held.version == 20


def test_advancing_by_nothing_changes_nothing() -> None:
    held = by_steps(20)
    assert_same(snapshots.advance(held, 20, snapshots.log([]), []), held)


def catalogue(has: Bools) -> Catalogue:
    items, n = has.shape
    keys, prompts = tuple(f"c{i}" for i in range(n)), tuple((f"i{i}", None) for i in range(items))
    return snapshots.catalogue(1, keys, prompts, has)


def plan(order: Order = Order.BALANCED) -> Plan:
    return Plan(Policy(Criterion.REORDERING), order, 0)


def small(*compared: tuple[int, int]) -> Snapshot:
    """Three candidates on one item."""
    log = snapshots.log((n, 0, i, j, 0.5, 1) for n, (i, j) in enumerate(compared, 1))
    empty = snapshots.empty(READING, 3, 1)
    return snapshots.advance(empty, len(compared), log, [])


def pairs(held: Snapshot, blocked: Blocked = NONE_BLOCKED, order: Order = Order.BALANCED) -> set[tuple[int, int]]:
    asked = snapshots.ask(held, catalogue(np.ones((1, 3), np.bool_)), blocked, plan(order), 9)
    return {(a.pair.first, a.pair.second) for a in asked}


def unordered(found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(min(pair), max(pair)) for pair in found}


def test_a_compared_pair_is_used_up() -> None:
    assert unordered(pairs(small((1, 0)))) == {(0, 2), (1, 2)}


def test_a_blocked_pair_is_left_out_whichever_way_round_it_is() -> None:
    blocked = Blocked(np.array([0]), np.array([2]), np.array([1]), 1)
    assert unordered(pairs(small(), blocked)) == {(0, 1), (0, 2)}


def test_with_both_orders_a_half_done_pair_comes_first_and_the_other_way_round() -> None:
    (first, *_) = snapshots.ask(small((1, 0)), catalogue(np.ones((1, 3), np.bool_)), NONE_BLOCKED, plan(Order.BOTH), 9)
    assert (first.pair.first, first.pair.second) == (0, 1)


def test_with_both_orders_a_half_done_pair_that_is_out_does_not_hold_the_rest_up() -> None:
    blocked = Blocked(np.array([0]), np.array([0]), np.array([1]), 1)
    assert unordered(pairs(small((1, 0)), blocked, Order.BOTH)) == {(0, 2), (1, 2)}


def test_with_both_orders_a_pair_seen_both_ways_is_used_up() -> None:
    assert pairs(small((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)), order=Order.BOTH) == set()


def test_a_pair_is_asked_only_where_both_have_an_output() -> None:
    has = np.array([[True, True, False], [False, True, True]])
    empty = snapshots.empty(READING, 3, 2)
    asked = snapshots.ask(empty, catalogue(has), NONE_BLOCKED, plan(), 9)
    assert {(a.item, *sorted((a.pair.first, a.pair.second))) for a in asked} == {(0, 0, 1), (1, 1, 2)}


def test_size_counts_what_grows() -> None:
    assert by_steps(LENGTH).size_bytes > by_steps(1).size_bytes > ITEMS * N * N
