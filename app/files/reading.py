"""Files into tables: CSV, JSON, JSON Lines or Parquet, the first three packed by gzip or not, within bounds.

A file that cannot be used ends in one InputError. READERS names the reader of each kind.
"""

import csv
import io
import json
import re
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

from app.files.columns import where
from app.files.spreadsheets import unguarded
from app.files.tables import ANY, Bounds, Content, Fault, InputError, Table

T = TypeVar("T")

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
SEPARATORS = re.compile(r"[\s,]*")  # between the elements of a JSON array
DECODER = json.JSONDecoder()
AS_JSON = json.JSONEncoder(ensure_ascii=False)
CHUNK = 2**20  # bytes that are unpacked at once
BATCH = 1000  # rows that are read at once
EXPORTED = {"seq", "winner", "p_first", "voided_by"}  # by these columns a log that the service exported is known
EXPORTED_WORD = "verdict"  # what the winner column of an export is called here, as it may be empty
csv.field_size_limit(2**31 - 1)  # a text may be longer than the 128 KiB that csv allows a field


def read(path: str) -> Table:
    """The table in a file, or on standard input for `-`, which must be CSV. Raises InputError, for one bad line too."""
    name, payload = ("standard input.csv", sys.stdin.buffer.read()) if path == "-" else (path, _contents(path))
    table = parse(name, payload)
    for fault in table.content.faults[:1]:
        raise fault.error(table.name)
    return _own_export(table)


def parse(name: str, payload: bytes, bounds: Bounds = ANY) -> Table:
    """The table in the contents of a file of that name, without its bad lines, which are the faults of its content.

    Raises InputError where the file as a whole is of no use, or holds more than `bounds`.
    """
    suffixes = Path(name.lower()).suffixes
    if suffixes[-1:] == [".gz"] and suffixes[-2:-1] in ([".csv"], [".tsv"], [".json"], [".jsonl"]):
        return _table(name, suffixes[-2], _unpack(name, payload, bounds), bounds)
    return _table(name, "".join(suffixes[-1:]), payload, bounds)


def _table(name: str, kind: str, payload: bytes, bounds: Bounds) -> Table:
    if kind not in READERS:
        raise InputError(
            f"{name}: unknown kind of file; use .csv, .tsv, .json or .jsonl, with or without .gz, or .parquet"
        )
    if payload.removeprefix(BOM_UTF8).isspace() or payload in (b"", BOM_UTF8):
        raise InputError(f"{name}: the file is empty")
    content = READERS[kind](name, payload, bounds)
    if not content.cells.num_rows and not content.faults:
        raise InputError(f"{name}: there are column names but no rows")
    return Table(name, content.cells, np.arange(content.cells.num_rows), content)


def _own_export(table: Table) -> Table:
    """A log that the service exported: voided comparisons do not count, and p_first says it all."""
    if not set(table.columns) >= EXPORTED:
        return table
    kept = where(table, [("voided_by", "")])
    return kept._replace(cells=kept.cells.rename_columns({"winner": EXPORTED_WORD}))


def _contents(path: str) -> bytes:
    if Path(path).is_dir():
        raise InputError(f"{path}: this is a folder; name a file in it")
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or str(error)).lower()}") from None


def _unpack(name: str, payload: bytes, bounds: Bounds) -> bytes:
    unpacked = io.BytesIO()
    try:
        with pa.CompressedInputStream(pa.BufferReader(payload), "gzip") as packed:
            while chunk := packed.read(CHUNK):
                unpacked.write(chunk)
                bounds.hold(name, size=unpacked.tell())
    except OSError:
        raise InputError(f"{name}: not gzip, or cut short; rename the file or fetch it again") from None
    return unpacked.getvalue()


def _lines(name: str, payload: bytes, bounds: Bounds) -> Iterator[str]:
    """Each line with its end. Decoded one by one: as one text a file may take four times its bytes."""
    for number, line in enumerate(io.BytesIO(payload.removeprefix(BOM_UTF8)), 1):
        if len(line) > bounds.line:
            raise InputError(f"{name}, line {number}: longer than {bounds.line:,} bytes; shorten it")
        try:
            yield line.decode()
        except UnicodeDecodeError:
            raise InputError(f"{name}, line {number}: not UTF-8 text; save the file as UTF-8") from None


def _batches(name: str, rows: Iterable[T], bounds: Bounds) -> Iterator[list[T]]:
    """`BATCH` rows at a time, while they keep within the bounds."""
    rows, count = iter(rows), 0
    while batch := list(islice(rows, BATCH)):
        count += len(batch)
        bounds.hold(name, rows=count)
        yield batch


