"""Engine, time limits and migrations."""

from functools import cache, partial
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from app.storage.listening import dsn

APP = Path(__file__).resolve().parents[1]
MIGRATIONS = next(folder for folder in (APP / "migrations", APP.parent / "migrations") if folder.is_dir())  # in a wheel
MIGRATION_LOCK = 0x6E657874  # "next"
CONNECTIONS = 20
LIMITS = {  # of a session; decision 26 says why
    "lock_timeout": "5s",
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": "30s",
}
TO_CONNECT, TO_GET_ONE, NO_ANSWER = 10.0, 10.0, 90.0  # seconds: to PostgreSQL, from the pool, to a statement at all


class NewerDatabase(RuntimeError):
    """The database was migrated by a newer program; the message says what to do."""

    exit_code = 1


def connect(url: str, connections: int = CONNECTIONS) -> AsyncEngine:
    """An engine for any PostgreSQL URL, whichever driver it names; asyncpg reads it, options like sslmode included."""
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=partial(_session, url),
        pool_size=(connections + 1) // 2,
        max_overflow=connections // 2,
        pool_timeout=TO_GET_ONE,
        hide_parameters=True,
    )
    event.listen(engine.sync_engine, "checkout", _refuse_lost)
    return engine


def _refuse_lost(connection: object, entry: ConnectionPoolEntry, *_: object) -> None:
    """Have the pool replace a connection that was lost while idle."""
    driver = entry.driver_connection
    assert isinstance(driver, asyncpg.Connection)
    if driver.is_closed():
        raise DisconnectionError("the connection was lost")


_LIMIT = (
    "SELECT set_config(name, value, false) FROM pg_settings "
    "JOIN unnest($1::text[], $2::text[]) AS own (name, value) USING (name) WHERE source = 'default'"
)


async def _session(url: str) -> asyncpg.Connection:
    """A connection with LIMITS, but where the URL, the role, the database or the server has set one.

    They are set by a statement: poolers refuse most settings at the start of a session.
    """
    no_answer = None if "statement_timeout" in url else NO_ANSWER
    connection = await asyncpg.connect(dsn(url), timeout=TO_CONNECT, command_timeout=no_answer)
    try:
        await connection.execute(_LIMIT, list(LIMITS), list(LIMITS.values()))
    except BaseException:
        connection.terminate()
        raise
    return connection


# Migrations set their own lock_timeout.
_NO_LIMITS = text("SELECT set_config(name, '0', true) FROM unnest(CAST(:names AS text[])) AS name")


async def migrate(url: str) -> str:
    """Bring the schema up to date, one process at a time, however long it takes. Returns its migration.

    Raises NewerDatabase.
    """
    creator = partial(asyncpg.connect, dsn(url), timeout=TO_CONNECT)
    engine = create_async_engine("postgresql+asyncpg://", async_creator=creator, poolclass=NullPool)
    async with engine.begin() as connection:
        await connection.execute(_NO_LIMITS, {"names": list(LIMITS)})
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
        await connection.run_sync(_upgrade)
        return await connection.run_sync(_migration)


async def migration(engine: AsyncEngine) -> str:
    """The migration that the database is at; '' before the first migration."""
    async with engine.connect() as connection:
        return await connection.run_sync(_migration)


@cache
def latest_migration() -> str:
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def require_known(migration: str) -> None:
    """Raises NewerDatabase for a migration that this program does not have."""
    known = ScriptDirectory.from_config(_config()).walk_revisions()
    if migration and migration not in {each.revision for each in known}:
        raise NewerDatabase(
            f"The database is at migration {migration}, and this program ends at {latest_migration()}: a newer version "
            "has used it. There are no downgrades. Install that version again, or restore a backup from before the "
            "upgrade into an empty database."
        )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _upgrade(connection: Connection) -> None:
    require_known(_migration(connection))
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _migration(connection: Connection) -> str:
    return MigrationContext.configure(connection).get_current_revision() or ""


_MEGABYTE = text("CREATE TABLE a_megabyte AS SELECT random() FROM generate_series(1, 30000)")


async def try_the_disk(engine: AsyncEngine) -> None:
    """Write a megabyte and take it back, which fails where the disk is full."""
    async with engine.connect() as connection:
        await connection.execute(_MEGABYTE)
        await connection.rollback()
