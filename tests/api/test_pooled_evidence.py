"""Reading the priors that the others of its pool share with a set."""

from uuid import UUID, uuid4

import pytest

from app.service.context import Context
from app.storage import judges, pooled_evidence, sets
from tests.factories import Http, comparison, create_set, get, scores_of, send


@pytest.fixture
async def set_id(http: Http, context: Context) -> str:
    """A set that got shared priors three times, between comparisons 1 and 5."""
    created = await create_set(http, told=["ash>elm"])
    async with context.engine.begin() as db:
        (judge,) = (await judges.find(db, ["bob"])).values()
        for sd in (3.0, 2.0, 1.0):
            seqs = await sets.advance_by_estimate(db, [UUID(created["id"])], uuid4())
            ((told, seq),) = seqs.items()
            value = {"log_scale": [0.5, sd], "log_noise": {str(judge): [-1.0, sd]}}
            row = {"set_id": told, "seq": seq, "pool": "project:wood", "sets": 2, "value": value}
            await pooled_evidence.append(db, [row])
    await created.compare("elm>ash")
    return str(created["id"])


async def test_entries_are_listed_in_pages_by_names(http: Http, set_id: str) -> None:
    page = await get(http, f"/v1/sets/{set_id}/pooled-evidence", limit=2)
    assert page["next_after"] == 3
    assert [entry["seq"] for entry in page["entries"]] == [2, 3]
    page = await get(http, f"/v1/sets/{set_id}/pooled-evidence", after=3)
    assert page["next_after"] is None
    (entry,) = page["entries"]
    assert entry.pop("created_at")
    assert entry == {
        "seq": 4, "set_id": set_id, "pool": "project:wood", "sets": 2, "log_scale": {"mean": 0.5, "sd": 1.0},
        "log_noise": {"bob": {"mean": -1.0, "sd": 1.0}}, "log_effects": {},
    }  # fmt: skip


async def test_a_set_that_is_not_there_has_none(http: Http, set_id: str) -> None:
    assert (await http.get(f"/v1/sets/{uuid4()}/pooled-evidence")).status_code == 404
    await http.delete(f"/v1/sets/{set_id}")
    assert (await http.get(f"/v1/sets/{set_id}/pooled-evidence")).status_code == 410


async def test_what_was_shared_elsewhere_is_copied(http: Http, set_id: str) -> None:
    """The last entry of one set, sent to another whose log the judge is not in yet."""
    (entry,) = (await get(http, f"/v1/sets/{set_id}/pooled-evidence", after=3))["entries"]
    sent = {name: entry[name] for name in ("pool", "sets", "log_scale", "log_noise")}
    copy = await create_set(http)
    url, once = f"{copy.url}/pooled-evidence", {"Idempotency-Key": "once"}
    answers = [await http.post(url, json=sent, headers=once) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    (copied,) = (await get(http, url))["entries"]
    assert copied == answers[0].json() == answers[1].json()
    assert {name: copied[name] for name in sent} == sent
    found = await copy.read()
    assert (copied["seq"], found["version"], found["comparisons"]) == (1, 1, 0)


@pytest.mark.parametrize(("mean", "sd"), [(0.5, 20.0), (0.0, 10.0), (20.0, 1.0), (0.0, 0.0)])
async def test_what_learning_cannot_take_is_refused_with_the_limits(http: Http, mean: float, sd: float) -> None:
    url = f"/v1/sets/{(await create_set(http))['id']}/pooled-evidence"
    log_normal = {"mean": mean, "sd": sd}
    for new in ({"log_scale": log_normal}, {"log_scale": {"mean": 0, "sd": 1}, "log_noise": {"bob": log_normal}}):
        answer = await http.post(url, json={"pool": "elsewhere", **new})
        assert answer.status_code == 422
        assert "send a mean from -7 to 7 and an sd from 0.01 to 8" in answer.json()["detail"]
        assert answer.json()["errors"][0]["pointer"] in ("/log_scale", "/log_noise/bob")
    assert (await get(http, url))["entries"] == []


@pytest.mark.parametrize("p_first", [0.0, 0.5, 0.9])
async def test_an_older_entry_beyond_the_limits_counts_as_the_limit(
    http: Http, context: Context, p_first: float
) -> None:
    """It was accepted once, and from then on neither the set nor any ask over all sets got an answer."""
    beyond, at_limit = [(await create_set(http))["id"] for _ in range(2)]
    for set_id, sd in ((beyond, 20.0), (at_limit, 8.0)):
        await send(http, set_id, comparison("ash", "elm", p_first), comparison("ash", "birch", p_first))
        async with context.engine.begin() as db:
            seqs = await sets.advance_by_estimate(db, [UUID(set_id)], uuid4())
            value = {"log_scale": [0.5, sd], "log_noise": {}}
            row = {"set_id": UUID(set_id), "seq": seqs[UUID(set_id)], "pool": "elsewhere", "sets": 1, "value": value}
            await pooled_evidence.append(db, [row])
    assert await scores_of(http, beyond) == await scores_of(http, at_limit)
    assert await scores_of(http, beyond, as_of=3) == await scores_of(http, beyond)
    (entry,) = (await get(http, f"/v1/sets/{beyond}/pooled-evidence"))["entries"]
    assert entry["log_scale"] == {"mean": 0.5, "sd": 20.0}
    asked = await http.post("/v1/next-pairs", json={"judge": "bob", "count": 4})
    assert {pair["set_id"] for pair in asked.json()["assignments"]} == {beyond, at_limit}
