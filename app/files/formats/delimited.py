"""CSV and its kin: the first line names the columns; commas, semicolons or tabs stand between the cells."""

import csv
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO, StringIO
from itertools import chain
from operator import add
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv

from app.files.formats.lines import batches, decoded_lines, refuse_repeated
from app.files.spreadsheets import unguarded
from app.files.tables import EXPORTED, Bounds, Content, Fault, InputError

BLOCK = 1 << 22  # bytes that Arrow reads at once
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
csv.field_size_limit(2**31 - 1)  # a text may be longer than the 128 KiB that csv allows a field


def read_in_parts(name: str, stream: BinaryIO, bounds: Bounds, rows: int) -> Iterator[Content]:
    """Every cell as text, some rows at a time; the first part has none. Raises InputError.

    A row with more or fewer cells than the header is a fault. As long as every line is a row Arrow reads them, a block
    at a time; from where that ends they are read one by one, in parts of `rows` rows.
    """
    first = stream.readline()
    delimiter, lines = _delimited(name, _texts(name, chain([first], stream), bounds))
    records = _records(name, lines, delimiter)
    number, header = next(records)
    bounds.hold(name, columns=len(header))
    refuse_repeated(f"{name}, line {number}", header)
    restored = unguarded if set(header) >= EXPORTED else None
    schema = pa.schema([(column, pa.string()) for column in header])
    yield Content(schema.empty_table(), "line", lambda row: row, [])
    count = 0
    if _is_plain(first, bounds) and not restored:
        while block := stream.read(BLOCK) + stream.readline():
            cells = _plain_cells(block, schema, delimiter) if _is_plain(block, bounds) else None
            if cells is None:
                break
            bounds.hold(name, rows=count + cells.num_rows)
            yield Content(cells, "line", partial(add, count + 2), [])
            count += cells.num_rows
        records = _records(name, _texts(name, chain(BytesIO(block), stream), bounds, count + 2), delimiter, count + 2)
    for batch in batches(name, records, bounds, rows, count):
        good = [(number, record) for number, record in batch if len(record) == len(header)]
        faults = [_fault(number, record, header, delimiter) for number, record in batch if len(record) != len(header)]
        texts_of_columns = list(zip(*(record for _, record in good), strict=True)) or [()] * len(header)
        texts: list[Any] = [
            pa.array(map(restored, column) if restored else column, pa.string()) for column in texts_of_columns
        ]
        numbers = [number for number, _ in good]
        yield Content(pa.Table.from_arrays(texts, schema=schema), "line", numbers.__getitem__, faults)


def _texts(name: str, lines: Iterable[bytes], bounds: Bounds, line: int = 1) -> Iterator[str]:
    """The lines from this number on, whatever ends them. Raises InputError."""
    for text in decoded_lines(name, lines, bounds, line):
        yield from StringIO(text, newline="") if "\r" in text else (text,)


def _is_plain(lines: bytes, bounds: Bounds) -> bool:
    """Whether each line is a row of texts as they stand: nothing is quoted, blank, too long or ended in other ways."""
    if b'"' in lines or b"\0" in lines or lines.count(b"\r") != lines.count(b"\r\n"):
        return False
    has_blanks = lines.startswith((b"\n", b"\r\n")) or b"\n\n" in lines or b"\n\r\n" in lines
    is_short = len(lines) <= bounds.line or max(map(len, lines.split(b"\n"))) < bounds.line
    return bool(lines.removeprefix(BOM_UTF8).strip()) and is_short and not has_blanks


def _plain_cells(lines: bytes, schema: pa.Schema, delimiter: str) -> pa.Table | None:
    """The cells of plain lines; None where a row has other cells than the header, or is not UTF-8."""
    try:
        return pa.csv.read_csv(
            BytesIO(lines),
            read_options=pa.csv.ReadOptions(column_names=schema.names, use_threads=False, block_size=len(lines) + 1),
            parse_options=pa.csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pa.csv.ConvertOptions(column_types=schema),
        )
    except pa.ArrowInvalid:
        return None


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


def _records(name: str, lines: Iterator[str], delimiter: str, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """The line that each record starts on, counted from the first, and its fields; blank lines are no records.

    Raises InputError for a quote that is never closed: a blank line behind the last one is part of its record.
    """
    reader, line, begins, record = csv.reader(chain(lines, ["\n"]), delimiter=delimiter), first, first, list[str]()
    for record in reader:
        if record:
            yield line, record
        begins, line = line, reader.line_num + first
    if record:
        raise InputError(f"{name}, line {begins}: a quote is opened and never closed; close it, or leave it out")
