"""Files into tables: from a path or an upload, packed by gzip or not, in any format, within bounds."""

import gzip
import io
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa

from app.files.columns import folded, kept_rows, texts_of
from app.files.formats import IN_PARTS, PACKED, READERS, parquet
from app.files.formats.lines import PART
from app.files.tables import ANY, EXPORTED, EXPORTED_WORD, JUDGED, Bounds, Content, InputError, Table

CHUNK = 2**20  # bytes that are unpacked at once
NOTHING_COUNTS = "nothing counts; all that is there was voided, or failed"
NOT_GZIP = "not gzip, or cut short; rename the file or fetch it again"
PLAIN = [kind for kind in READERS if kind not in PACKED]
KINDS = f"{', '.join(PACKED[:-1])} or {PACKED[-1]}, with or without .gz, or {' or '.join(PLAIN)}"


def read(path: str) -> Table:
    """The table in a file, or on standard input for `-`, which must be CSV. Raises InputError, for one bad line too."""
    return _some_rows(path, [without_void(_read(path))])[0]


def read_all(path: str, counted: Callable[[Table], Table] | None = None) -> list[Table]:
    """The tables in a file, or in those of a folder or of a pattern such as `verdicts/*.parquet`, with the rows that
    are `counted`: by default those `without_void`.

    Raises InputError.
    """
    return _some_rows(path, [(counted or without_void)(_read(file)) for file in files_of(path)])


def read_in_parts(path: str, wanted: Collection[str]) -> Iterator[Table]:
    """Rows of `read_all`, some at a time; of Parquet only the columns that are `wanted`.

    Raises InputError.
    """
    counted = 0
    for file in files_of(path):
        rows = 0
        for table in _parts(file, wanted):
            for fault in table.content.faults[:1]:
                raise fault.error(table.name)
            rows += len(table.rows)
            kept = without_void(table)
            counted += len(kept.rows)
            if len(kept.rows) or kept.uncompared:
                yield kept
        if not rows:
            raise InputError(f"{file}: there are column names but no rows")
    if not counted:
        raise InputError(f"{path}: {NOTHING_COUNTS}")


def rows_of(path: str) -> int:
    """Number of rows, as far as files say beforehand. Raises InputError."""
    return sum(parquet.count_rows(file) for file in files_of(path) if file.lower().endswith(".parquet"))


def _parts(path: str, wanted: Collection[str]) -> Iterator[Table]:
    """The rows of one file; parts that are empty may tell of its columns, or of faults."""
    name, packed = ("standard input.csv", False) if path == "-" else (path, path.lower().endswith(".gz"))
    kind = "".join(Path(name.lower().removesuffix(".gz")).suffixes[-1:])
    if kind == ".parquet" and not packed:
        start = 0
        chosen = [column for column in parquet.column_names(path) if folded(column) in set(map(folded, wanted))]
        for cells in parquet.read_columns_in_parts(path, PART, chosen):
            rows = np.arange(start, start + cells.num_rows)
            yield Table(path, cells, rows, Content(cells, "row", lambda row: row + 1, []))
            start += cells.num_rows
        return
    if kind not in IN_PARTS:
        yield parse(path, _contents(path))
        return
    with _opened(path) as stream:
        for content in IN_PARTS[kind](name, stream, ANY, PART):
            yield Table(name, content.cells, np.arange(content.cells.num_rows), content)


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Raises InputError, while it is read too."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        with gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb") as stream:
            yield cast("BinaryIO", stream)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InputError(f"{path}: {NOT_GZIP}") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _read(path: str) -> Table:
    name, payload = ("standard input.csv", sys.stdin.buffer.read()) if path == "-" else (path, _contents(path))
    table = parse(name, payload)
    for fault in table.content.faults[:1]:
        raise fault.error(table.name)
    return table


