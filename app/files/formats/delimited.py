"""CSV and its kin: the first line names the columns; commas, semicolons or tabs stand between the cells."""

import csv
import io
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

import pyarrow as pa

from app.files.formats.lines import batches, decoded_lines, refuse_repeated
from app.files.spreadsheets import unguarded
from app.files.tables import EXPORTED, Bounds, Content, Fault, InputError

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
csv.field_size_limit(2**31 - 1)  # a text may be longer than the 128 KiB that csv allows a field


def read_in_parts(name: str, stream: BinaryIO, bounds: Bounds, rows: int) -> Iterator[Content]:
    """Every cell as text, `rows` rows at a time; the first part has none. Raises InputError.

    A row with more or fewer cells than the header is a fault.
    """
    texts = decoded_lines(name, stream, bounds)
    unbroken = (line for text in texts for line in (io.StringIO(text, newline="") if "\r" in text else (text,)))
    delimiter, lines = _delimited(name, unbroken)
    records = _records(lines, delimiter)
    number, header = next(records)
    bounds.hold(name, columns=len(header))
    refuse_repeated(f"{name}, line {number}", header)
    restored = unguarded if set(header) >= EXPORTED else None
    schema = pa.schema([(column, pa.string()) for column in header])
    yield Content(schema.empty_table(), "line", lambda row: row, [])
    for batch in batches(name, records, bounds, rows):
        good = [(number, record) for number, record in batch if len(record) == len(header)]
        faults = [_fault(number, record, header, delimiter) for number, record in batch if len(record) != len(header)]
        texts_of_columns = list(zip(*(record for _, record in good), strict=True)) or [()] * len(header)
        cells: list[Any] = [
            pa.array(map(restored, texts) if restored else texts, pa.string()) for texts in texts_of_columns
        ]
        numbers = [number for number, _ in good]
        yield Content(pa.Table.from_arrays(cells, schema=schema), "line", numbers.__getitem__, faults)


def _fault(number: int, record: list[str], header: list[str], delimiter: str) -> Fault:
    wrong = f"{len(record)} fields, the header has {len(header)}"
    return Fault(f"line {number}", number, None, wrong, f"quote {DELIMITERS[delimiter]}")


def _delimited(name: str, lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """The delimiter that gives the first line that is not blank the most cells, a comma where it has but one; and all
    the lines. Raises InputError where all are blank."""
    head: list[str] = []
    while not head or not head[-1].strip(" \t\n\r\v\f"):  # blank as bytes.isspace has it, which let the file in
        line = next(lines, None)
        if line is None:
            raise InputError(f"{name}: the file is empty")
        head.append(line)
    cells = {delimiter: len(next(csv.reader(head[-1:], delimiter=delimiter))) for delimiter in DELIMITERS}
    return max(cells, key=cells.__getitem__), chain(head, lines)


def _records(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The line that each record starts on, and its fields; blank lines are no records."""
    reader, line = csv.reader(lines, delimiter=delimiter), 1
    for record in reader:
        if record:
            yield line, record
        line = reader.line_num + 1
