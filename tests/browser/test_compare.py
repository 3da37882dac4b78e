"""Candidates, versions and judges compared, and the win matrix, in a browser."""

import re
from uuid import UUID

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Locator, Page, expect

from tests.browser.conftest import JUDGES, KEYS, TEXTS, Judged, NewSet, Someone, open_page
from tests.browser.test_access import expect_accessible

MODES = ("", "?mode=versions", "?mode=judges", "?a=c0&b=c1", f"?mode=judges&a={JUDGES[0]}&b=gpt+%3Cb%3E")


def answer(page: Page) -> Locator:
    return page.locator("#answer-line")


async def ready(page: Page) -> None:
    await expect(page.locator("#compared")).not_to_have_attribute("aria-busy", "true", timeout=20_000)


async def goal_of(service: AsyncClient, set_id: UUID) -> tuple[str, str] | None:
    return (await service.send(calls.get_set(set_id))).goal.pair


async def test_two_candidates_are_chosen_and_the_address_keeps_them(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/compare")
    await page.get_by_label("A", exact=True).fill("c0")
    await page.get_by_label("B", exact=True).fill("c4")
    await page.get_by_label("B", exact=True).press("Enter")
    await expect(answer(page)).to_contain_text("c0 wins", timeout=20_000)
    await expect(page).to_have_url(re.compile(r"\?a=c0&b=c4$"))
    await expect(page.locator("#compared .figures dd")).to_have_count(3)
    await expect(page.locator(".forest tbody")).to_contain_text(["Ranking's estimate", "By judge"])
    await expect(page.locator("#texts .text.second")).to_have_text(TEXTS[4])
    await page.get_by_label("Word differences").uncheck()
    await page.reload()
    await expect(answer(page)).to_contain_text("c0 wins", timeout=20_000)
    await expect(page.get_by_label("Word differences")).not_to_be_checked()
    await page.get_by_role("button", name="Swap").click()
    await expect(answer(page)).to_contain_text("c4 wins", timeout=20_000)
    await page.go_back()
    await expect(page.locator(".matrix")).to_be_visible()


async def test_words_that_differ_are_marked_in_texts_that_are_alike(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set("The sky is blue.", "The sky is grey.", "Nobody knows.")
    new = [schemas.ComparisonIn(first="c0", second=key, winner="first", judge="ann") for key in ("c1", "c2")]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=new)))
    page = await open_page(someone, set_id, "/compare?a=c0&b=c1")
    await expect(page.locator("#texts mark")).to_have_text(["blue", "grey"], timeout=20_000)
    await page.get_by_label("B", exact=True).fill("c2")
    await page.get_by_label("B", exact=True).press("Enter")
    await expect(page.locator("#texts")).to_contain_text("share few words", timeout=20_000)
    await expect(page.locator("#texts mark")).to_have_count(0)


async def test_a_new_verdict_changes_the_figures_and_leaves_the_texts(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    set_id = await judged()
    page = await open_page(someone, set_id, "/compare?a=c0&b=c4")
    text, figures = page.locator("#texts .text.second"), page.locator("#compared .figures")
    await text.focus(timeout=20_000)
    before = await figures.text_content()
    new = [schemas.ComparisonIn(first="c0", second="c4", winner="first", judge="new")]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=new)))
    await expect(figures).not_to_have_text(before or "", timeout=20_000)
    await expect(text).to_be_focused()


async def test_what_is_nobodys_key_is_refused_and_the_comparison_stays(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/compare?a=c0&b=c1")
    await page.get_by_label("B", exact=True).fill("oak")
    await page.get_by_label("B", exact=True).press("Enter")
    await expect(page.get_by_text("There is no oak here.")).to_be_visible()
    await expect(page).to_have_url(re.compile("b=c1"))


async def test_a_cell_of_the_win_matrix_opens_its_comparison(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/compare")
    cells = page.get_by_role("gridcell")
    await expect(cells).to_have_count(len(KEYS) ** 2)
    await cells.nth(1).focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        await page.keyboard.press(key)
    await expect(answer(page)).to_contain_text("wins", timeout=20_000)
    await page.go_back()
    await page.get_by_role("button", name="Observed").click()
    await expect(page.get_by_role("button", name="Observed")).to_have_attribute("aria-pressed", "true")
    await cells.nth(4).click()
    await expect(answer(page)).to_contain_text("wins", timeout=20_000)


async def test_the_matrix_of_many_candidates_is_read_by_keys(new_set: NewSet, someone: Someone) -> None:
    page = await open_page(someone, await new_set(*(f"Text {n}" for n in range(31))), "/compare")
    await expect(page.locator("#at")).to_contain_text("c0 (rank 1) against c1 (rank 2)")
    await page.locator("#map").focus()
    for key in ("+", "ArrowDown", "-", "0", "ArrowRight"):
        await page.keyboard.press(key)
    await expect(page.locator("#at")).to_contain_text("(rank 2) against")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(r"\?a=c\d+&b=c\d+$"))
    await expect(page.locator("#compared .notice")).to_contain_text("No verdicts yet", timeout=20_000)


async def test_the_pair_becomes_the_goal_after_a_confirmation(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS)
    page = await open_page(someone, set_id, "/compare?a=c0&b=c1")
    goal = page.get_by_role("button", name="Make this the goal")
    await goal.click()
    await page.get_by_role("button", name="Cancel").click()
    assert await goal_of(service, set_id) is None
    await goal.click()
    await page.get_by_role("dialog").get_by_role("button", name="Make this the goal").click()
    await expect(page.locator("#toast")).to_contain_text("Judges now get the pairs")
    assert await goal_of(service, set_id) == ("c0", "c1")
    await expect(page.locator(".decide")).to_contain_text("This pair is the set's goal already.")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator("#toast")).to_be_hidden()
    await expect(goal).to_be_visible()
    assert await goal_of(service, set_id) is None


async def test_versions_and_judges(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    set_id = await new_set(*TEXTS)
    disputed = [
        schemas.ComparisonIn(first="c0", second="c4", p_first=p, judge=j)
        for j, p in zip(JUDGES, (0.9, 0.1), strict=True)
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=disputed)))
    page = await open_page(someone, set_id, "/compare")
    await page.get_by_role("button", name="Versions").click()
    await expect(page.locator(".versions tbody tr")).to_have_count(len(KEYS), timeout=20_000)
    await page.get_by_label("A", exact=True).fill("1")
    await page.get_by_label("A", exact=True).press("Enter")
    await expect(answer(page)).to_contain_text("at version 1", timeout=20_000)
    await page.get_by_role("button", name="Judges").click()
    await page.get_by_role("button", name=re.compile("ann and")).click(timeout=20_000)
    await expect(answer(page)).to_contain_text("ann and gpt <b> name the same winner on 0% of 1 pair")
    await expect(page.locator(".dispute")).to_contain_text(TEXTS[0])


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_axe_finds_nothing_in_any_mode(judged: Judged, someone: Someone, width: int, colours: str) -> None:
    set_id = await judged()
    for mode in MODES:
        view = {"width": width, "height": 640}
        page = await open_page(someone, set_id, f"/compare{mode}", color_scheme=colours, viewport=view)
        await ready(page)
        await expect_accessible(page)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, mode
