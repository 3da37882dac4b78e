"""Servers for one test, on a data directory of its own."""

import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.processes import Server, eventually, postgres_processes

Start = Callable[[], Awaitable[Server]]


@pytest.fixture
def data_dir() -> Iterator[Path]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="nextpair-", dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture
async def start(data_dir: Path) -> AsyncIterator[Start]:
    """Starts one more server."""
    servers: list[Server] = []

    async def begin() -> Server:
        servers.append(Server(data_dir))
        await servers[-1].start()
        return servers[-1]

    yield begin
    for server in servers:
        await server.stop(signal.SIGKILL)
    assert await eventually(lambda: not postgres_processes(data_dir)), "PostgreSQL was left behind"
