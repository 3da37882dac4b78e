"""Tables that people bring: comparisons, true values, a judge's scores. CSV, JSON, JSON Lines or Parquet.

A file that cannot be used ends in one InputError, which names the file, the line (the header of a CSV is line
1) or the column, and the remedy. Cells are text without the spaces around them; an empty cell is empty text.
"""

import csv
import io
import json
import re
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from nextpair.words import MAX_WEIGHT, MIN_WEIGHT, P_OF_WINNER, Winner
from numpy.typing import ArrayLike, NDArray

from app.files.spreadsheets import unguarded

H = TypeVar("H", bound=Hashable)
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = tuple[str, ...]
Line = Callable[[int], int]  # the line, from 1, of a row, from 0

WORDS: dict[str, Winner] = {
    "first": "first",
    "a": "first",
    "left": "first",
    "model_a": "first",
    "1": "first",
    "second": "second",
    "b": "second",
    "right": "second",
    "model_b": "second",
    "2": "second",
    "tie": "tie",
    "draw": "tie",
    "both_bad": "both_bad",
    "bothbad": "both_bad",
    "tie (bothbad)": "both_bad",
}
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
SEPARATORS = re.compile(r"[\s,]*")  # between the elements of a JSON array
DECODER = json.JSONDecoder()
PAIRS = (("first", "second"), ("model_a", "model_b"))
OUTCOMES = ("winner", "p_first")
AS_JSON = json.JSONEncoder(ensure_ascii=False)
CHUNK = 2**20  # bytes that are unpacked at once
BATCH = 1000  # rows that are read at once
csv.field_size_limit(2**31 - 1)  # a text may be longer than the 128 KiB that csv allows a field
EXPORTED = {"seq", "winner", "p_first", "voided_by"}  # by these columns a log that the service exported is known
EXPORTED_WORD = "verdict"  # what the winner column of an export is called here, as it may be empty


class InputError(Exception):
    """What was brought cannot be used; the message is one line for the person who brought it."""

    exit_code = 2


class TooManyRows(InputError):
    """There are more rows than allowed."""


class Fault(NamedTuple):
    """What is wrong with one line of a file, or with one of its cells."""

    place: str  # "line 7"
    line: int
    column: str | None
    wrong: str
    remedy: str

    def error(self, name: str) -> InputError:
        column = "" if self.column is None else f", column {self.column!r}"
        return InputError(f"{name}, {self.place}{column}: {self.wrong}; {self.remedy}")


class Bounds(NamedTuple):
    """How much a file may hold, and whether anyone still waits for it."""

    size: float = inf  # bytes, unpacked
    rows: float = inf
    columns: float = inf
    line: float = inf  # bytes
    is_awaited: Callable[[], bool] = lambda: True

    def hold(self, name: str, size: int = 0, rows: int = 0, columns: int = 0) -> None:
        """Raises InputError."""
        if size > self.size:
            raise InputError(f"{name}: unpacks to more than {self.size:,} bytes; send it in smaller parts")
        if rows > self.rows:
            raise TooManyRows(f"{name}: there are more than {self.rows:,} rows; send it in smaller parts")
        if columns > self.columns:
            raise InputError(f"{name}: there are more than {self.columns:,} columns; leave out those of no use here")
        if not self.is_awaited():
            raise InputError(f"{name}: given up, as nobody waits for it any more")


ANY = Bounds()


class Content(NamedTuple):
    """What a file holds."""

    cells: pa.Table
    unit: str  # what its rows are counted in: "line" or "row"
    line: Line
    faults: list[Fault]  # the lines that are left out


class Table(NamedTuple):
    name: str  # what errors call the file
    cells: pa.Table
    rows: Ints  # (K,) where each row stood in the file, from 0
    content: Content

    @property
    def columns(self) -> list[str]:
        return self.cells.column_names

    def line(self, row: int) -> int:
        """`row` counts the rows that the table has now."""
        return self.content.line(int(self.rows[row]))

    def place(self, row: int) -> str:
        return f"{self.content.unit} {self.line(row)}"


