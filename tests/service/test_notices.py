"""Who hears that a set has changed."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest

from app.service import notices
from app.service.context import Context
from app.service.notices import Notices, wait
from app.storage import sets


async def test_only_those_who_ask_about_a_set_hear_of_it() -> None:
    said, here, there = Notices(), uuid4(), uuid4()
    async with said.about(here) as one, said.about(here) as two, said.about(there) as other:
        said.hear(str(here))
        assert (one.is_set(), two.is_set(), other.is_set()) == (True, True, False)


async def test_a_set_that_nobody_asks_about_is_heard_by_nobody() -> None:
    said, here = Notices(), uuid4()
    async with said.about(here) as event:
        pass
    said.hear(str(here))
    assert not event.is_set()


async def test_waiting_ends_with_the_event_or_the_time() -> None:
    event = asyncio.Event()
    await asyncio.wait_for(wait(event, 0.01), 5)
    event.set()
    await asyncio.wait_for(wait(event, 60), 5)


async def test_listening_begins_again_after_a_loss_and_wakes_everyone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "RETRY_SECONDS", 0.01)
    said, here, attempts = Notices(), uuid4(), 0

    async def listen(hear: Callable[[str], None], begin: Callable[[], None]) -> None:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            raise ConnectionRefusedError
        begin()
        await asyncio.Event().wait()

    listening = asyncio.create_task(said.run(listen))
    async with said.about(here) as event:
        await asyncio.wait_for(event.wait(), 5)
    listening.cancel()
    assert attempts == 3


async def test_many_sets_change_at_once_and_everyone_hears_of_theirs(context: Context) -> None:
    ids = [uuid4() for _ in range(3 * sets.IDS_IN_A_NOTICE + 1)]
    async with AsyncExitStack() as hearing, asyncio.timeout(10):
        events = [await hearing.enter_async_context(context.notices.about(each)) for each in ids]
        async with context.engine.begin() as db:
            await sets.announce(db, ids)
        for event in events:
            await event.wait()
