"""Tell: comparisons that were judged elsewhere, voids, and the log."""

import asyncio
import csv
import io
import json
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest
from sqlalchemy.exc import DBAPIError

from app.service.context import Context
from app.storage import bulk
from tests.api.test_bad_input import assert_problem
from tests.factories import (
    Http,
    comparison,
    count_rows,
    create_asked,
    create_set,
    create_systems,
    get,
    log,
    pages,
    restore,
    run_sql,
    said,
    tell,
    unordered,
    void,
)


async def export(http: Http, set_id: str, form: str, **params: Any) -> httpx.Response:
    answer = await http.get(f"/v1/sets/{set_id}/comparisons", params={"format": form, **params})
    assert answer.status_code == 200, answer.text
    return answer


async def varied_log(http: Http) -> str:
    """A set whose log has every kind of entry; returns its id."""
    created = await create_set(http, "ash", "el,m", 'o"ak')
    await created.send(
        comparison("ash", "el,m", 0.123456789012345678, client_id="c-1", created_at="2026-01-02T03:04:05.678901Z"),
        {"first": "ash", "second": 'o"ak', "winner": "both_bad", "judge": "büro\n2"},
        {"first": "el,m", "second": 'o"ak', "logprobs": {"first": -0.1, "second": -3.0}, "judge": "bob"},
    )
    given = await created.ask()
    assert given["status"] == "exhausted"
    await created.void(1)
    pair = await created.ask_one()
    await tell(http, pair["id"], p_first=0.25, label_mass=0.5, latency_ms=1.5, raw={"say": ["ü", None, 1.5]})
    return str(created["id"])


# Adding


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
async def test_a_comparison_counts_by_its_weight(http: Http, form: str) -> None:
    """5000 to 1 is no tie; it says what 5000 rows and one say, and comes back in an export."""
    told = [comparison("ash", "elm", 1.0, weight=5000), comparison("ash", "elm", 0.0)]
    one, other = [await create_set(http, verdict_weight="one-vote") for _ in range(2)]
    await one.send(*told)
    await other.send(*[told[0] | {"weight": 1}] * 5000, told[1])
    assert await one.scores_of() == pytest.approx(await other.scores_of(), abs=1e-8)
    assert (await one.scores_of())["ash"] > 1.0
    assert [entry["weight"] for entry in await one.log()] == [5000.0, 1.0]
    assert "weight" in str((await export(http, one["id"], form)).content)


async def test_comparisons_enter_the_log_in_order(http: Http) -> None:
    created = await create_set(http)
    answer = await created.send(comparison("ash", "elm", 0.9), comparison("elm", "birch", 0.2))
    assert (answer.status_code, answer.json()) == (201, {"accepted": 2, "duplicates": 0, "version": 2})
    entries = [(e["seq"], e["first"], e["second"], e["p_first"], e["judge"]) for e in await created.log()]
    assert entries == [(1, "ash", "elm", 0.9, "bob"), (2, "elm", "birch", 0.2, "bob")]


async def test_a_comparison_keeps_the_time_at_which_it_was_made(http: Http) -> None:
    created = await create_set(http)
    await created.send(comparison("ash", "elm", created_at="2025-05-06T09:00:00+02:00"))
    assert (await created.log())[0]["created_at"] == "2025-05-06T07:00:00Z"


@pytest.mark.parametrize(("items", "named"), [(["one", "two"], {"item": "one"}), (["one"], {})])
async def test_a_comparison_of_systems_names_its_item_unless_there_is_one_alone(
    http: Http, items: list[str], named: dict[str, Any]
) -> None:
    created = await create_systems(http, items, "kelp", "rowan")
    await created.send(comparison("kelp", "rowan", **named))
    assert (await created.log())[0]["item"] == "one"


async def test_one_bad_comparison_keeps_all_out(http: Http, context: Context) -> None:
    created = await create_set(http)
    before = await count_rows(context.engine)
    answer = await created.send(comparison("ash", "elm"), comparison("ash", "oak"))
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (404, "/comparisons/1/second")
    assert await count_rows(context.engine) == before
    assert (await created.read())["version"] == 0


