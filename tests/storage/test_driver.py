"""Transactions past SQLAlchemy: what becomes of them, and of their connection, however they end."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

import asyncpg
import pytest
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.storage import db
from app.storage.driver import driver_of, fetch, give_up, transaction
from app.storage.failures import FAILURES, is_connection_failure
from tests.factories import run_sql

LOCK = "SELECT pg_advisory_xact_lock(1)"


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    """Has one connection, so that whoever is next gets what the one before has left."""
    engine = db.connect(database_url, 1).execution_options(isolation_level="AUTOCOMMIT")
    await run_sql(engine, "CREATE TABLE notes (note text)")
    yield engine
    await engine.dispose()


async def notes(engine: AsyncEngine) -> list[str]:
    """What the next transaction finds."""
    async with transaction(engine) as connection:
        return [row[0] for row in await fetch(connection, "SELECT note FROM notes")]


async def write(engine: AsyncEngine, error: BaseException | None = None) -> None:
    async with transaction(engine, "INSERT INTO notes VALUES ('first')") as connection:
        await connection.exec_driver_sql("INSERT INTO notes VALUES ('second')")
        if error is not None:
            raise error


async def test_all_is_committed_together(engine: AsyncEngine) -> None:
    await write(engine)
    assert await notes(engine) == ["first", "second"]


async def test_after_an_error_nothing_is_there(engine: AsyncEngine) -> None:
    with pytest.raises(KeyError):
        await write(engine, KeyError())
    assert await notes(engine) == []


async def test_what_is_given_up_is_not_there(engine: AsyncEngine) -> None:
    async with transaction(engine, "INSERT INTO notes VALUES ('first')") as connection:
        await give_up(connection)
    assert await notes(engine) == []


async def test_a_statement_that_fails_is_rolled_back(engine: AsyncEngine) -> None:
    with pytest.raises(asyncpg.UndefinedTableError):
        async with transaction(engine, "INSERT INTO notes VALUES ('first'); SELECT FROM nowhere"):
            pass
    with pytest.raises(DBAPIError):
        async with transaction(engine) as connection:
            await connection.exec_driver_sql("SELECT FROM nowhere")
    assert await notes(engine) == []


async def test_a_failure_that_nobody_minds_is_no_success(engine: AsyncEngine) -> None:
    """PostgreSQL answers the end of such a transaction with a word: ROLLBACK."""

    async def mind_nothing() -> None:
        async with transaction(engine, "INSERT INTO notes VALUES ('first')") as connection:
            with suppress(DBAPIError):
                await connection.exec_driver_sql("SELECT FROM nowhere")

    with pytest.raises(asyncpg.InFailedSQLTransactionError):
        await mind_nothing()
    assert await notes(engine) == []


async def test_whoever_no_longer_waits_for_a_lock_leaves_no_transaction(database_url: str, engine: AsyncEngine) -> None:
    other = db.connect(database_url).execution_options(isolation_level="AUTOCOMMIT")
    async with transaction(other, LOCK):
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05), transaction(engine, LOCK):
                    pass
        assert await notes(engine) == []
    async with transaction(engine, LOCK):
        pass
    await other.dispose()


async def test_a_lost_connection_is_not_used_again(engine: AsyncEngine) -> None:
    """Neither where it was lost in a transaction, nor while nobody used it."""
    with pytest.raises(asyncpg.PostgresError):
        async with transaction(engine) as connection:
            await fetch(connection, "SELECT pg_terminate_backend(pg_backend_pid())")
    assert await notes(engine) == []
    async with engine.connect() as connection:
        driver = driver_of(connection)
    driver.terminate()
    assert await notes(engine) == []
    assert driver.is_closed()


async def test_a_farewell_that_was_not_read_yet_is_a_lost_connection(database_url: str, engine: AsyncEngine) -> None:
    """PostgreSQL says that it ends the session; the next statement meets that instead of an answer."""
    other = db.connect(database_url)

    async def be_ended() -> None:
        async with transaction(engine) as connection:
            ((pid,),) = await fetch(connection, "SELECT pg_backend_pid()")
            await run_sql(other, f"SELECT pg_terminate_backend({pid})")
            time.sleep(0.2)  # so that nothing is read
            await fetch(connection, "SELECT 1")

    with pytest.raises(FAILURES) as lost:
        await be_ended()
    assert is_connection_failure(lost.value)
    await other.dispose()
    assert await notes(engine) == []
    unread = asyncpg.InternalClientError("another operation is in progress")
    assert is_connection_failure(unread)
    adapted = Exception()
    adapted.__cause__ = unread
    assert is_connection_failure(DBAPIError("SELECT 1", None, adapted))
