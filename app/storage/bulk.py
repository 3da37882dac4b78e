"""Rows into a table: a few by INSERT, many by COPY."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Table, insert
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.driver import driver_of

ROWS_TO_INSERT = 50  # rows up to which one INSERT is as quick as COPY


async def append(db: AsyncConnection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Add rows, all of which have the same columns."""
    if len(rows) <= ROWS_TO_INSERT:
        await db.execute(insert(table), rows)
        return
    columns = list(rows[0])
    await copy(db, table, columns, ([row[name] for name in columns] for row in rows))


async def copy(db: AsyncConnection, table: Table, columns: Sequence[str], records: Iterable[Sequence[Any]]) -> None:
    """Add `records` of these columns, in this connection's transaction. JSON columns take Python values."""
    as_json = [place for place, name in enumerate(columns) if isinstance(table.c[name].type, JSONB)]
    encoded = await asyncio.to_thread(
        lambda: [_encode(each, as_json) for each in records] if as_json else list(records)
    )
    await driver_of(db).copy_records_to_table(table.name, records=encoded, columns=columns)


def _encode(record: Sequence[Any], as_json: Sequence[int]) -> Sequence[Any]:
    values = list(record)
    for place in as_json:
        if values[place] is not None:
            values[place] = json.dumps(values[place])
    return values
