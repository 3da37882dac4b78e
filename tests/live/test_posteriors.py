"""The cache of live sets: what it keeps, what it forgets."""

import asyncio
import threading
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from app.inference import state as snapshots
from app.inference.fitting.model import Method
from app.inference.state import Interpretation
from app.live.posteriors import LivePosteriors, all_of

SNAPSHOT = snapshots.empty(Interpretation(Method(), {}), 50, 1)


@pytest.fixture
def ids() -> list[UUID]:
    return [uuid4() for _ in range(4)]


@pytest.fixture
def live() -> Iterator[LivePosteriors]:
    kept = LivePosteriors(max_sets=3, max_bytes=10**9)
    yield kept
    kept.close()


def fill(live: LivePosteriors, ids: list[UUID]) -> None:
    for set_id in ids:
        live.get(set_id).snapshot = SNAPSHOT
        live.weigh([set_id])


def held(live: LivePosteriors, ids: list[UUID]) -> list[bool]:
    """Whether each set's snapshot is still there; looking at it makes it the latest used."""
    return [live.get(set_id).snapshot is not None for set_id in ids]


def test_a_set_is_the_same_until_it_is_forgotten(live: LivePosteriors, ids: list[UUID]) -> None:
    one = live.get(ids[0])
    assert live.get(ids[0]) is one
    live.forget(ids[0])
    assert live.get(ids[0]) is not one


def test_forgetting_what_is_not_there_is_harmless(live: LivePosteriors, ids: list[UUID]) -> None:
    live.forget(ids[0])
    assert len(live) == 0


def test_too_many_sets_push_the_oldest_out(live: LivePosteriors, ids: list[UUID]) -> None:
    fill(live, ids)
    assert len(live) == 3
    assert held(live, ids) == [False, True, True, True]


def test_a_set_that_was_just_used_stays(live: LivePosteriors, ids: list[UUID]) -> None:
    fill(live, ids[:3])
    live.get(ids[0])
    fill(live, ids[3:])
    assert held(live, ids) == [True, False, True, True]


def test_too_many_bytes_push_the_oldest_out(ids: list[UUID]) -> None:
    live = LivePosteriors(max_sets=100, max_bytes=2 * SNAPSHOT.size_bytes)
    fill(live, ids)
    assert live.size_bytes == 2 * SNAPSHOT.size_bytes
    assert held(live, ids) == [False, False, True, True]
    live.close()


async def test_a_set_in_use_stays(live: LivePosteriors, ids: list[UUID]) -> None:
    async with live.get(ids[0]).updating, live.get(ids[1]).asking:
        fill(live, ids)
        assert held(live, ids) == [True, True, False, True]


async def test_numerics_run_off_the_event_loop_and_pass_their_errors_on(live: LivePosteriors) -> None:
    assert await live.compute(round, 2.345, ndigits=1) == 2.3
    with pytest.raises(ZeroDivisionError):
        await live.compute(lambda: 1 / 0)


async def test_all_locks_are_held_and_given_back() -> None:
    locks = [asyncio.Lock() for _ in range(3)]
    async with all_of(locks):
        assert all(lock.locked() for lock in locks)
    assert not any(lock.locked() for lock in locks)


async def test_who_gives_up_waiting_for_a_lock_gives_back_the_others() -> None:
    locks = [asyncio.Lock() for _ in range(3)]
    await locks[1].acquire()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), all_of(locks):
            raise AssertionError("the second lock is held by another")
    assert [lock.locked() for lock in locks] == [False, True, False]


async def test_what_is_quick_runs_beside_the_event_loop_until_it_is_compiled(live: LivePosteriors) -> None:
    warming = asyncio.create_task(live.warm_up(threading.Event().is_set))
    assert (live.warm, await live.compute_here_if(True, threading.get_ident) == threading.get_ident()) == (None, False)
    await warming
    assert (live.warm, await live.compute_here_if(True, threading.get_ident) == threading.get_ident()) == (True, True)


async def test_what_cannot_be_compiled_stays_beside_the_event_loop(live: LivePosteriors) -> None:
    with pytest.raises(ZeroDivisionError):
        await live.warm_up(lambda: 1 / 0)
    assert (live.warm, await live.compute_here_if(True, threading.get_ident) == threading.get_ident()) == (False, False)
