"""The list of sets in the browser."""

import re
from typing import Any

import pytest

from tests.end_to_end.processes import Server

playwright: Any = pytest.importorskip("playwright.async_api")
expect = playwright.expect


async def test_a_list_without_sets_shows_the_first_one_on_its_own(chromium: Any, server: Server, new_set: Any) -> None:
    """As when the page is opened while the demo starts."""
    set_id, page = await new_set("Air.", "Sea."), await chromium.new_page()

    async def as_of_before(route: Any) -> None:
        answer = await route.fetch()
        html = re.sub(
            r'<ul class="sets">.*</ul>', "<p data-waiting>There are no sets yet.</p>", await answer.text(), flags=re.S
        )
        await route.fulfill(response=answer, body=html)

    await page.route(f"{server.url}/", as_of_before, times=1)
    await page.goto(f"{server.url}/")
    await expect(page.get_by_text("There are no sets yet")).to_be_visible()
    await expect(page.locator(f"#found a[href='/sets/{set_id}']")).to_be_visible(timeout=10_000)
    assert page.url == f"{server.url}/"
    await page.close()
