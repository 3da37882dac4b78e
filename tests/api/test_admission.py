"""More asks than the process can answer: some are turned away, and verdicts are not."""

import asyncio
from contextlib import AsyncExitStack, ExitStack

import httpx
import pytest

from app.service import turns
from app.service.context import Context
from app.service.turns import ASKS_AT_ONCE, ASKS_WAITING
from tests.factories import ask_one, create_set, tell

AT_MOST = ASKS_AT_ONCE + ASKS_WAITING


async def refused(http: httpx.AsyncClient, path: str) -> bool:
    answer = await http.post(path, json={"judge": "bob"})
    if answer.status_code == 200:
        return False
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1"), answer.text
    assert answer.json()["type"] == "urn:nextpair:problem:busy"
    return True


async def test_asks_beyond_those_that_fit_are_turned_away_and_verdicts_are_not(
    http: httpx.AsyncClient, context: Context
) -> None:
    created = await create_set(http)
    given = await ask_one(http, created["id"])
    with ExitStack() as others:
        for _ in range(AT_MOST):
            others.enter_context(context.asks.counted())
        for path in (f"/v1/sets/{created['id']}/next-pair", "/v1/next-pairs"):
            assert await refused(http, path)
        assert (await tell(http, given["id"], p_first=0.9)).status_code == 201
        assert (await http.get(f"/v1/sets/{created['id']}/next-pair")).status_code == 200
    assert not await refused(http, f"/v1/sets/{created['id']}/next-pair")


async def test_an_ask_that_is_not_worked_on_soon_is_turned_away(
    http: httpx.AsyncClient, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE_OF_ASKS", 0.05)
    created = await create_set(http)
    given = await ask_one(http, created["id"])
    async with AsyncExitStack() as others:
        for _ in range(ASKS_AT_ONCE):
            await others.enter_async_context(context.asks.at_work)
        assert await refused(http, f"/v1/sets/{created['id']}/next-pair")
        assert (await tell(http, given["id"], p_first=0.9)).status_code == 201
    assert not await refused(http, f"/v1/sets/{created['id']}/next-pair")


async def test_who_waits_for_a_pair_keeps_nobody_from_asking(http: httpx.AsyncClient) -> None:
    small, large = await create_set(http, "ash", "elm"), await create_set(http)
    given = await ask_one(http, small["id"])
    here = 0

    async def wait(judge: str) -> str:
        nonlocal here
        here += 1
        body = {"judge": judge, "wait_seconds": 30.0}
        while (answer := await http.post(f"/v1/sets/{small['id']}/next-pair", json=body)).status_code == 503:
            await asyncio.sleep(0.01)
        return str(answer.json()["status"])

    waiting = [asyncio.create_task(wait(f"judge {n}")) for n in range(2 * AT_MOST)]
    while here < len(waiting) or await refused(http, f"/v1/sets/{large['id']}/next-pair"):
        await asyncio.sleep(0.01)
    assert not any(each.done() for each in waiting)
    assert (await tell(http, given["id"], p_first=0.9)).status_code == 201
    assert set(await asyncio.gather(*waiting)) == {"exhausted"}
