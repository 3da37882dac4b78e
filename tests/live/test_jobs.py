"""Long computations beside the requests."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple
from uuid import UUID, uuid4

import pytest

from app.live import jobs
from app.live.jobs import JobKey, Jobs, Report, Underway

A, B = uuid4(), uuid4()


class Answer(NamedTuple):
    version: int
    conditions: object = "plain"
    size_bytes: int = 1


class Work:
    """Prepared and computed while `go` is set; counts how often."""

    def __init__(self, version: int = 1, conditions: object = "plain", size_bytes: int = 1) -> None:
        self.answer, self.calls = Answer(version, conditions, size_bytes), 0
        self.begun, self.go = threading.Event(), threading.Event()
        self.go.set()

    async def __call__(self) -> Callable[[Report], Answer]:
        return self.compute

    def compute(self, say: Report) -> Answer:
        self.calls += 1
        say("half of it")
        self.begun.set()
        assert self.go.wait(10)
        return self.answer


@pytest.fixture
async def work() -> AsyncIterator[Jobs]:
    made = Jobs()
    yield made
    await made.close()


async def ask(work: Jobs, prepare: Callable[[], Awaitable[Callable[[Report], Answer]]], version: int = 1) -> Answer:
    return await work.result(JobKey(A, "why"), version, "plain", prepare)


async def begun(*works: Work) -> None:
    for each in works:
        assert await asyncio.to_thread(each.begun.wait, 10)


async def test_quick_work_is_there_at_once_and_done_once(work: Jobs) -> None:
    once = Work()
    assert [await ask(work, once) for _ in range(3)] == [once.answer] * 3
    assert once.calls == 1


async def test_slow_work_says_how_far_it_is(work: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Work()
    slow.go.clear()
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    with pytest.raises(Underway):
        await ask(work, slow)
    await begun(slow)
    with pytest.raises(Underway, match="half of it"):
        await ask(work, slow)
    slow.go.set()
    monkeypatch.setattr(jobs, "PATIENCE", 10.0)
    assert await ask(work, slow) == slow.answer


async def test_a_log_that_grows_faster_than_it_is_computed_has_results(
    work: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Work(1), Work(2)
    assert (await ask(work, first)).version == 1
    second.go.clear()
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    assert [(await ask(work, second, version)).version for version in range(2, 12)] == [1] * 10
    await begun(second)
    second.go.set()
    monkeypatch.setattr(jobs, "PATIENCE", 10.0)
    assert (await ask(work, second, 2)).version == 2
    assert second.calls == 1


async def test_what_began_before_the_log_grew_is_followed_by_one_that_did_not(work: Jobs) -> None:
    early, late = Work(1), Work(2)
    early.go.clear()
    waiting = asyncio.create_task(ask(work, early))
    await begun(early)
    newer = [asyncio.create_task(ask(work, late, version=2)) for _ in range(5)]
    await asyncio.sleep(0)
    early.go.set()
    assert (await waiting).version == 1
    assert [each.version for each in await asyncio.gather(*newer)] == [2] * 5
    assert (early.calls, late.calls) == (1, 1)


async def test_a_result_under_other_terms_is_never_given(work: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    await ask(work, Work())
    tempered = Work(conditions="tempered")
    assert await work.result(JobKey(A, "why"), 1, "tempered", tempered) == tempered.answer
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    with pytest.raises(Underway):
        await ask(work, Work())


async def test_the_long_work_of_a_set_holds_up_no_other_set(work: Jobs) -> None:
    long = [Work() for _ in range(4)]
    for each in long:
        each.go.clear()
    waiting = [asyncio.create_task(work.result(JobKey(A, str(n)), 1, "plain", each)) for n, each in enumerate(long)]
    await begun(long[0])
    short = Work()
    assert await work.result(JobKey(B, "why"), 1, "plain", short) == short.answer
    assert [each.calls for each in long] == [1, 0, 0, 0]
    for each in long:
        each.go.set()
    await asyncio.gather(*waiting)


async def test_what_failed_is_reported_once_and_tried_again(work: Jobs) -> None:
    tries: list[int] = []

    async def fails_once() -> Callable[[Report], Answer]:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("no")
        return lambda _: Answer(len(tries))

    async def answer() -> Answer:
        return await ask(work, fails_once)

    failed = await asyncio.gather(answer(), answer(), return_exceptions=True)
    assert [str(each) for each in failed] == ["no", "no"]
    assert (await answer()).version == 2


async def test_what_failed_unreported_is_reported_to_whoever_asks_next(
    work: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails() -> Callable[[Report], Answer]:
        await asyncio.sleep(0.01)
        raise ValueError("no")

    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    with pytest.raises(Underway):
        await ask(work, fails)
    await asyncio.sleep(0.05)
    monkeypatch.setattr(jobs, "PATIENCE", 10.0)
    with pytest.raises(ValueError, match="no"):
        await ask(work, Work())
    assert await ask(work, Work()) == Answer(1)


@pytest.mark.parametrize(("bound", "most"), [("KEPT", 5), ("KEPT_BYTES", 50)])
async def test_only_the_latest_results_are_kept(
    work: Jobs, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    monkeypatch.setattr(jobs, bound, most)
    asked = [JobKey(UUID(int=n), "why") for n in range(8)]
    made = [Work(size_bytes=10) for _ in asked]
    for question, each in zip(asked, made, strict=True):
        await work.result(question, 1, "plain", each)
    await work.result(asked[-1], 1, "plain", made[-1])
    await work.result(asked[0], 1, "plain", made[0])
    assert (made[-1].calls, made[0].calls) == (1, 2)


async def test_a_result_that_is_larger_than_the_bound_is_still_given(work: Jobs) -> None:
    huge = Work(size_bytes=2 * jobs.KEPT_BYTES)
    assert [await ask(work, huge) for _ in range(2)] == [huge.answer] * 2
    assert huge.calls == 1


async def test_no_more_wait_than_may(work: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    monkeypatch.setattr(jobs, "WAITING", 2)
    slow = Work()
    slow.go.clear()
    for name in ("one", "two"):
        with pytest.raises(Underway, match=r"turn|begun|half"):
            await work.result(JobKey(A, name), 1, "plain", slow)
    with pytest.raises(Underway, match="many others come first"):
        await work.result(JobKey(A, "three"), 1, "plain", slow)
    slow.go.set()


async def test_what_nobody_waits_for_takes_its_place_among_the_others(
    work: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    slow = [Work() for _ in range(jobs.AT_ONCE)]
    for each in slow:
        each.go.clear()
        with pytest.raises(Underway):
            await work.result(JobKey(uuid4(), "why"), 1, "plain", each)
    await begun(*slow)
    computing = asyncio.create_task(work.compute(lambda: "done"))
    await asyncio.sleep(0)
    assert not computing.done()
    slow[0].go.set()
    assert await asyncio.wait_for(computing, 10) == "done"
    slow[1].go.set()


async def occupied(work: Jobs) -> list[Work]:
    """Long work of other sets in every place."""
    long = [Work() for _ in range(jobs.AT_ONCE)]
    for each in long:
        each.go.clear()
        asyncio.create_task(work.result(JobKey(uuid4(), "why"), 1, "plain", each))  # noqa: RUF006  # waited for by `go`
    await begun(*long)
    return long


async def test_what_nobody_waits_for_any_more_is_not_begun(work: Jobs) -> None:
    long, one, two = await occupied(work), Work(), Work()
    leaving = [asyncio.create_task(ask(work, one)) for _ in range(2)]
    staying = asyncio.create_task(work.result(JobKey(B, "why"), 1, "plain", two))
    await asyncio.sleep(0)
    for reader in leaving:
        reader.cancel()
        await asyncio.wait({reader})
    for each in long:
        each.go.set()
    assert await staying == two.answer
    assert (one.calls, two.calls) == (0, 1)
    assert await ask(work, one) == one.answer


async def test_one_reader_leaves_the_work_to_the_others(work: Jobs) -> None:
    long, wanted = await occupied(work), Work()
    leaving, staying = [asyncio.create_task(ask(work, wanted)) for _ in range(2)]
    await asyncio.sleep(0)
    leaving.cancel()
    for each in long:
        each.go.set()
    assert await staying == wanted.answer
    assert wanted.calls == 1


async def test_what_has_begun_is_finished_and_kept(work: Jobs) -> None:
    slow = Work()
    slow.go.clear()
    leaving = asyncio.create_task(ask(work, slow))
    await begun(slow)
    leaving.cancel()
    await asyncio.wait({leaving})
    slow.go.set()
    assert await ask(work, slow) == slow.answer
    assert slow.calls == 1


class Reading(Work):
    """Work whose log is read for as long as a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.is_read, self.may_end = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> Callable[[Report], Answer]:
        self.is_read.set()
        await self.may_end.wait()
        return self.compute


