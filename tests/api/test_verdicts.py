"""Tell: verdicts on assignments."""

import asyncio
from math import exp
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from app.service.context import Context
from tests.factories import Http, ask_one, count_rows, create_asked, create_set, names, run_sql, tell

BATCH = 60  # more than go into one INSERT


async def batch(http: Http, *verdicts: dict[str, Any]) -> list[dict[str, Any]]:
    answer = await http.post("/v1/verdicts", json={"verdicts": verdicts})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["results"])


async def judged(http: Http, **verdict: Any) -> dict[str, Any]:
    """The comparison that a verdict on a fresh pair becomes."""
    given = await ask_one(http, (await create_set(http))["id"])
    answer = await tell(http, given["id"], **verdict)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def test_a_verdict_enters_the_log_as_it_is_answered(http: Http) -> None:
    created, given = await create_asked(http)
    told = (await tell(http, given["id"], p_first=0.83, label_mass=0.98, latency_ms=120.5, raw={"a": [1]})).json()
    assert await created.log() == [told]
    assert (told["first"], told["second"]) == names(given)
    assert (told["seq"], told["judge"], told["assignment_id"], told["late"]) == (1, "alice", given["id"], False)
    assert (told["p_first"], told["label_mass"], told["latency_ms"], told["raw"]) == (0.83, 0.98, 120.5, {"a": [1]})


@pytest.mark.parametrize(
    ("said", "p"),
    [
        *[({"winner": word}, p) for word, p in (("first", 1.0), ("second", 0.0), ("tie", 0.5), ("both_bad", 0.5))],
        *[({"p_first": p}, p) for p in (0.0, 0.25, 1.0)],
        ({"logprobs": {"first": -0.2, "second": -1.8}}, exp(-0.2) / (exp(-0.2) + exp(-1.8))),
        ({"logprobs": {"first": -1.0, "second": -1.0}}, 0.5),
        ({"logprobs": {"first": -0.5, "second": -1.5, "tie": -2.0}},
         (exp(-0.5) + exp(-2) / 2) / (exp(-0.5) + exp(-1.5) + exp(-2))),
        ({"logprobs": {"first": -9.0, "second": -9.0, "tie": -0.1}}, 0.5),
        ({"logprobs": {"first": -800.0, "second": -900.0}}, 1.0),  # neither exponential is representable
        ({"logprobs": {"first": -1e308, "second": 1e308}}, 0.0),
    ],
    ids=str,
)  # fmt: skip
async def test_a_verdict_of_any_form_is_a_probability(http: Http, said: dict[str, Any], p: float) -> None:
    told = await judged(http, **said)
    assert told["p_first"] == pytest.approx(p, abs=1e-15 if "logprobs" in said else 0.0, rel=0.0)
    assert told["winner"] == said.get("winner")


async def test_a_verdict_on_the_second_moves_the_second_up(http: Http) -> None:
    created, given = await create_asked(http)
    await tell(http, given["id"], p_first=0.1)
    assert (await created.ranking())["ranking"][0]["key"] == given["second"]["key"]


async def test_swapping_order_and_verdict_gives_the_same_ranking(http: Http) -> None:
    one, other = [await create_set(http, "ash", "elm", selection={"seed": seed}) for seed in (0, 0)]
    for created in (one, other):
        given = await created.ask_one()
        await tell(http, given["id"], p_first=0.8 if names(given) == ("ash", "elm") else 0.2)
    first, second = [(await s.ranking())["ranking"] for s in (one, other)]
    assert first == second


# Failures


