"""Turns at the sets that are written to."""

import asyncio
from contextlib import AsyncExitStack, ExitStack
from uuid import uuid4

import pytest

from app.service import turns
from app.service.errors import Busy
from app.service.turns import ASKS_AT_ONCE, AT_ONCE, Asks, Turns

A, B = uuid4(), uuid4()


async def test_so_many_at_once_and_the_others_in_the_order_in_which_they_came() -> None:
    queue, begun, go_on = Turns(), list[int](), asyncio.Semaphore(0)

    async def write(number: int) -> None:
        async with queue.of({A}):
            begun.append(number)
            await go_on.acquire()

    async with asyncio.TaskGroup() as group:
        for number in range(10):
            group.create_task(write(number))
        for done in range(10):
            await asyncio.sleep(0.001)
            assert begun == list(range(min(AT_ONCE + done, 10)))
            go_on.release()


async def test_who_waits_for_one_set_keeps_nobody_from_another() -> None:
    queue = Turns()
    async with AsyncExitStack() as stack:
        for _ in range(AT_ONCE):
            await stack.enter_async_context(queue.of({A}))
        waiting = [asyncio.create_task(stack.enter_async_context(queue.of({A, B}))) for _ in range(AT_ONCE)]
        await asyncio.sleep(0.01)
        async with asyncio.timeout(1), queue.of({B}):
            pass
        for each in waiting:
            each.cancel()
        await asyncio.wait(waiting)


async def test_every_wait_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE_OF_OTHERS", 0.05)
    queue = Turns()
    async with AsyncExitStack() as stack:
        for _ in range(AT_ONCE):
            await stack.enter_async_context(queue.of({A}))
        with pytest.raises(Busy):
            await stack.enter_async_context(queue.of({A}))
    async with queue.of({A}):
        pass


async def admitted(asks: Asks) -> int:
    """How many may ask at once."""
    with ExitStack() as others:
        for count in range(10_000):
            try:
                others.enter_context(asks.counted())
            except Busy:
                return count
    raise AssertionError("all are admitted")


async def test_asks_are_admitted_by_how_long_they_would_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    now, asks = 0.0, Asks()
    monkeypatch.setattr(turns, "monotonic", lambda: now)

    async def answer(count: int, seconds: float) -> None:
        nonlocal now
        with asks.counted(), asks.counted():
            for _ in range(count):
                async with asks.turn():
                    now += seconds

    assert await admitted(asks) == 401  # 2 seconds of 5 ms each, and one
    await answer(100, 0.02)
    assert await admitted(asks) == pytest.approx(101, abs=1)
    await answer(1, 60.0)  # a set that is read from its log
    assert await admitted(asks) >= 50
    await answer(200, 60.0)
    assert await admitted(asks) == ASKS_AT_ONCE + 1
    await answer(200, 0.001)
    assert await admitted(asks) > 1000


async def test_who_waits_alone_says_nothing_of_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    now, asks = 0.0, Asks()
    monkeypatch.setattr(turns, "monotonic", lambda: now)
    for _ in range(100):
        with asks.counted():
            async with asks.turn():
                now += 10.0
    assert await admitted(asks) == 401
