"""The service on a socket: what it does with connections that send no request, and how it stops."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple
from uuid import UUID

import httpx
import pytest
import uvicorn

from app.api import connections
from app.main import make_server
from app.service.context import Context
from app.settings import Settings
from app.storage import sets
from tests.factories import ask, comparison, create_set, send

SOON = 3.0  # seconds, generous


class Running(NamedTuple):
    server: uvicorn.Server
    http: httpx.AsyncClient
    port: int

    @property
    def context(self) -> Context:
        context: Context = self.server.config.app.state.context  # type: ignore[union-attr]
        return context


@asynccontextmanager
async def serving(settings: Settings, drain: float = 8.0) -> AsyncIterator[Running]:
    server = make_server(settings, "127.0.0.1", 0)
    server.config.timeout_graceful_shutdown = drain  # type: ignore[assignment]  # it takes fractions too
    stopped = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30.0) as http:
        yield Running(server, http, port)
    server.should_exit = True
    await stopped
    assert not server.server_state.tasks  # all have been answered


@pytest.fixture
async def service(settings: Settings) -> AsyncIterator[Running]:
    async with serving(settings) as running:
        yield running


async def answer(port: int, *parts: bytes, pause: float = 0.0) -> tuple[int, str, dict[str, object]]:
    """Status, media type and JSON of what a connection is answered before it is closed; 0 for nothing."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await asyncio.sleep(pause)
    async with asyncio.timeout(SOON):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    if not head:
        return 0, "", {}
    status, *fields = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (field.split(": ", 1) for field in fields)}
    return int(status.split(" ")[1]), headers["content-type"], json.loads(body)


async def test_what_is_no_request_is_answered_with_a_problem(service: Running) -> None:
    status, media_type, problem = await answer(service.port, b"\x16\x03\x01 no HTTP at all\r\n\r\n")
    assert (status, media_type, problem["status"]) == (400, "application/problem+json", 400)


async def test_headers_are_bounded_in_bytes(service: Running) -> None:
    pieces = [b"X: " + b"a" * 30_000 + b"\r\n"] * 3
    status, media_type, problem = await answer(service.port, b"GET /healthz HTTP/1.1\r\n", *pieces, pause=0.02)
    assert (status, media_type, problem["status"]) == (431, "application/problem+json", 431)


async def test_headers_are_bounded_in_time(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    for begun in (b"", b"GET /healthz HTTP/1.1\r\nX: "):
        assert (await answer(service.port, begun))[0] == 0
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert (await answer(service.port, whole, b"\r\n", pause=0.1))[0] == 200


async def test_a_slow_body_and_a_next_request_are_no_slow_headers(
    service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)

    async def slowly() -> AsyncIterator[bytes]:
        yield b'{"name": "Trees", '
        await asyncio.sleep(0.4)
        yield b'"question": "Which is better?", "context": "' + b"x" * 2 * connections.HEADER_BYTES + b'"}'

    for _ in range(2):
        created = await service.http.post("/v1/sets", content=slowly(), headers={"Content-Type": "application/json"})
        assert created.status_code == 201, created.text


async def test_a_connection_too_many_is_to_retry(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 1)
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    await asyncio.sleep(0.05)
    refused = await service.http.get("/healthz")
    assert (refused.status_code, refused.json()["type"]) == (503, "urn:nextpair:problem:busy")
    assert refused.headers["Retry-After"]
    writer.close()
    await asyncio.sleep(0.05)
    assert (await service.http.get("/healthz")).status_code == 200
    del reader


async def test_a_write_that_is_under_way_is_finished_before_the_end(settings: Settings) -> None:
    async with serving(settings) as service:
        created = await create_set(service.http)
        async with service.context.engine.begin() as db:
            await sets.lock(db, UUID(created["id"]))
            told = asyncio.create_task(send(service.http, created["id"], comparison("ash", "elm")))
            await asyncio.sleep(0.2)
            service.server.should_exit = True
            await asyncio.sleep(0.3)
        assert (await told).status_code == 201


async def test_what_cannot_be_finished_is_to_be_sent_again(settings: Settings) -> None:
    async with serving(settings, drain=0.2) as service:
        created = await create_set(service.http)
        async with service.context.engine.begin() as db:
            await sets.lock(db, UUID(created["id"]))
            told = asyncio.create_task(send(service.http, created["id"], comparison("ash", "elm")))
            await asyncio.sleep(0.2)
            service.server.should_exit = True
            refused = await told
    assert (refused.status_code, refused.json()["type"]) == (503, "urn:nextpair:problem:stopping")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert refused.headers["Retry-After"]


async def test_long_polls_and_event_streams_end_when_the_service_stops(settings: Settings) -> None:
    async with serving(settings, drain=10 * SOON) as service:
        await service.server.config.app.state.warming  # type: ignore[union-attr]
        created = await create_set(service.http, "ash", "elm")
        await ask(service.http, created["id"], "alice")
        polled = asyncio.create_task(ask(service.http, created["id"], "bob", wait_seconds=20))
        async with service.http.stream("GET", f"/v1/sets/{created['id']}/events") as events:
            lines = events.aiter_lines()
            await anext(lines)
            service.server.should_exit = True
            async with asyncio.timeout(SOON):
                assert [line async for line in lines]
                assert (await polled)["status"] == "all_leased"