@pytest.mark.parametrize("failure", ["skipped", "refused", "parse_error", "timeout"])
async def test_a_failure_is_recorded_and_never_a_vote(http: Http, context: Context, failure: str) -> None:
    created = await create_set(http)
    before = (await created.ranking())["ranking"]
    given = await created.ask_one()
    kept = {"failure": failure, "reason": "no label", "label_mass": 0.1, "latency_ms": 5.0, "raw": {"text": "Hm."}}
    told = await tell(http, given["id"], **kept)
    assert (told.status_code, told.json()) == (201, {"assignment_id": given["id"], "set_id": created["id"], **kept})
    assert await created.log() == []
    now = await created.ranking()
    assert (now["version"], now["ranking"]) == (0, before)
    async with context.engine.connect() as db:
        row = (await db.execute(text("SELECT state, failure, reason, raw FROM assignments"))).one()
    assert tuple(row) == ("failed", failure, "no label", {"text": "Hm."})


# Late


async def test_a_late_verdict_counts_beside_that_of_the_next_judge(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    lost = await created.ask_one("alice", lease_seconds=0.05)
    await asyncio.sleep(0.1)
    found = await created.ask_one("bob")
    assert (await tell(http, lost["id"], p_first=1.0)).json()["late"] is True
    assert (await tell(http, found["id"], p_first=1.0)).json()["late"] is False
    assert [(entry["judge"], entry["late"]) for entry in await created.log()] == [("alice", True), ("bob", False)]


async def test_a_verdict_on_a_released_pair_is_kept_and_marked(http: Http) -> None:
    given = await ask_one(http, (await create_set(http))["id"])
    await http.post(f"/v1/assignments/{given['id']}/release")
    assert (await tell(http, given["id"], p_first=1.0)).json()["late"] is True


# Batches


async def test_a_batch_answers_each_verdict(http: Http) -> None:
    created = await create_set(http)
    given = (await created.ask(count=4))["assignments"]
    stranger = str(uuid4())
    good, failed, foreign, again, unknown = await batch(
        http, {"assignment_id": given[0]["id"], "p_first": 0.7},
        {"assignment_id": given[1]["id"], "failure": "refused"},
        {"assignment_id": given[2]["id"], "p_first": 0.7, "judge": "mallory"},
        {"assignment_id": given[0]["id"], "p_first": 0.9}, {"assignment_id": stranger, "p_first": 0.9},
    )  # fmt: skip
    assert (good["status"], good["comparison"]["p_first"]) == (201, 0.7)
    assert (failed["status"], failed["failure"]["failure"]) == (201, "refused")
    assert (foreign["status"], foreign["problem"]["type"]) == (409, "urn:nextpair:problem:foreign-assignment")
    assert (again["status"], again["problem"]["type"]) == (409, "urn:nextpair:problem:already-judged")
    assert (unknown["status"], unknown["problem"]["type"]) == (404, "urn:nextpair:problem:unknown-assignment")
    assert [entry["assignment_id"] for entry in await created.log()] == [given[0]["id"]]


async def test_a_batch_over_many_sets_counts_in_each(http: Http) -> None:
    sets = [await create_set(http) for _ in range(3)]
    given = [a for s in sets for a in (await s.ask(count=2))["assignments"]]
    results = await batch(http, *({"assignment_id": a["id"], "winner": "first"} for a in given))
    assert [r["comparison"]["seq"] for r in results] == [1, 2, 1, 2, 1, 2]
    for s in sets:
        assert [entry["seq"] for entry in await s.log()] == [1, 2]


async def test_a_large_batch_is_stored_like_small_ones(http: Http) -> None:
    keys = [f"c{n}" for n in range(12)]
    large, small = [await create_set(http, *keys) for _ in range(2)]
    for created, size in ((large, BATCH), (small, BATCH // 2)):
        given = (await created.ask(count=BATCH))["assignments"]
        verdicts = [
            {"assignment_id": a["id"], "p_first": n / BATCH, "raw": {"n": n} if n % 2 else None}
            for n, a in enumerate(given)
        ]
        for start in range(0, BATCH, size):
            await batch(http, *verdicts[start : start + size])
    logs = [
        [{k: v for k, v in e.items() if k not in ("set_id", "assignment_id", "created_at")} for e in entries]
        for entries in [await s.log(limit=BATCH) for s in (large, small)]
    ]
    assert logs[0] == logs[1]
    assert [e["raw"] for e in logs[0][:4]] == [None, {"n": 1}, None, {"n": 3}]


async def test_what_is_kept_with_all_verdicts_of_a_request_has_a_limit(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nextpair.schemas.assignments.LONGEST_RAW", 100)
    created = await create_set(http, "ash", "elm", "oak")
    pairs = (await created.ask(count=2))["assignments"]
    for length, status in ((49, 422), (48, 200)):
        verdicts = [{"assignment_id": pair["id"], "p_first": 1, "raw": "x" * length} for pair in pairs]
        answer = await http.post("/v1/verdicts", json={"verdicts": verdicts})
        assert answer.status_code == status
        assert ("raw of all verdicts takes 102 characters" in answer.text) == (status == 422)
    assert len(await created.log()) == 2


async def test_two_batches_at_once_do_not_wait_for_each_other(http: Http) -> None:
    sets = [await create_set(http) for _ in range(2)]
    given = [(await s.ask(count=6))["assignments"] for s in sets]
    crossed = [given[0][:3] + given[1][:3], given[1][3:] + given[0][3:]]
    results = await asyncio.gather(
        *(batch(http, *({"assignment_id": a["id"], "winner": "first"} for a in half)) for half in crossed)
    )
    assert [r["status"] for half in results for r in half] == [201] * 12


async def test_a_worker_may_ask_while_it_tells(http: Http) -> None:
    """Both lock the worker's leases: in one order, or they would wait for each other."""
    keys = [f"c{n}" for n in range(25)]
    created = await create_set(http, *keys)
    for _ in range(5):
        given = (await created.ask("worker", count=50))["assignments"]
        results, _, _ = await asyncio.gather(
            batch(http, *({"assignment_id": a["id"], "p_first": 0.6} for a in given)),
            created.ask("worker", count=50),
            created.ask("worker", count=50),
        )
        assert {r["status"] for r in results} == {201}


# Safe to repeat


async def test_a_verdict_sent_twice_counts_once(http: Http) -> None:
    created, given = await create_asked(http)
    answers = await asyncio.gather(*(tell(http, given["id"], p_first=1.0) for _ in range(4)))
    assert sorted(a.status_code for a in answers) == [201, 409, 409, 409]
    assert len(await created.log()) == 1


async def test_a_failed_attempt_does_not_use_its_idempotency_key_up(http: Http) -> None:
    _, given = await create_asked(http)
    url, key = f"/v1/assignments/{given['id']}/verdict", {"Idempotency-Key": "k1"}
    refused = await http.post(url, json={"p_first": 1.0, "judge": "mallory"}, headers=key)
    accepted = await http.post(url, json={"p_first": 1.0}, headers=key)
    assert (refused.status_code, accepted.status_code) == (409, 201)


# Committed before it is answered


async def fail_at_commit(context: Context, table: str) -> None:
    """Of what is inserted there."""
    await run_sql(
        context.engine,
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'too late'; END $$",
        f"CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON {table} DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION fail()",
    )


@pytest.mark.parametrize("idempotency_key", [None, "k1"])
async def test_a_commit_that_fails_is_not_answered_with_success(
    http: Http, context: Context, idempotency_key: str | None
) -> None:
    created, given = await create_asked(http)
    await fail_at_commit(context, "comparisons")
    before = await count_rows(context.engine)
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key else None
    answer = await http.post(f"/v1/assignments/{given['id']}/verdict", json={"p_first": 1.0}, headers=headers)
    assert (answer.status_code, answer.json()["status"]) == (500, 500)
    assert await count_rows(context.engine) == before
    assert (await created.ask_one())["id"] == given["id"]


async def test_a_lease_whose_commit_fails_is_not_handed_out(http: Http, context: Context) -> None:
    created = await create_set(http)
    await fail_at_commit(context, "assignments")
    answer = await http.post(f"{created.url}/next-pair", json={"judge": "alice"})
    assert answer.status_code == 500
