"""Several processes of one judge: whose leases come back to whom, and many leases at once."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.factories import ask, create_set, names, tell


def ids(asked: dict[str, Any]) -> list[str]:
    return [pair["id"] for pair in asked["assignments"]]


async def ask_many(http: httpx.AsyncClient, count: int, **fields: Any) -> dict[str, Any]:
    answer = await http.post("/v1/next-pairs", json={"judge": "alice", "count": count, **fields})
    assert answer.status_code == 200, answer.text
    asked: dict[str, Any] = answer.json()
    return asked


async def test_a_worker_gets_its_own_leases_back_and_no_others(http: httpx.AsyncClient) -> None:
    created = await create_set(http)
    one = await ask(http, created["id"], worker="one", count=2)
    two = await ask(http, created["id"], worker="two", count=2)
    nobody = await ask(http, created["id"], count=1)

    assert not {*ids(one)} & {*ids(two)} | {*ids(one)} & {*ids(nobody)}
    assert len({frozenset(names(pair)) for pair in (*one["assignments"], *two["assignments"])}) == 4
    assert ids(await ask(http, created["id"], worker="one", count=2)) == ids(one)
    assert ids(await ask(http, created["id"], count=1)) == ids(nobody)


async def test_workers_over_many_sets_get_different_pairs_and_their_own_again(http: httpx.AsyncClient) -> None:
    for _ in range(3):
        await create_set(http)
    asked = await asyncio.gather(*(ask_many(http, 4, worker=f"w{n}") for n in range(4)))

    found = [each for one in asked for each in ids(one)]
    assert len(found) == len(set(found)) == 16
    for n, one in enumerate(asked):
        assert sorted(ids(await ask_many(http, 4, worker=f"w{n}"))) == sorted(ids(one))


async def test_a_large_batch_takes_what_every_set_can_give(http: httpx.AsyncClient) -> None:
    """Two sets of three pairs, one of six: twelve in all, and a second worker gets nothing."""
    for keys in (("ash", "elm", "oak"), ("ash", "elm", "oak"), ("ash", "birch", "cedar", "elm")):
        await create_set(http, *keys)

    assert len(ids(await ask_many(http, 100, worker="one"))) == 12
    assert await ask_many(http, 100, worker="two") == {"status": "all_leased", "reason": None, "assignments": []}


async def test_renewing_many_leaves_out_what_has_ended(http: httpx.AsyncClient) -> None:
    created = await create_set(http)
    done, held = ids(await ask(http, created["id"], count=2))
    await tell(http, done, winner="tie")

    answer = await http.post(
        "/v1/assignments/renew", json={"assignments": [done, held, str(uuid4())], "lease_seconds": 9000}
    )

    (lease,) = answer.json()["held"]
    assert (lease["id"], lease["status"]) == (held, "leased")


async def test_releasing_many_frees_their_pairs(http: httpx.AsyncClient) -> None:
    created = await create_set(http, "ash", "elm", "oak")
    done, *held = ids(await ask(http, created["id"], count=3))
    await tell(http, done, winner="first")

    answer = await http.post("/v1/assignments/release", json={"assignments": [done, *held]})

    assert answer.json() == {"released": 2}
    assert len(ids(await ask(http, created["id"], judge="bob", count=3))) == 2
    assert (await tell(http, done, winner="first")).status_code == 409


@pytest.mark.parametrize("path", ["renew", "release"])
async def test_nothing_to_renew_or_release_is_an_error(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.post(f"/v1/assignments/{path}", json={"assignments": []})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/assignments"
