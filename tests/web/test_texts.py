"""Words of the pages: short labels, explained headings, and a next step wherever there is nothing to show."""

import re
from pathlib import Path
from typing import get_args

import httpx
import pytest
from nextpair.words import STATUSES, PageStatus

from app.web.rendering import HERE
from app.web.texts import CONTROLS, NEXT_STEPS, TAB_TIPS, TABS, WAITING
from tests.factories import create_set
from tests.web.test_home import page

TEMPLATES = sorted((HERE / "templates").glob("*.html"))
LABEL = 3  # words


def words(text: str) -> int:
    return len(re.sub(r"{[{%].*?[}%]}|<kbd>.*|<[^>]*>|\(optional\)", "", text).split())


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_labels_are_short_and_headings_of_columns_explained(template: Path) -> None:
    source = template.read_text()
    labels = re.findall(r"<label[^>]*>(.*?)(?:</label>|<select|<input)", source, re.S)
    labels += re.findall(r"<(?:button|legend|summary)[^>]*>(.*?)</", source)
    labels += re.findall(r'{{ (?:line|choice)\("\w+", "([^"]+)"', source)
    assert [each for each in labels if words(each) > LABEL] == []
    assert re.findall(r'<th scope="col"(?![^>]*(?:title|data-tip)=)[^>]*>(?!<button)', source) == []


def test_every_control_and_tab_is_explained_in_one_sentence() -> None:
    tips = [*(TAB_TIPS[path] for path in TABS), *CONTROLS.values()]
    assert all(re.fullmatch(r"[A-Z][^.]*\.", tip) for tip in tips)
    assert all(words(name) <= LABEL for name in [*CONTROLS, *TABS.values()])


def test_every_status_has_a_next_step_for_owners_and_annotators() -> None:
    assert set(STATUSES) == set(NEXT_STEPS) == set(WAITING) == set(get_args(PageStatus))


@pytest.mark.parametrize("path", ["", "/compare", "/items", "/judges"])
async def test_a_page_without_verdicts_says_what_to_do(http: httpx.AsyncClient, path: str) -> None:
    set_id = (await create_set(http))["id"]
    shown = await page(http, f"/sets/{set_id}{path}")
    assert re.search(f'<a [^>]*href="/sets/{set_id}/annotate">Judge pairs</a>', shown)


async def test_a_set_without_candidates_says_how_to_add_some(http: httpx.AsyncClient) -> None:
    set_id = (await create_set(http, candidates=[]))["id"]
    assert f"POST /v1/sets/{set_id}/candidates" in await page(http, f"/sets/{set_id}")
