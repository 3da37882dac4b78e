"""Who hears that a set has changed."""

import asyncio
from collections.abc import Callable
from uuid import uuid4

import pytest

from app.service import notices
from app.service.context import Context
from app.service.notices import Notices, Topic
from app.storage import sets


async def test_only_those_who_ask_about_a_set_hear_of_it() -> None:
    said, here, there = Notices(), uuid4(), uuid4()
    one, two, other = said.about(here), said.about(here), said.about(there)
    said.hear(str(here))
    assert (one.notices, two.notices, other.notices) == (1, 1, 0)


async def test_a_set_that_nobody_asks_about_wakes_nobody() -> None:
    said, here = Notices(), uuid4()
    said.about(here)
    said.hear(str(here))
    assert said.about(here).notices == 0


async def test_whoever_takes_changes_gets_each_set_once_and_all_when_some_may_be_missed() -> None:
    said, here, there = Notices(), uuid4(), uuid4()
    said.hear_all()
    assert said.changes.take() is None
    said.hear(f"{here} {there}")
    said.hear(str(here))
    assert said.changes.take() == sorted([here, there])
    assert said.changes.take() == []
    waiting = asyncio.create_task(said.changes.wait())
    said.hear(str(there))
    await asyncio.wait_for(waiting, 1.0)
    said.hear_all()
    assert said.changes.take() is None


async def test_waiting_ends_with_a_notice_or_the_time() -> None:
    topic: Topic[int] = Topic()
    assert not await asyncio.wait_for(topic.wait(0, 0.01), 5)
    waiting = [asyncio.create_task(topic.wait(0, 60)) for _ in range(3)]
    await asyncio.sleep(0)
    topic.hear()
    assert await asyncio.wait_for(asyncio.gather(*waiting), 5) == [True] * 3
    assert await asyncio.wait_for(topic.wait(0, 60), 5)


async def test_all_who_listen_share_one_look_for_each_notice() -> None:
    topic: Topic[int] = Topic()

    async def read(last: int | None) -> int:
        await asyncio.sleep(0)
        return (last or 0) + 1

    async def look(will_do: bool = True) -> int:
        return await topic.look(read, lambda _: will_do)

    assert await asyncio.gather(*(look() for _ in range(5))) == [1] * 5
    topic.hear()
    assert await asyncio.gather(*(look() for _ in range(5))) == [2] * 5
    assert await look(will_do=False) == 3


async def test_a_notice_during_a_look_makes_it_be_looked_again() -> None:
    topic: Topic[int] = Topic()

    async def read(last: int | None) -> int:
        if last is None:
            topic.hear()
        return (last or 0) + 1

    assert [await topic.look(read, lambda _: True) for _ in range(3)] == [1, 2, 2]


async def test_a_look_that_fails_is_done_by_the_next_who_listens() -> None:
    topic: Topic[int] = Topic()

    async def read(_: int | None) -> int:
        if not topic.notices:
            raise ConnectionError
        return 7

    with pytest.raises(ConnectionError):
        await topic.look(read, lambda _: True)
    topic.hear()
    assert await topic.look(read, lambda _: True) == 7


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
    assert await said.about(here).wait(0, 5)
    listening.cancel()
    assert attempts == 3


async def test_many_sets_change_at_once_and_everyone_learns_of_theirs(context: Context) -> None:
    ids = [uuid4() for _ in range(3 * sets.IDS_IN_A_NOTICE + 1)]
    topics = [context.notices.about(each) for each in ids]
    async with context.engine.begin() as db:
        await sets.announce(db, ids)
    assert all(await asyncio.gather(*(topic.wait(0, 10) for topic in topics)))
