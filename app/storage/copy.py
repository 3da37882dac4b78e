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
    as_json = [isinstance(table.c[name].type, JSONB) for name in columns]
    encoded = [list(map(_encode, record, as_json)) for record in records]
    raw = await db.get_raw_connection()
    driver: asyncpg.Connection = raw.driver_connection  # type: ignore[assignment]  # SQLAlchemy types no driver
    await driver.copy_records_to_table(table.name, records=encoded, columns=columns)


def _encode(value: Any, as_json: bool) -> Any:
    return json.dumps(value) if as_json and value is not None else value
