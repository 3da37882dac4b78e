"""Pages on paper: every name that is read on a screen is printed."""

from uuid import UUID

import pytest
from nextpair import AsyncClient, calls, schemas

from app.web.texts import TABS
from tests.browser.conftest import Someone, open_page
from tests.browser.printed import text_of
from tests.factories import simulated

KEYS = [*(f"candidate-{letter}" for letter in "qrstu"), f"long-{'v' * 60}"]
JUDGES = ("ann-the-judge", "ben-the-judge")
PROMPTS = [f"prompt-{n}-{'w' * 120}-{n}" for n in range(3)]
SHOWN = {"": KEYS, "/compare": KEYS, "/judges": [*JUDGES], "/activity": [*JUDGES], "/report": KEYS}


@pytest.fixture
async def texts(service: AsyncClient) -> UUID:
    candidates = [schemas.CandidateIn(key=key, text=f"The text of {key}") for key in KEYS]
    new = schemas.SetIn(name="Sky", question="Which answer is clearer?", candidates=candidates)
    set_id = (await service.send(calls.create_set(new))).id
    votes = [
        schemas.ComparisonIn(**each) for seed, judge in enumerate(JUDGES) for each in simulated(KEYS, 60, seed, judge)
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    return set_id


@pytest.fixture
async def systems(service: AsyncClient) -> UUID:
    items = [schemas.ItemIn(key=key, prompt=f"The prompt of {key}") for key in PROMPTS]
    outputs: dict[str, str | None] = dict.fromkeys(PROMPTS, "An output")
    candidates = [schemas.CandidateIn(key=key, outputs=outputs) for key in KEYS[:2]]
    new = schemas.SetIn(name="Models", question="Which is better?", candidates=candidates, items=items)
    set_id = (await service.send(calls.create_set(new))).id
    votes = [
        schemas.ComparisonIn(item=key, first=KEYS[0], second=KEYS[1], judge="ann", winner="first") for key in PROMPTS
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    return set_id


async def read_and_printed(someone: Someone, set_id: UUID, path: str) -> tuple[str, str]:
    """What a page says on a screen and on paper, without spaces, which lines break at."""
    page = await open_page(someone, set_id, path)
    await page.wait_for_load_state("networkidle")
    read, paper = await page.locator("main").inner_text(), text_of(await page.pdf(prefer_css_page_size=True))
    return "".join(read.split()), "".join(paper.split())


@pytest.mark.parametrize("path", [*TABS, "/report"])
async def test_every_name_on_a_page_is_printed(texts: UUID, someone: Someone, path: str) -> None:
    read, paper = await read_and_printed(someone, texts, path)
    names = [*SHOWN.get(path, []), *(key for key in KEYS if key in read)]
    assert [name for name in names if name not in read or name not in paper] == []


async def test_every_prompt_of_the_items_is_printed_in_full(systems: UUID, someone: Someone) -> None:
    read, paper = await read_and_printed(someone, systems, "/items")
    assert [name for name in PROMPTS if name not in read or name not in paper] == []
