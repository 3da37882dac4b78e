"""The judges of a set compared, and the page of each, in a browser."""

from itertools import pairwise
from urllib.parse import quote
from uuid import UUID

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Page, expect

from tests.browser.conftest import JUDGES, KEYS, TEXTS, Judged, NewSet, Someone, open_page
from tests.browser.test_access import expect_accessible
from tests.browser.test_set_pages import held_up

SLOW = 20_000  # ms of a first computation
ANN, GPT = JUDGES


async def open_judge(someone: Someone, set_id: UUID, name: str, **options: object) -> Page:
    page = await open_page(someone, set_id, f"/judges/{quote(name, safe='')}", **options)
    await expect(page.locator("#detail")).to_be_visible(timeout=SLOW)
    return page


async def add(service: AsyncClient, set_id: UUID, *new: schemas.ComparisonIn) -> None:
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=list(new))))


async def test_judges_are_compared_sorted_and_chosen(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/judges")
    names = page.locator("#judges tbody th a")
    await expect(names).to_have_text([ANN, GPT], timeout=SLOW)
    await page.locator("[data-sort=judge]").click()
    await expect(names).to_have_text([GPT, ANN])
    for name in JUDGES:
        await page.get_by_label(f"Choose {name} to compare").check()
    await page.reload()
    await expect(names).to_have_text([GPT, ANN], timeout=SLOW)
    await page.get_by_role("link", name=f"Compare {ANN} with {GPT}").click()
    await page.wait_for_url("**/compare?mode=judges&a=ann&b=gpt+%3Cb%3E")


async def test_a_new_verdict_is_counted_and_the_focus_stays(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    set_id = await judged()
    page = await open_page(someone, set_id, "/judges")
    box = page.get_by_label(f"Choose {ANN} to compare")
    await box.focus(timeout=SLOW)
    await add(service, set_id, schemas.ComparisonIn(first="c0", second="c4", winner="first", judge=ANN))
    await expect(page.locator("#totals")).to_contain_text("121", timeout=SLOW)
    await expect(box).to_be_focused()
    await expect(page.get_by_role("cell")).not_to_have_count(0)


async def test_a_method_adds_the_skill_and_a_late_answer_does_not(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/judges")
    skill = page.locator("#judges td[data-column=skill]")
    await expect(page.locator("#judges tbody tr")).to_have_count(2, timeout=SLOW)
    await expect(skill).to_have_count(0)
    await page.get_by_text("Advanced").click()
    async with held_up(page, "**/judges?method=majority*"):
        await page.get_by_label("Skill by").select_option("majority")
        await page.get_by_label("Skill by").select_option("dawid-skene")
    await expect(skill).to_have_count(2)
    await expect(skill.first).not_to_have_text("–")
    await expect(page.locator("#problem")).to_be_hidden()


async def test_disputed_pairs_show_both_texts_and_who_is_for_which(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS)
    said = [("ann", 0.9), ("<i>ben", 0.25), ("cid", 0.5)]
    await add(
        service, set_id, *(schemas.ComparisonIn(first="c0", second="c4", p_first=p, judge=judge) for judge, p in said)
    )
    page = await open_page(someone, set_id, "/judges")
    await expect(page.locator("#alpha")).to_contain_text("on 1 pair", timeout=SLOW)
    await expect(page.locator(".heat td a")).to_have_text(["0% 1 pair"] * 6)
    await expect(page.locator(".dispute .text")).to_have_text([TEXTS[0], TEXTS[4]])
    await expect(page.locator(".dispute .said")).to_have_text(
        ["Better, by: ann (90%)", "Better, by: <i>ben (75%)", "Tie, by: cid (50%)"]
    )
    await expect(page.locator("#more-disputes")).to_be_hidden()


async def test_many_judges_are_listed_by_their_lowest_agreement(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS)
    pairs = list(pairwise(KEYS))
    new = [
        schemas.ComparisonIn(first=a, second=b, winner="second" if n == 7 else "first", judge=f"judge {n}")
        for n in range(13)
        for a, b in pairs
    ]
    await add(service, set_id, *new)
    page = await open_page(someone, set_id, "/judges")
    rows = page.locator("#agreement tbody tr")
    await expect(rows).to_have_count(12, timeout=SLOW)
    await expect(rows.filter(has_text="judge 7")).to_have_count(12)


async def test_a_set_without_verdicts_says_what_to_do(new_set: NewSet, someone: Someone) -> None:
    page = await open_page(someone, await new_set(*TEXTS), "/judges")
    await expect(page.get_by_role("heading", name="No judge yet")).to_be_visible()
    await expect(page.locator("#empty").get_by_role("link", name="Judge pairs")).to_be_visible()


async def test_a_row_opens_the_judge_whose_verdicts_can_be_voided(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/judges")
    await page.locator("#judges tbody tr", has_text=GPT).locator("td[data-column=verdicts]").click(timeout=SLOW)
    await expect(page.locator("h2").first).to_have_text(GPT)
    await expect(page.locator("#headline")).to_contain_text(f"{GPT} agrees with the other judges on", timeout=SLOW)
    await expect(page.locator("#history svg .line")).to_have_count(1)
    await expect(page.locator("#calibration svg")).to_be_visible()
    verdicts = page.locator("#figures div", has_text="Verdicts").locator("dd")
    await expect(verdicts).to_have_text("60")
    await page.get_by_role("button", name="Void verdict 120", exact=True).click()
    await page.get_by_role("button", name="Wrong side").click()
    await page.get_by_role("dialog").get_by_role("button", name="Void", exact=True).click()
    await expect(verdicts).to_have_text("59", timeout=SLOW)
    await expect(page.locator(".is-voided")).to_have_count(1)
    await page.locator("#toast").get_by_role("button", name="Undo").click()
    await expect(verdicts).to_have_text("60", timeout=SLOW)
    await expect(page.locator(".is-voided")).to_have_count(0)


async def test_a_price_makes_the_cost_known(judged: Judged, someone: Someone) -> None:
    page = await open_judge(someone, await judged(), GPT)
    await expect(page.locator("#figures")).not_to_contain_text("Cost")
    await page.get_by_label("Price per 1,000").fill("50")
    await page.get_by_label("Model", exact=True).fill("gpt-4o")
    await page.get_by_role("button", name="Save").press("Enter")
    await expect(page.locator("#figures div", has_text="Cost").locator("dd")).to_have_text("$3.00", timeout=SLOW)
    await expect(page.locator("#described")).to_have_text("gpt-4o")


async def test_what_is_drawn_stays_in_the_address(judged: Judged, someone: Someone) -> None:
    page = await open_judge(someone, await judged(), ANN)
    chosen = page.get_by_role("button", name="As predicted")
    await chosen.click()
    await page.reload()
    await expect(chosen).to_have_attribute("aria-pressed", "true", timeout=SLOW)
    await expect(page).to_have_url(f"{page.url.split('?')[0]}?against=predicted")


@pytest.mark.parametrize("name", ["team/größe 7", "<img src=x onerror=alert(1)>", "مرحبا بالعالم", "a?b#c%20"])
async def test_a_judge_of_any_name_has_a_page(
    new_set: NewSet, someone: Someone, service: AsyncClient, name: str
) -> None:
    set_id = await new_set(*TEXTS)
    await add(service, set_id, schemas.ComparisonIn(first="c0", second="c1", winner="first", judge=name))
    page = await open_page(someone, set_id, "/judges")
    await page.locator("#judges tbody th a").click(timeout=SLOW)
    await expect(page.locator("#headline")).to_contain_text(name, timeout=SLOW)
    await expect(page.locator("#latest tbody tr")).to_have_count(1)
    await expect(page.locator("#problem")).to_be_hidden()


async def test_a_bias_that_is_not_known_is_said_not_to_be(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS, position_bias="estimate")
    one_way = [schemas.ComparisonIn(first=a, second=b, p_first=0.8, judge="ann") for a, b in pairwise(KEYS)]
    await add(service, set_id, *one_way)
    page = await open_judge(someone, set_id, "ann")
    await expect(page.locator("#doubts")).to_contain_text("merit")


async def test_a_judge_that_nobody_knows_has_no_page(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/judges/nobody%20here")
    await expect(page.locator("main")).to_contain_text("There is no judge 'nobody here'")


async def test_a_judge_of_other_sets_says_that_it_has_no_verdict_here(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    await service.send(calls.describe_judge("idle", schemas.JudgeIn(kind="llm")))
    page = await open_page(someone, await judged(), "/judges/idle")
    await expect(page.locator("#problem")).to_contain_text("Judge 'idle' has no verdict in this set", timeout=SLOW)
    await expect(page.locator(".skeleton")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_the_page_of_a_judge_is_accessible_and_fits(
    judged: Judged, someone: Someone, colours: str, width: int
) -> None:
    page = await open_judge(
        someone, await judged(), GPT, color_scheme=colours, viewport={"width": width, "height": 640}
    )
    await expect(page.locator("#calibration svg")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    await expect_accessible(page)