async def left_while_it_is_read(work: Jobs, wanted: Reading) -> None:
    """The only reader goes away."""
    leaving = asyncio.create_task(ask(work, wanted))
    await wanted.is_read.wait()
    leaving.cancel()
    await asyncio.wait({leaving})


async def test_what_was_read_for_nobody_is_not_computed(work: Jobs) -> None:
    wanted = Reading()
    await left_while_it_is_read(work, wanted)
    wanted.may_end.set()
    other = Work()
    assert await work.result(JobKey(A, "other"), 1, "plain", other) == other.answer
    assert wanted.calls == 0
    assert await ask(work, wanted) == wanted.answer


async def test_who_comes_back_while_it_is_read_gets_it(work: Jobs) -> None:
    wanted = Reading()
    await left_while_it_is_read(work, wanted)
    back = asyncio.create_task(ask(work, wanted))
    await asyncio.sleep(0)
    wanted.may_end.set()
    assert await back == wanted.answer
    assert wanted.calls == 1


async def test_few_questions_about_one_set_wait_at_a_time(work: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    slow, other = Work(), Work()
    slow.go.clear()
    for n in range(jobs.OF_ONE_SET):
        with pytest.raises(Underway, match=r"turn|begun|half"):
            await work.result(JobKey(A, str(n)), 1, "plain", slow)
    with pytest.raises(Underway, match="many others come first"):
        await work.result(JobKey(A, "one more"), 1, "plain", slow)
    monkeypatch.setattr(jobs, "PATIENCE", 10.0)
    assert await work.result(JobKey(B, "why"), 1, "plain", other) == other.answer
    slow.go.set()


async def test_who_has_nothing_yet_may_wait_longer(work: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    first = Work()
    assert await work.result(JobKey(A, "why"), 1, "plain", first, 10.0) == first.answer
    second = Work(2)
    second.go.clear()
    assert await work.result(JobKey(A, "why"), 2, "plain", second, 10.0) == first.answer
    second.go.set()
