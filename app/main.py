"""The composition root: nothing else builds engines, caches or clients."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from socket import socket
from typing import NamedTuple

import uvicorn
from fastapi import Depends, FastAPI
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import QueuePool

from app import __version__
from app.api import (
    absolute_scores,
    activity,
    aggregations,
    assignments,
    candidates,
    comparisons,
    contract,
    diagnostics,
    disputes,
    estimates,
    head_to_heads,
    health,
    judges,
    pairs,
    pooled_evidence,
    problems,
    projects,
    rank_sets,
    rankings,
    reports,
    sets,
    summaries,
    tables,
)
from app.api.access import Access, is_loopback
from app.api.admission import Admission
from app.api.compression import Compression
from app.api.connections import Connection
from app.api.dependencies import refuse_unknown_parameters
from app.api.heads import Heads
from app.api.limits import BodyLimit, ChargeClient
from app.api.metrics import Metrics
from app.api.shutdown import AnswerWhenStopped
from app.live.jobs import Jobs
from app.live.posteriors import LivePosteriors
from app.live.speed import warm_up
from app.process import freeze_what_start_up_made
from app.service import idempotency, pools, purge
from app.service.context import Context
from app.service.notices import Notices
from app.service.outages import Outages
from app.settings import Settings
from app.storage import db, failures
from app.storage.embedded.launcher import EmbeddedPostgres
from app.storage.listening import listen
from app.web import pages, problem_pages

log = logging.getLogger("nextpair")

DESCRIPTION = """Rank texts, models and systems by pairwise comparison, with as few comparisons as possible.

Ask for the most informative pair, send the verdict, read the ranking."""

ALWAYS = [("X-Content-Type-Options", "nosniff")]  # headers of every answer, uvicorn's own included
# Less than the ten after which Docker kills what it stops. Python also waits for a computation that is under way; it is
# safe to kill it, as the database is closed by then.
DRAIN_SECONDS = 8
ROLLBACK_SECONDS = 1.0


class CannotStartError(RuntimeError):
    """The service did not come up; the message says why."""

    exit_code = 1


def create_app(settings: Settings) -> FastAPI:
    """The service. Its database starts, and is migrated, when the application starts."""
    app = FastAPI(
        title="nextpair",
        version=__version__,
        description=DESCRIPTION,
        servers=contract.SERVERS,
        license_info=contract.LICENSE,
        generate_unique_id_function=lambda route: route.name,  # which is that of the client's call
        lifespan=partial(_lifespan, settings),
        docs_url=None,  # app.web.docs has one that loads nothing from other hosts
        redoc_url=None,
        redirect_slashes=False,  # app.api.problems redirects without a host
    )
    nouns = (
        sets, candidates, judges, disputes, assignments, comparisons, activity, absolute_scores, pooled_evidence,
        rankings, rank_sets, projects, aggregations, tables, estimates, diagnostics, summaries, pairs, head_to_heads,
        reports, health,
    )  # fmt: skip
    for noun in nouns:
        app.include_router(noun.router, dependencies=[Depends(refuse_unknown_parameters)])
    pages.install(app)
    problems.install(app)
    problem_pages.install(app)
    contract.install(app)
    app.add_middleware(Admission)
    app.add_middleware(ChargeClient)
    app.add_middleware(BodyLimit, max_bytes=settings.max_body_bytes)
    app.add_middleware(Access, key=None if settings.api_key is None else settings.api_key.get_secret_value())
    app.add_middleware(Compression)
    app.add_middleware(Heads)
    app.add_middleware(AnswerWhenStopped)
    app.add_middleware(Metrics)
    return app


@asynccontextmanager
async def _lifespan(settings: Settings, app: FastAPI) -> AsyncIterator[None]:
    app.state.failure = None
    async with _remembered(app), database(settings) as opened:
        live = LivePosteriors(max_sets=settings.live_sets, max_bytes=settings.live_bytes)
        jobs = Jobs(settings.client_seconds)
        app.state.context = Context(opened.engine, opened.spare, live, Notices(), jobs, settings)
        app.state.outages = outages = Outages(app.state.context, opened.bring_back)
        app.state.warming = warming = asyncio.create_task(_warm(live))
        work = (
            app.state.context.notices.run(partial(listen, opened.url)),
            idempotency.sweep(app.state.context),
            pools.keep_up(app.state.context),
            purge.keep_purging(app.state.context),
        )
        tasks = [warming, *(asyncio.create_task(each) for each in work)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)  # they close what they hold
            await outages.close()
            live.close()
            await app.state.context.jobs.close()


async def _warm(live: LivePosteriors) -> None:
    try:
        await live.warm_up(warm_up)
    except Exception:
        log.exception("cannot compile the kernels beforehand; small sets are slower")


@asynccontextmanager
async def _remembered(app: FastAPI) -> AsyncIterator[None]:
    """Keep the reason when the service cannot start: uvicorn only says that."""
    try:
        yield
    except Exception as error:
        app.state.failure = error
        raise


class Database(NamedTuple):
    url: str
    engine: AsyncEngine
    spare: AsyncEngine
    migration: str
    bring_back: Callable[[], Awaitable[None]]  # to be called when the database does not answer


@asynccontextmanager
async def database(settings: Settings) -> AsyncIterator[Database]:
    """The external database, or a private one in the data directory; migrated."""
    if settings.database_url is not None:
        cluster, url = None, settings.database_url
    else:
        cluster = EmbeddedPostgres(settings.data_dir)
        url = await asyncio.to_thread(cluster.start)
    engine, spare = _engine(url), db.connect(url, 1)
    try:
        migration = await _migrated(url)
        yield Database(url, engine, spare, migration, partial(_bring_back, cluster))
    finally:
        await _all_returned(engine)
        await engine.dispose()
        await spare.dispose()
        if cluster is not None:
            await asyncio.to_thread(cluster.stop)


async def _all_returned(engine: AsyncEngine) -> None:
    """Wait a little until no connection is in use: requests that were cancelled roll back in the background."""
    assert isinstance(engine.pool, QueuePool)
    with suppress(TimeoutError):
        async with asyncio.timeout(ROLLBACK_SECONDS):
            while engine.pool.checkedout():
                await asyncio.sleep(0.01)


def _engine(url: str) -> AsyncEngine:
    try:
        return db.connect(url)
    except ArgumentError:
        raise CannotStartError(
            "DATABASE_URL is no PostgreSQL URL; write postgresql://user:password@host:5432/name"
        ) from None


async def _migrated(url: str) -> str:
    try:
        return await db.migrate(url)
    except Exception as error:
        if not failures.is_connection_failure(error):
            raise
        raise CannotStartError(f"the database at {make_url(url)!r} cannot be reached: {error}") from error


async def _bring_back(cluster: EmbeddedPostgres | None) -> None:
    """Raises EmbeddedPostgresError."""
    if cluster is not None:
        await asyncio.to_thread(cluster.ensure)


class NotLoopbackError(ValueError):
    """A service without a key is open to everyone, so it listens on loopback only."""

    exit_code = 2


class DrainingServer(uvicorn.Server):
    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Finish what is under way; long polls and event streams, which only wait, end first."""
        self.config.app.state.context.notices.close()  # type: ignore[union-attr]  # uvicorn types any ASGI application
        await super().shutdown(sockets)
        if self.server_state.tasks:  # cancelled, and about to say so
            await asyncio.wait(self.server_state.tasks, timeout=1.0)