async def test_many_comparisons_are_stored_like_few(http: Http) -> None:
    size = bulk.ROWS_TO_INSERT + 10
    large, small = [await create_set(http) for _ in range(2)]
    reasons = [None if n % 2 else {"reason": f"It names {n} trees."} for n in range(size)]
    new = [
        comparison("ash", "elm", n / size, client_id=f"c{n}", judge=f"j{n % 3}", raw=reason)
        for n, reason in enumerate(reasons)
    ]
    await large.send(*new)
    for start in range(0, size, 20):
        await small.send(*new[start : start + 20])
    logs = [
        [{k: v for k, v in e.items() if k not in ("set_id", "created_at")} for e in await s.log(limit=size)]
        for s in (large, small)
    ]
    assert logs[0] == logs[1]
    assert [each["raw"] for each in logs[0]] == reasons


async def test_one_request_may_bring_very_many_judges(http: Http) -> None:
    created = await create_set(http)
    judges = 33_000  # one parameter each would be more than a statement can have
    new = [{"first": "ash", "second": "elm", "p_first": 1, "judge": f"j{n}"} for n in range(judges)]
    answer = await created.send(*new)
    assert answer.json() == {"accepted": judges, "duplicates": 0, "version": judges}


# Safe to repeat


async def test_a_client_id_sent_again_is_a_duplicate(http: Http) -> None:
    created = await create_set(http)
    new = [comparison("ash", "elm", client_id="a"), comparison("ash", "birch", client_id="b")]
    await created.send(new[0])
    answer = await created.send(*new)
    assert answer.json() == {"accepted": 1, "duplicates": 1, "version": 2}
    assert [e["client_id"] for e in await created.log()] == ["a", "b"]


async def test_a_client_id_twice_in_one_request_counts_once(http: Http) -> None:
    created = await create_set(http)
    same = comparison("ash", "elm", client_id="a")
    assert (await created.send(same, same)).json()["duplicates"] == 1
    assert len(await created.log()) == 1


async def test_the_same_comparison_without_a_client_id_is_two_comparisons(http: Http) -> None:
    created = await create_set(http)
    for _ in range(2):
        await created.send(comparison("ash", "elm"))
    assert len(await created.log()) == 2


@pytest.mark.parametrize("other", [{"p_first": 0.1}, {"second": "birch"}, {"judge": "carol"}, {"weight": 2}])
async def test_a_client_id_cannot_stand_for_something_else(http: Http, other: dict[str, Any]) -> None:
    created = await create_set(http)
    await created.send(comparison("ash", "elm", client_id="a"))
    answer = await created.send(comparison("ash", "cedar"), comparison("ash", "elm", client_id="a") | other)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:nextpair:problem:client-id-reused")
    assert answer.json()["errors"][0]["pointer"] == "/comparisons/1/client_id"
    assert len(await created.log()) == 1


async def test_a_client_id_belongs_to_its_set(http: Http) -> None:
    for _ in range(2):
        created = await create_set(http)
        answer = await created.send(comparison("ash", "elm", client_id="a"))
        assert answer.json()["accepted"] == 1


@pytest.mark.alone
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/sets", {"name": "Trees", "question": "Which?"}),
        ("{set}/comparisons", {"comparisons": [comparison("ash", "elm")]}),
        ("{set}/absolute-scores", {"scores": [said("ash", 7)]}),
        ("{set}/comparisons/1/void", {"reason": "clicked the wrong side"}),
        ("{set}/comparisons/2/restore", None),
        ("/v1/assignments/{pair}/verdict", {"p_first": 0.7, "raw": {"b": 1, "a": 2}}),
    ],
)
async def test_an_idempotency_key_replays_the_answer(http: Http, path: str, body: Any) -> None:
    created = await create_set(http, told=["ash>birch", "ash>birch"])
    await created.void(2)
    url, before = path.format(set=created.url, pair=(await created.ask_one())["id"]), await created.read()
    first, second = [await http.post(url, json=body, headers={"Idempotency-Key": "k"}) for _ in "ab"]
    assert (first.status_code, first.json()) == (second.status_code, second.json()) == (201, first.json())
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    made, versions = len((await get(http, "/v1/sets"))["sets"]), (await created.read())["version"] - before["version"]
    assert (made, versions) == ((2, 0) if path == "/v1/sets" else (1, 1))


