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


async def test_they_are_read_only(http: httpx.AsyncClient, set_id: str) -> None:
    assert (await http.post(f"/v1/sets/{set_id}/pooled-evidence", json={})).status_code == 405
