"""What goes wrong without the service or its client being at fault: the answer is to come back."""

import asyncio
import os
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError

from app.service import asking, choosing
from app.service.context import Context
from app.service.errors import DatabaseDown, DiskFull
from app.settings import Settings
from app.storage import db, failures, sets
from app.storage.embedded.launcher import EmbeddedPostgres
from tests.conftest import TEMPLATE, served
from tests.factories import Http, ask_one, comparison, count_rows, create_set, follow, get, run_sql, send, tell


@pytest.mark.parametrize(
    ("code", "status", "name"),
    [
        ("40001", 503, "busy"),
        ("40P01", 503, "busy"),
        ("55P03", 503, "busy"),
        ("57014", 503, "busy"),
        ("53100", 507, "disk-full"),
    ],
)
async def test_what_may_pass_is_answered_with_when_to_come_back(
    http: Http, context: Context, code: str, status: int, name: str
) -> None:
    created = await create_set(http)
    await run_sql(
        context.engine,
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}'; END $$",
        "CREATE TRIGGER failing AFTER INSERT ON comparisons FOR EACH ROW EXECUTE FUNCTION fail()",
    )
    before, key = await count_rows(context.engine), str(uuid4())
    for many in (1, 60):  # INSERT and COPY
        answer = await created.send(*[comparison("ash", "elm")] * many, **{"Idempotency-Key": key})
        assert (answer.status_code, answer.json()["type"]) == (status, f"urn:nextpair:problem:{name}")
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert int(answer.headers["Retry-After"]) >= 1
    assert await count_rows(context.engine) == before
    await run_sql(context.engine, "DROP TRIGGER failing ON comparisons")
    assert (await created.send(comparison("ash", "elm"), **{"Idempotency-Key": key})).status_code == 201


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, whose size can be changed."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", tmp_path], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root may mount a file system")
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


def resize(disk: Path, space: int) -> None:
    """So many bytes remain free."""
    there = os.statvfs(disk)
    used = (there.f_blocks - there.f_bfree) * there.f_frsize
    subprocess.run(["mount", "-o", f"remount,size={used + space}", disk], check=True)


@pytest.fixture
async def on_a_small_disk(cluster: EmbeddedPostgres, small_disk: Path) -> AsyncIterator[str]:
    """The URL of a migrated database."""
    maintenance = db.connect(cluster.url("postgres")).execution_options(isolation_level="AUTOCOMMIT")
    async with maintenance.connect() as connection:
        owner = os.stat((await connection.exec_driver_sql("SHOW data_directory")).scalar_one())
        os.chown(small_disk, owner.st_uid, owner.st_gid)
        await connection.exec_driver_sql(f"CREATE TABLESPACE small LOCATION '{small_disk}'")
        await connection.exec_driver_sql(f"CREATE DATABASE small TEMPLATE {TEMPLATE} TABLESPACE small")
        yield cluster.url("small")
        await connection.exec_driver_sql("DROP DATABASE small WITH (FORCE)")
        await connection.exec_driver_sql("DROP TABLESPACE small")
    await maintenance.dispose()


async def test_a_full_disk_is_said_until_there_is_space_again(on_a_small_disk: str, small_disk: Path) -> None:
    async with served(Settings(database_url=on_a_small_disk)) as http:
        created = await create_set(http)
        resize(small_disk, 64 * 2**10)
        new, key = [comparison("ash", "elm", client_id=str(n)) for n in range(5000)], {"Idempotency-Key": str(uuid4())}
        refused = await created.send(*new, **key)
        assert (refused.status_code, refused.json()["type"]) == (507, "urn:nextpair:problem:disk-full")
        for _ in range(2):
            assert (await http.get("/readyz")).status_code == 507
        await created.read()
        resize(small_disk, 32 * 2**20)
        await get(http, "/readyz")
        assert (await created.send(*new, **key)).json()["accepted"] == 5000


