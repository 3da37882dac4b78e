"""Turns at the sets that are written to."""

import asyncio
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest

from app.service import turns
from app.service.errors import Busy
from app.service.turns import AT_ONCE, WAITING, Turns

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


async def test_too_many_are_turned_away_at_once() -> None:
    queue = Turns()
    async with AsyncExitStack() as stack:
        for _ in range(AT_ONCE):
            await stack.enter_async_context(queue.of({A}))
        waiting = [asyncio.create_task(stack.enter_async_context(queue.of({A}))) for _ in range(WAITING)]
        await asyncio.sleep(0.01)
        with pytest.raises(Busy, match="100"):
            await stack.enter_async_context(queue.of({A}))
        for each in waiting:
            each.cancel()
        await asyncio.wait(waiting)
