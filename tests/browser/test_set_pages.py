"""Pages of a set, in a browser."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Error, Page, Route, expect

from app.web.texts import TABS
from tests.browser.conftest import Judged, Someone, open_page
from tests.browser.test_access import expect_accessible


@pytest.mark.parametrize("path", TABS)
@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_axe_finds_nothing(judged: Judged, someone: Someone, path: str, colours: str) -> None:
    page = await open_page(someone, await judged(), path, color_scheme=colours)
    await page.wait_for_timeout(2000)
    await expect_accessible(page)


@pytest.mark.parametrize("path", TABS)
async def test_a_phone_needs_no_sideways_scrolling(judged: Judged, someone: Someone, path: str) -> None:
    page = await open_page(someone, await judged(), path, viewport={"width": 320, "height": 640})
    await page.wait_for_timeout(1000)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("width", [1280, 320])
async def test_a_long_key_widens_no_page(someone: Someone, service: AsyncClient, width: int) -> None:
    key = "k" * 190
    candidates = [schemas.CandidateIn(key=each) for each in (key, "short")]
    new = schemas.SetIn(name="Sky", question="Which answer is clearer?", candidates=candidates)
    set_id = (await service.send(calls.create_set(new))).id
    verdicts = [schemas.ComparisonIn(first=key, second="short", winner="first", judge=judge) for judge in ("ann", key)]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=verdicts)))
    for path in (*TABS, "/annotate"):
        page = await open_page(someone, set_id, path, viewport={"width": width, "height": 640})
        await page.wait_for_load_state("networkidle" if path else "load")
        if path == "/compare":
            await expect(page.locator("#compared .matrix")).to_contain_text(key)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, path


@asynccontextmanager
async def held_up(page: Page, requests: str) -> AsyncIterator[None]:
    """Requests whose answers come only once the block ends."""
    released = asyncio.Event()

    async def hold(route: Route) -> None:
        await released.wait()
        with suppress(Error):  # the page may have withdrawn it
            await route.continue_()

    await page.route(requests, hold)
    yield
    released.set()
    await page.wait_for_timeout(500)


@pytest.mark.parametrize("path", TABS)
async def test_names_are_shown_as_text_and_no_script_runs(someone: Someone, service: AsyncClient, path: str) -> None:
    evil = [
        "<img src=x onerror=alert(1)>",
        "javascript:alert(1)",
        "مرحبا بالعالم",
        "x" * 199,
        "</script><script>1",
    ]
    new = schemas.SetIn(
        name="<script>alert('name')</script>",
        question="<svg onload=alert(1)>",
        candidates=[schemas.CandidateIn(key=key, text=key) for key in evil],
    )
    set_id = (await service.send(calls.create_set(new))).id
    votes = [
        schemas.ComparisonIn(first=evil[0], second=key, p_first=p, judge=judge)
        for key in evil[1:]
        for judge, p in (("<b onclick=1>", 0.8), ("<i>", 0.3))
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    visitor = await someone()
    broken: list[str] = []
    visitor.page.on("dialog", lambda dialog: broken.append(dialog.message))
    visitor.page.on(
        "console", lambda message: broken.append(message.text) if "Content Security" in message.text else None
    )
    visitor.page.on("pageerror", lambda error: broken.append(str(error)))
    answer = await visitor.page.goto(f"{visitor.url}/sets/{set_id}{path}")
    assert answer is not None
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
    await visitor.page.wait_for_timeout(1500)
    assert await visitor.page.locator("h1").inner_text() == "<script>alert('name')</script>"
    assert not broken