async def test_an_idempotency_key_refuses_another_body(http: Http) -> None:
    created = await create_set(http)
    await created.send(comparison("ash", "elm"), **{"Idempotency-Key": "k"})
    answer = await created.send(comparison("ash", "birch"), **{"Idempotency-Key": "k"})
    assert_problem(answer, 422, "idempotency-key-reused", "new key")
    assert len(await created.log()) == 1


async def test_an_idempotency_key_belongs_to_its_endpoint(http: Http) -> None:
    one, other = await create_set(http), await create_set(http)
    for created in (one, other):
        answer = await created.send(comparison("ash", "elm"), **{"Idempotency-Key": "k"})
        assert (answer.status_code, answer.json()["accepted"]) == (201, 1)


async def test_the_same_request_sent_at_once_is_done_once(http: Http) -> None:
    created = await create_set(http)
    answers = await asyncio.gather(
        *(created.send(comparison("ash", "elm"), **{"Idempotency-Key": "k"}) for _ in range(5))
    )
    assert [(a.status_code, a.json()["version"]) for a in answers] == [(201, 1)] * 5
    assert len(await created.log()) == 1


# Void


async def test_a_void_takes_a_comparison_out_of_the_ranking(http: Http) -> None:
    created = await create_set(http)
    before = (await created.ranking())["ranking"]
    await created.compare("ash>elm")
    answer = await created.void(1)
    assert (answer.status_code, answer.json()["seq"], answer.json()["voids"]) == (201, 2, 1)
    after = await created.ranking()
    assert (after["version"], after["comparisons"], after["ranking"]) == (2, 0, before)


async def test_a_void_leaves_what_the_others_say(http: Http) -> None:
    one, other = await create_set(http), await create_set(http)
    await one.compare("ash>elm", "birch>ash", "cedar>elm")
    await one.void(2)
    await other.compare("ash>elm", "cedar>elm")
    found, expected = [(await s.ranking())["ranking"] for s in (one, other)]
    assert [r["key"] for r in found] == [r["key"] for r in expected]
    assert [r["score"] for r in found] == pytest.approx([r["score"] for r in expected], abs=1e-8)


async def test_a_voided_comparison_stays_in_the_log(http: Http) -> None:
    created = await create_set(http, told=["ash>elm"])
    (before,) = await created.log()
    await created.void(1)
    assert await created.log() == [{**before, "voided_by": 2, "void_reason": "clicked the wrong side"}]


async def test_a_voided_pair_can_be_asked_again(http: Http) -> None:
    created, given = await create_asked(http, "ash", "elm")
    await tell(http, given["id"], p_first=1.0)
    await created.void(1)
    assert unordered(await created.ask_one()) == unordered(given)


async def test_changing_a_vote_many_times_is_voting_once(http: Http) -> None:
    changed, once = await create_set(http, "ash", "elm"), await create_set(http, "ash", "elm")
    for n in range(5):
        await changed.compare("elm>ash" if n % 2 else "ash>elm")
        await changed.void(2 * n + 1)
    await changed.compare("ash>elm")
    await once.compare("ash>elm")
    found, expected = [(await s.ranking())["ranking"] for s in (changed, once)]
    assert [r["score"] for r in found] == pytest.approx([r["score"] for r in expected], abs=1e-8)
    assert [r["sd"] for r in found] == pytest.approx([r["sd"] for r in expected])


async def test_a_comparison_is_voided_once(http: Http) -> None:
    created = await create_set(http, told=["ash>elm"])
    answers = await asyncio.gather(*(created.void(1) for _ in range(3)))
    assert sorted(a.status_code for a in answers) == [201, 409, 409]
    assert (await created.read())["version"] == 2


# Restore


