"""The URLs that people have, the time limits of a session, and what failures mean."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError

from app.storage import db, failures
from app.storage.embedded.launcher import EmbeddedPostgres
from app.storage.listening import dsn
from tests.factories import run_sql


@pytest.mark.parametrize("driver", ["postgresql", "postgresql+asyncpg", "postgresql+psycopg"])
async def test_any_driver_and_libpqs_own_options_are_understood(cluster: EmbeddedPostgres, driver: str) -> None:
    url = cluster.url("postgres").replace("postgresql+asyncpg", driver) + "&sslmode=prefer&application_name=tester"
    engine = db.connect(url)
    async with engine.connect() as connection:
        name = (await connection.exec_driver_sql("SELECT current_setting('application_name')")).scalar_one()
    await engine.dispose()
    assert name == "tester"


async def test_a_certificate_that_is_asked_for_is_not_done_without(cluster: EmbeddedPostgres) -> None:
    """The private server speaks no TLS."""
    with pytest.raises((OSError, asyncpg.PostgresError)):
        await asyncpg.connect(dsn("postgresql://postgres@127.0.0.1:1/x?sslmode=require"))


def test_the_path_of_migrations_is_part_of_the_package() -> None:
    assert (Path(db.MIGRATIONS) / "versions").is_dir()


async def limits(url: str) -> list[str]:
    """What a session of the service goes by."""
    engine = db.connect(url)
    async with engine.connect() as connection:
        found = [(await connection.exec_driver_sql(f"SHOW {name}")).scalar_one() for name in db.LIMITS]
    await engine.dispose()
    return found


async def test_every_session_has_its_time_limits(database_url: str) -> None:
    assert await limits(database_url) == ["5s", "1min", "30s"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("&lock_timeout=7s", ["7s", "1min", "30s"]),
        ("&statement_timeout=0", ["5s", "0", "30s"]),
        ("&options=-c%20lock_timeout=1s%20-c%20statement_timeout=2min", ["1s", "2min", "30s"]),
    ],
)
async def test_a_limit_in_the_url_comes_first(database_url: str, options: str, expected: list[str]) -> None:
    assert await limits(database_url + options) == expected


async def test_a_limit_of_the_role_or_database_comes_first(database_url: str) -> None:
    engine = db.connect(database_url)
    await run_sql(engine, f"ALTER DATABASE {make_url(database_url).database} SET lock_timeout = '9s'")
    await engine.dispose()
    assert await limits(database_url) == ["9s", "1min", "30s"]


async def test_a_migration_waits_for_another_for_as_long_as_that_takes(database_url: str) -> None:
    url = f"{database_url}&lock_timeout=100ms&statement_timeout=100ms&idle_in_transaction_session_timeout=100ms"
    engine = db.connect(database_url)
    async with engine.begin() as connection:
        await connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({db.MIGRATION_LOCK})")
        waiting = asyncio.create_task(db.migrate(url))
        await asyncio.sleep(0.5)
        assert not waiting.done()
    assert await waiting == db.latest_migration()
    await engine.dispose()


async def test_a_transaction_that_stands_still_loses_its_locks_and_its_session(database_url: str) -> None:
    """As it does when its process is stopped: then the others go on, and it learns so when it wakes up."""
    engine = db.connect(f"{database_url}&idle_in_transaction_session_timeout=200ms")
    async with engine.connect() as stalled, engine.connect() as other:
        await stalled.exec_driver_sql("SELECT pg_advisory_xact_lock(1)")
        await other.exec_driver_sql("SELECT pg_advisory_xact_lock(1)")
        driver = (await stalled.get_raw_connection()).driver_connection
        assert driver is not None
        while not driver.is_closed():
            await asyncio.sleep(0.01)
        with pytest.raises(asyncpg.InterfaceError) as copying:
            await driver.copy_records_to_table("sets", records=[])
        with pytest.raises(DBAPIError) as reading:
            await stalled.exec_driver_sql("SELECT 1")
        assert failures.is_connection_failure(copying.value)
        assert failures.is_connection_failure(reading.value)
    await engine.dispose()
