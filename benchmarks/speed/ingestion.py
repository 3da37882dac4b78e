"""Comparisons made elsewhere into the log over HTTP.

Bodies are made beforehand and sent one after the other, so that a row's time is what the service and PostgreSQL take.
"""

import json
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.speed.measuring import Row
from benchmarks.speed.service import MARK, Service, connection_to, cpu_ms, new_sets, running, send

CANDIDATES, JUDGES = 128, 20
ROWS, AT_ONCE = 100_000, (5000, 50_000)  # of each figure, and of one request


def measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder, running(Path(folder)) as service:
        postmaster = int(next(Path(folder).rglob("postmaster.pid")).read_text().split()[0])
        for at_once, named in product(AT_ONCE, (False, True)):
            yield _taken_in(service, postmaster, at_once, named)


def _taken_in(service: Service, postmaster: int, at_once: int, named: bool) -> Row:
    """Send the rows to a new set."""
    (set_id,) = new_sets(service.url, CANDIDATES, words=1)
    path, bodies = f"/v1/sets/{set_id}/comparisons", list(_bodies(ROWS, at_once, named))
    with connection_to(service) as connection:
        send(connection, path, next(_bodies(10, 10, named=False)))
        start, ours, theirs = time.perf_counter(), cpu_ms(service.pid), _family_ms(postmaster)
        for body in bodies:
            send(connection, path, body)
        seconds = time.perf_counter() - start
    each = 1e3 / ROWS  # us of CPU for a row
    ours, theirs = (cpu_ms(service.pid) - ours) * each, (_family_ms(postmaster) - theirs) * each
    what = f"a comparison, {at_once:,} in a request{', with client_id' if named else ''}"
    note = f"{ROWS / seconds:,.0f} a second; CPU of the service {ours:.1f} us, of PostgreSQL {theirs:.1f} us"
    return Row(what, CANDIDATES, MARK, 1e3 * seconds / ROWS, 0.02, note)


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
