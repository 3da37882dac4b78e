"""Two servers on a data directory of their own: one for all tests of a run, one for all tests of a module."""

import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.end_to_end.processes import Server, eventually, postgres_processes


@pytest.fixture(scope="session")
async def kept_server() -> AsyncIterator[Server]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="nextpair-", dir=memory if memory.is_dir() else None) as folder:
        kept = Server(Path(folder))
        try:
            await kept.start()
            yield kept
        finally:
            await kept.stop(signal.SIGKILL)
            assert await eventually(lambda: not postgres_processes(Path(folder))), "PostgreSQL was left behind"


@pytest.fixture(scope="module")
async def kept_other(kept_server: Server) -> AsyncIterator[Server]:
    kept = Server(kept_server.data_dir)
    try:
        await kept.start()
        yield kept
    finally:
        await kept.stop(signal.SIGKILL)


@pytest.fixture
async def server(kept_server: Server) -> Server:
    """It runs, whatever the tests before did to it."""
    await kept_server.start_again()
    return kept_server


@pytest.fixture
async def other(server: Server, kept_other: Server) -> Server:
    """A second one on the same data directory, which runs too."""
    await kept_other.start_again()
    return kept_other
