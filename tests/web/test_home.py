"""The home page and the page of a project: the sets that are found, and what the page says without a script."""

import re
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import text

from app.service.context import Context
from app.storage import summaries
from tests.factories import compare, create_set, patch

pytestmark = pytest.mark.alone

EVIL = '"><script>alert(1)</script>'


async def page(http: httpx.AsyncClient, path: str = "/", **query: Any) -> str:
    answer = await http.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.text


async def names(http: httpx.AsyncClient, **query: Any) -> list[str]:
    return re.findall(r'<a class="clip" [^>]*>(.*?)</a>', await page(http, **query))


async def test_without_sets_the_page_says_what_to_do(http: httpx.AsyncClient) -> None:
    assert 'href="/sets/new"' in await page(http)
    assert '<div class="empty" data-waiting>' in await page(http)
    assert "nextpair demo" in await page(http)


async def test_sets_are_listed_newest_first_and_link_to_ranking_and_judging(http: httpx.AsyncClient) -> None:
    first, second = await create_set(http, name="Trees"), await create_set(http, name="Bushes")
    assert await names(http) == ["Bushes", "Trees"]
    for each in (first, second):
        assert f'href="/sets/{each["id"]}"' in await page(http)
        assert f'href="/sets/{each["id"]}/annotate"' in await page(http)


@pytest.mark.parametrize(
    ("query", "names_found"), [("tree", ["Trees"]), ("%", ["100% wood"]), ("_", []), ("", ["100% wood", "Trees"])]
)
async def test_a_search_finds_a_part_of_the_name(http: httpx.AsyncClient, query: str, names_found: list[str]) -> None:
    await create_set(http, name="Trees")
    await create_set(http, name="100% wood")
    assert await names(http, q=query) == names_found


async def test_a_search_that_finds_nothing_says_so(http: httpx.AsyncClient) -> None:
    await create_set(http)
    assert "No set matches" in await page(http, q="nothing of that name")


async def test_a_project_shows_its_sets_alone(http: httpx.AsyncClient) -> None:
    await create_set(http, name="Trees", project="wood")
    await create_set(http, name="Rocks", project="stone")
    assert await names(http, project="wood") == ["Trees"]
    assert "<option selected>wood</option>" in await page(http, project="wood")
    assert await names(http, project="wood", q="rock") == []


async def test_a_deleted_set_is_not_listed(http: httpx.AsyncClient) -> None:
    created = await create_set(http, project="wood")
    await http.delete(f"/v1/sets/{created['id']}")
    assert await names(http) == []
    assert "wood" not in await page(http)


async def test_pages_hold_fifty_and_keep_the_search(http: httpx.AsyncClient) -> None:
    for n in range(51):
        await create_set(http, "ash", name=f"Tree {n}")
    assert await names(http, q="tree") == [f"Tree {n}" for n in range(50, 0, -1)]
    assert await names(http, q="tree", page=2) == ["Tree 0"]
    assert 'href="/?q=tree&amp;page=2" rel="next"' in await page(http, q="tree")
    assert 'href="/?q=tree" rel="prev"' in await page(http, q="tree", page=2)
    assert "Sets 51 to 51" in await page(http, page=2)


async def test_sets_are_sorted_by_activity_or_by_name(http: httpx.AsyncClient) -> None:
    for name in ("birch", "Ash", "elm"):
        created = await create_set(http, name=name)
        if name == "birch":
            oldest = created
    await compare(http, oldest["id"], "ash>elm")
    assert await names(http) == ["birch", "elm", "Ash"]
    assert await names(http, sort="activity") == ["Ash", "elm", "birch"]
    assert await names(http, sort="name") == ["Ash", "birch", "elm"]
    assert await names(http, sort="-name") == ["elm", "birch", "Ash"]
    shown = await page(http, sort="name")
    assert 'aria-sort="ascending" data-column="set">' in shown
    assert 'href="/?sort=-name"' in shown


