"""The log as jsonl, csv or parquet, encoded batch by batch."""

import io
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from nextpair.schemas import Comparison

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
}
SCHEMA = pa.schema([(name, TYPES.get(name, pa.string())) for name in COLUMNS])


def line_of(comparison: Comparison) -> bytes:
    """The line of a comparison in JSON Lines: what a report hashes, so no byte of it may change."""
    return f"{comparison.model_dump_json()}\n".encode()


def encode(batches: AsyncIterator[list[Comparison]], form: str) -> AsyncIterator[bytes]:
    return {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}[form](batches)


async def _jsonl(batches: AsyncIterator[list[Comparison]]) -> AsyncIterator[bytes]:
    async for batch in batches:
        yield b"".join(map(line_of, batch))


async def _csv(batches: AsyncIterator[list[Comparison]]) -> AsyncIterator[bytes]:
    yield _lines([COLUMNS])
    async for batch in batches:
        yield _lines(_cells(c.model_dump(mode="json")) for c in batch)


async def _parquet(batches: AsyncIterator[list[Comparison]]) -> AsyncIterator[bytes]:
    """One row group per batch, each sent on as soon as it is written."""
    sink = _Sink()
    with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), SCHEMA) as writer:
        async for batch in batches:
            writer.write_table(pa.Table.from_pylist([_flat(c) for c in batch], SCHEMA))
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


def _flat(comparison: Comparison) -> dict[str, Any]:
    row = comparison.model_dump()
    ids = {name: row[name] and str(row[name]) for name in ("set_id", "assignment_id")}
    return {**row, **ids, "raw": _json(row["raw"])}


def _cells(row: dict[str, Any]) -> list[Any]:
    return [_json(value) if name == "raw" else value for name, value in row.items()]


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value)


def _lines(rows: Iterable[list[Any]]) -> bytes:
    out = io.StringIO()
    spreadsheets.write(rows, out)
    return out.getvalue().encode()