def make_server(settings: Settings, host: str, port: int) -> uvicorn.Server:
    """The service on an address, ready to run. Raises NotLoopbackError."""
    if settings.api_key is None and not is_loopback(host):
        raise NotLoopbackError(
            f"refusing to listen on {host}: without a key anyone could use the service, so it listens on loopback "
            "only; set NEXTPAIR_API_KEY to a long random string"
        )
    # Errors are logged by app.api.problems and raised by `run`, so uvicorn need not repeat them.
    return DrainingServer(
        uvicorn.Config(
            create_app(settings),
            host,
            port,
            http=Connection,
            headers=ALWAYS,
            log_level="critical",
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
    )


def run(server: uvicorn.Server, announce: Callable[[], None] = lambda: None) -> None:
    """Take the port, say so, and serve until Ctrl-C or SIGTERM. Raises CannotStartError."""
    host, port = server.config.host, server.config.port
    try:
        listener = server.config.bind_socket()
    except SystemExit:
        raise CannotStartError(
            f"cannot listen on {host}:{port}; if another program uses it, choose another with --port"
        ) from None
    announce()
    freeze_what_start_up_made()
    try:
        server.run([listener])
    except KeyboardInterrupt:
        pass
    except SystemExit:
        failure = server.config.app.state.failure  # type: ignore[union-attr]  # uvicorn types any ASGI application
        raise CannotStartError(str(failure)) from failure
    finally:
        listener.close()


async def migrate(settings: Settings) -> str:
    """Bring the database up to date; returns the migration that it is at."""
    async with database(settings) as opened:
        return opened.migration