async def test_a_void_and_its_undo_leave_the_ranking_as_it_was(http: Http) -> None:
    created = await create_set(http, told=["ash>elm", "birch>ash", "cedar>elm", "elm>birch"])
    before = await created.ranking()
    await created.void(2)
    assert (await created.ranking())["comparisons"] == 3
    assert (await created.restore(2)).status_code == 201
    after = await created.ranking()
    assert (after["version"], after["comparisons"]) == (6, 4)
    now, was = [
        [value for row in found["ranking"] for value in (row["score"], row["sd"], row["p_best"], *row["interval"])]
        for found in (after, before)
    ]
    assert now == pytest.approx(was, abs=1e-9)
    assert [row["key"] for row in after["ranking"]] == [row["key"] for row in before["ranking"]]


async def test_a_restored_comparison_keeps_all_that_was_said(http: Http) -> None:
    set_id = await varied_log(http)
    told = (await log(http, set_id))[-1]
    for seq in (told["seq"], 2):
        await void(http, set_id, seq)
    for entry in (told, (await log(http, set_id))[1]):
        restored = (await restore(http, set_id, entry["seq"])).json()
        new = {"seq": restored["seq"], "voided_by": None, "void_reason": None, "restores": entry["seq"]}
        assert restored == {**entry, **new} == (await log(http, set_id))[-1]


async def test_what_was_restored_can_be_voided_and_restored_again(http: Http) -> None:
    created, pair = await create_asked(http)
    await tell(http, pair["id"], p_first=0.8)
    await created.send(comparison("ash", "elm", client_id="a"))
    for seq in (1, 2, 4, 6):
        await created.void(seq)
        assert (await created.restore(seq)).json()["restores"] == seq
    entries = await created.log()
    assert [entry["seq"] for entry in entries if entry["voided_by"] is None] == [8, 10]
    assert (await created.read())["comparisons"] == 2
    answer = await created.send(comparison("ash", "elm", client_id="a"))
    assert answer.json()["duplicates"] == 1
    assert (await tell(http, pair["id"], p_first=0.8)).status_code == 409


