"""Candidate sets: create, read, change, list, delete."""

import json
from typing import Any

import pytest
from nextpair.schemas import SetIn, SetPatch

from tests.factories import Http, create_asked, create_set, create_systems, follow, get, names, pages, tell


async def test_a_new_set_is_open_and_empty_of_comparisons(http: Http) -> None:
    created = await create_set(http)
    assert (created["status"], created["version"], created["candidates"], created["items"]) == ("open", 0, 4, 0)


async def test_what_is_not_said_has_the_documented_default(http: Http) -> None:
    created = (await http.post("/v1/sets", json={"name": "Bare", "question": "Which?"})).json()
    assert created["selection"] == {
        "criterion": "knowledge", "epsilon": 0.5, "equal": 0.1, "random_share": 0.0, "batch": "greedy", "seed": 0,
    }  # fmt: skip
    assert (created["expert"], created["expert_parameters"], created["prior"]) == ("soft-bt", {}, "unit")
    assert (created["prior_variance"], created["position_bias"], created["temperatures"]) == (1.0, "auto", {})
    assert (created["order"], created["budget"], created["stop"]) == ("balanced", None, None)
    assert (created["overlap"], created["inference_target"]) == (None, "auto")
    assert (created["absolute_scale"], created["absolute_variance"]) == ("estimate", "floored")
    assert (created["candidates"], created["absolute_scores"], created["metadata"]) == (0, 0, {})
    assert (created["project"], created["pool_by"]) == (None, "project")


async def test_everything_sent_is_read_back(http: Http) -> None:
    sent: dict[str, Any] = {
        "name": "Trees", "question": "Which is taller?", "attribute": "height", "context": "A forest.",
        "expert": "gaussian", "expert_parameters": {"alpha": 2.0, "v": 3.0}, "prior": "anchor", "prior_variance": 2.0,
        "position_bias": "estimate", "absolute_scale": "given", "absolute_variance": "given", "order": "both",
        "inference_target": "latent",
        "temperatures": {"gpt-4": 1.5, "a/b~\"ü\n": 0.5},
        "selection": {
            "criterion": "exponent", "epsilon": 0.25, "equal": 0.0, "random_share": 0.1, "batch": "top", "seed": 11,
        },
        "budget": {"max_comparisons": 7}, "goal": {"top_k": None, "against": None, "pair": ["ash", "elm"]},
        "project": "wood", "pool_by": "question", "overlap": {"share": 0.2, "judges": 3},
        "stop": {
            "top_k": 2, "rank_width": 1, "entropy_change": 0.25, "concordance": 0.9, "goal": 0.95, "error_level": 0.1,
        },
        "metadata": {"nested": {"a": [1, None, "x"]}},
    }  # fmt: skip
    assert sent.keys() == SetIn.model_fields.keys() - {"candidates", "items", "verdict_weight"}
    created = await create_set(http, **sent)
    assert {name: created[name] for name in sent} == sent
    assert await created.read() == created