async def test_writes_end_before_the_private_postgresql_has_no_space_and_reads_go_on(
    app: FastAPI,
    http: Http,
    cluster: EmbeddedPostgres,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    app.state.context = replace(app.state.context, settings=Settings(data_dir=cluster._home))
    app.state.outages._ctx = app.state.context
    created = await create_set(http)
    with monkeypatch.context() as full:
        full.setattr("app.service.context.SPACE", 10**9)
        for _ in range(5):
            for answer in (await created.send(comparison("ash", "elm")), await _ask(http, created["id"], "a")):
                assert (answer.status_code, answer.json()["type"]) == (507, "urn:nextpair:problem:disk-full")
            await created.read("/ranking")
            assert (await http.get("/readyz")).status_code == 507
        full.setattr("app.service.outages.LOOK_SECONDS", 0.01)
    assert (await created.send(comparison("ash", "elm"))).status_code == 201
    while DiskFull in app.state.outages:
        await asyncio.sleep(0.01)
    said = [record.getMessage() for record in caplog.records if record.name == "nextpair"]
    assert [line.partition(":")[2][:13] for line in said] == [" [Errno 28] u", " this is over"]


async def test_an_outage_is_logged_once_when_it_begins_and_once_when_it_is_over(
    app: FastAPI,
    http: Http,
    context: Context,
    cluster: EmbeddedPostgres,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = f"/v1/sets/{(await create_set(http))['id']}"
    monkeypatch.setattr("app.service.outages.LOOK_SECONDS", 0.01)
    async with AsyncExitStack() as open_streams:
        for _ in range(5):
            open_streams.push_async_exit(_whatever_it_raises)
            await (await open_streams.enter_async_context(follow(app, path.split("/")[-1]))).take(2)
        with monkeypatch.context() as away:
            name, others = make_url(str(context.settings.database_url)).database, db.connect(cluster.url("postgres"))
            await run_sql(others, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
            await others.dispose()
            away.setattr(asyncpg, "connect", _refuse)
            context.notices.hear_all()  # the streams look
            for answer in await asyncio.gather(*(http.get(path) for _ in range(20))):
                assert (answer.status_code, answer.json()["type"]) == (503, "urn:nextpair:problem:database-down")
    while DatabaseDown in app.state.outages:
        await asyncio.sleep(0.01)
    await get(http, path)
    said = [record.getMessage() for record in caplog.records if record.name == "nextpair"]
    assert [line.partition(":")[0] for line in said] == ["The database cannot be reached"] * 2
    assert not any(record.name == "asyncio" for record in caplog.records)


async def _whatever_it_raises(*_: object) -> bool:
    return True


async def _refuse(*_: Any, **__: Any) -> None:
    raise ConnectionRefusedError("nobody is there")


FLOOD = 25  # writes at once, more than there are connections
USUAL = 2.0  # seconds, generous


@pytest.fixture
def limits() -> str:
    """As the URL states them."""
    return "lock_timeout=500ms&idle_in_transaction_session_timeout=1s"


@pytest.fixture
async def hasty(database_url: str, limits: str) -> AsyncIterator[Http]:
    """A service with these limits."""
    async with served(Settings(database_url=f"{database_url}&{limits}")) as client:
        yield client


@asynccontextmanager
async def locked(database_url: str, set_id: str) -> AsyncIterator[None]:
    """Somebody else holds the row of a set."""
    engine = db.connect(database_url)
    async with engine.begin() as connection:
        await sets.lock(connection, UUID(set_id))
        yield
    await engine.dispose()


async def statuses(answers: Iterable[asyncio.Task[httpx.Response]]) -> Counter[int]:
    return Counter([(await each).status_code for each in answers])


async def as_always(http: Http, set_id: str, judge: str = "alice") -> None:
    """An ask, a tell and a look at /readyz take no longer than usual."""
    async with asyncio.timeout(USUAL):
        await get(http, "/readyz")
        assert (await tell(http, (await ask_one(http, set_id, judge))["id"], p_first=1)).status_code == 201


async def test_while_the_row_of_a_set_is_locked_other_sets_and_readyz_answer_as_always(
    hasty: Http, database_url: str
) -> None:
    blocked, free = [(await create_set(hasty))["id"] for _ in range(2)]
    pair = await ask_one(hasty, blocked)
    async with locked(database_url, blocked):
        tells = [asyncio.create_task(tell(hasty, pair["id"], p_first=1)) for _ in range(FLOOD)]
        added = [asyncio.create_task(send(hasty, blocked, comparison("ash", "elm"))) for _ in range(FLOOD)]
        await asyncio.sleep(0.2)
        await as_always(hasty, free)
        assert await ask_one(hasty, blocked, "bob")  # an ask needs no row
        await asyncio.sleep(0.8)
    told = await statuses(tells) + await statuses(added)
    assert told[503]
    assert set(told) <= {201, 409, 503}
    assert (await get(hasty, f"/v1/sets/{blocked}"))["comparisons"] == told[201]


@pytest.mark.parametrize("limits", ["lock_timeout=5s"])
async def test_a_batch_that_meets_a_locked_set_gives_way_to_the_others(hasty: Http, database_url: str) -> None:
    blocked, free = [(await create_set(hasty))["id"] for _ in range(2)]
    pairs = [await ask_one(hasty, each) for each in (blocked, free)]
    verdicts = [{"assignment_id": pair["id"], "p_first": 1} for pair in pairs]
    async with locked(database_url, blocked):
        batch = asyncio.create_task(hasty.post("/v1/verdicts", json={"verdicts": verdicts}))
        await as_always(hasty, free, "bob")
        assert (await batch).status_code == 503
    told = (await hasty.post("/v1/verdicts", json={"verdicts": verdicts})).json()["results"]
    assert [each["status"] for each in told] == [201, 201]


async def test_a_process_that_stands_still_in_an_ask_holds_its_set_only_for_a_while(
    hasty: Http, database_url: str
) -> None:
    created = await create_set(hasty)
    stopped = db.connect(database_url)
    connection = await stopped.connect()
    await sets.lock_asking(connection, [UUID(created["id"])])
    first = await _ask(hasty, created["id"], "alice")
    await connection.exec_driver_sql("SET idle_in_transaction_session_timeout = '1s'")
    async with asyncio.timeout(30):
        while (await _ask(hasty, created["id"], "alice")).status_code == 503:
            pass
    assert (await created.ask())["assignments"]
    with pytest.raises(DBAPIError) as woken:
        await connection.close()
    await stopped.dispose()
    assert first.status_code == 503
    assert failures.is_connection_failure(woken.value)


async def test_an_ask_over_many_sets_passes_over_what_others_hold(
    hasty: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "SETS_AT_ONCE", 1)
    before, held, behind = [(await create_set(hasty))["id"] for _ in range(3)]
    async with context.engine.connect() as other:
        await sets.lock_asking(other, [UUID(held)])
        answer = await hasty.post("/v1/next-pairs", json={"judge": "alice", "count": 4})
        assert {pair["set_id"] for pair in answer.json()["assignments"]} == {before, behind}
        assert len(answer.json()["assignments"]) == 4
        answer = await hasty.post("/v1/next-pairs", json={"judge": "alice", "count": 4, "sets": [held]})
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:nextpair:problem:busy")


async def test_an_ask_that_has_lost_its_locks_hands_out_nothing(
    hasty: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    created, choose = await create_set(hasty), choosing.choose

    async def slowly(*args: Any) -> Any:
        await asyncio.sleep(1.5)  # longer than it may stand still
        return await choose(*args)

    monkeypatch.setattr(choosing, "choose", slowly)
    before = await count_rows(context.engine)
    answer = await _ask(hasty, created["id"], "alice")
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:nextpair:problem:database-down")
    assert await count_rows(context.engine) == before
    monkeypatch.undo()
    assert (await created.ask())["assignments"]


async def _ask(http: Http, set_id: str, judge: str) -> httpx.Response:
    return await http.post(f"/v1/sets/{set_id}/next-pair", json={"judge": judge})
