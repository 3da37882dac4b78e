"""Lines of text, rows in batches, and a check of column names: used by several formats."""

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

import pyarrow as pa

from app.files.tables import Bounds, Content, InputError

T = TypeVar("T")

BATCH = 1000  # rows that are read at once
PART = 250_000  # rows of a part of a large file


def decoded_lines(name: str, lines: Iterable[bytes], bounds: Bounds, first: int = 1) -> Iterator[str]:
    """Each line with its end, decoded one by one: as one text a file may take four times its bytes.

    Raises InputError for a line, numbered from the first, that is too long or not UTF-8.
    """
    for number, line in enumerate(lines, first):
        if len(line) > bounds.line:
            raise InputError(f"{name}, line {number}: longer than {bounds.line:,} bytes; shorten it")
        try:
            yield (line.removeprefix(BOM_UTF8) if number == 1 else line).decode()
        except UnicodeDecodeError:
            raise InputError(f"{name}, line {number}: not UTF-8 text; save the file as UTF-8") from None


def batches(name: str, rows: Iterable[T], bounds: Bounds, size: int, count: int = 0) -> Iterator[list[T]]:
    """`size` rows at a time, while they and the `count` before them keep within the bounds. Raises InputError."""
    rows = iter(rows)
    while batch := list(islice(rows, size)):
        count += len(batch)
        bounds.hold(name, rows=count)
        yield batch


def refuse_repeated(place: str, columns: Iterable[str]) -> None:
    """Raises InputError, which names `place`, where a column is there twice."""
    if repeated := [column for column, times in Counter(columns).items() if times > 1]:
        raise InputError(f"{place}: column {repeated[0]!r} is there twice; rename one of them")


def joined(parts: Iterable[Content]) -> Content:
    """The parts of a file, of which there is at least one, as one; a column that some lack is empty there."""
    parts = list(parts)
    cells = pa.concat_tables([part.cells for part in parts], promote_options="default")
    numbers = [part.line(row) for part in parts for row in range(part.cells.num_rows)]
    faults = [fault for part in parts for fault in part.faults]
    nested = frozenset[str]().union(*(part.nested for part in parts))
    return Content(cells, parts[0].unit, lambda row: numbers[row], faults, nested)
