"""Many rows at once, by COPY."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import asyncpg
from sqlalchemy import Table
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection


async def rows(db: AsyncConnection, table: Table, columns: Sequence[str], records: Iterable[Sequence[Any]]) -> None:
    """Copy `records` into `columns` of `table`, in this connection's transaction. JSON columns take Python values."""
    as_json = [place for place, name in enumerate(columns) if isinstance(table.c[name].type, JSONB)]
    raw = await db.get_raw_connection()
    driver: asyncpg.Connection = raw.driver_connection  # type: ignore[assignment]  # SQLAlchemy types no driver
    encoded = [_encode(record, as_json) for record in records]
    await driver.copy_records_to_table(table.name, records=encoded, columns=columns)


def _encode(record: Sequence[Any], as_json: Sequence[int]) -> Sequence[Any]:
    values = list(record)
    for place in as_json:
        if values[place] is not None:
            values[place] = json.dumps(values[place])
    return values