async def test_a_void_is_undone_once(http: Http) -> None:
    created = await create_set(http, told=["ash>elm"])
    await created.void(1)
    answers = await asyncio.gather(*(created.restore(1) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
    refused = (await created.restore(1)).json()
    assert (refused["type"], "entry 3" in refused["detail"]) == ("urn:nextpair:problem:already-restored", True)
    assert len(await created.log()) == 2


@pytest.mark.parametrize(("seq", "status", "problem"), [(1, 409, "not-voided"), (9, 404, "unknown-comparison")])
async def test_only_what_is_void_is_restored(http: Http, seq: int, status: int, problem: str) -> None:
    created = await create_set(http, told=["ash>elm"])
    answer = await created.restore(seq)
    assert (answer.status_code, answer.json()["type"]) == (status, f"urn:nextpair:problem:{problem}")
    assert (await created.read())["version"] == 1


@pytest.mark.parametrize("table", ["comparisons", "voids", "absolute_scores"])
@pytest.mark.parametrize("change", ["UPDATE {} SET seq = seq", "DELETE FROM {} WHERE seq > 1", "TRUNCATE {} CASCADE"])
async def test_the_log_refuses_to_be_changed(http: Http, context: Context, table: str, change: str) -> None:
    created = await create_set(http, told=["ash>elm", "elm>birch"])
    await created.void(1)
    await created.score(ash=7)
    with pytest.raises(DBAPIError, match=f"{table} is append-only"):
        await run_sql(context.engine, change.format(table))


# Reading


async def test_pages_give_every_comparison_once(http: Http) -> None:
    created = await create_set(http, told=["ash>elm"] * 5)
    found = await pages(http, f"{created.url}/comparisons", "comparisons", limit=2)
    assert [e["seq"] for e in found] == [1, 2, 3, 4, 5]


async def test_the_log_can_be_read_of_one_judge(http: Http) -> None:
    created = await create_set(http)
    await created.compare("ash>elm", judge="bob")
    await created.compare("elm>ash", judge="carol")
    assert [e["seq"] for e in await created.log(judge="carol")] == [2]
    assert await created.log(judge="nobody") == []
    lines = (await export(http, created["id"], "jsonl", judge="carol")).text.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [2]


async def test_jsonl_holds_the_log(http: Http) -> None:
    set_id = await varied_log(http)
    answer = await export(http, set_id, "jsonl")
    assert answer.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.text.split("\n")[:-1]]
    assert [line for line in lines if line["seq"]] == await log(http, set_id)


async def test_csv_holds_the_log(http: Http) -> None:
    set_id = await varied_log(http)
    entries = await log(http, set_id)
    rows = list(csv.DictReader(io.StringIO((await export(http, set_id, "csv")).text, newline="")))
    assert len(rows) == len(entries) == 4
    for row, entry in zip(rows, entries, strict=True):
        assert row.keys() == entry.keys()
        for name, cell in row.items():
            value = entry[name]
            if value is None:
                assert cell == ""
            elif name == "raw":
                assert json.loads(cell) == value
            elif isinstance(value, float):
                assert float(cell) == value
            else:
                assert cell == str(value)


async def test_parquet_holds_the_log(http: Http) -> None:
    set_id = await varied_log(http)
    entries = await log(http, set_id)
    table = pq.read_table(io.BytesIO((await export(http, set_id, "parquet")).content))
    rows = table.to_pylist()
    assert table.column_names == list(entries[0])
    for row, entry in zip(rows, entries, strict=True):
        row["created_at"] = row["created_at"].isoformat().replace("+00:00", "Z")
        row["raw"] = None if row["raw"] is None else json.loads(row["raw"])
        assert row == entry


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
async def test_an_export_ends_with_the_outputs_that_nobody_compared(http: Http, form: str) -> None:
    """A voided comparison compares nothing; a candidate without outputs has no item."""
    created = await create_systems(http, ["one", "two"], "kelp", "rowan", "fir")
    silent = {"candidates": [{"key": "silent"}]}
    assert (await http.post(f"{created.url}/candidates", json=silent)).status_code == 201
    log = [comparison("kelp", "rowan", item="one"), comparison("kelp", "fir", item="one")]
    assert (await created.send(*log)).status_code == 201
    await created.void(2)
    answer = await export(http, created["id"], form)
    assert f"comparisons-{created['id']}.{form}" in answer.headers["content-disposition"]
    rows = rows_of(form, answer.content)
    assert [(row["seq"] and int(row["seq"]), row["first"], row.get("second") or None) for row in rows[:2]] == [
        (1, "kelp", "rowan"),
        (2, "kelp", "fir"),
    ]
    assert [(row["item"] or None, row["first"], row.get("second") or None, row["seq"] or None) for row in rows[2:]] == [
        ("two", "kelp", None, None),
        ("two", "rowan", None, None),
        ("one", "fir", None, None),
        ("two", "fir", None, None),
        (None, "silent", None, None),
    ]
    of_bob = await export(http, created["id"], form, judge="bob")
    assert len(rows_of(form, of_bob.content)) == 2


def rows_of(form: str, content: bytes) -> list[dict[str, Any]]:
    if form == "parquet":
        return list(pq.read_table(io.BytesIO(content)).to_pylist())
    text = content.decode()
    return list(csv.DictReader(io.StringIO(text))) if form == "csv" else [*map(json.loads, text.splitlines())]


async def test_an_entry_of_a_log_is_known_by_its_place_in_it(http: Http) -> None:
    """As exports name it: the set has it already, another set keeps it under that name."""
    one, other = await create_set(http), await create_set(http)
    await one.compare("ash>elm", "elm>birch")
    (entry, _) = await one.log()
    own = comparison("ash", "elm", entry["p_first"], client_id=f"{one['id']}/1", late=True)
    assert (await one.send(own)).json() == {"accepted": 0, "duplicates": 1, "version": 2}
    assert (await other.send(own)).json() == {"accepted": 1, "duplicates": 0, "version": 1}
    assert (await other.send(own)).json() == {"accepted": 0, "duplicates": 1, "version": 1}
    assert [each["late"] for each in await other.log()] == [True]
    altered = await one.send(own | {"p_first": 0.5 * entry["p_first"]})
    assert (altered.status_code, altered.json()["type"]) == (409, "urn:nextpair:problem:client-id-reused")


async def test_an_export_can_start_behind_a_sequence_number(http: Http) -> None:
    created = await create_set(http, told=["ash>elm"] * 4)
    lines = (await export(http, created["id"], "jsonl", after=2)).text.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [3, 4]
