"""JSON: an array of objects, or in JSON Lines one object per line. A column for every name in any of them."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import pyarrow as pa

from app.files.formats.lines import batches, decoded_lines
from app.files.tables import Bounds, Content, Fault, InputError

SEPARATORS = re.compile(r"[\s,]*")  # between the elements of a JSON array
DECODER = json.JSONDecoder()
AS_JSON = json.JSONEncoder(ensure_ascii=False)


def read_array(name: str, payload: bytes, bounds: Bounds) -> Content:
    """An array of objects, counted in rows. Raises InputError."""
    if len(payload) > bounds.line:
        raise InputError(
            f"{name}: an array of more than {bounds.line:,} bytes; write one object per line into a .jsonl"
        )
    return _read_objects(name, enumerate(_elements(name, payload), 1), "row", bounds)


def read_lines(name: str, payload: bytes, bounds: Bounds) -> Content:
    """One object per line; blank lines are none. Raises InputError."""
    lines = ((n, line) for n, line in enumerate(decoded_lines(name, payload, bounds), 1) if line.strip())
    return _read_objects(name, lines, "line", bounds)


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


def _read_objects(name: str, lines: Iterable[tuple[int, str]], unit: str, bounds: Bounds) -> Content:
    """A row for each of the objects, which come as JSON with their numbers."""
    rows, numbers, faults = list[dict[str, str]](), list[int](), list[Fault]()
    columns: dict[str, None] = {}
    for batch in batches(name, lines, bounds):
        for number, line in batch:
            row = _parse_object(f"{unit} {number}", number, line)
            if isinstance(row, Fault):
                faults.append(row)
                continue
            columns |= dict.fromkeys(row)
            bounds.hold(name, columns=len(columns))
            rows.append(row)
            numbers.append(number)
    cells = {column: pa.array([row.get(column, "") for row in rows], pa.string()) for column in columns}
    return Content(pa.table(cells), unit, lambda row: numbers[row], faults)


def _parse_object(place: str, line: int, text: str) -> dict[str, str] | Fault:
    """The cells of one line, as text."""
    try:
        entry = json.loads(text)
        if isinstance(entry, dict):
            row = {column: _as_text(value) for column, value in entry.items()}
            "".join(chain(row, row.values())).encode()
            return row
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
