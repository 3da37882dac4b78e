"""Read: what happens to a set, as it happens."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from fastapi import FastAPI

from app.service import events
from app.service.context import Context
from tests.factories import EventStream, Http, Made, create_set, follow, run_sql, statements, tell


async def until_version(stream: EventStream, version: int) -> list[tuple[str, int]]:
    """(name, id) of the events up to the ranking of `version`."""
    seen: list[tuple[str, int]] = []
    while True:
        (event,) = await stream.take(1)
        seen.append((event.name, event.id))
        if event.name == "ranking" and event.data["version"] == version:
            return seen


async def comparisons_until(stream: EventStream, version: int) -> list[int]:
    """Sequence numbers of the comparisons sent on the way to `version`."""
    return [seq for name, seq in await until_version(stream, version) if name == "comparison"]


async def test_a_stream_begins_with_where_the_set_stands(http: Http, app: FastAPI) -> None:
    created = await create_set(http, told=["ash>elm", "ash>birch"])
    await created.void(1)
    async with follow(app, created["id"]) as stream:
        assert await stream.status == 200
        status, ranking = await stream.take(2)
    assert (status.name, ranking.name) == ("status", "ranking")
    assert status.data == ranking.data == {"version": 3, "comparisons": 1, "candidates": 4, "status": "open"}
    assert ranking.id == 3


async def test_a_vote_between_the_answer_and_the_first_look_is_sent(
    http: Http, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    created, look, go_on = await create_set(http), events._look, asyncio.Event()

    async def later(*args: Any) -> Any:
        await go_on.wait()
        return await look(*args)

    monkeypatch.setattr(events, "_look", later)
    async with follow(app, created["id"]) as stream:
        assert await stream.status == 200
        await created.compare("ash>elm", "ash>birch")
        go_on.set()
        assert await comparisons_until(stream, 2) == [1, 2]


async def test_a_vote_is_sent_as_it_is_in_the_log_with_the_new_state(http: Http, app: FastAPI) -> None:
    created = await create_set(http)
    async with follow(app, created["id"]) as stream:
        await stream.take(2)
        await tell(http, (await created.ask_one())["id"], p_first=0.8)
        comparison, ranking = await stream.take(2)
    assert (comparison.name, comparison.id, comparison.data) == ("comparison", 1, (await created.log())[0])
    assert (ranking.name, ranking.data) == (
        "ranking",
        {"version": 1, "comparisons": 1, "candidates": 4, "status": "open"},
    )


CHANGES: dict[str, tuple[Callable[[Made], Awaitable[Any]], str, int, dict[str, Any]]] = {
    "void": (lambda made: made.void(1), "ranking", 2, {"version": 2, "comparisons": 0}),
    "scores": (lambda made: made.score(ash=7, elm=3), "ranking", 3, {"version": 3, "comparisons": 1}),
    "candidate": (lambda made: made.add("oak"), "ranking", 1, {"version": 1, "candidates": 5}),
    "pause": (lambda made: made.patch(status="paused"), "status", 1, {"version": 1, "status": "paused"}),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_whatever_changes_a_set_is_sent_as_its_new_state(http: Http, app: FastAPI, change: str) -> None:
    do, name, version, said = CHANGES[change]
    created = await create_set(http, told=["ash>elm"])
    async with follow(app, created["id"]) as stream:
        await stream.take(2)
        await do(created)
        (event,) = await stream.take(1)
    assert (event.name, event.id) == (name, version)
    assert event.data == {"version": 1, "comparisons": 1, "candidates": 4, "status": "open"} | said


async def test_a_log_that_holds_everything_is_sent_in_batches_and_resumed(
    http: Http, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "BATCH", 2)
    created = await create_set(http)
    for n in range(4):
        await created.compare("ash>elm")
        await created.score(ash=n)
    await created.void(1)
    for after, rest in ((0, [1, 3, 5, 7]), (3, [5, 7]), (4, [5, 7]), (8, [])):
        async with follow(app, created["id"], last_event_id=str(after)) as stream:
            told = await stream.take(len(rest) + 2)  # with the status and the ranking
            assert [event.id for event in told if event.name == "comparison"] == rest


async def test_another_set_sends_nothing(http: Http, app: FastAPI) -> None:
    here, there = await create_set(http), await create_set(http)
    async with follow(app, here["id"]) as stream:
        await stream.take(2)
        await there.compare("ash>elm")
        await here.compare("ash>elm")
        (event,) = await stream.take(1)
    assert event.data["set_id"] == here["id"]


@pytest.mark.parametrize(("after", "headers"), [("1", {}), ("0", {"last_event_id": "1"})], ids=str)
async def test_the_log_is_replayed_from_after_or_rather_from_the_last_event_id(
    http: Http, app: FastAPI, after: str, headers: dict[str, str]
) -> None:
    created = await create_set(http, told=["ash>elm"] * 4)
    async with follow(app, created["id"], f"after={after}", **headers) as stream:
        assert await comparisons_until(stream, 4) == [2, 3, 4]


async def test_a_client_that_reconnects_misses_nothing_and_gets_nothing_twice(http: Http, app: FastAPI) -> None:
    created = await create_set(http, told=["ash>elm"])
    async with follow(app, created["id"], "after=0") as stream:
        (*_, last) = await until_version(stream, 1)
    await created.compare("ash>birch", "ash>cedar")  # while nobody listens
    async with follow(app, created["id"], last_event_id=str(last[1])) as stream:
        assert await comparisons_until(stream, 3) == [2, 3]
        await created.compare("birch>elm")
        assert await comparisons_until(stream, 4) == [4]


async def test_an_event_says_only_what_was_sent_before_it(
    http: Http, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reconnects after any event gets the rest."""
    monkeypatch.setattr(events, "BATCH", 2)
    created = await create_set(http, told=["ash>elm"] * 5)
    async with follow(app, created["id"], "after=0") as stream:
        told = 0
        for event in await stream.take(7):
            told = event.id if event.name == "comparison" else told
            assert event.id == told


