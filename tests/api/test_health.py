"""Is it alive, is it ready, how is it doing."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from fastapi import FastAPI

from app import __version__, main
from app.service.context import Context
from app.settings import Settings
from app.storage import db
from tests.conftest import served
from tests.factories import Http, ask, create_set, get, run_sql


async def test_alive(http: Http) -> None:
    assert await get(http, "/healthz") == {"status": "ok", "version": __version__}


async def test_ready_with_a_migrated_database(http: Http) -> None:
    assert await get(http, "/readyz") == {"status": "ready", "migration": db.latest_migration()}


async def test_ready_while_every_connection_is_in_use(http: Http, context: Context) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(db.CONNECTIONS):
            await stack.enter_async_context(context.engine.connect())
        async with asyncio.timeout(5.0):
            await get(http, "/readyz")


@pytest.mark.parametrize("change", ["DELETE FROM alembic_version", "UPDATE alembic_version SET version_num = '0018'"])
async def test_not_ready_before_the_migration(http: Http, context: Context, change: str) -> None:
    await run_sql(context.engine, change)
    answer = await http.get("/readyz")
    assert answer.status_code == 503
    assert "nextpair migrate" in answer.json()["detail"]
    assert (await http.get("/healthz")).status_code == 200


async def test_not_ready_while_kernels_are_compiled(http: Http, context: Context) -> None:
    context.live.warm = None
    answer = await http.get("/readyz")
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:nextpair:problem:preparing")
    assert int(answer.headers["Retry-After"]) > 0
    assert (await http.get("/healthz")).status_code == 200


async def test_without_kernels_compiled_beforehand_the_service_is_ready_and_says_why(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise RuntimeError("no compiler")

    monkeypatch.setattr(main, "warm_up", broken)
    async with served(settings) as http:
        assert (await http.get("/readyz")).status_code == 200
        assert (await ask(http, (await create_set(http))["id"]))["status"] == "open"
    assert "no compiler" in caplog.text


async def sample(http: Http, name: str, *labels: str) -> float:
    """The value of the metric `name` whose labels contain all of `labels`."""
    lines = (await http.get("/metrics")).text.splitlines()
    found = [line for line in lines if line.startswith(name) and all(label in line for label in labels)]
    return sum(float(line.rsplit(" ", 1)[1]) for line in found)


async def test_metrics_count_requests_by_route_and_status(http: Http) -> None:
    labels = ('method="GET"', 'route="/v1/sets/{set_id}"', 'status="200"')
    before = await sample(http, "nextpair_requests_total", *labels)
    created = await create_set(http)
    await created.read()
    assert await sample(http, "nextpair_requests_total", *labels) == before + 1


async def test_metrics_count_unexpected_errors(http: Http, context: Context) -> None:
    before = await sample(http, "nextpair_requests_total", 'status="500"')
    await run_sql(context.engine, "ALTER TABLE sets RENAME TO moved")
    assert (await http.get("/v1/sets")).status_code == 500
    assert await sample(http, "nextpair_requests_total", 'status="500"') == before + 1


async def test_metrics_do_not_grow_with_ids_or_unknown_paths(http: Http) -> None:
    created = await create_set(http)
    await created.read()
    await http.get("/no/such/path")
    text = (await http.get("/metrics")).text
    assert created["id"] not in text
    assert "/no/such/path" not in text


@pytest.mark.alone
async def test_metrics_show_what_is_in_memory(http: Http, app: FastAPI) -> None:
    created = await create_set(http, told=["ash>elm"])
    await created.ranking()
    assert await sample(http, "nextpair_live_sets") == 1
    assert await sample(http, "nextpair_live_bytes") > 0
