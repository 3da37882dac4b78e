"""Parquet. What is read as a whole keeps its texts in the dictionary of the file until they are counted: a row of few
bytes may hold a long one.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet

from app.files.formats.lines import BATCH, refuse_repeated
from app.files.tables import Bounds, Content, InputError


def read(name: str, payload: bytes, bounds: Bounds) -> Content:
    """Every column, the nested ones empty, as nothing reads them. Raises InputError."""
    with _explained(name):
        file = pa.parquet.ParquetFile(pa.BufferReader(payload))
        _refuse_large(name, file, bounds)
        refuse_repeated(name, file.schema_arrow.names)
        cells = _read_flat(name, payload, file.schema_arrow, bounds)
    return Content(cells, "row", lambda row: row + 1, [])


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


def _read_flat(name: str, payload: bytes, schema: pa.Schema, bounds: Bounds) -> pa.Table:
    texts = [field.name for field in _flat(schema) if not _has_width(field.type)]
    file = pa.parquet.ParquetFile(pa.BufferReader(payload), read_dictionary=texts)
    tables, size = [_with_nested(file.schema_arrow.empty_table(), schema)], 0
    for batch in file.iter_batches(BATCH, columns=[field.name for field in _flat(schema)]):
        size += sum(map(_unpacked_bytes, batch.columns))
        bounds.hold(name, size=size)
        tables.append(_with_nested(batch, schema))
    return pa.concat_tables(tables)


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
    if not isinstance(column, pa.DictionaryArray):
        return int(column.nbytes)
    texts: Any = column.dictionary
    return pa.compute.sum(pa.compute.binary_length(texts).take(column.indices)).as_py() or 0


def _with_nested(cells: pa.RecordBatch | pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of `schema`, empty where they were not read."""
    read = set(cells.schema.names)
    return pa.table(
        {field.name: cells[field.name] if field.name in read else pa.nulls(len(cells), field.type) for field in schema}
    )
