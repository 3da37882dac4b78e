"""Worker processes with the scripted engine, and a network between them and the service that can be cut."""

import asyncio
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from nextpair import AsyncClient
from nextpair.calls import create_set, list_comparisons
from nextpair.schemas import Budget, CandidateIn, Comparison, SetIn

from tests.end_to_end.commands import BIN

PATIENCE = 60.0  # seconds


class WorkerProcess:
    """`nextpair worker --engine scripted`, its log in a file."""

    def __init__(self, url: str, log: Path, *options: str) -> None:
        command = [str(BIN / "nextpair"), "worker", "--server", url, "--model", "lengths", "--engine", "scripted"]
        settings = {name: value for name, value in os.environ.items() if not name.startswith("NEXTPAIR_")}
        self.log = log
        with open(log, "ab") as out:
            self._process = subprocess.Popen([*command, *options], env=settings, stdout=out, stderr=out)

    async def stop(self, how: signal.Signals) -> int:
        """Returns the exit code."""
        self._process.send_signal(how)
        return await self.end()

    async def end(self) -> int:
        """Waits for it to end by itself; returns the exit code."""
        return await asyncio.to_thread(self._process.wait, PATIENCE)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class Network:
    """A TCP relay to a server. While it is cut, connections break and new ones are refused."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._relay, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._to)
        self._open |= {writer, there_writer}
        await asyncio.gather(_copy(reader, there_writer), _copy(there_reader, writer))
        self._open -= {writer, there_writer}


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def create(client: AsyncClient, candidates: int, *, texts: Sequence[str] = (), most: int | None = None) -> UUID:
    """A set whose texts grow from candidate to candidate."""
    texts = texts or ["x" * (1 + 3 * n) for n in range(candidates)]
    new = SetIn(
        name="planted",
        question="Which is longer?",
        pool_by="none",  # what others of this question tell would be in the log
        candidates=[CandidateIn(key=f"c{n:02}", text=text) for n, text in enumerate(texts)],
        budget=Budget(max_comparisons=most) if most else None,
    )
    return (await client.send(create_set(new))).id


async def log_of(client: AsyncClient, set_id: UUID) -> list[Comparison]:
    return (await client.send(list_comparisons(set_id, limit=1000))).comparisons


async def length(client: AsyncClient, sets: Sequence[UUID]) -> int:
    return sum([len(await log_of(client, set_id)) for set_id in sets])


async def assert_each_pair_once(client: AsyncClient, sets: Sequence[UUID], candidates: int) -> None:
    for set_id in sets:
        log = await log_of(client, set_id)
        times = Counter(frozenset((entry.first, entry.second)) for entry in log)
        assert set(times.values()) == {1}, times
        assert len(times) == candidates * (candidates - 1) // 2
        assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
