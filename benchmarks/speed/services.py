"""Throughput of services: an ask and a tell, several processes, what comes in, many sets and a large one."""

from collections.abc import Iterator

from benchmarks.speed import ingestion, processes, requests, sets
from benchmarks.speed.measuring import Extent, Row


def measure(extent: Extent) -> Iterator[Row]:
    if extent.services:
        yield from requests.measure(extent.votes)
        yield from _processes()
        yield from ingestion.measure()
        yield from sets.measure()


def _processes() -> Iterator[Row]:
    """Time of asks and tells in a second: of one process, and of two on the same machine."""
    (alone,) = processes.measure(1)
    for taken in processes.measure(2):
        what, note = f"an ask and a tell by 2 processes: {taken.routing}", f"CPU {taken.cpu_ms:.1f} ms"
        yield Row(what, processes.TEXTS, "1 process", 1e3 / taken.judged, 1e3 / alone.judged, note)
