"""Home and the page of a project, in a browser."""

import asyncio
import re
from typing import Any
from uuid import uuid4

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Locator, Page, expect

from tests.browser.conftest import KEYS, Judged, NewSet, Someone
from tests.browser.test_access import expect_accessible
from tests.end_to_end.processes import Server

WIDTHS = (1280, 320)


def row(page: Page, name: str) -> Locator:
    return page.locator("#rows > tr").filter(has=page.get_by_role("link", name=name, exact=True))


async def visit(someone: Someone, path: str, **options: Any) -> Page:
    visitor = await someone(**options)
    await visitor.page.goto(f"{visitor.url}{path}")
    return visitor.page


@pytest.fixture
def project() -> str:
    """A project of this test alone, whose name has to be escaped in addresses."""
    return f"Größe & <b>form</b>/{uuid4().hex[:8]}"


@pytest.fixture
async def two_sets(judged: Judged, project: str) -> list[str]:
    return [str(await judged(name=name, project=project)) for name in ("Clarity", "Accuracy")]


async def test_what_is_ranked_comes_in_beside_each_set(judged: Judged, new_set: NewSet, someone: Someone) -> None:
    judged_name, new_name = uuid4().hex, uuid4().hex
    await judged(name=judged_name, budget={"max_comparisons": 480})
    await new_set("One.", "Two.", name=new_name)
    page = await visit(someone, "/")
    known, new = row(page, judged_name), row(page, new_name)
    await expect(known.locator("[data-column=leader]")).to_have_text(KEYS[0])
    await expect(known.locator("[data-column=confidence]")).to_have_text(re.compile(r"^\d+% in order$"))
    await expect(known.locator("[data-column=progress]")).to_have_text("120 of 480")
    await expect(known.get_by_role("progressbar")).to_have_attribute("value", "0.25")
    await expect(new.locator("[data-column=confidence]")).to_have_text("no verdict yet")


async def test_a_row_follows_its_set(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    name = uuid4().hex
    set_id = await new_set("One.", "Two.", name=name)
    visitor = await someone()
    await visitor.page.clock.install()
    await visitor.page.goto(f"{visitor.url}/")
    await expect(row(visitor.page, name).locator("[data-column=confidence]")).to_have_text("no verdict yet")
    verdict = schemas.ComparisonIn(first="c0", second="c1", judge="ann", p_first=0.9)
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=[verdict])))
    await visitor.page.clock.fast_forward(10_500)
    await expect(row(visitor.page, name).locator("[data-column=leader]")).to_have_text("c0")
    await expect(row(visitor.page, name).locator("[data-column=confidence]")).to_have_text("no signal yet")


async def test_search_filter_and_order_are_in_the_address(new_set: NewSet, someone: Someone) -> None:
    part = uuid4().hex
    for name in ("b", "a", "c"):
        await new_set("One.", "Two.", name=f"{part} {name}")
    page, names = await visit(someone, "/"), None
    await page.get_by_role("searchbox").fill(part)
    names = page.locator("#rows th > a")
    await expect(names).to_have_text([f"{part} c", f"{part} a", f"{part} b"])
    await page.get_by_role("link", name="Set", exact=True).click()
    await expect(names).to_have_text([f"{part} a", f"{part} b", f"{part} c"])
    await expect(page.get_by_role("link", name="Set", exact=True)).to_be_focused()
    await page.reload()
    await expect(names).to_have_text([f"{part} a", f"{part} b", f"{part} c"])
    await page.locator("[name=state]").select_option("paused")
    await expect(page.locator("#count")).to_have_text("No set matches")
    await page.go_back()
    await expect(names).to_have_text([f"{part} c", f"{part} a", f"{part} b"])


async def test_sets_are_sorted_by_their_progress(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    part = uuid4().hex
    for budget in (4, 2, 8):
        set_id = await new_set("One.", "Two.", "Three.", name=f"{part} {budget}", budget={"max_comparisons": budget})
        verdict = schemas.ComparisonIn(first="c0", second="c1", judge="ann", p_first=0.9)
        await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=[verdict])))
    page = await visit(someone, f"/?q={part}")
    await page.get_by_role("button", name="Progress").click()
    await expect(page.locator("#rows th > a")).to_have_text([f"{part} {budget}" for budget in (2, 4, 8)])
    await page.reload()
    await expect(page.locator("#rows th > a")).to_have_text([f"{part} {budget}" for budget in (2, 4, 8)])


