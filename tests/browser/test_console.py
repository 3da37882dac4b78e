"""Every page loads whole: no file is missing, no script fails, nothing goes against the page's policy."""

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import ConsoleMessage, Page, Response

from app.web.texts import TABS
from tests.browser.conftest import NewSet, Someone
from tests.factories import simulated

KEYS = ["c0", "c1", "c2"]
PAGES = ("/", "/sets/new", "/docs", *(f"/sets/{{id}}{page}" for page in (*TABS, "/annotate")))
COMPUTING = 425  # a page of a set asks again


def faults_of(page: Page) -> list[str]:
    """What the console and the network of a page complain about; it grows as the page goes on."""
    faults: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and str(COMPUTING) not in message.text:
            faults.append(message.text)

    def receive(response: Response) -> None:
        if response.status >= 400 and response.status != COMPUTING:
            faults.append(f"{response.status} {response.url}")

    page.on("console", hear)
    page.on("response", receive)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(f"{request.failure} {request.url}"))
    return faults


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_loads_without_a_complaint(
    new_set: NewSet, someone: Someone, service: AsyncClient, path: str
) -> None:
    set_id = await new_set("One.", "Two.", "Three.")
    for seed, judge in enumerate(("ann", "bob")):
        votes = [schemas.ComparisonIn(**each) for each in simulated(KEYS, 20, seed, judge)]
        await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    visitor = await someone()
    faults = faults_of(visitor.page)
    scripts: list[str] = []
    visitor.page.on("response", lambda response: scripts.append(response.url) if "/static/" in response.url else None)
    await visitor.page.goto(visitor.url + path.format(id=set_id))
    await visitor.page.wait_for_timeout(1500)
    assert faults == []
    assert any("/static/pages/" in url for url in scripts)
