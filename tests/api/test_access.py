"""With a key set, nothing except the process's own health answers without it."""

import asyncio
import base64
from collections.abc import AsyncIterator

import httpx
import pytest
from pydantic import SecretStr

from app.main import NotLoopbackError, make_server
from app.settings import Settings
from tests.api.test_bad_input import assert_problem
from tests.conftest import running
from tests.end_to_end.processes import free_port
from tests.factories import create_set

ANYWHERE = "0.0.0.0"
KEY = "a long random string"


@pytest.fixture
async def guarded(database_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        running(Settings(database_url=database_url, api_key=SecretStr(KEY))) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        yield client


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic !"}, {"Authorization": f"Digest {KEY}"}]
)
@pytest.mark.parametrize("path", ["/v1/sets", "/", "/metrics", "/openapi.json", "/static/css/style.css", "/nothing"])
async def test_without_the_key_there_is_nothing(guarded: httpx.AsyncClient, path: str, headers: dict[str, str]) -> None:
    answer = await guarded.get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Basic")
    assert answer.json()["type"] in ("urn:nextpair:problem:key-required", "urn:nextpair:problem:wrong-key")
    assert KEY not in answer.text


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ({}, "key-required"),
        ({"Authorization": "Bearer"}, "key-required"),
        ({"Authorization": "Bearer wrong"}, "wrong-key"),
        ({"Authorization": "Basic " + base64.b64encode(b"anyone:wrong").decode()}, "wrong-key"),
    ],
)
async def test_a_wrong_key_is_distinguished_from_none(
    guarded: httpx.AsyncClient, headers: dict[str, str], problem: str
) -> None:
    answer = await guarded.get("/v1/sets", headers=headers)
    assert answer.json()["type"] == f"urn:nextpair:problem:{problem}"
    assert "NEXTPAIR_API_KEY" in answer.json()["detail"]


async def test_the_key_opens_everything(guarded: httpx.AsyncClient) -> None:
    assert (await guarded.get("/v1/sets", headers={"Authorization": f"Bearer {KEY}"})).status_code == 200
    assert (await guarded.get("/", auth=("anyone", KEY))).status_code == 200


async def test_health_needs_no_key(guarded: httpx.AsyncClient) -> None:
    assert (await guarded.get("/healthz")).status_code == 200
    assert (await guarded.get("/readyz")).status_code == 200


def test_another_address_than_loopback_needs_a_key() -> None:
    url = "postgresql://nobody@127.0.0.1:1/nowhere"
    with pytest.raises(NotLoopbackError, match="NEXTPAIR_API_KEY"):
        make_server(Settings(database_url=url), ANYWHERE, 8000)
    make_server(Settings(database_url=url, api_key=SecretStr(KEY)), ANYWHERE, 8000)


def test_a_short_key_is_no_key() -> None:
    with pytest.raises(ValueError, match="16"):
        Settings(api_key=SecretStr("short"))


# Without a key


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:80", "127.9.9.9", "[::1]", "[::1]:8000"])
async def test_without_a_key_loopback_names_are_answered(http: httpx.AsyncClient, host: str) -> None:
    assert (await http.get("/v1/sets", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost.evil.example", "localhost@evil.example", "10.0.0.1", "[x", ""],
)
async def test_a_name_that_another_site_points_at_loopback_deletes_nothing(http: httpx.AsyncClient, host: str) -> None:
    created = await create_set(http)
    answer = await http.delete(f"/v1/sets/{created['id']}", headers={"Host": host})
    assert_problem(answer, 421, "misdirected", "NEXTPAIR_API_KEY")
    assert (await http.get(f"/v1/sets/{created['id']}")).status_code == 200


async def test_the_key_is_enough_under_any_name(guarded: httpx.AsyncClient) -> None:
    headers = {"Host": "rank.example", "Authorization": f"Bearer {KEY}"}
    assert (await guarded.get("/v1/sets", headers=headers)).status_code == 200


# Any


async def test_no_answer_is_taken_for_another_kind_of_file(database_url: str) -> None:
    port = free_port()
    server = make_server(Settings(database_url=database_url), "127.0.0.1", port)
    serving = asyncio.create_task(server.serve())
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
        while not server.started:
            await asyncio.sleep(0.01)
        created = await create_set(http)
        for path in (f"/v1/sets/{created['id']}", f"/v1/sets/{created['id']}/ranking?format=svg", "/nothing", "/"):
            assert (await http.get(path)).headers["X-Content-Type-Options"] == "nosniff"
        server.should_exit = True
        await serving
