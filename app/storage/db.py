"""Engine, transactions and migrations."""

from functools import cache, partial
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app.storage.listening import dsn

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"
FAILURES = (SQLAlchemyError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError)  # what a statement may raise
MIGRATION_LOCK = 0x6E657874  # "next"
AWAY = ("08", "53300", "57P")  # SQLSTATE: connection lost, too many connections, starting up or shutting down


def connect(url: str) -> AsyncEngine:
    """An engine for any PostgreSQL URL, whichever driver it names; asyncpg reads it, options like sslmode included."""
    creator = partial(asyncpg.connect, dsn(url))
    return create_async_engine("postgresql+asyncpg://", async_creator=creator, pool_size=10, max_overflow=10)


async def migrate(engine: AsyncEngine) -> str:
    """Bring the schema up to date, one process at a time. Returns the revision."""
    async with engine.begin() as connection:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
        await connection.run_sync(_upgrade)
        return await connection.run_sync(_revision)


async def revision(engine: AsyncEngine) -> str:
    """The revision of the database; '' before the first migration."""
    async with engine.connect() as connection:
        return await connection.run_sync(_revision)


@cache
def latest_revision() -> str:
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _revision(connection: Connection) -> str:
    return MigrationContext.configure(connection).get_current_revision() or ""


def is_connection_failure(error: BaseException) -> bool:
    """Whether the database could not be reached, as against refusing a statement."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or (error.orig is not None and is_connection_failure(error.orig))
    return isinstance(error, OSError | PoolTimeout) or str(getattr(error, "sqlstate", "")).startswith(AWAY)


def refused_value(error: BaseException) -> str | None:
    """Why PostgreSQL cannot hold a value (SQLSTATE class 22: a NUL character, a number out of range); else None."""
    cause = (error.orig and error.orig.__cause__) if isinstance(error, DBAPIError) else error
    if isinstance(cause, asyncpg.DataError) or str(getattr(cause, "sqlstate", "")).startswith("22"):
        return str(cause)
    return None
