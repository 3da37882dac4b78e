"""The report of a set in a browser: read on a phone, printed on A4, and opened from a file."""

import re
from pathlib import Path
from uuid import UUID

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Page

from tests.browser.conftest import NewSet, Someone
from tests.browser.test_access import expect_accessible
from tests.factories import simulated

MANY = 70  # candidates: two pages of table, three figures, an appendix
MEDIA_BOX = re.compile(rb"/MediaBox\s*\[([^\]]*)\]")
PAGE = 297 - 20 - 18  # millimetres of A4 between the margins
WIDTH = 210 - 16 - 16
CUT = f"""() => {{
  const height = {PAGE} * 96 / 25.4;
  return [...document.querySelectorAll("figure, tr, pre, .figures")]
    .filter((each) => each.getBoundingClientRect().height > height).map((each) => each.outerHTML.slice(0, 200));
}}"""
AVOIDED = """() => [...document.querySelectorAll("figure, tr, pre, .figures")]
  .filter((each) => getComputedStyle(each).breakInside !== "avoid").map((each) => each.outerHTML.slice(0, 200))"""


@pytest.fixture
async def judged(new_set: NewSet, service: AsyncClient) -> UUID:
    set_id = await new_set(*(f"Text {n}" for n in range(MANY)), name='Sky "quoted" \\ </style>', stop={"top_k": 1})
    new = [schemas.ComparisonIn(**each) for each in simulated([f"c{n}" for n in range(MANY)], 400, 1)]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=new)))
    return set_id


async def open_report(someone: Someone, set_id: UUID, **options: object) -> Page:
    visitor = await someone(**options)
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}/report")
    await visitor.page.wait_for_selector("main#report", timeout=60_000)
    return visitor.page


@pytest.mark.parametrize("width", [1280, 320])
async def test_the_page_is_accessible_and_fits(judged: UUID, someone: Someone, width: int) -> None:
    page = await open_report(someone, judged, viewport={"width": width, "height": 800})
    assert await page.evaluate("document.documentElement.scrollWidth") == width
    await expect_accessible(page)
    printed = await page.evaluate(
        "new Promise((done) => { print = () => done(true); document.querySelector('#print').click(); })"
    )
    assert printed


async def test_it_prints_on_a4_and_cuts_nothing(judged: UUID, someone: Someone) -> None:
    page = await open_report(someone, judged, viewport={"width": WIDTH * 96 // 25, "height": 1000})
    await page.emulate_media(media="print")
    assert await page.evaluate(AVOIDED) == []
    assert await page.evaluate(CUT) == []
    assert not await page.locator(".bar").is_visible()
    printed = await page.pdf(prefer_css_page_size=True)
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert 5 <= pages <= 12
    boxes = {tuple(round(float(side)) for side in box.split()) for box in MEDIA_BOX.findall(printed)}
    assert boxes <= {(0, 0, 595, 842), (0, 0, 596, 842)}
    assert boxes


async def test_the_file_opens_offline_and_asks_for_nothing(
    judged: UUID, someone: Someone, service: AsyncClient, tmp_path: Path
) -> None:
    file, content = tmp_path / "report.html", await service.send(calls.report(judged))
    file.write_bytes(content)
    page = (await someone(offline=True)).page
    asked, said = list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    await page.goto(file.as_uri())
    assert asked == [file.as_uri()]
    assert said == []
    assert await page.locator("figure svg .interval").count() == 50
    colour = await page.locator("svg .interval").first.evaluate("(each) => getComputedStyle(each).stroke")
    assert colour == "rgb(79, 70, 211)"  # its style is allowed
