"""Items of a set, and the judged pairs of a set of texts, in a browser."""

import re
from itertools import combinations
from uuid import UUID

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Page, expect

from tests.browser.conftest import NewSet, Someone
from tests.browser.test_access import expect_accessible

SYSTEMS = ("finch", "heron", "wren", "<b>owl</b>")
PROMPTS = {"p0": "Reverse a string.", "p1": "Name a lighthouse, please.", "p2": "Sum two numbers."}


@pytest.fixture
async def models(service: AsyncClient) -> UUID:
    """Four systems on three prompts: ben contradicts ann on the second, and a pair of the third has one odd verdict."""
    items = [schemas.ItemIn(key=key, prompt=prompt, tags={"kind": "code"}) for key, prompt in PROMPTS.items()]
    items[1] = schemas.ItemIn(key="p1", prompt=PROMPTS["p1"], tags={"kind": "prose"})
    candidates = [
        schemas.CandidateIn(key=each, outputs={key: f"{each} on {key}" for key in PROMPTS}) for each in SYSTEMS
    ]
    new = schemas.SetIn(name="Models", question="Which is better?", candidates=candidates, items=items)
    set_id = (await service.send(calls.create_set(new))).id
    verdicts = [
        schemas.ComparisonIn(item=item, first=first, second=second, judge=judge, p_first=p)
        for item in PROMPTS
        for first, second in combinations(SYSTEMS, 2)
        for judge, p in (("ann", 1.0), ("ben", 0.0 if item == "p1" else 1.0))
    ]
    odd = schemas.ComparisonIn(item="p2", first="finch", second=SYSTEMS[3], judge="cid", winner="second")
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=[*verdicts, odd])))
    return set_id


async def open_items(someone: Someone, set_id: UUID, query: str = "", **options: object) -> Page:
    visitor = await someone(**options)
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}/items{query}")
    await expect(visitor.page.locator("#loading")).to_be_hidden()
    return visitor.page


async def expect_rows(page: Page, *keys: str) -> None:
    await expect(page.locator("#items tbody .open")).to_have_text(list(keys))


async def test_what_judges_disagree_on_comes_first_and_keys_step_through(models: UUID, someone: Someone) -> None:
    page = await open_items(someone, models)
    await expect_rows(page, "p1", "p2", "p0")
    await page.get_by_role("button", name="Surprise, bits").click()
    await expect(page).to_have_url(re.compile(r"sort=-surprise"))
    await page.go_back()
    page = await open_items(someone, models)
    await page.keyboard.press("j")
    panel = page.locator("dialog.panel")
    await expect(panel.get_by_role("heading", name="p1")).to_be_focused()
    await expect(panel.locator(".prompt")).to_have_text(PROMPTS["p1"])
    await expect(panel.locator(".outputs section")).to_have_count(4)
    await page.keyboard.press("j")
    await expect(panel.locator(".advice")).to_have_text(
        re.compile(r"^\s*Verdict 37 by cid accounts for \d+% of the surp")
    )
    await panel.get_by_role("button", name="Side by side").first.click()
    await expect(panel.locator(".outputs h4")).to_have_text(["finch", "<b>owl</b>"])
    await expect(page).to_have_url(re.compile(r"item=p2&pair="))
    await page.reload()
    await expect(panel.locator(".outputs h4")).to_have_text(["finch", "<b>owl</b>"])
    await page.keyboard.press("ArrowLeft")
    await expect(panel.locator(".prompt")).to_have_text(PROMPTS["p1"])
    await page.keyboard.press("Escape")
    await expect(panel).to_have_count(0)
    assert "item=" not in page.url


async def test_a_void_takes_effect_and_can_be_undone(models: UUID, someone: Someone, service: AsyncClient) -> None:
    page = await open_items(someone, models, "?item=p2")
    await page.get_by_role("button", name="Void verdict 37 by cid").click()
    await page.get_by_role("button", name="Wrong side").click()
    await page.get_by_role("dialog", name="Void verdict 37?").get_by_role("button", name="Void", exact=True).click()
    await expect(page.locator("#toast")).to_contain_text("Verdict 37 no longer counts.")
    await expect(page.locator(".advice")).to_contain_text("The verdicts fit the ranking.")
    (voided,) = [each for each in (await service.send(calls.list_comparisons(models))).comparisons if each.voided_by]
    assert voided.seq == 37
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator("#toast")).to_contain_text("Verdict 37 counts again.")
    await expect(page.locator(".advice")).to_contain_text("by cid accounts for")


