"""For everyone: no violations that axe finds, no mouse needed, small screens."""

import json

import pytest
from axe_playwright_python.async_playwright import Axe
from nextpair import AsyncClient, calls
from playwright.async_api import Page, expect

from tests.browser.conftest import NewSet, Someone

LONG = "A sentence of some length, to be read with care. " * 80
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
CONTROLS = {"first", "second", "tie", "both_bad", "skip", "undo", "help", "rename", "smaller", "larger"}
OPTIONS = {"source", "differences", "together", "ask-why", "keys"}


@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_axe_finds_nothing(new_set: NewSet, someone: Someone, colours: str) -> None:
    ada = await someone(color_scheme=colours)
    set_id = await new_set(LONG, LONG + "Or not.", "Short.", context="For children.")
    await ada.page.goto(f"{ada.url}/sets/{set_id}/annotate")
    await expect(ada["name"]).to_be_focused()
    await expect_accessible(ada.page)
    await ada.open(set_id)
    await ada.expect_pair()
    await ada.choose("differences")
    await ada["options"].locator("summary").click()
    await expect_accessible(ada.page)
    for key in ("s", "?"):
        await ada.page.keyboard.press(key)
        await expect_accessible(ada.page)
        await ada.page.keyboard.press("Escape")
    for _ in range(3):
        await ada.judge()
    await ada.expect_message("no pair is left to judge")
    await expect_accessible(ada.page)


@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_axe_finds_nothing_while_one_has_to_read(new_set: NewSet, someone: Someone, colours: str) -> None:
    ada = await someone(color_scheme=colours)
    await ada.open(await new_set("One.", "Two.", metadata={"minimum_reading_seconds": 60}))
    await ada.expect_message("you can judge in", "countdown")
    await expect_accessible(ada.page)


@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_axe_finds_nothing_on_the_other_pages(new_set: NewSet, someone: Someone, colours: str) -> None:
    ada = await someone(color_scheme=colours)
    set_id = await new_set("One.", "Two.")
    for path in ("/", "/sets/new", f"/sets/{set_id}"):
        await ada.page.goto(f"{ada.url}{path}")
        await expect(ada.page.locator(".skeleton:visible")).to_have_count(0, timeout=30_000)
        await expect_accessible(ada.page)


async def expect_accessible(page: Page) -> None:
    violations = (await Axe().run(page, options=WCAG)).response["violations"]
    assert violations == [], json.dumps(
        [(each["id"], [node["html"] for node in each["nodes"]]) for each in violations], indent=1
    )


async def test_everything_can_be_reached_and_used_with_the_tab_key(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, ada = await new_set(LONG, "Short.", "Another."), await someone()
    await ada.open(set_id)
    await ada.expect_pair()
    await ada["options"].locator("summary").press("Enter")
    reached: list[str] = []
    while not reached or reached[-1] != "undo":
        await ada.page.keyboard.press("Tab")
        reached.append(await ada.page.evaluate("document.activeElement.dataset.action ?? document.activeElement.id"))
    assert set(reached) >= CONTROLS | OPTIONS
    await ada["keys"].press("Space")
    await ada.page.keyboard.press("1")
    await ada.expect_judged(0)
    await ada.page.get_by_role("button", name="Second is better").focus()
    await ada.page.keyboard.press("Enter")
    await ada.expect_judged(1)
    await ada.expect_in_set(1)
    (entry,) = (await service.send(calls.list_comparisons(set_id))).comparisons
    assert entry.winner == "second"


@pytest.mark.parametrize("size", [{"width": 320, "height": 640}, {"width": 320, "height": 256}])
async def test_small_screens_and_large_letters_need_no_sideways_scrolling(
    new_set: NewSet, someone: Someone, size: dict[str, int]
) -> None:
    ada = await someone(viewport=size)
    await ada.open(await new_set(LONG, "w" * 5000))
    await ada.expect_pair()
    assert await ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    first, second = [await ada[side].bounding_box() for side in ("first", "second")]
    assert first
    assert second
    assert first["x"] + first["width"] <= second["x"]
    await ada.page.get_by_role("button", name="Second", exact=True).click()
    await expect(ada["second"]).to_be_in_viewport(ratio=0.5)
