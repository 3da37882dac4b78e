"""Servers on a data directory of their own: for one test, or one for all tests of a module."""

import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.end_to_end.processes import Server, eventually, postgres_processes

Start = Callable[[], Awaitable[Server]]


@asynccontextmanager
async def starting() -> AsyncIterator[Start]:
    """Starts one more server on the same data directory."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="nextpair-", dir=memory if memory.is_dir() else None) as folder:
        servers: list[Server] = []

        async def begin() -> Server:
            servers.append(Server(Path(folder)))
            await servers[-1].start()
            return servers[-1]

        try:
            yield begin
        finally:
            for server in servers:
                await server.stop(signal.SIGKILL)
            assert await eventually(lambda: not postgres_processes(Path(folder))), "PostgreSQL was left behind"


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    async with starting() as start:
        yield start


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Server]:
    async with starting() as start:
        yield await start()