def _read_csv(name: str, payload: bytes, bounds: Bounds) -> Content:
    delimiter, pieces = _delimited(chain.from_iterable(map(_split, _lines(name, payload, bounds))))
    records = _records(pieces, delimiter)
    line, header = next(records)
    bounds.hold(name, columns=len(header))
    _refuse_repeated(f"{name}, line {line}", header)
    restored = unguarded if set(header) >= EXPORTED else str
    schema = pa.schema([(column, pa.string()) for column in header])
    tables, lines, faults = [schema.empty_table()], list[int](), list[Fault]()
    for batch in _batches(name, records, bounds):
        good = [(line, record) for line, record in batch if len(record) == len(header)]
        ragged = [(line, len(record)) for line, record in batch if len(record) != len(header)]
        faults += [_ragged(line, found, len(header), DELIMITERS[delimiter]) for line, found in ragged]
        lines += [line for line, _ in good]
        columns = zip(*(map(restored, record) for _, record in good), strict=True)
        cells: list[Any] = [pa.array(each, pa.string()) for each in columns]
        tables += [pa.Table.from_arrays(cells, schema=schema)] if good else []
    return Content(pa.concat_tables(tables), "line", lambda row: lines[row], faults)


def _refuse_repeated(place: str, columns: Iterable[str]) -> None:
    if repeated := [column for column, times in Counter(columns).items() if times > 1]:
        raise InputError(f"{place}: column {repeated[0]!r} is there twice; rename one of them")


def _ragged(line: int, found: int, width: int, delimiters: str) -> Fault:
    return Fault(f"line {line}", line, None, f"{found} fields, the header has {width}", f"quote {delimiters}")


def _delimited(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """What gives the first line that is not blank the most cells, a comma where it has but one; and all the lines."""
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


def _split(line: str) -> Iterable[str]:
    """Lines that end in a carriage return."""
    return io.StringIO(line, newline="") if "\r" in line else (line,)


def _read_json(name: str, payload: bytes, bounds: Bounds) -> Content:
    if len(payload) > bounds.line:
        raise InputError(
            f"{name}: an array of more than {bounds.line:,} bytes; write one object per line into a .jsonl"
        )
    return _read_objects(name, enumerate(_elements(name, payload), 1), "row", bounds)


def _read_jsonl(name: str, payload: bytes, bounds: Bounds) -> Content:
    lines = ((n, line) for n, line in enumerate(_lines(name, payload, bounds), 1) if line.strip())
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
    """Objects as JSON, each with its number."""
    rows, numbers, faults = list[dict[str, str]](), list[int](), list[Fault]()
    columns: dict[str, None] = {}
    for batch in _batches(name, lines, bounds):
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


def _read_parquet(name: str, payload: bytes, bounds: Bounds) -> Content:
    """Without nested columns, as nothing reads them. Texts stay in the dictionary of the file until they are counted:
    a row of a few bytes may hold a long one.
    """
    try:
        file = pa.parquet.ParquetFile(pa.BufferReader(payload))
        metadata, schema = file.metadata, file.schema_arrow
        bounds.hold(name, columns=len(schema), rows=metadata.num_rows)
        _refuse_repeated(name, schema.names)
        flat = [field for field in schema if not pa.types.is_nested(field.type)]
        texts = [field.name for field in flat if not _has_width(field.type)]
        fixed = sum(field.type.bit_width // 8 for field in flat if _has_width(field.type))
        packed = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
        bounds.hold(name, size=max(packed, fixed * metadata.num_rows))
        file = pa.parquet.ParquetFile(pa.BufferReader(payload), read_dictionary=texts)
        tables, size = [_with_nested(file.schema_arrow.empty_table(), schema)], 0
        for batch in file.iter_batches(BATCH, columns=[field.name for field in flat]):
            size += sum(map(_unpacked_bytes, batch.columns))
            bounds.hold(name, size=size)
            tables.append(_with_nested(batch, schema))
    except (pa.ArrowInvalid, OSError) as error:
        raise _no_parquet(name, error) from None
    return Content(pa.concat_tables(tables), "row", lambda row: row + 1, [])


def _has_width(kind: pa.DataType) -> bool:
    """Whether each value takes the same number of bits."""
    try:
        return bool(kind.bit_width)
    except ValueError:
        return False


def _unpacked_bytes(column: Any) -> int:
    """Bytes that the texts of an Arrow column take when each row has its own."""
    if not isinstance(column, pa.DictionaryArray):
        return int(column.nbytes)
    texts: Any = column.dictionary
    return pa.compute.sum(pa.compute.binary_length(texts).take(column.indices)).as_py() or 0


def _with_nested(cells: pa.RecordBatch | pa.Table, schema: pa.Schema) -> pa.Table:
    """With the columns that were not read, empty."""
    read = set(cells.schema.names)
    return pa.table(
        {field.name: cells[field.name] if field.name in read else pa.nulls(len(cells), field.type) for field in schema}
    )


def _no_parquet(name: str, error: Exception) -> InputError:
    return InputError(f"{name}: not a Parquet file ({_one_line(error)})")


def _one_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


READERS = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".json": _read_json,
    ".jsonl": _read_jsonl,
    ".parquet": _read_parquet,
}
