"""Candidates: join, change, list."""

from typing import Any

import httpx
import pytest
from sqlalchemy import text

from app.service.context import Context
from app.storage import candidates as storage
from tests.api.test_bad_input import assert_problem
from tests.factories import Http, candidates, create_set, create_systems, get, pages, tell


async def add(http: Http, set_id: str, *new: dict[str, Any], **fields: Any) -> httpx.Response:
    return await http.post(f"/v1/sets/{set_id}/candidates", json={"candidates": new, **fields})


async def listed(http: Http, set_id: str) -> list[dict[str, Any]]:
    return list((await get(http, f"/v1/sets/{set_id}/candidates"))["candidates"])


async def test_candidates_are_listed_as_they_were_sent(http: Http) -> None:
    sent = [{"key": "ash", "text": "A tree.", "metadata": {"n": 1}}, {"key": "elm", "text": "Another.", "metadata": {}}]
    created = await create_set(http, candidates=sent)
    assert await listed(http, created["id"]) == [{**c, "outputs": None} for c in sent]


async def test_a_key_may_come_without_a_text(http: Http) -> None:
    created = await create_set(http, candidates=[{"key": "ash"}, {"key": "elm"}])
    pair = (await created.ask())["assignments"][0]
    assert (pair["first"]["text"], pair["second"]["text"]) == (None, None)


