"""Reading what a set was told by the others of its pool."""

from uuid import UUID, uuid4

import httpx
import pytest

from app.service.context import Context
from app.storage import judges, pooled_evidence, sets
from tests.factories import compare, create_set, get


@pytest.fixture
async def set_id(http: httpx.AsyncClient, context: Context) -> str:
    """A set that was told three times, between comparisons 1 and 5."""
    created = await create_set(http)
    await compare(http, created["id"], "ash>elm")
    async with context.engine.begin() as db:
        (judge,) = (await judges.find(db, ["bob"])).values()
        for sd in (3.0, 2.0, 1.0):
            seqs = await sets.advance_by_estimate(db, [UUID(created["id"])], uuid4())
            ((told, seq),) = seqs.items()
            value = {"log_scale": [0.5, sd], "log_noise": {str(judge): [-1.0, sd]}}
            row = {"set_id": told, "seq": seq, "pool": "project:wood", "sets": 2, "value": value}
            await pooled_evidence.append(db, [row])
    await compare(http, created["id"], "elm>ash")
    return str(created["id"])


async def test_entries_are_listed_in_pages_by_names(http: httpx.AsyncClient, set_id: str) -> None:
    page = await get(http, f"/v1/sets/{set_id}/pooled-evidence", limit=2)
    assert page["next_after"] == 3
    assert [entry["seq"] for entry in page["entries"]] == [2, 3]
    page = await get(http, f"/v1/sets/{set_id}/pooled-evidence", after=3)
    assert page["next_after"] is None
    (entry,) = page["entries"]
    assert entry.pop("created_at")
    assert entry == {
        "seq": 4, "set_id": set_id, "pool": "project:wood", "sets": 2, "log_scale": {"mean": 0.5, "sd": 1.0},
        "log_noise": {"bob": {"mean": -1.0, "sd": 1.0}},
    }  # fmt: skip


async def test_comparisons_are_counted_without_them(http: httpx.AsyncClient, set_id: str) -> None:
    found = await get(http, f"/v1/sets/{set_id}")
    assert (found["version"], found["comparisons"], found["absolute_scores"]) == (5, 2, 0)


async def test_a_set_that_is_not_there_has_none(http: httpx.AsyncClient, set_id: str) -> None:
    assert (await http.get(f"/v1/sets/{uuid4()}/pooled-evidence")).status_code == 404
    await http.delete(f"/v1/sets/{set_id}")
    assert (await http.get(f"/v1/sets/{set_id}/pooled-evidence")).status_code == 410


async def test_what_was_told_elsewhere_is_copied(http: httpx.AsyncClient, set_id: str) -> None:
    """The last entry of one set, sent to another whose log the judge is not in yet."""
    (entry,) = (await get(http, f"/v1/sets/{set_id}/pooled-evidence", after=3))["entries"]
    sent = {name: entry[name] for name in ("pool", "sets", "log_scale", "log_noise")}
    copy = await create_set(http)
    url, once = f"/v1/sets/{copy['id']}/pooled-evidence", {"Idempotency-Key": "once"}
    answers = [await http.post(url, json=sent, headers=once) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    (copied,) = (await get(http, url))["entries"]
    assert copied == answers[0].json() == answers[1].json()
    assert {name: copied[name] for name in sent} == sent
    found = await get(http, f"/v1/sets/{copy['id']}")
    assert (copied["seq"], found["version"], found["comparisons"]) == (1, 1, 0)