def _some_rows(path: str, tables: list[Table]) -> list[Table]:
    if not any(table.cells.num_rows or table.uncompared for table in tables):
        raise InputError(f"{path}: {NOTHING_COUNTS}")
    return tables


def files_of(path: str) -> list[str]:
    """The files that `path` stands for, by name. Raises InputError where there is none."""
    if Path(path).is_dir():
        entries = [*Path(path).iterdir()]
    elif has_magic(path) and not Path(path).exists():
        entries = [Path(file) for file in glob(path, recursive=True)]
    else:
        return [path]
    files = sorted(str(file) for file in entries if _is_data(file))
    if not files:
        raise InputError(f"{path}: there are no files; use {KINDS}")
    return files


def _is_data(file: Path) -> bool:
    """False for what programs leave beside their parts, by its name as usual: `_job.json`, `.part-0.parquet`."""
    suffixes = [suffix for suffix in file.suffixes if suffix != ".gz"]
    return not file.name.startswith(("_", ".")) and file.is_file() and "".join(suffixes[-1:]).lower() in READERS


def parse(name: str, payload: bytes, bounds: Bounds = ANY) -> Table:
    """The table in the contents of a file of that name, without its bad lines, which are the faults of its content.

    Raises InputError where the file as a whole is of no use, or holds more than `bounds`.
    """
    suffixes = Path(name.lower()).suffixes
    if suffixes[1:] and suffixes[-1] == ".gz" and suffixes[-2] in PACKED:
        return _table(name, suffixes[-2], _unpack(name, payload, bounds), bounds)
    return _table(name, "".join(suffixes[-1:]), payload, bounds)


def _table(name: str, kind: str, payload: bytes, bounds: Bounds) -> Table:
    if kind not in READERS:
        raise InputError(f"{name}: unknown kind of file; use {KINDS}")
    if payload.removeprefix(BOM_UTF8).isspace() or payload in (b"", BOM_UTF8):
        raise InputError(f"{name}: the file is empty")
    content = READERS[kind](name, payload, bounds)
    if not content.cells.num_rows and not content.faults:
        raise InputError(f"{name}: there are column names but no rows")
    return Table(name, content.cells, np.arange(content.cells.num_rows), content)


def without_void(table: Table) -> Table:
    """Rows that count of a log that the service exported, and of verdicts judged offline."""
    table = with_void(table)
    return _where_empty(table, "voided_by") if table.is_log else table


def with_void(table: Table) -> Table:
    """All comparisons of a log that the service exported, where p_first says it all, and of verdicts judged offline."""
    if set(table.columns) >= EXPORTED:
        table = table._replace(cells=table.cells.rename_columns({"winner": EXPORTED_WORD}))
        has_no_place = np.array([not cell for cell in texts_of(table, "seq")], bool)
        rest = kept_rows(table, has_no_place)
        outputs = zip(texts_of(rest, "item"), texts_of(rest, "first"), strict=True) if len(rest.rows) else ()
        return kept_rows(table, ~has_no_place)._replace(uncompared=[*outputs])
    return _where_empty(table, "failure") if set(table.columns) >= JUDGED else table


def _where_empty(table: Table, column: str) -> Table:
    return kept_rows(table, np.array([not cell for cell in texts_of(table, column)], dtype=bool))


def _contents(path: str) -> bytes:
    if Path(path).is_dir():
        raise InputError(f"{path}: this is a folder; name a file in it")
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: str, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path}: there is no such file")
    return InputError(f"{path}: {(error.strerror or str(error)).lower()}")


def _unpack(name: str, payload: bytes, bounds: Bounds) -> bytes:
    unpacked = io.BytesIO()
    try:
        with pa.CompressedInputStream(pa.BufferReader(payload), "gzip") as packed:
            while chunk := packed.read(CHUNK):
                unpacked.write(chunk)
                bounds.hold(name, size=unpacked.tell())
    except OSError:
        raise InputError(f"{name}: {NOT_GZIP}") from None
    return unpacked.getvalue()
