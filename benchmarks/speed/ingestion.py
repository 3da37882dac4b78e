"""Comparisons made elsewhere into the log over HTTP: `python -m benchmarks.speed.ingestion`.

Bodies are made beforehand and sent one after the other, so that a row's time is what the service and PostgreSQL take.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.speed.service import Service, connection_to, cpu_ms, new_sets, running, send

CANDIDATES, JUDGES = 128, 20


class TakenIn(NamedTuple):
    """Time that rows took."""

    per_second: float
    service_us: float  # of CPU for a row
    postgres_us: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.ingestion", description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="of each line; 200,000 by default")
    parser.add_argument("--at-once", type=int, nargs="+", default=(5000, 50_000), help="rows of one request")
    chosen = parser.parse_args()
    print("| rows of a request | client_id | rows/s | CPU of the service, us a row | of PostgreSQL |\n|" + " --- |" * 5)
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder, running(Path(folder)) as service:
        postmaster = int(next(Path(folder).rglob("postmaster.pid")).read_text().split()[0])
        for at_once in chosen.at_once:
            for named in (False, True):
                taken = measure(service, postmaster, list(_bodies(chosen.rows, at_once, named)), chosen.rows)
                figures = f"{taken.per_second:,.0f} | {taken.service_us:.1f} | {taken.postgres_us:.1f}"
                print(f"| {at_once:,} | {'yes' if named else 'no'} | {figures} |", flush=True)


def measure(service: Service, postmaster: int, bodies: Sequence[bytes], rows: int) -> TakenIn:
    """Send the bodies to a new set."""
    (set_id,) = new_sets(service.url, CANDIDATES, words=1)
    path = f"/v1/sets/{set_id}/comparisons"
    with connection_to(service) as connection:
        send(connection, path, next(_bodies(10, 10, named=False)))
        start, ours, theirs = time.perf_counter(), cpu_ms(service.pid), _family_ms(postmaster)
        for body in bodies:
            send(connection, path, body)
        seconds = time.perf_counter() - start
    each = 1e3 / rows
    return TakenIn(rows / seconds, (cpu_ms(service.pid) - ours) * each, (_family_ms(postmaster) - theirs) * each)


def _bodies(rows: int, at_once: int, named: bool) -> Iterator[bytes]:
    rng = np.random.default_rng(0)
    first = rng.integers(CANDIDATES, size=rows)
    second = (first + rng.integers(1, CANDIDATES, size=rows)) % CANDIDATES
    columns = zip(first.tolist(), second.tolist(), rng.random(rows).tolist(), strict=True)
    entries = [
        {"first": f"c{i:05}", "second": f"c{j:05}", "p_first": p, "judge": f"judge-{n % JUDGES}"}
        | ({"client_id": f"{n:032}"} if named else {})
        for n, (i, j, p) in enumerate(columns)
    ]
    for start in range(0, rows, at_once):
        yield json.dumps({"comparisons": entries[start : start + at_once]}).encode()


def _family_ms(pid: int) -> float:
    """Processor time of a process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(cpu_ms(each) for each in (pid, *map(int, children)))


if __name__ == "__main__":
    main()
