"""Memory: how much there is, and a refusal before it runs out."""

from collections.abc import Iterable, Iterator
from math import inf
from pathlib import Path

from app.files.tables import InputError, Table

GIB = 2**30
A_ROW = 400  # bytes that a comparison takes, from a file to a ranking, where it is kept
A_DENSE_ENTRY = 80  # bytes that a matrix of all candidates takes for each of its entries, with all that is made of it
A_LINK = 200  # bytes for each comparison without a matrix
RESERVE = GIB // 2
GROUP = Path("/sys/fs/cgroup")


def free() -> float:
    """Bytes that this process may still take; infinite where the system does not say."""
    return min(_available(), _within_group())


def _available() -> float:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return inf
    sizes = dict(line.split(":", 1) for line in lines)
    return 1024.0 * float(sizes["MemAvailable"].split()[0]) if "MemAvailable" in sizes else inf


def _within_group() -> float:
    """Memory that the container, if this is one, has left, with the pages of files that it may drop."""
    try:
        limit, used = (float((GROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
        kept = dict(line.split() for line in (GROUP / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return inf
    return limit - used + float(kept.get("inactive_file", 0))


def require(size: float, what: str, remedy: str) -> None:
    """Raises InputError where less is free than `what` takes."""
    if size > (there := free()):
        raise InputError(
            f"{what}: about {size / GIB:,.1f} GiB of memory, and {there / GIB:,.1f} GiB are free; {remedy}"
        )


def while_there_is(tables: Iterable[Table], remedy: str) -> Iterator[Table]:
    """The tables. Raises InputError when memory is nearly used up."""
    rows = 0
    for table in tables:
        rows += len(table.rows)
        if free() < RESERVE:
            raise InputError(f"{table.name}: memory is used up after {rows:,} rows; {remedy}")
        yield table
