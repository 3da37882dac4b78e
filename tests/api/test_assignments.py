"""Ask and tell through the service."""

import httpx

from tests.factories import ask, create_set, tell


async def test_asking_again_gives_the_same_pair(http: httpx.AsyncClient) -> None:
    created = await create_set(http)
    first, second = await ask(http, created["id"]), await ask(http, created["id"])
    assert first["assignments"][0]["id"] == second["assignments"][0]["id"]


async def test_a_verdict_enters_the_log(http: httpx.AsyncClient) -> None:
    created = await create_set(http)
    (assignment,) = (await ask(http, created["id"]))["assignments"]
    answer = await tell(http, assignment["id"], p_first=0.9)
    assert answer.status_code == 201
    assert answer.json()["seq"] == 1
