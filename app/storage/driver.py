"""Statements past SQLAlchemy, whose own work on a short one is five times that of the driver."""

from typing import Any

import asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection


def driver_of(db: AsyncConnection) -> asyncpg.Connection:
    """The driver's connection. Let SQLAlchemy execute something before it in a transaction: that is what begins one."""
    assert db.sync_connection is not None
    driver: asyncpg.Connection = db.sync_connection.connection.driver_connection  # type: ignore[assignment]
    return driver


async def fetch(db: AsyncConnection, statement: str, *values: Any) -> list[asyncpg.Record]:
    """Rows of a statement whose parameters are $1, $2, ..., within a transaction that has begun."""
    driver = driver_of(db)
    assert driver.is_in_transaction()
    return await driver.fetch(statement, *values)
