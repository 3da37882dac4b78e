"""The activity of a set: the log as it grows, voids and their undo, and who is at work."""

from uuid import UUID

from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Page, expect

from tests.browser.conftest import NewSet, Someone


async def judge(service: AsyncClient, set_id: UUID, *names: str) -> None:
    new = [schemas.ComparisonIn(first="c0", second="c1", winner="first", judge=name) for name in names]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=new)))


async def open_page(someone: Someone, set_id: UUID, query: str = "") -> Page:
    visitor = await someone()
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}/activity{query}")
    await expect(visitor.page.locator("#feed .skeleton")).to_have_count(0)
    return visitor.page


async def test_new_verdicts_appear_and_wait_while_the_pointer_is_over_the_log(
    someone: Someone, new_set: NewSet, service: AsyncClient
) -> None:
    set_id = await new_set("one", "two", "three")
    await judge(service, set_id, "ann")
    page = await open_page(someone, set_id)
    await judge(service, set_id, "bea")
    await expect(page.locator(".entry")).to_have_count(2)
    await expect(page.locator(".entry").first).to_contain_text("bea")
    await page.locator(".entry").first.hover()
    await judge(service, set_id, "cyd", "cyd")
    await expect(page.get_by_role("button", name="Show 2 new entries")).to_be_visible()
    await expect(page.locator(".entry")).to_have_count(2)
    await page.get_by_role("heading", name="Log").hover()
    await expect(page.locator(".entry")).to_have_count(4)


async def test_a_void_needs_a_reason_and_is_undone(someone: Someone, new_set: NewSet, service: AsyncClient) -> None:
    set_id = await new_set("one", "two")
    await judge(service, set_id, "ann")
    page = await open_page(someone, set_id)
    await page.get_by_role("button", name="Void").click()
    await page.get_by_role("dialog").get_by_role("button", name="Void", exact=True).click()
    await page.get_by_label("Reason").fill("<b>slip</b>")
    await page.keyboard.press("Enter")
    await expect(page.locator(".entry").first).to_contain_text("“<b>slip</b>”")
    assert (await service.send(calls.get_set(set_id))).comparisons == 0
    await page.locator("#toast").get_by_role("button", name="Undo").click()
    await expect(page.locator(".entry").first).to_contain_text("Restored")
    assert (await service.send(calls.get_set(set_id))).comparisons == 1


async def test_the_log_of_one_judge_is_in_the_address(someone: Someone, new_set: NewSet, service: AsyncClient) -> None:
    set_id = await new_set("one", "two")
    await judge(service, set_id, *["ann"] * 60, "bea")
    page = await open_page(someone, set_id)
    await page.locator("#judges").get_by_role("button", name="bea").click()
    await expect(page.locator(".entry")).to_have_count(1)
    await page.reload()
    await expect(page.locator(".entry")).to_have_count(1)
    await page.locator("#judge").select_option("")
    await page.get_by_role("button", name="Older").click()
    await expect(page.locator(".entry")).to_have_count(11)


async def test_who_is_at_work_and_what_comes_next(someone: Someone, new_set: NewSet, service: AsyncClient) -> None:
    set_id = await new_set("one", "two", "three")
    await service.send(calls.next_pair(set_id, judge="ann", worker="w"))
    page = await open_page(someone, set_id)
    await expect(page.locator("#work")).to_contain_text("ann")
    await expect(page.locator("#next li")).to_have_count(2)
    await expect(page.locator("#address")).to_contain_text(f"/sets/{set_id}/annotate")
