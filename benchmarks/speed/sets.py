"""Very many sets, and a very large one, over HTTP, each figure beside its mark.

Bodies are made beforehand: what counts is the service. CPU is its own, without PostgreSQL's.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from benchmarks.speed.measuring import Row
from benchmarks.speed.service import (
    MARK,
    Service,
    connection_to,
    cpu_ms,
    import_log,
    new_sets,
    running,
    send,
    status_kib,
)

SMALL, LARGE = 16, 5_000  # candidates
ASKED, PAIRS = 1_000, 256  # sets of one ask, and its pairs
ROWS = 100_000  # comparisons that come in
ROUNDS = 30
MANY = 10_000  # sets of 16 texts


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder:
        with running(Path(folder)) as service:
            ids = [str(set_id) for set_id in new_sets(service.url, SMALL, words=20, count=MANY)]
            yield _asks_of_many(service, ids[:ASKED])
            yield _memory(service, ids)
        with running(Path(folder)) as service:
            first, _ = _timed(service, "/v1/next-pairs", {"judge": "early", "count": PAIRS, "sets": ids[:ASKED]})
            yield Row(f"{PAIRS} pairs of many sets, the first after a start", ASKED, MARK, first, None)
        with running(Path(folder)) as service:
            (set_id,) = new_sets(service.url, LARGE, words=20)
            _fill(service, set_id)
            yield from _large_set(service, set_id)


def _asks_of_many(service: Service, ids: list[str]) -> Row:
    times = []
    for judge in range(ROUNDS // 3):
        before = cpu_ms(service.pid)
        elapsed, _ = _timed(service, "/v1/next-pairs", {"judge": f"j{judge}", "count": PAIRS, "sets": ids})
        times.append((elapsed, cpu_ms(service.pid) - before))
    wall, cpu = np.median(times[1:], axis=0).tolist()
    return Row(f"{PAIRS} pairs of many sets in one next-pairs", len(ids), MARK, wall, 250.0, f"CPU {cpu:.0f} ms")


def _memory(service: Service, ids: list[str]) -> Row:
    before = status_kib(service.pid, "VmRSS")
    _timed(service, "/v1/next-pairs", {"judge": "everyone", "count": len(ids), "sets": ids})
    after = status_kib(service.pid, "VmRSS")
    note = f"{(after - before) / max(len(ids) - ASKED, 1):.0f} KiB for each that was not open before"
    return Row(f"memory with all sets of {SMALL} open", len(ids), MARK, after / 1024.0, 1000.0, note, "MB")


def _fill(service: Service, set_id: UUID) -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(LARGE, size=ROWS)
    second = (first + rng.integers(1, LARGE, size=ROWS)) % LARGE
    p = 1.0 / (1.0 + np.exp((first - second) / LARGE * 4.0))
    import_log(service.url, set_id, first, second, p)


def _large_set(service: Service, set_id: UUID) -> Iterator[Row]:
    asks, tells = [], []
    for _ in range(ROUNDS + 1):
        ask_ms, answer = _timed(service, f"/v1/sets/{set_id}/next-pair", {"judge": "fast"})
        (pair,) = answer["assignments"]
        tells.append(_timed(service, f"/v1/assignments/{pair['id']}/verdict", {"p_first": 0.7})[0])
        asks.append(ask_ms)
    yield Row("an ask over HTTP", LARGE, MARK, float(np.median(asks[1:])), 50.0, f"the first {asks[0]:.0f} ms")
    yield Row("a tell over HTTP", LARGE, MARK, float(np.median(tells[1:])), None)
    rankings = [_timed(service, f"/v1/sets/{set_id}/ranking")[0] for _ in range(3)]
    yield Row("a ranking over HTTP", LARGE, MARK, max(rankings), 1000.0, "the slowest of three")
    peak = status_kib(service.pid, "VmHWM") / 1024.0
    yield Row("memory of the service, the most", LARGE, MARK, peak, 600.0, f"with {ROWS:,} comparisons", "MB")


def _timed(service: Service, path: str, body: Any = None) -> tuple[float, Any]:
    """Milliseconds, and the answer."""
    with connection_to(service) as connection:
        start = time.perf_counter()
        answer = send(connection, path, body)
        return 1e3 * (time.perf_counter() - start), answer
