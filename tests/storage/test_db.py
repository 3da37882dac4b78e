"""The URLs that people have."""

from pathlib import Path

import asyncpg
import pytest

from app.storage import db
from app.storage.embedded import EmbeddedPostgres
from app.storage.listening import dsn


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
