"""Lines of text, rows in batches, and a check of column names: used by several formats."""

import io
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from app.files.tables import Bounds, InputError

T = TypeVar("T")

BATCH = 1000  # rows that are read at once


def decoded_lines(name: str, payload: bytes, bounds: Bounds) -> Iterator[str]:
    """Each line with its end, decoded one by one: as one text a file may take four times its bytes.

    Raises InputError for a line that is too long or not UTF-8.
    """
    for number, line in enumerate(io.BytesIO(payload.removeprefix(BOM_UTF8)), 1):
        if len(line) > bounds.line:
            raise InputError(f"{name}, line {number}: longer than {bounds.line:,} bytes; shorten it")
        try:
            yield line.decode()
        except UnicodeDecodeError:
            raise InputError(f"{name}, line {number}: not UTF-8 text; save the file as UTF-8") from None


def batches(name: str, rows: Iterable[T], bounds: Bounds) -> Iterator[list[T]]:
    """`BATCH` rows at a time, while they keep within the bounds. Raises InputError."""
    rows, count = iter(rows), 0
    while batch := list(islice(rows, BATCH)):
        count += len(batch)
        bounds.hold(name, rows=count)
        yield batch


def refuse_repeated(place: str, columns: Iterable[str]) -> None:
    """Raises InputError, which names `place`, where a column is there twice."""
    if repeated := [column for column, times in Counter(columns).items() if times > 1]:
        raise InputError(f"{place}: column {repeated[0]!r} is there twice; rename one of them")