async def test_a_status_shows_its_sets_alone(http: httpx.AsyncClient) -> None:
    await create_set(http, name="open")
    paused = await create_set(http, name="paused")
    await patch(http, paused["id"], status="paused")
    done = await create_set(http, name="finished", budget={"max_comparisons": 1})
    await compare(http, done["id"], "ash>elm")
    for state in ("open", "paused", "finished"):
        assert await names(http, state=state) == [state]


async def test_judges_are_counted_by_kind_without_reading_the_log(http: httpx.AsyncClient, context: Context) -> None:
    created = await create_set(http)
    await http.put("/v1/judges/ann", json={"kind": "human"})
    for judge in ("ann", "bob", "cy", "ann"):
        await compare(http, created["id"], "ash>elm", judge=judge)
    assert "1 person, 2 judges of unknown kind" in await page(http)
    async with context.engine.connect() as db:
        await db.execute(text("SET LOCAL enable_seqscan = off"))
        plan = await db.execute(text(f"EXPLAIN {summaries._JUDGES.text}"), {"ids": [created["id"]]})
        lines = "\n".join(plan.scalars())
    assert "ix_comparisons_set_id_judge_id" in lines


async def test_names_and_projects_are_never_markup(http: httpx.AsyncClient) -> None:
    await create_set(http, name=EVIL, project=EVIL)
    shown = await page(http, q=EVIL, project=EVIL)
    assert "<script>" not in shown
    assert shown.count("&lt;script&gt;alert(1)") >= 4


async def test_a_paused_set_and_one_without_candidates_say_so(http: httpx.AsyncClient) -> None:
    await patch(http, (await create_set(http))["id"], status="paused")
    await create_set(http, candidates=[])
    shown = await page(http)
    assert "Paused: no pairs are handed out" in shown
    assert "Pairs take two candidates: add some." in shown


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, "Open"),
        ({"status": "paused"}, "Paused"),
        ({"budget": {"max_comparisons": 3}}, "Budget reached"),
        ({"stop": {"entropy_change": 10.0}}, "Converged"),
        ({"candidates": [{"key": key} for key in ("ash", "birch", "elm")]}, "Exhausted"),
    ],
)
async def test_every_page_and_the_api_have_one_word_for_how_a_set_stands(
    http: httpx.AsyncClient, fields: dict[str, Any], status: str
) -> None:
    pause = fields.pop("status", None)
    set_id = (await create_set(http, **fields))["id"]
    await compare(http, set_id, "ash>birch", "birch>elm", "ash>elm")
    if pause:
        await patch(http, set_id, status=pause)
    told = (await http.get(f"/v1/sets/{set_id}/next-pair")).json()["status"]
    assert told.replace("_", " ").capitalize() == status
    assert f"</svg>{status}</span>" in await page(http)
    assert f">{status}</span>" in await page(http, f"/sets/{set_id}")


async def test_pages_say_that_the_service_is_preparing(http: httpx.AsyncClient, app: FastAPI) -> None:
    set_id = (await create_set(http))["id"]
    app.state.context.live.warm = None
    shown = await page(http)
    assert '<td role="cell" data-column="status" data-waiting>' in shown
    assert "Preparing: the service compiles" in shown
    assert ">Preparing</span>" in await page(http, f"/sets/{set_id}")


async def test_a_project_has_a_page_of_its_sets(http: httpx.AsyncClient) -> None:
    await create_set(http, name="Trees", project="wood/2026")
    await create_set(http, name="Rocks", project="stone")
    shown = await page(http, "/projects/wood/2026")
    assert re.findall(r'<a class="clip" [^>]*>(.*?)</a>', shown) == ["Trees"]
    assert "<title>wood/2026 · nextpair</title>" in shown
    assert 'href="/projects/wood/2026?sort=name"' in shown
    assert (await http.get("/projects/nothing")).status_code == 404
