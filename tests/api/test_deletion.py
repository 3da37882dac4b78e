"""Deleting a set marks it; for 30 days it can be restored, then all of it is removed."""

import asyncio

import pytest
from sqlalchemy.exc import DBAPIError

from app.service.context import Context
from app.service.purge import purge_all
from app.storage import purge
from tests.factories import Http, ask_one, count_rows, create_asked, create_set, get, log, ranking, run_sql, tell

OVER, NOT_YET = "interval '30 days 1 second'", "interval '29 days'"


async def delete(http: Http, set_id: str) -> None:
    assert (await http.delete(f"/v1/sets/{set_id}")).status_code == 204


async def delete_earlier(http: Http, context: Context, set_id: str, ago: str) -> None:
    await delete(http, set_id)
    await run_sql(context.engine, f"UPDATE sets SET deleted_at = now() - {ago} WHERE id = '{set_id}'")


async def full_set(http: Http, project: str) -> str:
    """A set with rows in every table; returns its id."""
    created, pair = await create_asked(http, project=project)
    await tell(http, pair["id"], p_first=0.8)
    await created.ask_one()
    await created.compare("ash>elm", "elm>birch")
    await created.void(1)
    await created.restore(1)
    await created.score(ash=7)
    known = {"pool": f"project:{project}", "sets": 2, "log_scale": {"mean": 0.5, "sd": 0.3}}
    assert (await http.post(f"{created.url}/pooled-evidence", json=known)).status_code == 201
    return str(created["id"])


async def test_a_restored_set_is_as_it_was(http: Http) -> None:
    set_id = await full_set(http, "wood")
    before = [await get(http, f"/v1/sets/{set_id}"), await log(http, set_id), (await ranking(http, set_id))["ranking"]]
    await delete(http, set_id)
    answer = await http.post(f"/v1/sets/{set_id}/restore")
    assert (answer.status_code, answer.json()) == (200, before[0])
    after = [await get(http, f"/v1/sets/{set_id}"), await log(http, set_id), (await ranking(http, set_id))["ranking"]]
    assert after == before
    assert await ask_one(http, set_id)


async def test_restoring_a_set_that_is_not_deleted_changes_nothing(http: Http) -> None:
    created = await create_set(http)
    await delete(http, created["id"])
    answers = [await http.post(f"{created.url}/restore") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json() == created


async def test_a_deleted_set_says_until_when_and_how_it_is_restored(http: Http, context: Context) -> None:
    created = await create_set(http)
    await delete(http, created["id"])
    await run_sql(context.engine, "UPDATE sets SET deleted_at = '2126-03-01 10:20Z'")
    detail = (await http.get(created.url)).json()["detail"]
    assert detail == (
        f"Set {created['id']} was deleted on 2126-03-01. Restore it until 2126-03-31 10:20 UTC with "
        f"POST /v1/sets/{created['id']}/restore."
    )


async def test_deleted_sets_are_listed_on_request(http: Http, context: Context) -> None:
    kept, deleted, over = [(await create_set(http))["id"] for _ in range(3)]
    await delete(http, deleted)
    await delete_earlier(http, context, over, OVER)
    (listed,) = (await get(http, "/v1/sets", deleted=True))["sets"]
    assert (listed["id"], listed["deleted_at"] is None) == (deleted, False)
    assert [(each["id"], each["deleted_at"]) for each in (await get(http, "/v1/sets"))["sets"]] == [(kept, None)]


async def test_a_set_cannot_be_restored_when_its_days_are_over(http: Http, context: Context) -> None:
    created = await create_set(http)
    await delete_earlier(http, context, created["id"], OVER)
    answer = await http.post(f"{created.url}/restore")
    assert (answer.status_code, "are over" in answer.json()["detail"]) == (410, True)


async def test_a_purge_removes_every_row_of_sets_whose_days_are_over(
    http: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 2)
    before = await count_rows(context.engine)
    gone = [await full_set(http, "wood"), await full_set(http, "wood")]
    judges = (await count_rows(context.engine))["judges"]
    for set_id in gone:
        await delete_earlier(http, context, set_id, OVER)
    await purge_all(context)
    assert await count_rows(context.engine) == before | {"judges": judges}
    assert (await http.get(f"/v1/sets/{gone[0]}")).status_code == 404


async def test_a_purge_leaves_all_other_sets(http: Http, context: Context) -> None:
    kept, deleted, gone = [await full_set(http, project) for project in ("wood", "wood", "wood")]
    await delete_earlier(http, context, deleted, NOT_YET)
    await delete_earlier(http, context, gone, OVER)
    before = await log(http, kept)
    await asyncio.gather(purge_all(context), purge_all(context))
    await purge_all(context)
    assert await log(http, kept) == before
    assert len((await get(http, "/v1/sets", deleted=True))["sets"]) == 1
    assert (await http.post(f"/v1/sets/{deleted}/restore")).status_code == 200
    assert [entry["p_first"] for entry in await log(http, deleted)] == [entry["p_first"] for entry in before]


async def test_one_process_purges_at_a_time(http: Http, context: Context) -> None:
    set_id = await full_set(http, "wood")
    await delete_earlier(http, context, set_id, OVER)
    before = await count_rows(context.engine)
    async with context.writing() as other:
        assert await purge.claim(other)
        await purge_all(context)
        assert await count_rows(context.engine) == before
    await purge_all(context)
    assert (await count_rows(context.engine))["sets"] == 0


@pytest.mark.parametrize("table", ["comparisons", "absolute_scores", "pooled_evidence", "voids"])
async def test_the_log_of_a_deleted_set_stays_for_its_days(http: Http, context: Context, table: str) -> None:
    set_id = await full_set(http, "wood")
    await delete_earlier(http, context, set_id, NOT_YET)
    with pytest.raises(DBAPIError, match=f"{table} is append-only"):
        await run_sql(context.engine, f"DELETE FROM {table} WHERE seq <> 1")
