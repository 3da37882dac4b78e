"""Transactions and statements past SQLAlchemy, whose own work on a short one is five times that of the driver."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.storage.failures import FAILURES


def driver_of(db: AsyncConnection) -> asyncpg.Connection:
    """The driver's connection. Outside `transaction`, let SQLAlchemy execute something first: that begins its own."""
    assert db.sync_connection is not None
    driver: asyncpg.Connection = db.sync_connection.connection.driver_connection  # type: ignore[assignment]
    return driver


@asynccontextmanager
async def transaction(autocommit: AsyncEngine, first: str = "") -> AsyncIterator[AsyncConnection]:
    """A transaction that the driver begins, in one round trip with the statement `first`, which has no parameters.

    The engine is one at which SQLAlchemy itself begins none.
    """
    async with autocommit.connect() as db:
        driver = driver_of(db)
        try:
            await driver.execute(f"BEGIN; {first}")
            yield db
            if driver.is_in_transaction() and await driver.execute("COMMIT") != "COMMIT":
                raise asyncpg.InFailedSQLTransactionError("a statement failed before, and all was rolled back")
        except BaseException:
            with suppress(*FAILURES):
                await _roll_back(driver)
            raise


async def give_up(db: AsyncConnection) -> None:
    """Roll a transaction back without raising an error."""
    await driver_of(db).execute("ROLLBACK")


async def _roll_back(driver: asyncpg.Connection) -> None:
    """Roll back, or end the session, which then does so by itself; the pool hands out no session that has ended."""
    try:
        await driver.execute("ROLLBACK")
    except BaseException:
        driver.terminate()
        raise


async def fetch(db: AsyncConnection, statement: str, *values: Any) -> list[asyncpg.Record]:
    """Rows of a statement whose parameters are $1, $2, ..., within a transaction that has begun."""
    driver = driver_of(db)
    assert driver.is_in_transaction()
    return await driver.fetch(statement, *values)
