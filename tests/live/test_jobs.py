"""Long computations beside the requests."""

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest

from app.live import jobs
from app.live.jobs import Jobs, Underway


@pytest.fixture
def work() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


async def test_quick_work_is_there_at_once_and_done_once(work: Jobs) -> None:
    calls: list[int] = []

    def once(_: Callable[[str], None]) -> int:
        calls.append(1)
        return 7

    assert [await work.result("key", once) for _ in range(3)] == [7, 7, 7]
    assert len(calls) == 1


async def test_slow_work_says_how_far_it_is(work: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.05)
    said, go = threading.Event(), threading.Event()

    def slow(say: Callable[[str], None]) -> str:
        say("half of it")
        said.set()
        go.wait(10)
        return "done"

    with pytest.raises(Underway):
        await work.result("key", slow)
    await asyncio.to_thread(said.wait, 10)
    with pytest.raises(Underway, match="half of it"):
        await work.result("key", slow)
    go.set()
    monkeypatch.setattr(jobs, "PATIENCE", 10.0)
    assert await work.result("key", slow) == "done"


async def test_what_failed_is_tried_again(work: Jobs) -> None:
    tries: list[int] = []

    def fails_once(_: Callable[[str], None]) -> int:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("no")
        return len(tries)

    with pytest.raises(ValueError, match="no"):
        await work.result("key", fails_once)
    assert await work.result("key", fails_once) == 2


async def test_only_the_latest_results_are_kept(work: Jobs) -> None:
    calls: list[int] = []

    def note(n: int) -> Callable[[Callable[[str], None]], int]:
        def work_on(_: Callable[[str], None]) -> int:
            calls.append(n)
            return n

        return work_on

    for n in range(jobs.KEPT + 5):
        assert await work.result(n, note(n)) == n
    await work.result(jobs.KEPT + 4, note(-1))
    assert -1 not in calls
    assert await work.result(0, note(-2)) == -2
