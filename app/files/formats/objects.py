"""JSON: an array of objects, or in JSON Lines one object per line. A column for every name in any of them."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from app.files.formats.lines import BATCH, batches, decoded_lines, joined
from app.files.tables import EXPORTED, Bounds, Content, Fault, InputError

SEPARATORS = re.compile(r"[\s,]*")  # between the elements of a JSON array
DECODER = json.JSONDecoder()
AS_JSON = json.JSONEncoder(ensure_ascii=False)


class _Row(NamedTuple):
    cells: dict[str, str]
    nested: set[str]  # the columns of objects and lists


def read_array(name: str, payload: bytes, bounds: Bounds) -> Content:
    """An array of objects, counted in rows. Raises InputError."""
    if len(payload) > bounds.line:
        raise InputError(
            f"{name}: an array of more than {bounds.line:,} bytes; write one object per line into a .jsonl"
        )
    return joined(_read_objects(name, enumerate(_elements(name, payload), 1), "row", bounds, BATCH))


def read_lines_in_parts(name: str, stream: BinaryIO, bounds: Bounds, rows: int) -> Iterator[Content]:
    """One object per line, `rows` at a time, each part with the columns so far; the first part has no rows.

    Blank lines are no objects. Raises InputError.
    """
    lines = ((n, line) for n, line in enumerate(decoded_lines(name, stream, bounds), 1) if line.strip())
    return _read_objects(name, lines, "line", bounds, rows)


def _elements(name: str, payload: bytes) -> Iterator[str]:
    """Each element of a JSON array, still as JSON, so that they are never all in memory as objects."""
    try:
        text = payload.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise InputError(f"{name}: not UTF-8 text; save the file as UTF-8") from None
    if not text.startswith("["):
        raise InputError(f"{name}: no array; write objects between [ and ], or one per line into a .jsonl file")
    count, start = 0, _past_separators(text, 1)
    while not text.startswith("]", start):
        try:
            _, end = DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            raise InputError(f"{name}: not JSON after element {count}; correct the file") from None
        yield text[start:end]
        count, start = count + 1, _past_separators(text, end)


def _past_separators(text: str, start: int) -> int:
    return next(SEPARATORS.finditer(text, start)).end()


def _read_objects(
    name: str, lines: Iterable[tuple[int, str]], unit: str, bounds: Bounds, rows: int
) -> Iterator[Content]:
    """A row for each of the objects, which come as JSON with their numbers."""
    columns: dict[str, None] = {}
    yield Content(pa.table({}), unit, lambda row: row, [])
    for batch in batches(name, lines, bounds, rows):
        parsed = [(number, _parse_object(f"{unit} {number}", number, line)) for number, line in batch]
        good = [(number, row) for number, row in parsed if isinstance(row, _Row)]
        for _, row in good:
            columns |= dict.fromkeys(row.cells)
            bounds.hold(name, columns=len(columns))
        cells = {column: pa.array([row.cells.get(column, "") for _, row in good], pa.string()) for column in columns}
        numbers = [number for number, _ in good]
        faults = [fault for _, fault in parsed if isinstance(fault, Fault)]
        nested = frozenset[str]().union(*(row.nested for _, row in good))
        yield Content(pa.table(cells), unit, numbers.__getitem__, faults, nested)


def _parse_object(place: str, line: int, text: str) -> _Row | Fault:
    """The cells of one line, as text."""
    try:
        entry = json.loads(text)
        if isinstance(entry, dict):
            cells = {column: _as_text(value) for column, value in entry.items()}
            if entry.keys() >= EXPORTED and entry.get("raw") is not None:
                cells["raw"] = AS_JSON.encode(entry["raw"])  # as in the other formats: a text too
            "".join(chain(cells, cells.values())).encode()
            return _Row(cells, {column for column, value in entry.items() if isinstance(value, dict | list)})
        reason = "not a JSON object"
    except json.JSONDecodeError as error:
        reason = f"not JSON ({error.msg.lower()})"
    except UnicodeEncodeError:
        reason = "half a character (a lone surrogate)"
    except (ValueError, RecursionError):
        reason = "numbers too long or lists too deep to read"
    return Fault(place, line, None, reason, "write one object there")


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else AS_JSON.encode(value)
