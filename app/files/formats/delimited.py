"""CSV and its kin: the first line names the columns; commas, semicolons or tabs stand between the cells."""

import csv
import io
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pyarrow as pa

from app.files.formats.lines import batches, decoded_lines, refuse_repeated
from app.files.spreadsheets import unguarded
from app.files.tables import EXPORTED, Bounds, Content, Fault

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
csv.field_size_limit(2**31 - 1)  # a text may be longer than the 128 KiB that csv allows a field


def read(name: str, payload: bytes, bounds: Bounds) -> Content:
    """Every cell as text. A row with more or fewer cells than the header is a fault. Raises InputError."""
    texts = decoded_lines(name, payload, bounds)
    delimiter, lines = _delimited(
        line for text in texts for line in (io.StringIO(text, newline="") if "\r" in text else (text,))
    )
    records = _records(lines, delimiter)
    number, header = next(records)
    bounds.hold(name, columns=len(header))
    refuse_repeated(f"{name}, line {number}", header)
    restored = unguarded if set(header) >= EXPORTED else str
    schema = pa.schema([(column, pa.string()) for column in header])
    tables, numbers, faults = [schema.empty_table()], list[int](), list[Fault]()
    for batch in batches(name, records, bounds):
        for number, record in batch:
            if len(record) != len(header):
                wrong = f"{len(record)} fields, the header has {len(header)}"
                faults.append(Fault(f"line {number}", number, None, wrong, f"quote {DELIMITERS[delimiter]}"))
        good = [(number, record) for number, record in batch if len(record) == len(header)]
        numbers += [number for number, _ in good]
        columns = zip(*(map(restored, record) for _, record in good), strict=True)
        cells: list[Any] = [pa.array(column, pa.string()) for column in columns]
        tables += [pa.Table.from_arrays(cells, schema=schema)] if good else []
    return Content(pa.concat_tables(tables), "line", lambda row: numbers[row], faults)


def _delimited(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """The delimiter that gives the first line that is not blank the most cells, a comma where it has but one; and all
    the lines."""
    head: list[str] = []
    while not head or not head[-1].strip(" \t\n\r\v\f"):  # blank as bytes.isspace has it, which let the file in
        head.append(next(lines))
    cells = {delimiter: len(next(csv.reader(head[-1:], delimiter=delimiter))) for delimiter in DELIMITERS}
    return max(cells, key=cells.__getitem__), chain(head, lines)


def _records(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The line that each record starts on, and its fields; blank lines are no records."""
    reader, line = csv.reader(lines, delimiter=delimiter), 1
    for record in reader:
        if record:
            yield line, record
        line = reader.line_num + 1
