"""What goes wrong without the service or its client being at fault: the answer is to come back."""

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from app.service.context import Context
from app.settings import Settings
from app.storage import db
from app.storage.embedded import EmbeddedPostgres
from tests.conftest import TEMPLATE, running
from tests.factories import comparison, count_rows, create_set, get, run_sql, send


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
    http: httpx.AsyncClient, context: Context, code: str, status: int, name: str
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
        answer = await send(http, created["id"], *[comparison("ash", "elm")] * many, **{"Idempotency-Key": key})
        assert (answer.status_code, answer.json()["type"]) == (status, f"urn:nextpair:problem:{name}")
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert int(answer.headers["Retry-After"]) >= 1
    assert await count_rows(context.engine) == before
    await run_sql(context.engine, "DROP TRIGGER failing ON comparisons")
    assert (await send(http, created["id"], comparison("ash", "elm"), **{"Idempotency-Key": key})).status_code == 201


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, whose size can be changed."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", tmp_path], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root may mount a file system")
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


def resize(disk: Path, room: int) -> None:
    """So many bytes remain free."""
    there = os.statvfs(disk)
    used = (there.f_blocks - there.f_bfree) * there.f_frsize
    subprocess.run(["mount", "-o", f"remount,size={used + room}", disk], check=True)


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


async def test_a_full_disk_is_said_until_there_is_room_again(on_a_small_disk: str, small_disk: Path) -> None:
    async with (
        running(Settings(database_url=on_a_small_disk)) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as http,
    ):
        created = await create_set(http)
        resize(small_disk, 64 * 2**10)
        new, key = [comparison("ash", "elm", client_id=str(n)) for n in range(5000)], {"Idempotency-Key": str(uuid4())}
        refused = await send(http, created["id"], *new, **key)
        assert (refused.status_code, refused.json()["type"]) == (507, "urn:nextpair:problem:disk-full")
        for _ in range(2):
            assert (await http.get("/readyz")).status_code == 507
        await get(http, f"/v1/sets/{created['id']}")
        resize(small_disk, 32 * 2**20)
        await get(http, "/readyz")
        assert (await send(http, created["id"], *new, **key)).json()["accepted"] == 5000