async def test_a_deleted_set_is_restored(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    name = uuid4().hex
    set_id = await new_set("One.", "Two.", name=name)
    await service.send(calls.delete_set(set_id))
    page = await visit(someone, "/")
    await page.get_by_role("link", name="Deleted sets").click()
    await expect_accessible(page)
    await page.get_by_role("button", name=f"Restore {name}").click()
    await page.wait_for_url(f"**/sets/{set_id}")


async def test_a_list_without_sets_shows_the_first_one_on_its_own(chromium: Any, server: Server, new_set: Any) -> None:
    """As when the page is opened while the demo starts."""
    set_id, page = await new_set("Air.", "Sea."), await chromium.new_page()

    async def as_of_before(route: Any) -> None:
        answer = await route.fetch()
        empty = '<div id="list"><div id="found"><p data-waiting>There are no sets yet.</p></div></div></main>'
        html = re.sub(r'<div id="list">.*</main>', empty, await answer.text(), flags=re.S)
        await route.fulfill(response=answer, body=html)

    await page.route(f"{server.url}/", as_of_before, times=1)
    await page.goto(f"{server.url}/")
    await expect(page.get_by_text("There are no sets yet")).to_be_visible()
    await expect(page.locator(f"#found a[href='/sets/{set_id}']")).to_be_visible(timeout=10_000)
    assert page.url == f"{server.url}/"
    await page.close()


async def test_a_project_ranks_its_systems_over_its_sets(two_sets: list[str], someone: Someone, project: str) -> None:
    page = await visit(someone, f"/?project={project.replace('&', '%26')}")
    await page.get_by_role("link", name="Leaderboard of this project").click()
    await expect(page.get_by_role("heading", name=project)).to_be_visible()
    systems = page.locator("#board tbody tr")
    await expect(systems.first).to_have_attribute("data-key", KEYS[0])
    await expect(page.locator("#order")).to_contain_text("equal weights")
    cell = systems.first.locator(f"a[href='/sets/{two_sets[0]}?open={KEYS[0]}']")
    await cell.focus()
    await expect(page.get_by_role("tooltip")).to_contain_text(re.compile(r"Win rate \d+% \(\d+ to \d+%\). Rank 1"))
    await page.locator("[name=figure]").select_option("elo")
    await page.locator("[name=baseline]").select_option(KEYS[0])
    await expect(systems.first.locator(f"[data-column='{two_sets[0]}']")).to_have_text("baseline")
    await page.locator("#weights summary").click()
    await page.get_by_role("spinbutton", name="Weight of Accuracy").fill("0")
    await page.keyboard.press("Tab")
    await expect(page.locator("#order")).to_contain_text("Clarity 100%")
    await page.reload()
    await expect(page.locator("#order")).to_contain_text("Clarity 100%")
    await expect(page.locator("[name=figure]")).to_have_value("elo")
    await expect(page.locator("[name=baseline]")).to_have_value(KEYS[0])


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
async def test_axe_finds_nothing(two_sets: list[str], someone: Someone, project: str, colours: str, width: int) -> None:
    page = await visit(someone, "/", color_scheme=colours, viewport={"width": width, "height": 640})
    for path in ("/", f"/projects/{project.replace('/', '%2F').replace('&', '%26')}"):
        await page.goto(f"{page.url.split('/', 3)[0]}//{page.url.split('/', 3)[2]}{path}")
        await expect(page.locator(".skeleton")).to_have_count(0, timeout=20_000)
        await expect_accessible(page)
        assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")


async def test_rows_stand_where_they_will_stay(two_sets: list[str], someone: Someone, project: str) -> None:
    visitor = await someone()
    await visitor.page.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { "
        "for (const { value } of list.getEntries()) shift += value; })"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    for path in ("/", f"/projects/{project.replace('&', '%26')}"):
        await visitor.page.goto(f"{visitor.url}{path}")
        await expect(visitor.page.locator(".skeleton")).to_have_count(0, timeout=20_000)
        await asyncio.sleep(0.2)
        assert await visitor.page.evaluate("window.shift") <= 0.05
        top = await visitor.page.locator("tbody tr").first.evaluate("row => row.getBoundingClientRect().top")
        assert top < 300
