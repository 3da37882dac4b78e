"""The log as jsonl, csv or parquet, encoded batch by batch.

It ends with the outputs that nobody compared, which have no place in the log: the name of a candidate as the first, and
no second.
"""

import io
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, TypeAlias
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
from nextpair.schemas import Comparison
from pydantic import BaseModel

from app.files import spreadsheets

MEDIA_TYPES = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
COLUMNS = list(Comparison.model_fields)
TYPES: dict[str, pa.DataType] = {
    "seq": pa.int64(),
    "p_first": pa.float64(),
    "weight": pa.float64(),
    "late": pa.bool_(),
    "label_mass": pa.float64(),
    "latency_ms": pa.float64(),
    "created_at": pa.timestamp("us", "UTC"),
    "voided_by": pa.int64(),
    "restores": pa.int64(),
    "order_chance": pa.float64(),
}
SCHEMA = pa.schema([(name, TYPES.get(name, pa.string())) for name in COLUMNS])


class Uncompared(BaseModel):
    """An output that no comparison that counts is about, or a candidate without outputs."""

    seq: None
    set_id: UUID
    item: str | None
    first: str  # the candidate


Line: TypeAlias = Comparison | Uncompared


def line_of(entry: Line) -> bytes:
    """The line of an entry in JSON Lines: what a report hashes, so no byte of it may change.

    Fields that an earlier version did not write are unset when its line is read, and left out again.
    """
    return f"{entry.model_dump_json(exclude_unset=True)}\n".encode()


def encode(batches: AsyncIterator[Sequence[Line]], form: str) -> AsyncIterator[bytes]:
    return {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[form](batches)


async def _jsonl(batches: AsyncIterator[Sequence[Line]]) -> AsyncIterator[bytes]:
    async for batch in batches:
        yield b"".join(map(line_of, batch))


async def _csv(batches: AsyncIterator[Sequence[Line]]) -> AsyncIterator[bytes]:
    yield _lines([COLUMNS])
    async for batch in batches:
        yield _lines(_cells(each.model_dump(mode="json")) for each in batch)


async def _parquet(batches: AsyncIterator[Sequence[Line]]) -> AsyncIterator[bytes]:
    """One row group per batch, each sent on as soon as it is written."""
    sink = _Sink()
    with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), SCHEMA) as writer:
        async for batch in batches:
            writer.write_table(pa.Table.from_pylist([_flat(each) for each in batch], SCHEMA))
            yield sink.drain()
    yield sink.drain()


class _Sink(io.RawIOBase):
    """A file that only grows: what was written since the last look."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._chunks.append(bytes(data))
        self._length += len(self._chunks[-1])
        return len(self._chunks[-1])

    def tell(self) -> int:
        return self._length

    def drain(self) -> bytes:
        chunks, self._chunks = self._chunks, []
        return b"".join(chunks)


def _flat(entry: Line) -> dict[str, Any]:
    row = entry.model_dump()
    ids = {name: str(row[name]) for name in ("set_id", "assignment_id") if row.get(name)}
    return row | ids | {"raw": _json(row.get("raw"))}


def _cells(row: dict[str, Any]) -> list[Any]:
    return [_json(row.get(name)) if name == "raw" else row.get(name) for name in COLUMNS]


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value)


def _lines(rows: Iterable[list[Any]]) -> bytes:
    out = io.StringIO()
    spreadsheets.write(rows, out)
    return out.getvalue().encode()
