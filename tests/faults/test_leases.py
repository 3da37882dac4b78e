"""A lease that runs out just as its holder renews it and another judge asks: the pair is one judge's, never two's.

`NEXTPAIR_ROUNDS` says how often each race is run.
"""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple

import httpx
import pytest
from sqlalchemy import text

from app.service.context import Context
from app.settings import Settings
from tests.conftest import running
from tests.factories import ask, create_set, unordered

ROUNDS = int(os.environ.get("NEXTPAIR_ROUNDS", "8"))


class Process(NamedTuple):
    http: httpx.AsyncClient
    context: Context


@asynccontextmanager
async def process(settings: Settings) -> AsyncIterator[Process]:
    async with (
        running(settings) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as http,
    ):
        yield Process(http, app.state.context)


@pytest.fixture
async def two(settings: Settings) -> AsyncIterator[tuple[Process, Process]]:
    """Two processes on one database."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(process(settings)), await stack.enter_async_context(process(settings))


async def let_run_out(context: Context, set_id: str, milliseconds: float) -> None:
    """Let the leases of a set end that much from now."""
    async with context.engine.begin() as db:
        ends = "UPDATE assignments SET expires_at = clock_timestamp() + :ms * interval '1 ms' WHERE set_id = :id"
        await db.execute(text(ends), {"ms": milliseconds, "id": set_id})


Renew = Callable[[httpx.AsyncClient, list[str]], Awaitable[set[str]]]


async def renew_one(http: httpx.AsyncClient, ids: list[str]) -> set[str]:
    """Returns what the holder received."""
    answer = await http.post(f"/v1/assignments/{ids[0]}/renew")
    assert answer.status_code in (200, 410), answer.text
    return {ids[0]} if answer.status_code == 200 else set()


async def renew_many(http: httpx.AsyncClient, ids: list[str]) -> set[str]:
    answer = await http.post("/v1/assignments/renew", json={"assignments": ids})
    assert answer.status_code == 200, answer.text
    return {lease["id"] for lease in answer.json()["held"]}


@pytest.mark.parametrize(("renew", "keys"), [(renew_one, "ab"), (renew_many, "abcdefgh")])
async def test_no_pair_is_held_by_two(two: tuple[Process, Process], renew: Renew, keys: str) -> None:
    one, other = two
    rng = random.Random(0)
    renewed = 0
    for _ in range(ROUNDS):
        set_id = (await create_set(one.http, *keys))["id"]
        leased = {pair["id"]: unordered(pair) for pair in (await ask(one.http, set_id, count=25))["assignments"]}
        await let_run_out(one.context, set_id, rng.uniform(0.0, 12.0))
        kept, answer = await asyncio.gather(renew(one.http, list(leased)), ask(other.http, set_id, "bob", count=28))
        given = {unordered(pair) for pair in answer["assignments"]}
        assert not {leased[each] for each in kept} & given
        renewed += bool(kept)
    assert ROUNDS < 100 or 0 < renewed < ROUNDS, "the race has to be close"
