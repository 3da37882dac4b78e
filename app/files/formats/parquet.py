"""Parquet. What is read as a whole keeps its texts in the dictionary of the file until they are counted.

A row of few bytes may hold a long text.
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

from app.files.formats.lines import BATCH, refuse_repeated
from app.files.tables import Bounds, Content, InputError


def read(name: str, payload: bytes, bounds: Bounds) -> Content:
    """Every column, the nested ones as JSON. Raises InputError."""
    with _explained(name):
        file = pa.parquet.ParquetFile(pa.BufferReader(payload))
        _refuse_large(name, file, bounds)
        refuse_repeated(name, file.schema_arrow.names)
        cells = _read_whole(name, payload, file, bounds)
    nested = frozenset(field.name for field in file.schema_arrow if pa.types.is_nested(field.type))
    return Content(cells, "row", lambda row: row + 1, [], nested)


def count_rows(path: str) -> int:
    """Raises InputError."""
    with _explained(path):
        return int(pa.parquet.read_metadata(path).num_rows)


def column_names(path: str) -> list[str]:
    """Raises InputError where one is there twice."""
    with _explained(path):
        names = list(pa.parquet.read_schema(path).names)
    refuse_repeated(path, names)
    return names


def read_in_parts(path: str, rows: int) -> Iterator[pa.Table]:
    """`rows` rows at a time, and the rest at the end, without the nested columns. Raises InputError."""
    with _explained(path), pa.parquet.ParquetFile(path, pre_buffer=False) as file:
        flat, ahead = [field.name for field in _flat(file.schema_arrow)], list[pa.Table]()
        for batch in file.iter_batches(rows, columns=flat):
            # It ends with its row group, and has fewer rows, where a column comes with a dictionary.
            ahead.append(pa.Table.from_batches([batch]).replace_schema_metadata(None))
            if sum(map(len, ahead)) >= rows:
                joined = pa.concat_tables(ahead)
                yield joined.slice(0, rows).unify_dictionaries()
                ahead = [joined.slice(rows)]
        if any(map(len, ahead)):
            yield pa.concat_tables(ahead).unify_dictionaries()


def read_columns_in_parts(path: str, rows: int, wanted: Collection[str]) -> Iterator[pa.Table]:
    """`rows` rows at a time; of the columns that are not `wanted`, the names alone. Raises InputError."""
    names = column_names(path)
    with _explained(path):
        schema = pa.parquet.read_schema(path)
        read = [field.name for field in _flat(schema) if field.name in wanted]
        texts = [name for name in read if not _has_width(schema.field(name).type)]
        with pa.parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=False) as file:
            for batch in file.iter_batches(rows, columns=read):
                rest = pa.nulls(batch.num_rows)
                yield pa.table({name: batch[name] if name in read else rest for name in names})


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowInvalid, OSError) as error:
        reason, _, _ = str(error).strip().partition("\n")
        raise InputError(f"{name}: not a Parquet file ({reason})") from None


def _refuse_large(name: str, file: pa.parquet.ParquetFile, bounds: Bounds) -> None:
    """Raises InputError by what the file says of itself, before anything is unpacked."""
    metadata, schema = file.metadata, file.schema_arrow
    bounds.hold(name, columns=len(schema), rows=metadata.num_rows)
    fixed = sum(field.type.bit_width // 8 for field in _flat(schema) if _has_width(field.type))
    packed = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
    bounds.hold(name, size=max(packed, fixed * metadata.num_rows))


def _read_whole(name: str, payload: bytes, file: pa.parquet.ParquetFile, bounds: Bounds) -> pa.Table:
    texts = [
        leaf.path for leaf in map(file.schema.column, range(len(file.schema))) if leaf.physical_type == "BYTE_ARRAY"
    ]
    in_dictionary = pa.parquet.ParquetFile(pa.BufferReader(payload), read_dictionary=texts)
    tables, size = list[pa.Table](), 0
    for batch in in_dictionary.iter_batches(BATCH):
        size += sum(map(_unpacked_bytes, batch.columns))
        bounds.hold(name, size=size)
        tables.append(pa.table({column: _as_text(batch[column]) for column in batch.schema.names}))
    return pa.concat_tables(tables) if tables else file.schema_arrow.empty_table()


def _as_text(column: Any) -> Any:
    """A nested column as JSON, any other as it is."""
    if not pa.types.is_nested(column.type):
        return column
    cells = [None if cell is None else json.dumps(cell, ensure_ascii=False, default=str) for cell in column.to_pylist()]
    return pa.array(cells, pa.string())


def _flat(schema: pa.Schema) -> list[Any]:
    return [field for field in schema if not pa.types.is_nested(field.type)]


def _has_width(kind: pa.DataType) -> bool:
    """True where each value takes the same number of bits."""
    try:
        return bool(kind.bit_width)
    except ValueError:
        return False


def _unpacked_bytes(column: Any) -> int:
    """Bytes that the texts of an Arrow column take when each row has its own."""
    if isinstance(column, pa.StructArray):
        return sum(map(_unpacked_bytes, column.flatten()))
    if isinstance(column, pa.MapArray):
        return _unpacked_bytes(column.keys) + _unpacked_bytes(column.items)
    if pa.types.is_nested(column.type):
        return max(_unpacked_bytes(column.flatten()), int(column.nbytes))
    if not isinstance(column, pa.DictionaryArray):
        return int(column.nbytes)
    texts: Any = column.dictionary
    return pa.compute.sum(pa.compute.binary_length(texts).take(column.indices)).as_py() or 0
