"""Files into tables: from a path or an upload, packed by gzip or not, in any format, within bounds."""

import io
import sys
from codecs import BOM_UTF8
from pathlib import Path

import numpy as np
import pyarrow as pa

from app.files.columns import where
from app.files.formats import PACKED, READERS
from app.files.tables import ANY, EXPORTED, EXPORTED_WORD, Bounds, InputError, Table

CHUNK = 2**20  # bytes that are unpacked at once
PLAIN = [kind for kind in READERS if kind not in PACKED]
KINDS = f"{', '.join(PACKED[:-1])} or {PACKED[-1]}, with or without .gz, or {' or '.join(PLAIN)}"


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
