"""Making a set in the browser: seen before it is created, mended, and found again, all without a mouse."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.end_to_end.processes import Server

playwright: Any = pytest.importorskip("playwright.async_api")
expect = playwright.expect

BAD = "key,text\nash,Tall.\nbirch,White, and slender.\nelm,Old.\n"
MENDED = BAD.replace("White, and slender.", '"White, and slender."')
STEPS = 60  # presses of Tab that reach anything


@pytest.fixture
async def page(chromium: Any, server: Server) -> AsyncIterator[Any]:
    page = await chromium.new_page()
    page.on("filechooser", lambda _: None)  # from the start: a key can be faster than the order to catch choosers
    await page.goto(f"{server.url}/sets/new")
    yield page
    await page.close()


async def tab_to(page: Any, name: str) -> None:
    """Press Tab until the element of that id has the focus."""
    for _ in range(STEPS):
        if await page.evaluate("document.activeElement.id") == name:
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {name}")


async def back_to(page: Any, name: str) -> None:
    """The same with Shift+Tab."""
    while await page.evaluate("document.activeElement.id") != name:
        await page.keyboard.press("Shift+Tab")


def trees(content: str) -> dict[str, Any]:
    """A file."""
    return {"name": "trees.csv", "mimeType": "text/csv", "buffer": content.encode()}


async def choose(page: Any, content: str) -> None:
    """Choose a file in the field that has the focus, by keyboard."""
    async with page.expect_file_chooser() as chooser:
        await page.keyboard.press("Enter")
    await (await chooser.value).set_files(trees(content))
    await expect(page.locator("#preview-heading")).to_be_focused()


async def test_a_set_is_made_from_a_file_by_keyboard(page: Any) -> None:
    for field, value in (("name", "Trees of the <b>north</b>"), ("question", "Which is finer?")):
        await tab_to(page, field)
        await page.keyboard.type(value)
    await tab_to(page, "file")
    await choose(page, BAD)
    await expect(page.locator("#faults tr")).to_have_text(["line 33 fields, the header has 2quote commas"])
    await expect(page.locator("#create")).to_be_disabled()
    await back_to(page, "file")
    await choose(page, MENDED)
    await expect(page.locator("#rows td")).to_have_text(["Tall.", "White, and slender.", "Old."])
    await tab_to(page, "create")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/sets/*-*")
    await page.goto(page.url.split("/sets/")[0])
    await tab_to(page, "q")
    await page.keyboard.type("the <b>")
    await expect(page.locator("#rows th > a")).to_have_text(["Trees of the <b>north</b>"])
    await expect(page.locator("#rows tr")).to_contain_text("not begun")


async def test_bad_lines_are_left_out_only_when_one_says_so(page: Any) -> None:
    await page.fill("#name", "Without a birch")
    await page.fill("#question", "Which?")
    await page.set_input_files("#file", trees(BAD))
    await page.check("#skip")
    await page.click("#create")
    await page.wait_for_url("**/sets/*-*")
    created = await page.request.get(page.url.replace("/sets/", "/v1/sets/"))
    assert (await created.json())["candidates"] == 2


async def test_what_is_missing_is_said_at_its_field(page: Any) -> None:
    await page.fill("#lines", "ash: Tall.\nbirch: White.")
    await page.click("#check")
    await page.click("#create")
    await expect(page.locator("#name")).to_be_focused()
    await expect(page.locator("#name")).to_have_accessible_description(re.compile("Give the set a name.$"))
    await page.fill("#name", "Trees")
    await page.fill("#question", "Which?")
    await page.click("summary")
    await page.fill("#max_comparisons", "0")
    await page.click("#create")
    await expect(page.locator("#max_comparisons")).to_be_focused()


async def test_lines_that_change_have_to_be_checked_again(page: Any) -> None:
    await page.fill("#lines", "ash: Tall.\nbirch: White.")
    await page.click("#check")
    await expect(page.locator("#preview")).to_be_visible()
    await page.fill("#lines", "ash: Tall.")
    await expect(page.locator("#preview")).to_be_hidden()
