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
from tests.conftest import served
from tests.end_to_end.processes import free_port
from tests.factories import Http, create_set

ANYWHERE = "0.0.0.0"
KEY = "a long random string"


@pytest.fixture
async def guarded(database_url: str) -> AsyncIterator[Http]:
    async with served(Settings(database_url=database_url, api_key=SecretStr(KEY))) as client:
        yield client


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic !"}, {"Authorization": f"Digest {KEY}"}]
)
@pytest.mark.parametrize("path", ["/v1/sets", "/", "/metrics", "/openapi.json", "/static/css/style.css", "/nothing"])
async def test_without_the_key_there_is_nothing(guarded: Http, path: str, headers: dict[str, str]) -> None:
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
async def test_a_wrong_key_is_distinguished_from_none(guarded: Http, headers: dict[str, str], problem: str) -> None:
    answer = await guarded.get("/v1/sets", headers=headers)
    assert answer.json()["type"] == f"urn:nextpair:problem:{problem}"
    assert "NEXTPAIR_API_KEY" in answer.json()["detail"]


async def test_the_key_opens_everything_under_any_name(guarded: Http) -> None:
    for name in ("localhost", "rank.example"):
        headers = {"Host": name, "Authorization": f"Bearer {KEY}"}
        assert (await guarded.get("/v1/sets", headers=headers)).status_code == 200
    assert (await guarded.get("/", auth=("anyone", KEY))).status_code == 200


async def test_health_needs_no_key(guarded: Http) -> None:
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
async def test_without_a_key_loopback_names_are_answered(http: Http, host: str) -> None:
    assert (await http.get("/v1/sets", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost.evil.example", "localhost@evil.example", "10.0.0.1", "[x", ""],
)
async def test_a_name_that_another_site_points_at_loopback_deletes_nothing(http: Http, host: str) -> None:
    created = await create_set(http)
    answer = await http.delete(created.url, headers={"Host": host})
    assert_problem(answer, 421, "misdirected", "NEXTPAIR_API_KEY")
    assert (await http.get(created.url)).status_code == 200


# Any


async def test_a_page_of_another_site_changes_nothing(http: Http, guarded: Http) -> None:
    guarded.headers["Authorization"] = f"Bearer {KEY}"  # which a browser sends along
    path = f"/v1/sets/{(await create_set(http))['id']}"
    for service in (http, guarded):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = await service.request(method, path, headers={"Sec-Fetch-Site": "cross-site"})
            assert_problem(answer, 403, "cross-site", "another site")
        assert (await service.get(path, headers={"Sec-Fetch-Site": "cross-site"})).status_code == 200
    assert (await http.delete(path, headers={"Sec-Fetch-Site": "same-origin"})).status_code == 204


async def test_head_is_get_without_a_body(http: Http) -> None:
    path = f"/v1/sets/{(await create_set(http))['id']}"
    for each in (path, f"{path}/ranking?format=csv", "/", "/healthz", "/static/css/style.css", "/nothing"):
        read, head = await http.get(each), await http.head(each)
        assert (head.status_code, head.content) == (read.status_code, b"")
        assert {**head.headers, "etag": ""} == {**read.headers, "etag": ""}
    assert (await http.head(f"{path}/events")).headers["Content-Type"].startswith("text/event-stream")
    assert (await http.head(f"{path}/next-pairs")).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/sets", "GET, POST, HEAD"),
        ("POST", "/v1/judges/ada", "GET, PUT, HEAD"),
        ("GET", "/v1/assignments/renew", "POST"),
        ("POST", "/healthz", "GET, HEAD"),
        ("POST", "/static/css/style.css", "GET, HEAD"),
    ],
)
async def test_allow_has_every_method_of_a_path(http: Http, method: str, path: str, allowed: str) -> None:
    answer = await http.request(method, path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, allowed)


async def test_a_redirect_names_no_host(http: Http) -> None:
    """Behind a proxy that ends TLS, a host with `http:` would lead elsewhere."""
    moved = await http.get("/v1/sets/?limit=5", headers={"Host": "localhost:99"})
    assert (moved.status_code, moved.headers["Location"]) == (307, "../sets?limit=5")
    assert (await http.get("/v1/sets/?limit=5", follow_redirects=True)).status_code == 200
    assert (await http.get("/nothing/")).status_code == 404


async def test_a_picture_loads_and_runs_nothing(http: Http) -> None:
    path = f"/v1/sets/{(await create_set(http))['id']}"
    for picture in (f"{path}/ranking", f"{path}/diagnostics"):
        policy = (await http.get(picture, params={"format": "svg"})).headers["Content-Security-Policy"]
        assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"


async def test_no_answer_is_taken_for_another_kind_of_file(database_url: str) -> None:
    port = free_port()
    server = make_server(Settings(database_url=database_url), "127.0.0.1", port)
    serving = asyncio.create_task(server.serve())
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
        while not server.started:
            await asyncio.sleep(0.01)
        created = await create_set(http)
        for path in (created.url, f"{created.url}/ranking?format=svg", "/nothing", "/"):
            assert (await http.get(path)).headers["X-Content-Type-Options"] == "nosniff"
        server.should_exit = True
        await serving
