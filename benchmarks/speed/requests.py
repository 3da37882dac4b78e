"""Ask and tell over HTTP beside two bare FastAPI requests with the same commits.

Both share one PostgreSQL and take turns of some rounds each, so a ratio holds on a busy machine. CPU is that of the
process which answers, without PostgreSQL.
"""

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from app.storage.embedded.launcher import EmbeddedPostgres
from benchmarks.speed.measuring import Row
from benchmarks.speed.service import (
    Service,
    connection_to,
    cpu_ms,
    free_port,
    import_log,
    new_sets,
    running,
    send,
    wait_until_idle,
)

SIZES = (16, 128, 1056)
TURN = 20  # rounds of one, before it is another's turn
UNCOUNTED = 3  # of each turn


class Turn(NamedTuple):
    """Milliseconds of each ask, of the tell behind it, and of the processor."""

    asks: list[float]
    tells: list[float]
    cpu: float


Play = Callable[[HTTPConnection, str], tuple[float, float]]  # a round; milliseconds of its ask and its tell


def measure(rounds: int) -> Iterator[Row]:
    """Args: `rounds` of each, for each size."""
    with (
        tempfile.TemporaryDirectory(prefix="nextpair-") as folder,
        running(Path(folder)) as service,
        _bare(Path(folder)) as bare,
    ):
        wait_until_idle([service])
        for n in SIZES:
            yield from _compare(n, rounds, service, bare)


def _compare(n: int, rounds: int, service: Service, bare: Service) -> Iterator[Row]:
    players: dict[str, tuple[Service, Play]] = {
        "bare": (bare, _bare_round),
        "ours": (service, _round),
        "ours, with a key": (service, _round_with_key),
    }
    turns: dict[str, list[Turn]] = {name: [] for name in players}
    while len(turns["bare"]) * (TURN - UNCOUNTED) < rounds:
        set_id = _new_set(service, bare, n)
        for _ in range(1 if n < 100 else 10):
            for name, (server, play) in players.items():
                turns[name].append(_turn(server, play, set_id))
    (_, _, (least, least_slow)) = _summary(turns.pop("bare"))
    for name, of_turns in turns.items():
        asks, tells, (both, slow) = _summary(of_turns)
        ask, tell = (" ".join(f"{ms:.2f}" for ms in each) for each in (asks, tells))
        cpu = sum(turn.cpu for turn in of_turns) / len(of_turns) / (TURN - UNCOUNTED)
        note = f"median and p99: ask {ask}, tell {tell}; p99 is {slow / least_slow:.2f} times the bare one's"
        yield Row(f"ask and tell over HTTP, {name}", n, "bare FastAPI", both, least, f"{note}; CPU {cpu:.2f} ms")


def _summary(turns: list[Turn]) -> Any:
    """(3, 2) median and 99th percentile of asks, of tells and of both."""
    asks, tells = (np.concatenate(each) for each in list(zip(*turns, strict=True))[:2])
    return np.percentile([asks, tells, asks + tells], [50, 99], axis=1).T


def _turn(server: Service, play: Play, set_id: str) -> Turn:
    with connection_to(server) as connection:
        for _ in range(UNCOUNTED):
            play(connection, set_id)
        before = cpu_ms(server.pid)
        asks, tells = zip(*(play(connection, set_id) for _ in range(TURN - UNCOUNTED)), strict=True)
        return Turn(list(asks), list(tells), cpu_ms(server.pid) - before)


def _round(connection: HTTPConnection, set_id: str, key: str | None = None) -> tuple[float, float]:
    start = time.perf_counter()
    (pair,) = send(connection, f"/v1/sets/{set_id}/next-pair", {"judge": "fast"})["assignments"]
    leased = time.perf_counter()
    send(connection, f"/v1/assignments/{pair['id']}/verdict", {"p_first": 0.7}, key)
    return 1e3 * (leased - start), 1e3 * (time.perf_counter() - leased)


def _round_with_key(connection: HTTPConnection, set_id: str) -> tuple[float, float]:
    """As our client tells."""
    return _round(connection, set_id, uuid4().hex)


def _bare_round(connection: HTTPConnection, set_id: str) -> tuple[float, float]:
    start = time.perf_counter()
    lease = send(connection, f"/sets/{set_id}/ask", {"judge": "fast"})["id"]
    leased = time.perf_counter()
    send(connection, f"/leases/{lease}/tell", {"set_id": set_id, "p_first": 0.7})
    return 1e3 * (leased - start), 1e3 * (time.perf_counter() - leased)


def _new_set(service: Service, bare: Service, n: int) -> str:
    """A set with comparisons, as many as leave most of its pairs open; the bare application has it too."""
    rng, count = np.random.default_rng(0), min(10 * n, n * (n - 1) // 4)
    first = rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    p = 1 / (1 + np.exp((first - second) / n))
    (set_id,) = new_sets(service.url, n, words=50)
    import_log(service.url, set_id, first, second, p)
    with connection_to(bare) as connection:
        send(connection, f"/sets/{set_id}", {})
    return str(set_id)


@contextmanager
def _bare(data_dir: Path) -> Iterator[Service]:
    """Run the bare application on the service's PostgreSQL."""
    postgres, port = EmbeddedPostgres(data_dir), free_port()
    url = postgres.start().replace("+asyncpg", "")
    with subprocess.Popen([sys.executable, "-m", "benchmarks.speed.bare", str(port), url]) as process:
        try:
            _wait_for(port)
            yield Service(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.terminate()
            process.wait()
            postgres.stop()


def _wait_for(port: int) -> None:
    for _ in range(300):
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise TimeoutError("the bare application did not come up")