async def test_filters_are_in_the_address(models: UUID, someone: Someone) -> None:
    page = await open_items(someone, models)
    await page.get_by_label("Tag").select_option("code")
    await expect_rows(page, "p2", "p0")
    await expect(page.get_by_role("link", name="Ranking on code")).to_have_attribute("href", f"/sets/{models}?by=kind")
    await page.get_by_role("searchbox").fill("reverse A")
    await expect_rows(page, "p0")
    await page.reload()
    await expect_rows(page, "p0")
    await expect(page.get_by_label("Tag")).to_have_value("kind:code")
    await page.get_by_role("searchbox").fill("nothing of this")
    await page.get_by_role("button", name="Clear filters").click()
    await expect_rows(page, "p1", "p2", "p0")
    page = await open_items(someone, models, "?judge=cid")
    await expect_rows(page, "p2")
    await page.get_by_role("button", name="Remove the filter cid").click()
    await expect_rows(page, "p1", "p2", "p0")


async def test_two_prompts_are_compared(models: UUID, someone: Someone) -> None:
    page = await open_items(someone, models, color_scheme="dark", viewport={"width": 320, "height": 640})
    for key in ("p0", "p1"):
        await page.get_by_role("checkbox", name=f"Choose {key} to compare").check()
    await page.reload()
    await page.get_by_role("link", name="Compare p0 with p1").click()
    await expect(page).to_have_url(re.compile(r"/compare\?mode=items&a=p0&b=p1$"))
    await expect(page.locator("#answer-line")).to_have_text(
        "Judges disagree more on p1 (1.00) than on p0 (0.00). "
        "finch leads on p0, 4 candidates on p1, by wins minus losses."
    )
    wins = page.get_by_role("region", name="Wins on each prompt").locator("tbody tr")
    await expect(wins).to_have_text(
        ["finch6 won, 0 lost3 won, 3 lost", re.compile("^heron4 won, 2"), re.compile("^wren"), re.compile("^<b>owl")]
    )
    await expect(page.locator(".sides .text")).to_have_text([PROMPTS["p0"], PROMPTS["p1"]])
    await expect_accessible(page)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 320
    await page.get_by_label("B", exact=True).fill("p9")
    await page.get_by_label("B", exact=True).press("Enter")
    await expect(page.get_by_text("There is no p9 here.")).to_be_visible()


@pytest.mark.parametrize(("colours", "width"), [("light", 1280), ("dark", 320)])
async def test_axe_finds_nothing(models: UUID, someone: Someone, colours: str, width: int) -> None:
    page = await open_items(someone, models, color_scheme=colours, viewport={"width": width, "height": 640})
    await expect_accessible(page)
    await page.locator("#items .open").first.click()
    await expect(page.locator(".outputs section")).to_have_count(4)
    await expect_accessible(page)
    assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_a_set_of_texts_lists_its_pairs(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    set_id = await new_set("Air scatters blue light.", "<script>alert(1)</script>", "It is painted.")
    page = await open_items(someone, set_id)
    await expect(page.locator("#empty")).to_be_visible()
    sides = [("c0", "c1", 1.0), ("c1", "c0", 1.0), ("c0", "c2", 0.5), ("c2", "c0", 0.5)]
    verdicts = [
        schemas.ComparisonIn(first=first, second=second, p_first=p, judge=judge)
        for (first, second, p), judge in zip(sides, ["ann", "ben"] * 2, strict=True)
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=verdicts)))
    page = await open_items(someone, set_id)
    await expect_rows(page, "c0 against c1", "c0 against c2")
    await page.locator("#items .open").first.click()
    panel = page.locator("dialog.panel")
    await expect(panel.locator(".outputs .text")).to_have_text(
        ["Air scatters blue light.", "<script>alert(1)</script>"]
    )
    await expect(panel.locator(".verdicts [data-column=winner] bdi")).to_have_text(["c0", "c1"])
    await expect(panel.get_by_role("link", name="Ask again")).to_have_attribute(
        "href", f"/sets/{set_id}/annotate?pair=c0,c1"
    )
    await page.reload()
    await expect(panel.locator(".outputs .text")).to_have_count(2)