async def test_a_set_of_systems_counts_its_items(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp", "rowan")
    assert (created["candidates"], created["items"]) == (2, 2)


@pytest.mark.parametrize(
    "change",
    [{"name": "Bushes"}, {"status": "paused"}, {"project": "wood"}, {"pool_by": "none"}, {"inference_target": "people"},
     {"goal": {"top_k": 2, "against": None, "pair": None}},
     {"budget": {"max_comparisons": 3}}, {"metadata": {"a": 1}}, {"temperatures": {"gpt-4": 2.0}},
     {"stop": {"top_k": 1, "rank_width": None, "entropy_change": None, "concordance": None, "goal": None,
               "error_level": 0.05}},
     {"overlap": {"share": 1.0, "judges": 2}}],
)  # fmt: skip
async def test_a_patch_changes_what_it_names_and_nothing_else(http: Http, change: dict[str, Any]) -> None:
    created = await create_set(http)
    changed = (await http.patch(created.url, json=change)).json()
    assert changed == created | change
    assert await created.read() == changed


async def test_a_patch_of_one_part_of_the_selection_keeps_the_others(http: Http) -> None:
    created = await create_set(http, selection={"criterion": "variance", "batch": "top", "seed": 5})
    changed = await created.patch(selection={"random_share": 0.5})
    assert changed["selection"] == {
        "criterion": "variance", "epsilon": 0.5, "equal": 0.1, "random_share": 0.5, "batch": "top", "seed": 5,
    }  # fmt: skip


async def test_a_budget_a_stop_and_an_overlap_can_be_taken_away(http: Http) -> None:
    created = await create_set(http, budget={"max_comparisons": 1}, stop={"top_k": 1}, overlap={"share": 0.2})
    changed = await created.patch(budget=None, stop=None, overlap=None)
    assert (changed["budget"], changed["stop"], changed["overlap"]) == (None, None, None)


@pytest.mark.parametrize("field", sorted(SetPatch.model_fields.keys() - {"budget", "stop", "overlap", "project"}))
async def test_a_patch_refuses_null_where_there_has_to_be_a_value(http: Http, field: str) -> None:
    created = await create_set(http)
    answer = await http.patch(created.url, json={field: None})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == f"/{field}"


async def test_means_that_count_as_equal_decide_the_next_pair(http: Http) -> None:
    """birch and cedar have the same mean, but oak has the largest variance."""
    created = await create_set(http, "ash", "birch", "cedar", "oak", selection={"criterion": "reordering", "equal": 0})
    await created.compare("ash>birch", "ash>cedar")
    assert set(names(await created.ask_one())) == {"birch", "cedar"}
    await created.patch(selection={"equal": 10})
    assert "oak" in names(await created.ask_one("bob"))


@pytest.mark.alone
async def test_pages_give_every_set_once_oldest_first(http: Http) -> None:
    ids = [(await create_set(http, name=f"Set {n}"))["id"] for n in range(5)]
    assert [s["id"] for s in await pages(http, "/v1/sets", "sets", limit=2)] == ids


@pytest.mark.alone
async def test_a_set_made_between_two_pages_shifts_nothing(http: Http) -> None:
    ids = [(await create_set(http))["id"] for _ in range(3)]
    first = await get(http, "/v1/sets", limit=2)
    ids.append((await create_set(http))["id"])
    second = await get(http, "/v1/sets", limit=2, after=first["next_after"])
    assert [s["id"] for s in first["sets"] + second["sets"]] == ids


@pytest.mark.alone
async def test_a_page_continues_behind_a_set_that_was_deleted(http: Http) -> None:
    ids = [(await create_set(http))["id"] for _ in range(3)]
    first = await get(http, "/v1/sets", limit=2)
    await http.delete(f"/v1/sets/{first['next_after']}")
    assert [s["id"] for s in (await get(http, "/v1/sets", after=first["next_after"]))["sets"]] == ids[2:]


@pytest.mark.alone
async def test_the_list_is_filtered_by_project_and_status(http: Http) -> None:
    here = await create_set(http, project="wood")
    paused = await create_set(http, project="wood")
    await create_set(http, project="stone")
    await http.patch(paused.url, json={"status": "paused"})
    found = await get(http, "/v1/sets", project="wood", status="open")
    assert [s["id"] for s in found["sets"]] == [here["id"]]


READ_OF_A_SET = (
    "", "/candidates", "/next-pair", "/comparisons", "/comparisons?format=csv", "/ranking", "/ranking?format=svg",
    "/predict?first=ash&second=elm", "/absolute-scores", "/diagnostics", "/calibration?judge=bob&reference=alice",
    "/events",
)  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        *[("GET", path, None) for path in READ_OF_A_SET],
        ("PATCH", "", {"name": "x"}),
        ("DELETE", "", None),
        ("POST", "/candidates", {"candidates": [{"key": "oak"}]}),
        ("POST", "/next-pair", {"judge": "alice"}),
        ("POST", "/comparisons", {"comparisons": [{"first": "ash", "second": "elm", "p_first": 1, "judge": "bob"}]}),
        ("POST", "/comparisons/1/void", {"reason": "x"}),
        ("POST", "/absolute-scores", {"scores": [{"candidate": "ash", "mean": 7, "variance": 1, "judge": "gpt"}]}),
        ("POST", "/comparisons/1/restore", None),
    ],
)
async def test_a_deleted_set_is_gone_everywhere(http: Http, method: str, path: str, body: Any) -> None:
    created = await create_set(http, told=["ash>elm"])
    await http.delete(created.url)
    answer = await http.request(method, f"{created.url}{path}", json=body)
    assert answer.status_code == 410
    assert answer.json()["type"] == "urn:nextpair:problem:set-deleted"


@pytest.mark.parametrize("action", ["renew", "release", "verdict"])
async def test_the_assignments_of_a_deleted_set_are_gone(http: Http, action: str) -> None:
    created, assignment = await create_asked(http)
    await http.delete(created.url)
    body = {"p_first": 1.0} if action == "verdict" else {}
    answer = await http.post(f"/v1/assignments/{assignment['id']}/{action}", json=body)
    assert (answer.status_code, answer.json()["type"]) == (410, "urn:nextpair:problem:set-deleted")


async def test_deleting_one_set_leaves_another_alone(http: Http) -> None:
    one, other = await create_set(http), await create_set(http)
    assignment = await other.ask_one()
    await http.delete(one.url)
    assert (await tell(http, assignment["id"], p_first=1.0)).status_code == 201
    assert (await other.ask())["status"] == "open"


async def test_a_deletion_ends_the_event_stream(http: Http, app: Any) -> None:
    created = await create_set(http)
    async with follow(app, created["id"]) as stream:
        await stream.take(2)
        await http.delete(created.url)
    # leaving the block waits for the stream's end


@pytest.mark.alone
async def test_pages_end_early_where_texts_are_long_and_go_on_behind(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.storage.pages.LARGEST_PAGE", 250)
    texts = [{"key": key, "text": key * 100} for key in "abcde"]
    for _ in range(3):
        created = await create_set(http, context="c" * 100, candidates=texts)
    url = created.url
    for seq in (1, 2, 3):
        assignment = await created.ask_one()
        await tell(http, assignment["id"], p_first=1.0, raw={"said": str(seq) * 100})
    score = {"candidate": "a", "judge": "gpt", "probabilities": {f"{n}.{'0' * 90}": 1 for n in (1, 2)}}
    await http.post(f"{url}/absolute-scores", json={"scores": [score] * 3})
    paths = {"sets": "/v1/sets", "candidates": f"{url}/candidates", "comparisons": f"{url}/comparisons"}
    for noun, path in (paths | {"scores": f"{url}/absolute-scores"}).items():
        entries: list[str] = []
        after: dict[str, str] | None = {}
        pages = 0
        while after is not None:
            page = (await http.get(path, params=after)).json()
            entries += [json.dumps(entry) for entry in page[noun]]
            after, pages = page["next_after"] and {"after": page["next_after"]}, pages + 1
        assert len(entries) == len(set(entries)) == (5 if noun == "candidates" else 3)
        assert pages >= 2
    exported = (await http.get(f"{url}/comparisons", params={"format": "jsonl"})).text
    assert len([line for line in exported.splitlines() if json.loads(line)["seq"] is not None]) == 3
