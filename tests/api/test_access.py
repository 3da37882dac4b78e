"""With a key set, nothing but the process's own health is told without it."""

from collections.abc import AsyncIterator

import httpx
import pytest
from pydantic import SecretStr

from app.main import NotLoopbackError, make_server
from app.settings import Settings
from tests.conftest import running

ANYWHERE = "0.0.0.0"
KEY = "a long random string"


@pytest.fixture
async def guarded(database_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        running(Settings(database_url=database_url, api_key=SecretStr(KEY))) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
    ):
        yield client


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic !"}, {"Authorization": f"Digest {KEY}"}]
)
@pytest.mark.parametrize("path", ["/v1/sets", "/", "/metrics", "/openapi.json", "/static/style.css", "/nothing"])
async def test_without_the_key_there_is_nothing(guarded: httpx.AsyncClient, path: str, headers: dict[str, str]) -> None:
    answer = await guarded.get(path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Basic")
    assert answer.json()["type"] == "urn:nextpair:problem:key-required"


async def test_the_key_opens_everything(guarded: httpx.AsyncClient) -> None:
    assert (await guarded.get("/v1/sets", headers={"Authorization": f"Bearer {KEY}"})).status_code == 200
    assert (await guarded.get("/", auth=("anyone", KEY))).status_code == 200


async def test_health_is_told_to_everyone(guarded: httpx.AsyncClient) -> None:
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
