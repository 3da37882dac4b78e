"""Several processes on one PostgreSQL: `python -m benchmarks.speed.processes` prints what 1, 2 and 4 of them take.

Judges ask for a pair and tell its verdict, one after the other, over many sets. Asks of a set go to the process that
the hash of its id names, as a proxy with consistent hashing would send them, or to any at random. Verdicts, whose path
names no set, go to any. Processes, database and judges share this machine; the CPU that the processes need for a pair
is what carries over to others.
"""

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple
from uuid import UUID
from zlib import crc32

from nextpair import AsyncClient
from nextpair.calls import next_pair, send_verdict
from nextpair.schemas import VerdictIn

from benchmarks.speed.service import cpu_ms, new_sets, running, wait_until_idle

TEXTS, JUDGES = 24, 16
Route = Callable[[UUID, Sequence[AsyncClient]], AsyncClient]


class Taken(NamedTuple):
    """Verdicts that some processes took in a second, by the way requests were sent to them."""

    processes: int
    routing: str
    judged: float  # verdicts, each asked for before
    latency_ms: float  # of an ask, the median
    cpu_ms: float  # that the processes spent on one ask and tell


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.processes", description=__doc__)
    parser.add_argument("--processes", type=int, nargs="+", default=(1, 2, 4))
    parser.add_argument("--sets", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=20.0)
    chosen = parser.parse_args()
    print(
        f"{os.cpu_count()} cores, which processes, PostgreSQL and judges share; {chosen.sets} sets of {TEXTS} texts\n"
    )
    print("| processes | asks of a set go to | asks and tells/s | an ask, ms | CPU of the processes for both, ms |")
    print("| --- | --- | --- | --- | --- |")
    for processes in chosen.processes:
        for taken in measure(processes, chosen.sets, chosen.seconds):
            figures = f"{taken.judged:,.0f} | {taken.latency_ms:.0f} | {taken.cpu_ms:.1f}"
            print(f"| {processes} | {taken.routing} | {figures} |", flush=True)


def measure(processes: int, sets: int = 32, seconds: float = 6.0) -> list[Taken]:
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder, ExitStack() as services:
        started = [services.enter_context(running(Path(folder))) for _ in range(processes)]
        urls = [service.url for service in started]
        wait_until_idle(started)
        taken = []
        for name, route in (ROUTES if processes > 1 else {"the only one": _any}).items():
            ids = new_sets(urls[0], TEXTS, count=sets)
            asyncio.run(_load(urls, route, ids, seconds / 2.0))  # until every process has seen every set it serves
            before = sum(cpu_ms(service.pid) for service in started)
            judged, latency_ms = asyncio.run(_load(urls, route, ids, seconds))
            spent = sum(cpu_ms(service.pid) for service in started) - before
            taken.append(Taken(processes, name, judged / seconds, latency_ms, spent / judged))
        return taken


def _any(set_id: UUID, clients: Sequence[AsyncClient]) -> AsyncClient:
    return random.choice(clients)


ROUTES: dict[str, Route] = {
    "one, by its id": lambda set_id, clients: clients[crc32(set_id.bytes) % len(clients)],
    "any, at random": _any,
}


async def _load(urls: Sequence[str], route: Route, ids: Sequence[UUID], seconds: float) -> tuple[int, float]:
    """Pairs asked for and judged by judges with sets of their own; milliseconds of an ask."""
    clients = [AsyncClient(url) for url in urls]
    latencies: list[float] = []
    try:
        end = time.monotonic() + seconds
        shares = [ids[judge::JUDGES] for judge in range(JUDGES)]
        judged = await asyncio.gather(
            *(_judge(f"judge {n}", share, route, clients, end, latencies) for n, share in enumerate(shares))
        )
    finally:
        await asyncio.gather(*(client.aclose() for client in clients))
    return sum(judged), 1000.0 * sorted(latencies)[len(latencies) // 2]


async def _judge(
    name: str, ids: Sequence[UUID], route: Route, clients: Sequence[AsyncClient], end: float, latencies: list[float]
) -> int:
    judged = 0
    while time.monotonic() < end:
        set_id = ids[judged % len(ids)]
        start = time.monotonic()
        pair = (await route(set_id, clients).send(next_pair(set_id, judge=name))).assignments[0]
        latencies.append(time.monotonic() - start)
        verdict = VerdictIn(p_first=0.8 if pair.first.key > pair.second.key else 0.2)
        await _any(set_id, clients).send(send_verdict(pair.id, verdict))  # whose path names no set
        judged += 1
    return judged


if __name__ == "__main__":
    main()
