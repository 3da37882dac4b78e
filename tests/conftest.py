"""One private PostgreSQL for the whole run, migrated once; a database for every test that asks for one.

Tests of a module that only call the service have one together: each makes the sets that it looks at. Whoever reaches
below the service, or is marked `alone`, has one of their own.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx
import pytest
from alembic.script import ScriptDirectory
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.routing import BaseRoute

from app import main
from app.live.speed import warm_up
from app.main import create_app
from app.service import pools
from app.service.context import Context
from app.settings import Settings
from app.storage import db
from app.storage.embedded.launcher import EmbeddedPostgres
from app.storage.listening import dsn
from tests.docs.blocks import summary

SHARED = Path(__file__).resolve().parents[2] / "shared"
TEMPLATE = "template_nextpair"
BELOW = {"settings", "context"}  # fixtures of what is below the service


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was done with the blocks of the docs, where they ran."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    counts = [dict(report.user_properties) for report in reports if getattr(report, "when", "") == "call"]
    if found := [each["blocks"] for each in counts if "blocks" in each]:
        terminalreporter.section("blocks of the docs")
        terminalreporter.write_line("\n".join(summary(found)))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real verdicts, for the tests that need them."""
    if not (SHARED / "data").is_dir():
        pytest.skip("needs ../shared/data, which is not here")
    return SHARED / "data"


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """Small inputs that once failed."""
    if not (SHARED / "cases").is_dir():
        pytest.skip("needs ../shared/cases, which is not here")
    return SHARED / "cases"


@pytest.fixture(scope="session", autouse=True)
def warm_up_once() -> Iterator[None]:
    """What the first application of a run has compiled or loaded is there for all others: kernels, migrations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "warm_up", cache(warm_up))
        patch.setattr(
            ScriptDirectory, "from_config", lambda config: _migrations(config.get_main_option("script_location"))
        )
        patch.setattr(pools, "LOOK_SECONDS", 3600.0)  # a set moves by what it is told here, not by its neighbours
        yield


@pytest.fixture(scope="session")
def cluster() -> Iterator[EmbeddedPostgres]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="nextpair-", dir=memory if memory.is_dir() else None) as home:
        postgres = EmbeddedPostgres(Path(home))
        postgres.start()
        asyncio.run(_make_template(postgres))
        yield postgres
        postgres.stop()


@pytest.fixture(scope="module")
def shared_settings(cluster: EmbeddedPostgres) -> Iterator[Settings]:
    with _database(cluster) as url:
        yield Settings(database_url=url)


@pytest.fixture(scope="module")
async def shared_app(shared_settings: Settings) -> AsyncIterator[FastAPI]:
    async with running(shared_settings) as application:
        yield application


@pytest.fixture
def own_settings(cluster: EmbeddedPostgres) -> Iterator[Settings]:
    with _database(cluster) as url:
        yield Settings(database_url=url)


@pytest.fixture
async def own_app(own_settings: Settings) -> AsyncIterator[FastAPI]:
    async with running(own_settings) as application:
        yield application


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> Settings:
    """Those of an empty, migrated database, or of the one that the tests of a module have together."""
    settings: Settings = request.getfixturevalue(_whose(request, "settings"))
    return settings


@pytest.fixture
def database_url(settings: Settings) -> str:
    assert settings.database_url is not None
    return settings.database_url


@pytest.fixture
def app(request: pytest.FixtureRequest) -> FastAPI:
    """A service of the test's own, or the one that the tests of a module have together."""
    application: FastAPI = request.getfixturevalue(_whose(request, "app"))
    return application


@pytest.fixture
def context(app: FastAPI) -> Context:
    context: Context = app.state.context
    return context


@pytest.fixture
async def connection(context: Context) -> AsyncIterator[AsyncConnection]:
    """A connection in a transaction that is rolled back."""
    async with context.engine.connect() as connection:
        yield connection


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """The service, without a socket."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.fixture
async def small(database_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A service with low limits."""
    low = Settings(database_url=database_url, max_body_bytes=2000, max_text_chars=100, max_candidates=3)
    async with served(low) as client:
        yield client


def _whose(request: pytest.FixtureRequest, name: str) -> str:
    is_alone = request.node.get_closest_marker("alone") or BELOW.intersection(request.fixturenames)
    return f"{'own' if is_alone else 'shared'}_{name}"


@contextmanager
def _database(cluster: EmbeddedPostgres) -> Iterator[str]:
    name = f"test_{uuid4().hex}"
    asyncio.run(_run(cluster.url("postgres"), f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} STRATEGY FILE_COPY"))
    yield cluster.url(name)
    asyncio.run(_run(cluster.url("postgres"), f"DROP DATABASE {name} WITH (FORCE)"))


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[FastAPI]:
    """The application, once it is ready."""
    application = create_app(settings)
    application.router.routes = _routes()
    async with application.router.lifespan_context(application):
        await application.state.warming
        yield application


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a service of its own."""
    async with (
        running(settings) as application,
        httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client,
    ):
        yield client


@cache
def _routes() -> list[BaseRoute]:
    """The same for every application: FastAPI reads all signatures at the first request, longer than a test takes."""
    return create_app(Settings()).router.routes


@cache
def _migrations(folder: str) -> ScriptDirectory:
    return ScriptDirectory(folder)


async def _make_template(postgres: EmbeddedPostgres) -> None:
    await _run(postgres.url("postgres"), f"CREATE DATABASE {TEMPLATE}")
    await db.migrate(postgres.url(TEMPLATE))


async def _run(url: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn(url))
    await connection.execute(statement)
    await connection.close()
