"""Activity in a set: who judges now, how far each judge is, and the newest entries of the log."""

from time import perf_counter
from typing import Any

import pytest
from nextpair.schemas import Failure

from app.service.context import Context
from tests.factories import Http, comparison, create_set, get, run_sql, tell


async def activity(http: Http, set_id: str, **params: Any) -> dict[str, Any]:
    return await get(http, f"/v1/sets/{set_id}/activity", **params)


async def test_at_work_are_those_who_hold_pairs(http: Http, context: Context) -> None:
    created = await create_set(http)
    await http.put("/v1/judges/ada", json={"kind": "human"})
    await created.ask("ada", worker="w1", count=2)
    (gone,) = (await created.ask("bob"))["assignments"]
    (done,) = (await created.ask("cyd"))["assignments"]
    await tell(http, done["id"], p_first=1.0)
    await run_sql(context.engine, f"UPDATE assignments SET expires_at = now() WHERE id = '{gone['id']}'")
    (holder,) = (await activity(http, created["id"]))["at_work"]
    assert (holder["judge"], holder["kind"], holder["worker"], holder["pairs"]) == ("ada", "human", "w1", 2)
    assert holder["since"] < holder["until"]


async def test_progress_counts_what_each_judge_did(http: Http) -> None:
    created = await create_set(http)
    old = "2026-01-02T03:04:05Z"
    await created.send(comparison("ash", "elm", created_at=old), comparison("ash", "elm", judge="ada"))
    await created.compare("ash>birch", "elm>birch", judge="ada")
    await created.void(3)
    failures: list[Failure] = ["skipped", "timeout"]
    for failure in failures:
        (pair,) = (await created.ask("eve"))["assignments"]
        await tell(http, pair["id"], failure=failure)
    shown = (await activity(http, created["id"]))["judges"]
    assert [(each["judge"], each["verdicts"], each["last_hour"], each["failures"]) for each in shown] == [
        ("ada", 2, 2, {}), ("bob", 1, 0, {}), ("eve", 0, 0, {"skipped": 1, "timeout": 1}),
    ]  # fmt: skip
    assert (shown[1]["last_at"], shown[2]["last_at"]) == (old, None)


async def test_entries_come_newest_first_with_voids_and_what_they_take_back(http: Http) -> None:
    created = await create_set(http, told=["ash>elm", "elm>birch"])
    await created.void(1)
    await created.restore(1)
    shown = (await activity(http, created["id"]))["entries"]
    assert [(e["seq"], e["kind"], e["voids"], e["restores"], e["voided_by"], e["restored_by"]) for e in shown] == [
        (4, "comparison", None, 1, None, None), (3, "void", 1, None, 3, 4), (2, "comparison", None, None, None, None),
        (1, "comparison", None, None, 3, 4),
    ]  # fmt: skip
    assert (shown[1]["first"], shown[1]["reason"], shown[1]["judge"]) == ("ash", "clicked the wrong side", "bob")
    for entry, logged in zip([shown[3], shown[2], shown[0]], await created.log(), strict=True):
        assert entry == {**{name: logged[name] for name in entry.keys() & logged.keys()}, **{
            name: entry[name] for name in entry.keys() - logged.keys()
        }}  # fmt: skip


@pytest.mark.parametrize(("judge", "seqs"), [(None, [6, 5, 4, 3, 2, 1]), ("bob", [5, 3, 1]), ("nobody", [])])
async def test_pages_give_every_entry_once(http: Http, judge: str | None, seqs: list[int]) -> None:
    created = await create_set(http)
    for name in ("bob", "ada", "bob", "ada"):
        await created.compare("ash>elm", judge=name)
    await created.void(3)
    await created.void(2)
    query: dict[str, Any] = {"limit": 2} | ({} if judge is None else {"judge": judge})
    seen, before = [], None
    while True:
        shown = await activity(http, created["id"], **query, **({} if before is None else {"before": before}))
        seen += [entry["seq"] for entry in shown["entries"]]
        if (before := shown["next_before"]) is None:
            break
    assert seen == seqs


async def test_activity_of_many_comparisons_is_read_quickly(http: Http, context: Context) -> None:
    created = await create_set(http)
    for n in range(2):
        await created.send(*[comparison("ash", "elm", judge=f"j{n}") for _ in range(10_000)])
    await run_sql(context.engine, "ANALYZE")
    seconds = []
    for _ in range(5):
        start = perf_counter()
        await activity(http, created["id"], judge="j0")
        seconds.append(perf_counter() - start)
    assert min(seconds) < 0.3