class Columns(NamedTuple):
    """Which columns hold a comparison; what is None is found by its usual name."""

    first: str | None = None
    second: str | None = None
    winner: str | None = None
    p_first: str | None = None
    judge: str | None = None
    weight: str | None = None


class Log(NamedTuple):
    """K comparisons in the order of the files, in G groups, among N candidates."""

    keys: list[str]  # (N,) by first appearance
    groups: list[Labels]  # (G,) values of the group columns, by first appearance
    group: Ints  # (K,)
    first: Ints  # (K,)
    second: Ints  # (K,)
    p: Floats  # (K,)
    weight: Floats  # (K,)
    judges: list[str]  # (J,) by first appearance; one without a name where the files name none
    judge: Ints  # (K,)


class Verdicts(NamedTuple):
    """The comparisons of one table, by key."""

    first: list[str]  # (K,)
    second: list[str]  # (K,)
    p: Floats  # (K,)
    words: list[Winner | None]  # (K,) the verdict as a word, where it came as one
    weight: Floats  # (K,)


# Files


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


def _batches(name: str, rows: Iterable[H], bounds: Bounds) -> Iterator[list[H]]:
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


# Columns


def require(table: Table, column: str) -> str:
    """`column`, when the table has it. Raises InputError that lists what is there."""
    if column not in table.columns:
        raise InputError(f"{table.name}: no column {column!r}; the columns are {', '.join(table.columns)}")
    return column


def texts(table: Table, column: str) -> list[str]:
    """(K,) a column as text, null as empty text. Raises InputError."""
    cells = table.cells[require(table, column)]
    try:
        values = cells.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"{table.name}, column {column!r}: cannot be read as text ({cells.type})") from None
    return [(value or "").strip() for value in values]


def keys(table: Table, column: str) -> list[str]:
    """(K,) text that may not be empty. Raises InputError."""
    values = texts(table, column)
    if "" in values:
        raise complaint(table, values.index(""), column, "empty; every row needs a value here")
    return values


def numbers(table: Table, column: str) -> Floats:
    """(K,) a column as finite numbers, NaN where a cell is empty. Raises InputError."""
    cells = texts(table, column)
    values = np.array([_number(cell) for cell in cells])
    if (row := _first_true(np.isinf(values))) is not None:
        raise complaint(table, row, column, f"{cells[row]!r} is not a finite number; correct or empty it")
    return values


def _number(cell: str) -> float:
    """NaN for an empty cell, infinity for one that holds no finite number."""
    try:
        value = float(cell) if cell else 0.0
    except ValueError:
        return np.inf
    return (value if np.isfinite(value) else np.inf) if cell else np.nan


def where(table: Table, conditions: Iterable[tuple[str, str]]) -> Table:
    """The rows whose columns hold the given values. Raises InputError where no row does."""
    for column, value in conditions:
        cells = texts(table, column)
        keep = np.array([cell == value for cell in cells])
        if not keep.any():
            raise InputError(f"{table.name}: no row with {column}={value}; there is {_some(cells)}")
        table = table._replace(cells=table.cells.filter(pa.array(keep)), rows=table.rows[keep])
    return table


