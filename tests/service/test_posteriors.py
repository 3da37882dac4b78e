"""The live posterior of a set, against its log and against another process."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import numpy as np
import pytest

from app.inference import posterior as inference
from app.inference.model import Method, build
from app.inference.types import by_one_judge
from app.service.context import Context
from app.settings import Settings
from tests.conftest import running
from tests.factories import (
    answer_all,
    ask,
    ask_one,
    candidates,
    compare,
    create_set,
    get,
    log,
    ranking,
    tell,
    unordered,
    void,
)


@pytest.fixture
async def elsewhere(settings: Settings, app: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A second process on the database of the first."""
    async with (
        running(settings) as other,
        httpx.AsyncClient(transport=httpx.ASGITransport(other), base_url="http://test") as client,
    ):
        yield client


async def test_the_ranking_is_a_fit_of_the_log_from_scratch(http: httpx.AsyncClient) -> None:
    keys = [f"c{n:02}" for n in range(14)]
    created = await create_set(http, *keys, prior_variance=2.0)
    await answer_all(http, created["id"], count=7)
    await void(http, created["id"], 3)
    entries = [e for e in await log(http, created["id"], limit=500) if e["voided_by"] is None]
    data = by_one_judge(
        np.array([keys.index(e["first"]) for e in entries]),
        np.array([keys.index(e["second"]) for e in entries]),
        np.array([e["p_first"] for e in entries]),
    )
    fitted = inference.fit(data, build(Method(prior_variance=2.0), len(keys)))
    published = {row["key"]: row for row in (await ranking(http, created["id"]))["ranking"]}
    assert [published[key]["score"] for key in keys] == pytest.approx(fitted.mean.tolist(), abs=1e-8)


async def test_two_processes_agree(http: httpx.AsyncClient, elsewhere: httpx.AsyncClient) -> None:
    created = await create_set(http)
    for n, pair in enumerate(["ash>elm", "birch>ash", "", "cedar>birch"]):
        here, there = (http, elsewhere) if n % 2 else (elsewhere, http)
        if pair:
            await compare(here, created["id"], pair)
        else:
            await void(here, created["id"], 1)
        assert await ranking(there, created["id"]) == await ranking(here, created["id"])


async def test_two_processes_choose_the_same_next_pair(http: httpx.AsyncClient, elsewhere: httpx.AsyncClient) -> None:
    created = await create_set(http, selection={"random_share": 0.4, "seed": 9})
    await compare(http, created["id"], "ash>elm", "birch>cedar")
    url = f"/v1/sets/{created['id']}/next-pair"
    assert await get(http, url, count=4) == await get(elsewhere, url, count=4)


async def test_two_processes_never_lease_the_same_pair(http: httpx.AsyncClient, elsewhere: httpx.AsyncClient) -> None:
    keys = [f"c{n}" for n in range(6)]
    created = await create_set(http, *keys)
    asked = await asyncio.gather(
        *(ask(process, created["id"], f"judge {n}", count=2) for n, process in enumerate([http, elsewhere] * 3))
    )
    pairs = [unordered(a) for answer in asked for a in answer["assignments"]]
    assert len(set(pairs)) == len(pairs) == 12


async def test_a_judge_gets_its_lease_back_from_another_process(
    http: httpx.AsyncClient, elsewhere: httpx.AsyncClient
) -> None:
    created = await create_set(http)
    assert (await ask_one(http, created["id"]))["id"] == (await ask_one(elsewhere, created["id"]))["id"]


async def test_a_wait_in_one_process_is_ended_by_the_other(
    http: httpx.AsyncClient, elsewhere: httpx.AsyncClient
) -> None:
    created = await create_set(http, "ash", "elm")
    given = await ask_one(http, created["id"], "alice")
    waiting = asyncio.create_task(ask(elsewhere, created["id"], "bob", wait_seconds=30))
    await asyncio.sleep(0.2)
    await http.post(f"/v1/assignments/{given['id']}/release")
    assert (await asyncio.wait_for(waiting, 4))["status"] == "open"


async def test_a_candidate_that_joins_in_one_process_is_ranked_in_the_other(
    http: httpx.AsyncClient, elsewhere: httpx.AsyncClient
) -> None:
    created = await create_set(http, "ash", "elm")
    await compare(http, created["id"], "ash>elm")
    await ranking(elsewhere, created["id"])
    await http.post(f"/v1/sets/{created['id']}/candidates", json={"candidates": candidates("oak")})
    assert await ranking(elsewhere, created["id"]) == await ranking(http, created["id"])


async def test_a_set_that_was_forgotten_is_folded_again(http: httpx.AsyncClient, context: Context) -> None:
    created = await create_set(http)
    await compare(http, created["id"], "ash>elm", "elm>birch")
    before = await ranking(http, created["id"])
    context.live.forget(UUID(created["id"]))
    assert await ranking(http, created["id"]) == before


async def test_a_candidate_may_join_in_the_middle_of_an_ask(http: httpx.AsyncClient, context: Context) -> None:
    created, gate = await create_set(http), threading.Event()
    await compare(http, created["id"], "ash>elm")
    busy = [asyncio.create_task(context.live.compute(gate.wait)) for _ in range(2)]  # no thread is left
    asking = asyncio.create_task(ask_one(http, created["id"]))
    await asyncio.sleep(0.2)  # by now it has read who is in the set, and waits for a thread
    await http.post(f"/v1/sets/{created['id']}/candidates", json={"candidates": candidates("oak")})
    await compare(http, created["id"], "oak>elm")
    gate.set()
    assert "oak" not in unordered(await asking)
    await asyncio.gather(*busy)


async def test_candidates_may_join_while_everything_else_goes_on(http: httpx.AsyncClient) -> None:
    created = await create_set(http)

    async def join() -> None:
        for n in range(12):
            new = {"candidates": candidates(f"new {n}")}
            assert (await http.post(f"/v1/sets/{created['id']}/candidates", json=new)).status_code == 201

    async def judge(name: str) -> None:
        for _ in range(10):
            for pair in (await ask(http, created["id"], name, count=2))["assignments"]:
                assert (await tell(http, pair["id"], p_first=0.7)).status_code == 201

    async def bring() -> None:
        for _ in range(20):
            await compare(http, created["id"], "ash>elm")

    async def look() -> None:
        for _ in range(10):
            found = await ranking(http, created["id"])
            assert len(found["ranking"]) >= 4

    await asyncio.gather(join(), judge("alice"), judge("bob"), bring(), look(), look())
    found = await ranking(http, created["id"])
    assert (len(found["ranking"]), found["comparisons"]) == (16, found["version"])