async def test_votes_during_the_stream_are_each_sent_once(http: Http, app: FastAPI) -> None:
    created = await create_set(http)
    async with follow(app, created["id"]) as stream:
        await stream.take(2)
        await asyncio.gather(*(created.compare("ash>elm") for _ in range(20)))
        assert await comparisons_until(stream, 20) == list(range(1, 21))


async def test_a_vote_is_read_once_for_all_who_follow(http: Http, app: FastAPI, context: Context) -> None:
    created = await create_set(http)
    async with AsyncExitStack() as open_streams:
        streams = [await open_streams.enter_async_context(follow(app, created["id"])) for _ in range(20)]
        for stream in streams:
            await stream.take(2)
        with statements(context.engine) as sent:
            await created.compare(*["ash>elm"] * 3)
            assert [await comparisons_until(stream, 3) for stream in streams] == [[1, 2, 3]] * 20
    assert sum("label_mass" in each and each.startswith("SELECT") for each in sent) == 1


async def test_who_follows_from_far_behind_gets_everything_beside_those_who_are_here(
    http: Http, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "BATCH", 2)
    created = await create_set(http)
    async with follow(app, created["id"]) as here:
        await here.take(2)
        for version in range(7, 22, 7):  # more at once than are held
            await created.compare(*["ash>elm"] * 7)
            told = await here.take(8)  # with the ranking
            assert [each.id for each in told if each.name == "comparison"] == list(range(version - 6, version + 1))
            async with follow(app, created["id"], f"after={version - 5}") as behind:
                told = await behind.take(7)
            assert [each.id for each in told if each.name == "comparison"] == list(range(version - 4, version + 1))


async def test_a_comparison_that_was_taken_back_is_sent_as_such(http: Http, app: FastAPI) -> None:
    created = await create_set(http)
    async with follow(app, created["id"]) as here:
        await here.take(2)
        await created.compare("ash>elm", "ash>birch")
        await comparisons_until(here, 2)
        await created.void(1)
        await here.take(1)
        async with follow(app, created["id"], "after=0") as late:
            told = await late.take(2)
    assert [each.data["voided_by"] for each in told] == [3, None]


async def test_a_quiet_stream_has_a_heartbeat(http: Http, app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.05)
    created = await create_set(http)
    async with follow(app, created["id"]) as stream:
        await stream.take(2)
        assert [await stream.next() for _ in range(3)] == [None, None, None]


async def test_a_stream_outlives_the_loss_of_the_listening_connection(
    http: Http, app: FastAPI, context: Context
) -> None:
    created = await create_set(http)
    async with follow(app, created["id"]) as stream:
        await stream.take(2)
        await run_sql(
            context.engine,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = "
            "current_database()",
        )
        await created.compare("ash>elm")
        assert await comparisons_until(stream, 1) == [1]


async def test_following_holds_no_connection(http: Http, app: FastAPI, context: Context) -> None:
    created = await create_set(http)
    async with follow(app, created["id"]) as stream:
        await stream.take(2)
        await asyncio.sleep(0.05)
        assert context.engine.pool.checkedout() == 0  # type: ignore[attr-defined]  # of the pool that the service uses
