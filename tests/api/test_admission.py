"""More asks than the process can answer: some are turned away, and verdicts are not."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from nextpair import AsyncClient

from app.service import turns
from app.service.context import Context
from app.service.errors import Busy
from app.service.turns import ASKS_AT_ONCE, Asks
from tests.factories import Http, create_asked, create_set, tell


@contextmanager
def crowded(asks: Asks) -> Iterator[None]:
    """As many others ask as are admitted."""
    with ExitStack() as others:
        with suppress(Busy):
            while True:
                others.enter_context(asks.counted())
        yield


async def refused(http: Http, path: str) -> bool:
    answer = await http.post(path, json={"judge": "bob"})
    if answer.status_code == 200:
        return False
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1"), answer.text
    assert answer.json()["type"] == "urn:nextpair:problem:busy"
    return True


async def test_asks_beyond_those_that_fit_are_turned_away_and_verdicts_are_not(http: Http, context: Context) -> None:
    created, given = await create_asked(http)
    with crowded(context.asks):
        for path in (f"{created.url}/next-pair", "/v1/next-pairs"):
            assert await refused(http, path)
        assert (await tell(http, given["id"], p_first=0.9)).status_code == 201
        assert (await http.get(f"{created.url}/next-pair")).status_code == 200
    assert not await refused(http, f"{created.url}/next-pair")


async def test_an_ask_that_is_not_worked_on_soon_is_turned_away(
    http: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE_OF_ASKS", 0.05)
    created, given = await create_asked(http)
    async with AsyncExitStack() as others:
        for _ in range(ASKS_AT_ONCE):
            await others.enter_async_context(context.asks.turn())
        assert await refused(http, f"{created.url}/next-pair")
        assert (await tell(http, given["id"], p_first=0.9)).status_code == 201
    assert not await refused(http, f"{created.url}/next-pair")


async def test_who_waits_for_a_pair_keeps_nobody_from_asking(http: Http, context: Context) -> None:
    small, large = await create_set(http, "ash", "elm"), await create_set(http)
    given = await small.ask_one()

    async def wait(judge: str) -> str:
        body = {"judge": judge, "wait_seconds": 30.0}
        return str((await http.post(f"{small.url}/next-pair", json=body)).json()["status"])

    waiting = [asyncio.create_task(wait(f"judge {n}")) for n in range(2 * ASKS_AT_ONCE)]
    topic = context.notices.about(UUID(small["id"]))
    while len(topic._next._waiters) < len(waiting):
        await asyncio.sleep(0.01)
    with crowded(context.asks):
        assert await refused(http, f"{large.url}/next-pair")
    assert not await refused(http, f"{large.url}/next-pair")
    assert (await tell(http, given["id"], p_first=0.9)).status_code == 201
    assert set(await asyncio.gather(*waiting)) == {"exhausted"}


async def test_annotators_who_come_at_once_all_get_a_pair(http: Http, app: FastAPI) -> None:
    created = await create_set(http, *(f"candidate {n}" for n in range(12)))
    async with AsyncClient("http://localhost", transport=httpx.ASGITransport(app), retries=20) as client:
        ranked = await client.sets.get(created["id"])
        pairs = await asyncio.gather(*(ranked.next_pair(judge=f"judge {n}") for n in range(60)))
    assert len({pair.id for pair in pairs if pair}) == 60
