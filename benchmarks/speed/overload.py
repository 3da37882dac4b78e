"""More asks and tells than one process takes: `python -m benchmarks.speed.overload` prints what becomes of them.

First judges in a closed loop show the most that it takes, its knee. Then pairs are asked for at a fixed rate, whether
or not earlier ones were answered; each leased pair is judged at once. An ask that is refused is not repeated; a
tell is, after as long as the answer says. Service, database and load share this machine.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from benchmarks.speed.service import Service, cpu_ms, new_sets, running, wait_until_idle

TEXTS, SETS, JUDGES = 100, 32, 16
BUSY = 503


class AnsweredRequest(NamedTuple):
    status: int
    retry_after: float
    content: Any


class Connections:
    """Kept open between requests, as many as are in use at a time."""

    def __init__(self, url: str) -> None:
        self._at, self._idle = urlsplit(url), list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]()

    async def post(self, path: str, body: Any) -> AnsweredRequest:
        """Raises OSError or asyncio.IncompleteReadError where the connection is cut."""
        reader, writer = await self._one()
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines if line)
        answer = await reader.readexactly(int(headers["content-length"]))
        if headers.get("connection") == "close":
            writer.close()
        else:
            self._idle.append((reader, writer))
        return AnsweredRequest(int(first.split()[1]), float(headers.get("retry-after", 0)), json.loads(answer))

    async def _one(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """One that the service has not closed since it was used."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection(self._at.hostname, self._at.port)

    def close(self) -> None:
        for _, writer in self._idle:
            writer.close()


class Load:
    """Pairs asked for and judged, with the seconds that each response took."""

    def __init__(self, url: str, sets: list[str]) -> None:
        self._connections, self._sets, self._numbers = Connections(url), sets, count()
        self._free = list[str]()  # names of workers without a pair
        self.seconds: dict[tuple[str, int], list[float]] = {}
        self.outcomes: Counter[str] = Counter()

    async def pair(self) -> None:
        """Ask, and tell what is given. No two ask under one name at a time: they would get each other's lease."""
        number = next(self._numbers)
        worker = self._free.pop() if self._free else f"worker {number}"
        ask = {"judge": f"judge {number % JUDGES}", "worker": worker}
        answer = await self._timed("ask", f"/v1/sets/{self._sets[number % len(self._sets)]}/next-pair", ask)
        if answer is not None and answer.status == 200:
            for pair in answer.content["assignments"]:
                await self._tell(pair["id"])
        self._free.append(worker)

    async def _tell(self, assignment: str) -> None:
        while (
            told := await self._timed("tell", f"/v1/assignments/{assignment}/verdict", {"p_first": 0.7})
        ) is not None:
            if told.status != BUSY:
                self.outcomes["judged" if told.status == 201 else f"tell answered {told.status}"] += 1
                return
            await asyncio.sleep(told.retry_after)

    async def _timed(self, name: str, path: str, body: Any) -> AnsweredRequest | None:
        start = time.perf_counter()
        try:
            answer = await self._connections.post(path, body)
        except (OSError, asyncio.IncompleteReadError):
            self.outcomes[f"{name} cut"] += 1
            return None
        self.seconds.setdefault((name, answer.status), []).append(time.perf_counter() - start)
        return answer

    def close(self) -> None:
        self._connections.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.overload", description=__doc__)
    parser.add_argument("--rates", type=float, nargs="+", default=(150.0,), help="pairs a second that are asked for")
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder, running(Path(folder)) as service:
        wait_until_idle([service])
        sets = [str(set_id) for set_id in new_sets(service.url, TEXTS, count=SETS)]
        print(
            "| offered | judged/s | asks refused/s | ask, s: p50, p95, most | tell, s | refusal, s | cut | CPU | load |"
        )
        print("|" + " --- |" * 9)
        _measure("closed loop", service, sets, chosen.seconds / 2.0, _closed)
        for rate in chosen.rates:
            _measure(f"{rate:,.0f}/s", service, sets, chosen.seconds, partial(_open, rate))


def _measure(
    name: str, service: Service, sets: list[str], seconds: float, drive: Callable[[Load, float], Awaitable[None]]
) -> None:
    async def measured() -> Load:
        load = Load(service.url, sets)
        await drive(load, time.monotonic() + seconds)
        load.close()
        return load

    before, start = cpu_ms(service.pid), time.monotonic()
    load = asyncio.run(measured())
    seconds = time.monotonic() - start
    busy = (cpu_ms(service.pid) - before) / (1e3 * seconds)
    refused = load.seconds.get(("ask", BUSY), [])
    cut = {what: times for what, times in load.outcomes.items() if what != "judged"}
    times = [_in_words(load.seconds.get(each, [])) for each in (("ask", 200), ("tell", 201), ("ask", BUSY))]
    figures = [f"{load.outcomes['judged'] / seconds:.0f}", f"{len(refused) / seconds:.0f}", *times, cut or 0]
    print(f"| {name} | {' | '.join(map(str, figures))} | {busy:.0%} | {os.getloadavg()[0]:.1f} |", flush=True)


async def _closed(load: Load, end: float) -> None:
    async def judge() -> None:
        while time.monotonic() < end:
            await load.pair()

    await asyncio.gather(*(judge() for _ in range(JUDGES)))


async def _open(rate: float, load: Load, end: float) -> None:
    """Ends once all that was asked for is answered."""
    start, tasks = time.monotonic(), set[asyncio.Task[None]]()
    for number in count():
        due = start + number / rate
        if due >= end:
            break
        await asyncio.sleep(max(due - time.monotonic(), 0.0))
        tasks.add(asyncio.create_task(load.pair()))
    await asyncio.gather(*tasks)


def _in_words(seconds: list[float]) -> str:
    return " ".join(f"{each:.2f}" for each in np.percentile(seconds, [50, 95, 100])) if seconds else "–"


if __name__ == "__main__":
    main()
