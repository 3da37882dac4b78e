"""The list of sets: what is found, and how far each set is."""

import re
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.factories import compare, create_set, create_systems, patch

EVIL = '"><script>alert(1)</script>'


async def page(http: httpx.AsyncClient, path: str = "/", **query: Any) -> str:
    answer = await http.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.text


async def names(http: httpx.AsyncClient, **query: Any) -> list[str]:
    return re.findall(r"<h2><a [^>]*>(.*?)</a></h2>", await page(http, **query))


async def test_without_sets_the_page_says_what_to_do(http: httpx.AsyncClient) -> None:
    assert 'href="/sets/new"' in await page(http)
    assert "<p data-waiting>There are no sets yet" in await page(http)


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
    assert '<option value="wood" selected>' in await page(http, project="wood")
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
    assert 'href="/?q=tree&amp;project=&amp;page=2" rel="next"' in await page(http, q="tree")
    assert 'href="/?q=tree&amp;project=&amp;page=1" rel="prev"' in await page(http, q="tree", page=2)
    assert "Sets 51 to 51" in await page(http, page=2)


async def test_names_and_projects_are_never_markup(http: httpx.AsyncClient) -> None:
    await create_set(http, name=EVIL, project=EVIL)
    shown = await page(http, q=EVIL, project=EVIL)
    assert "<script>" not in shown
    assert shown.count("&lt;script&gt;alert(1)") >= 4


@pytest.mark.parametrize(
    ("fields", "progress", "status"),
    [
        ({}, "1 comparison, 16% of all 6 pairs", "Open: pairs wait for judges"),
        ({"order": "both"}, "1 comparison, 8% of 12 (6 pairs, both orders)", "Open: "),
        ({"order": "each"}, "1 comparison, 8% of 12 (6 pairs, both orders)", "Open: "),
        ({"budget": {"max_comparisons": 4}}, "1 comparison, 25% of the budget of 4", "Open: "),
        ({"budget": {"max_comparisons": 1}}, "1 comparison, 100% of the budget of 1", "Budget reached: "),
    ],
)
async def test_progress_is_a_share_of_the_budget_or_of_all_pairs(
    http: httpx.AsyncClient, fields: dict[str, Any], progress: str, status: str
) -> None:
    created = await create_set(http, **fields)
    await compare(http, created["id"], "ash>elm")
    shown = await page(http)
    assert progress in shown
    assert status in shown
    assert 'value="1"' in shown


async def test_pairs_of_systems_are_counted_by_item(http: httpx.AsyncClient) -> None:
    await create_systems(http, ["one", "two"], "kelp", "rowan", "elm")
    assert "0 comparisons, 0% of all 6 pairs" in await page(http)
    assert "Open: pairs wait for judges" in await page(http)


async def test_a_paused_set_and_one_without_candidates_say_so(http: httpx.AsyncClient) -> None:
    await patch(http, (await create_set(http))["id"], status="paused")
    await create_set(http, candidates=[])
    shown = await page(http)
    assert "Paused: no pairs are handed out" in shown
    assert "Add two or more candidates" in shown


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
    assert f'<p class="faint">{status}: ' in await page(http)
    assert f'data-tip="{status}: ' in await page(http, f"/sets/{set_id}")


async def test_pages_say_that_the_service_is_preparing(http: httpx.AsyncClient, app: FastAPI) -> None:
    set_id = (await create_set(http))["id"]
    app.state.context.live.warm = None
    assert '<p class="faint" data-waiting>Preparing: the service compiles' in await page(http)
    assert 'data-tip="Preparing: ' in await page(http, f"/sets/{set_id}")
