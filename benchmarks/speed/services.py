"""Throughput of services, measured by modules of their own, which print tables; here those are read."""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.speed import sets
from benchmarks.speed.ingestion import CANDIDATES
from benchmarks.speed.machine import ROOT
from benchmarks.speed.measuring import Extent, Row
from benchmarks.speed.processes import TEXTS

MANY_SETS = 10_000


def measure(extent: Extent) -> Iterator[Row]:
    if extent.services:
        yield from _requests(extent.votes)
        yield from _processes()
        yield from _ingestion()
        yield from sets.measure(MANY_SETS)


def _requests(rounds: int) -> Iterator[Row]:
    bare = ""
    for n, name, ask, tell, both, times, _ in _table("benchmarks.speed.requests", "--rounds", str(rounds)):
        if name == "bare":
            bare = both
            continue
        note = f"median and p99: ask {ask}, tell {tell}; p99 is {times.split()[1]} times the bare one's"
        ours, theirs = (float(each.split()[0]) for each in (both, bare))
        yield Row(f"ask and tell over HTTP, {name}", int(n.replace(",", "")), "bare FastAPI", ours, theirs, note)


def _processes() -> Iterator[Row]:
    """Time of asks and tells in a second: of one process, and of two on the same machine."""
    alone = 0.0
    for processes, routing, per_second, _, cpu in _table(
        "benchmarks.speed.processes", "--processes", "1", "2", "--seconds", "6"
    ):
        ms = 1e3 / float(per_second.replace(",", ""))
        alone = alone or ms
        if processes != "1":
            yield Row(
                f"an ask and a tell by {processes} processes: {routing}", TEXTS, "1 process", ms, alone, f"CPU {cpu} ms"
            )


def _ingestion() -> Iterator[Row]:
    for at_once, named, per_second, ours, postgres in _table("benchmarks.speed.ingestion", "--rows", "100000"):
        what = f"a comparison, {at_once} in a request{', with client_id' if named == 'yes' else ''}"
        note = f"{per_second} a second; CPU of the service {ours} us, of PostgreSQL {postgres} us"
        yield Row(what, CANDIDATES, sets.MARK, 1e3 / float(per_second.replace(",", "")), 0.02, note)


def _table(module: str, *arguments: str) -> list[list[str]]:
    """The cells of the rows that it prints, without the head."""
    command = [sys.executable, "-m", module, *arguments]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.strip("| ").split(" | ") for line in printed.splitlines() if line.startswith("|")]
    return rows[2:]