def parse_conditions(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Column and value of each `column=value`. Raises InputError."""
    pairs = [text.partition("=") for text in texts]
    if wrong := [column for column, equals, _ in pairs if not (column and equals)]:
        raise InputError(f"--where {wrong[0]!r} is no condition; write column=value")
    return [(column.strip(), value.strip()) for column, _, value in pairs]


def _some(values: Iterable[str], limit: int = 8) -> str:
    distinct = sorted(set(values))
    return ", ".join(distinct[:limit]) + (", ..." if len(distinct) > limit else "")


def complaint(table: Table, row: int, column: str, what: str) -> InputError:
    """An error about one cell; `row` counts the rows that the table has now."""
    return InputError(f"{table.name}, {table.place(row)}, column {column!r}: {what}")


def _first_true(flags: ArrayLike) -> int | None:
    found = np.flatnonzero(flags)
    return int(found[0]) if found.size else None


def encode(values: Sequence[H]) -> tuple[list[H], Ints]:
    """The distinct values by first appearance, and (K,) which of them each value is."""
    codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return list(codes), np.array([codes[value] for value in values], dtype=np.int64)


def label_rows(table: Table, columns: Sequence[str]) -> list[Labels]:
    """(K,) the values of `columns` in each row; empty tuples without columns. Raises InputError."""
    if not columns:
        return [()] * table.cells.num_rows
    return list(zip(*(keys(table, column) for column in columns), strict=True))


# Comparisons


def read_log(tables: Sequence[Table], columns: Columns, group_by: Sequence[str]) -> Log:
    """The comparisons of one or more tables, one after the other. Raises InputError."""
    parts = [verdicts(table, columns) for table in tables]
    first = [key for part in parts for key in part.first]
    second = [key for part in parts for key in part.second]
    candidates, codes = encode([*first, *second])
    groups, group = encode([labels for table in tables for labels in label_rows(table, group_by)])
    p, weight = (np.concatenate(columns) for columns in zip(*((part.p, part.weight) for part in parts), strict=True))
    judges, judge = encode([name for table in tables for name in judge_names(table, columns.judge)])
    return Log(candidates, groups, group, codes[: len(p)], codes[len(p) :], p, weight, judges, judge)


def judge_names(table: Table, column: str | None) -> list[str]:
    """(K,) who judged: the column of that name, or `judge` if there is one, or nobody in particular."""
    if column is None and "judge" not in table.columns:
        return [""] * len(table.rows)
    return keys(table, column or "judge")


def verdicts(table: Table, columns: Columns) -> Verdicts:
    """Who met whom, and the probability that the first was better. Raises InputError."""
    first_column, second_column = pair_columns(table, columns)
    first, second = keys(table, first_column), keys(table, second_column)
    if (row := _first_true([a == b for a, b in zip(first, second, strict=True)])) is not None:
        raise complaint(table, row, second_column, "compares a candidate with itself; remove this row")
    (column, in_words), weight = _outcome_column(table, columns), weights(table, columns.weight)
    if not in_words:
        return Verdicts(first, second, probabilities(table, column), _exported_words(table), weight)
    words = winners(table, column, first, second)
    return Verdicts(first, second, np.array([P_OF_WINNER[word] for word in words]), [*words], weight)


def _exported_words(table: Table) -> list[Winner | None]:
    if EXPORTED_WORD not in table.columns:
        return [None] * len(table.rows)
    return [WORDS.get(word) for word in texts(table, EXPORTED_WORD)]


def has_pairs(table: Table, columns: Columns) -> bool:
    """Whether the table looks like comparisons."""
    return columns.first is not None or any(set(pair) <= set(table.columns) for pair in PAIRS)


def pair_columns(table: Table, columns: Columns) -> tuple[str, str]:
    """Where the first and the second candidate stand. Raises InputError."""
    usual = next((pair for pair in PAIRS if set(pair) <= set(table.columns)), PAIRS[0])
    first = _chosen(table, "first", columns.first, usual[0])
    return first, _chosen(table, "second", columns.second, usual[1])


def _chosen(table: Table, option: str, chosen: str | None, usual: str) -> str:
    if chosen is None and usual not in table.columns:
        there = ", ".join(table.columns)
        raise InputError(f"{table.name}: no column {usual!r}; give --{option}; the columns are {there}")
    return require(table, chosen or usual)


def _outcome_column(table: Table, columns: Columns) -> tuple[str, bool]:
    """The column that says who won, and whether it holds words rather than probabilities."""
    chosen = [(name, name == columns.winner) for name in (columns.winner, columns.p_first) if name]
    found = chosen or [(name, name == "winner") for name in OUTCOMES if name in table.columns]
    if len(found) == 1:
        return require(table, found[0][0]), found[0][1]
    if found:
        raise InputError(f"{table.name}: two columns say who won; give one of --winner and --p-first")
    there = ", ".join(table.columns)
    raise InputError(f"{table.name}: give --winner or --p-first; the columns are {there}")


def probabilities(table: Table, column: str) -> Floats:
    """(K,) probabilities that the first is better. Raises InputError for what is empty or outside [0, 1]."""
    p = numbers(table, column)
    if (row := _first_true(~((p >= 0.0) & (p <= 1.0)))) is not None:
        shown = texts(table, column)[row] or "an empty cell"
        raise complaint(table, row, column, f"{shown} is not a probability; write a number from 0 to 1")
    return p


def weights(table: Table, column: str | None) -> Floats:
    """(K,) how many answers each row stands for: the column of that name, or `weight` if there is one, or 1.

    Raises InputError for what is empty, below MIN_WEIGHT or above MAX_WEIGHT.
    """
    if column is None and "weight" not in table.columns:
        return np.ones(len(table.rows))
    weight = numbers(table, column or "weight")
    if (row := _first_true(~((weight >= MIN_WEIGHT) & (weight <= MAX_WEIGHT)))) is not None:
        shown = texts(table, column or "weight")[row] or "an empty cell"
        wanted = f"write a number from {MIN_WEIGHT:f} to {MAX_WEIGHT:,}, or remove the row"
        raise complaint(table, row, column or "weight", f"{shown} is not a weight; {wanted}")
    return weight


def winners(table: Table, column: str, first: Sequence[str], second: Sequence[str]) -> list[Winner]:
    """(K,) verdicts, from words or from the winner's key, in upper or lower case. Raises InputError."""
    cases = list(zip(texts(table, column), first, second, strict=True))
    readings = {case: _readings(*(text.casefold() for text in case)) for case in set(cases)}
    if (row := _first_true([len(readings[case]) != 1 for case in cases])) is not None:
        raise complaint(table, row, column, _not_one_reading(cases[row][0], bool(readings[cases[row]])))
    return [next(iter(readings[case])) for case in cases]


def _readings(word: str, first: str, second: str) -> set[Winner]:
    """Every way to read `word`: as a verdict, and as the key of the first or of the second candidate."""
    sides: list[tuple[str, Winner]] = [(first, "first"), (second, "second")]
    return {winner for key, winner in [*sides, *WORDS.items()] if key == word}


def _not_one_reading(word: str, several: bool) -> str:
    if several:
        return f"{word!r} is a verdict and also the key of the other candidate; write first or second"
    return f"{word!r} is not a verdict; write first, second, tie, both_bad or the key of the winner"


# Values by key


def read_values(table: Table, by: Sequence[str], column: str) -> dict[Labels, float]:
    """The number in `column` by the values in the columns `by`. Raises InputError where rows repeat."""
    values, labels = numbers(table, column), label_rows(table, by)
    if (row := _first_true(np.isnan(values))) is not None:
        raise complaint(table, row, column, "empty; every row needs a number here")
    result = dict(zip(labels, values.tolist(), strict=True))
    if len(result) < len(labels):
        raise complaint(table, _repeated(labels), by[-1], "this row repeats an earlier one; keep one of them")
    return result


def _repeated(labels: Sequence[Labels]) -> int:
    """The first row whose labels were there before."""
    newest = np.maximum.accumulate(encode(labels)[1])
    return int(np.argmax(np.diff(newest) == 0)) + 1


def read_means(table: Table, by: Sequence[str], column: str) -> dict[Labels, float]:
    """The mean of `column` over rows alike in `by`, NaN if all their cells are empty. Raises InputError."""
    values = numbers(table, column)
    labels, code = encode(label_rows(table, by))
    known = ~np.isnan(values)
    count = np.bincount(code[known], minlength=len(labels))
    total = np.bincount(code[known], values[known], len(labels))
    means = np.where(count, total / np.maximum(count, 1), np.nan)
    return dict(zip(labels, means.tolist(), strict=True))
