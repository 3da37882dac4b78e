"""The settings of a set: read as sentences, changed in place, and its deletion with its undo."""

from uuid import UUID

from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Page, expect

from tests.browser.conftest import NewSet, Someone


async def open_page(someone: Someone, set_id: UUID) -> Page:
    visitor = await someone()
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}/settings")
    await expect(visitor.page.get_by_role("button", name="Edit: Name")).to_be_visible()
    return visitor.page


async def test_a_setting_is_changed_in_place_and_acknowledged(
    someone: Someone, new_set: NewSet, service: AsyncClient
) -> None:
    set_id = await new_set("one", "two", "three")
    page = await open_page(someone, set_id)
    await page.get_by_role("button", name="Edit: Goal").click()
    await page.locator("[name=top_k]").first.fill("2")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("[data-setting=Goal]")).to_contain_text("Find the best 2 candidates.")
    await expect(page.locator("[data-setting=Goal] .badge")).to_have_text("Saved")
    await page.get_by_role("button", name="Edit: Stop rule").click()
    await page.get_by_label("The goal is known with").first.check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("[data-setting='Stop rule'] .badge")).to_have_text("Saved")
    await page.get_by_role("button", name="Edit: Budget").click()
    await page.locator("[name=budget]").fill("40")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-setting=Budget] .badge")).to_have_text("Saved")
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("button", name="Resume")).to_be_visible()
    kept = await service.send(calls.get_set(set_id))
    assert (kept.goal.top_k, kept.status) == (2, "paused")
    assert (kept.stop, kept.budget) == (schemas.Stop(goal=0.95), schemas.Budget(max_comparisons=40))
    await page.reload()
    await expect(page.locator("[data-setting='Stop rule']")).to_contain_text("the goal is known with 95% confidence")


async def test_what_is_refused_stays_in_the_form_with_its_error(someone: Someone, new_set: NewSet) -> None:
    page = await open_page(someone, await new_set("one", "two"))
    await page.get_by_role("button", name="Edit: Goal").click()
    await page.locator("[name=against]").fill("nobody")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("[name=against]")).to_have_value("nobody")
    await expect(page.locator(".field", has=page.locator("[name=against]"))).to_contain_text("Unknown candidate")
    await page.get_by_role("button", name="Cancel").click()
    await expect(page.locator("[data-setting=Goal]")).to_contain_text("Find the order of all candidates.")


async def test_a_judge_gets_a_price_and_a_temperature(someone: Someone, new_set: NewSet, service: AsyncClient) -> None:
    set_id = await new_set("one", "two")
    new = [schemas.ComparisonIn(first="c0", second="c1", winner="first", judge="gpt <i>")]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=new)))
    page = await open_page(someone, set_id)
    await page.get_by_role("button", name="Edit gpt <i>").click()
    await page.get_by_label("Kind").select_option("llm")
    await page.get_by_label("Price").fill("0.57")
    await page.get_by_label("Temperature").fill("2")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("#judges tbody")).to_contain_text("0.57")
    assert (await service.send(calls.get_set(set_id))).temperatures == {"gpt <i>": 2.0}
    assert (await service.send(calls.get_judge("gpt <i>"))).cost_per_1000 == 0.57


async def test_a_set_is_deleted_by_its_name_and_restored_from_its_page(someone: Someone, new_set: NewSet) -> None:
    page = await open_page(someone, await new_set("one", "two", name="Sky <b>"))
    await expect(page.get_by_role("button", name="Delete set")).to_be_disabled()
    await page.get_by_label("Its name").fill("Sky <b>")
    await page.get_by_role("button", name="Delete set").click()
    await expect(page.get_by_role("heading", name="Sky <b> was deleted")).to_be_visible()
    await page.get_by_role("button", name="Restore").click()
    await expect(page.get_by_role("heading", name="Sky <b>", exact=True)).to_be_visible()
