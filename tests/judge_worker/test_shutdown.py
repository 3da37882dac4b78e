"""Work that ends, fails, or is stopped."""

import asyncio

import pytest

from judge_worker import shutdown
from judge_worker.shutdown import until_stopped


async def test_it_runs_until_all_is_done() -> None:
    done = []

    async def work(n: int) -> None:
        await asyncio.sleep(0.01 * n)
        done.append(n)

    await until_stopped([work(2), work(1)], asyncio.Event())
    assert done == [1, 2]


async def test_when_one_fails_the_others_have_ended_before_it_is_raised() -> None:
    ended = []

    async def works() -> None:
        try:
            await asyncio.sleep(60.0)
        finally:
            ended.append(True)

    async def fails() -> None:
        await asyncio.sleep(0.01)
        raise ValueError("no engine")

    with pytest.raises(ValueError, match="no engine"):
        await until_stopped([works(), fails(), works()], asyncio.Event())
    assert ended == [True, True]


async def test_what_was_stopped_may_finish() -> None:
    told, done = asyncio.Event(), []

    async def work() -> None:
        await told.wait()
        await asyncio.sleep(0.01)
        done.append(True)

    running = asyncio.create_task(until_stopped([work()], told))
    await asyncio.sleep(0.01)
    told.set()
    await running
    assert done


async def test_but_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutdown, "GRACE", 0.05)
    told = asyncio.Event()
    told.set()
    async with asyncio.timeout(5.0):
        await until_stopped([asyncio.sleep(60.0)], told)