async def test_systems_are_listed_with_their_outputs(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp")
    (kelp,) = await listed(http, created["id"])
    assert kelp["outputs"] == {"one": "kelp on one", "two": "kelp on two"}
    assert kelp["text"] is None


async def test_a_system_with_more_outputs_than_a_page_takes_comes_in_parts(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = await create_systems(http, [f'item "{n}"' for n in range(9)], "kelp", "dulse")
    path = f"{created.url}/candidates?limit=1"
    whole = [await http.get(path), await http.get(f"{path}&after=kelp")]
    monkeypatch.setattr("app.storage.pages.LARGEST_PAGE", 40)
    parts = [await http.get(path), await http.get(f"{path}&after=kelp")]
    assert [answer.json() for answer in parts] == [answer.json() for answer in whole]
    assert all("Content-Length" in answer.headers for answer in whole)
    assert not any("Content-Length" in answer.headers for answer in parts)


async def test_adding_says_what_is_new_and_what_was_there(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    answer = await add(http, created["id"], *candidates("elm", "oak", "yew"))
    assert (answer.status_code, answer.json()) == (201, {"created": 2, "updated": 1, "candidates": 4, "warnings": []})


async def test_one_candidate_is_read_by_its_key(http: Http) -> None:
    path = f"/v1/sets/{(await create_set(http, candidates=candidates('ash', 'elm', 'oak')))['id']}/candidates"
    page = await get(http, path, key="elm")
    assert ([each["key"] for each in page["candidates"]], page["next_after"]) == (["elm"], None)
    answer = await http.get(path, params={"key": "fir"})
    assert_problem(answer, 404, "unknown-candidate", "key: the set has no candidate 'fir'; check its spelling.")


async def test_candidates_join_in_order_behind_those_that_are_there(http: Http) -> None:
    created = await create_set(http, "elm", "ash")
    await add(http, created["id"], *candidates("oak", "fir"))
    assert [c["key"] for c in await listed(http, created["id"])] == ["elm", "ash", "oak", "fir"]


async def test_pages_give_every_candidate_once(http: Http) -> None:
    created = await create_set(http, *(f"c{n}" for n in range(7)))
    found = await pages(http, f"{created.url}/candidates", "candidates", limit=3)
    assert [c["key"] for c in found] == [f"c{n}" for n in range(7)]


async def test_items_are_listed_with_their_prompts_in_pages(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp", "rowan")
    new = [{"key": "three", "prompt": "Why is the sky blue?"}, {"key": "four"}]
    assert (await add(http, created["id"], {"key": "elm", "outputs": {"one": "x"}}, items=new)).status_code == 201
    path = f"{created.url}/items"
    first = await get(http, path, limit=3)
    assert [item["key"] for item in first["items"]] == ["one", "two", "three"]
    assert first["items"][2]["prompt"] == "Why is the sky blue?"
    assert await get(http, path, after=first["next_after"]) == {
        "items": [{"key": "four", "prompt": None, "tags": {}}], "next_after": None,
    }  # fmt: skip
    assert_problem(await http.get(path, params={"after": "five"}), 404, "unknown-item", "'five'")


async def test_items_have_tags_that_may_change(http: Http) -> None:
    items = [{"key": "one", "tags": {"category": "code", "language": "en"}}, {"key": "two"}, {"key": "three"}]
    outputs = [{"key": key, "outputs": {"one": key, "two": key, "three": key}} for key in ("kelp", "rowan")]
    created = await create_set(http, candidates=outputs, items=items)
    before = (await http.get(f"{created.url}/ranking")).headers["etag"]
    changed = [{"key": "one", "tags": {"category": "facts"}}, {"key": "two", "prompt": "Why?"}]
    assert (await add(http, created["id"], {"key": "kelp"}, items=changed)).status_code == 201
    assert (await created.read("/items"))["items"] == [
        {"key": "one", "prompt": None, "tags": {"category": "facts"}},
        {"key": "two", "prompt": "Why?", "tags": {}},
        {"key": "three", "prompt": None, "tags": {}},
    ]
    pairs = (await created.ask(count=3))["assignments"]
    assert {pair["item"]["key"]: pair["item"]["tags"] for pair in pairs} == {
        "one": {"category": "facts"}, "two": {}, "three": {},
    }  # fmt: skip
    assert (await http.get(f"{created.url}/ranking")).headers["etag"] != before


async def test_tags_that_are_sent_without_change_the_others_keep(http: Http) -> None:
    created = await create_systems(http, ["one"], "kelp", "rowan")
    path = f"{created.url}/items"
    await add(http, created["id"], {"key": "kelp"}, items=[{"key": "one", "tags": {"category": "code"}}])
    await add(http, created["id"], {"key": "kelp"}, items=[{"key": "one"}])
    assert (await get(http, path))["items"][0]["tags"] == {"category": "code"}
    await add(http, created["id"], {"key": "kelp"}, items=[{"key": "one", "tags": {}}])
    assert (await get(http, path))["items"][0]["tags"] == {}


@pytest.mark.parametrize(
    ("tags", "where"),
    [
        ({"category": ""}, "/items/0/tags/category"),
        ({"category": 7}, "/items/0/tags/category"),
        ({"x" * 201: "code"}, "/items/0/tags"),
        ({str(n): "x" for n in range(21)}, "/items/0/tags"),
        ({"category": "\0"}, ""),
    ],
)
async def test_tags_are_at_most_20_short_texts(http: Http, tags: dict[str, object], where: str) -> None:
    created = await create_systems(http, ["one"], "kelp", "rowan")
    answer = await add(http, created["id"], {"key": "kelp"}, items=[{"key": "one", "tags": tags}])
    assert answer.status_code == 422
    assert where in answer.text
    assert (await created.read("/items"))["items"][0]["tags"] == {}


async def test_a_set_of_texts_has_no_items(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    assert await created.read("/items") == {"items": [], "next_after": None}


async def test_a_newcomer_is_ranked_and_the_log_is_kept(http: Http) -> None:
    created = await create_set(http, "ash", "elm", told=["ash>elm"])
    before = await created.log()
    await add(http, created["id"], *candidates("oak"))
    after = {r["key"]: r for r in (await created.ranking())["ranking"]}
    assert await created.log() == before
    assert after.keys() == {"ash", "elm", "oak"}
    assert (after["oak"]["score"], after["oak"]["comparisons"]) == (pytest.approx(0.0, abs=1e-12), 0)
    assert after["ash"]["score"] > 0 > after["elm"]["score"]


async def test_a_newcomer_is_asked_about(http: Http) -> None:
    created = await create_set(http, "ash", "elm", told=["ash>elm"])
    assert (await created.ask())["status"] == "exhausted"
    await add(http, created["id"], *candidates("oak"))
    asked = (await created.ask(count=5))["assignments"]
    assert len(asked) == 2
    assert all("oak" in (a["first"]["key"], a["second"]["key"]) for a in asked)


async def test_a_set_created_empty_takes_candidates_later(http: Http) -> None:
    created = await create_set(http, candidates=[])
    assert (await created.ask())["status"] == "exhausted"
    await add(http, created["id"], *candidates("ash", "elm"))
    assert (await created.ask())["status"] == "open"


async def test_an_item_joins_a_running_set_of_systems(http: Http) -> None:
    created = await create_systems(http, ["one"], "kelp", "rowan")
    await created.send({"first": "kelp", "second": "rowan", "winner": "first", "judge": "bob"})
    new = [{"key": key, "outputs": {"two": f"{key} on two"}} for key in ("kelp", "rowan")]
    assert (await add(http, created["id"], *new, items=[{"key": "two"}])).status_code == 201
    (pair,) = (await created.ask(count=5))["assignments"]
    assert pair["item"]["key"] == "two"


async def test_a_text_changes_while_nobody_has_judged_it(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await add(http, created["id"], {"key": "ash", "text": "Better words."})
    assert (await listed(http, created["id"]))[0]["text"] == "Better words."


async def test_a_judged_text_cannot_change(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak", told=["ash>elm"])
    answer = await add(http, created["id"], {"key": "oak", "text": "New."}, {"key": "elm", "text": "New."})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:nextpair:problem:text-in-use")
    assert answer.json()["errors"][0]["pointer"] == "/candidates/1/text"
    assert (await listed(http, created["id"]))[2]["text"] == "The text of oak."  # all or nothing


async def test_sending_a_judged_text_again_unchanged_is_harmless(http: Http) -> None:
    created = await create_set(http, "ash", "elm", told=["ash>elm"])
    assert (await add(http, created["id"], *candidates("ash", "elm"))).status_code == 201


async def test_metadata_changes_even_when_the_text_was_judged(http: Http) -> None:
    created = await create_set(http, "ash", "elm", told=["ash>elm"])
    assert (await add(http, created["id"], {"key": "ash", "metadata": {"model": "m1"}})).status_code == 201
    ash, elm = await listed(http, created["id"])
    assert (ash["metadata"], ash["text"], elm["metadata"]) == ({"model": "m1"}, "The text of ash.", {})


async def test_metadata_that_is_not_sent_stays(http: Http) -> None:
    created = await create_set(http, candidates=[{"key": "ash", "text": "A.", "metadata": {"n": 1}}])
    await add(http, created["id"], {"key": "ash", "text": "B."})
    assert (await listed(http, created["id"]))[0]["metadata"] == {"n": 1}


@pytest.mark.parametrize("count", [60, 3])
async def test_many_candidates_are_stored_like_few(http: Http, count: int) -> None:
    keys = [f"k{n}" for n in range(count)]
    created = await create_set(http, *keys)
    assert [c["text"] for c in await listed(http, created["id"])] == [f"The text of {key}." for key in keys]


async def test_an_update_reads_no_text_that_cannot_be_the_one_sent(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    created = await create_set(http, candidates=[{"key": key, "text": key * 3} for key in "abc"])
    places: list[int] = []
    read = storage.texts

    async def counted(db: Any, wanted: Any) -> Any:
        places.append(len(wanted))
        return await read(db, wanted)

    monkeypatch.setattr("app.storage.candidates.texts", counted)
    sent = [{"key": "a", "text": "aaa"}, {"key": "b", "text": "longer"}, {"key": "c", "metadata": {"n": 1}}]
    answer = await http.post(f"{created.url}/candidates", json={"candidates": sent})
    assert answer.json()["updated"] == 3
    assert places == [1]
    kept = (await http.get(f"{created.url}/candidates")).json()["candidates"]
    assert [each["text"] for each in kept] == ["aaa", "longer", "ccc"]


NFD, NFC = "cafe\u0301", "caf\u00e9"


async def test_names_are_kept_in_their_normal_form(http: Http) -> None:
    created = await create_set(http, candidates=candidates(NFD, "oak "))
    assert [each["key"] for each in await listed(http, created["id"])] == [NFC, "oak"]
    await created.compare(f"{NFC}>oak")
    sent = await created.send({"first": "oak ", "second": NFD, "p_first": 1.0, "judge": "ada "})
    assert (sent.status_code, [entry["judge"] for entry in await created.log()]) == (201, ["bob", "ada"])
    assert (await add(http, created["id"], {"key": NFD})).json()["updated"] == 1
    twice = await http.post("/v1/sets", json={"name": "x", "question": "?", "candidates": candidates(NFC, NFD)})
    assert_problem(twice, 422, "duplicate-key", "every key must be unique")


@pytest.mark.parametrize("key", ["GPT-4\u200b", "\u202eGPT", " ", "\u3164"])
async def test_a_name_that_is_not_seen_is_refused(http: Http, key: str) -> None:
    created = await create_set(http, "ash", "elm")
    added = await add(http, created["id"], *candidates("oak", key))
    assert_problem(added, 422, "invalid-request", "/candidates/1/key has ")
    for answer in (
        await created.send({"first": "ash", "second": "elm", "p_first": 1.0, "judge": key}),
        await http.put(f"/v1/judges/{key}", json={"kind": "human"}),
    ):
        assert_problem(answer, 422, "invalid-request", "which nobody sees; remove it")
    assert [each["key"] for each in await listed(http, created["id"])] == ["ash", "elm"]


async def test_names_that_look_alike_are_warned_of(http: Http) -> None:
    created = await create_set(http, candidates=candidates("GPT-4", "gpt-4", "oak"))
    (warning,) = created["warnings"]
    assert warning.startswith("candidates look alike: 'GPT-4' and 'gpt-4'; ")
    assert (await created.read())["warnings"] == []
    added = (await add(http, created["id"], *candidates("elm", "OAK", "GPT-4"))).json()
    assert added["warnings"] == [
        "candidates look alike: 'oak' and 'OAK'; if two are the same candidate, give them one name"
    ]


async def test_names_from_before_they_were_normalised_stay_in_use(http: Http, context: Context) -> None:
    """A set, a judge and a lease with names that nobody could make now."""
    old = [f" {NFD}", "GPT-4\u200b", "oak"]
    created = await create_set(http, "x", "y", "z")
    path = created.url
    leased = await created.ask_one(judge="ada")
    async with context.writing() as db:
        for key, was in zip(old, "xyz", strict=True):
            await db.execute(
                text("UPDATE candidates SET key = :key WHERE set_id = :id AND key = :was"),
                {"id": created["id"], "key": key, "was": was},
            )
        await db.execute(text("UPDATE judges SET name = :name WHERE name = 'ada'"), {"name": f"{NFD} "})
        await db.execute(text("UPDATE sets SET revision = revision + 1"))
    context.judge_ids.clear()

    assert (await tell(http, leased["id"], p_first=1.0, judge=f"{NFD} ")).status_code == 201
    for first, judge in ((NFC, NFC), (f" {NFD}", f"{NFD} ")):
        sent = await created.send({"first": first, "second": old[1], "p_first": 1.0, "judge": judge})
        assert sent.status_code == 201
    same = await created.send({"first": NFC, "second": old[0], "p_first": 1.0, "judge": "bob"})
    assert_problem(same, 422, "same-candidate", "name two different candidates")
    added = await add(http, created["id"], {"key": NFC}, {"key": old[1]}, {"key": "oak"}, {"key": "new"})
    assert (added.json()["created"], added.json()["updated"]) == (1, 3)
    assert [each["key"] for each in await listed(http, created["id"])] == [*old, "new"]
    assert {entry["judge"] for entry in await created.log()} == {f"{NFD} "}
    for spelled in (NFC, f"{NFD} "):
        described = await http.put(f"/v1/judges/{spelled}", json={"kind": "human"})
        assert (described.status_code, described.json()["name"]) == (200, f"{NFD} ")
    assert [(await get(http, f"{path}/candidates", key=key))["candidates"][0]["key"] for key in old] == old
    assert {row["key"] for row in (await created.ranking())["ranking"]} == {*old, "new"}


async def test_two_old_names_with_one_normal_form_stay_apart(http: Http, context: Context) -> None:
    created = await create_set(http, "GPT-4", "x")
    await created.compare("GPT-4>x", judge="ada")
    async with context.writing() as db:
        await db.execute(text("UPDATE candidates SET key = 'GPT-4 ' WHERE key = 'x'"))
        await db.execute(text("INSERT INTO judges (name) VALUES ('ada ')"))
        await db.execute(text("UPDATE sets SET revision = revision + 1"))
    sent = await created.send({"first": "GPT-4 ", "second": "GPT-4", "p_first": 1.0, "judge": "ada "})
    assert sent.status_code == 201
    entry = (await created.log())[-1]
    assert (entry["first"], entry["second"], entry["judge"]) == ("GPT-4 ", "GPT-4", "ada ")
