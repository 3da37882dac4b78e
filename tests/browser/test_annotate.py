"""The page for annotators: its bar, options, keys and reasons, and a pair that its address names."""

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import expect

from tests.browser.annotator import Annotator
from tests.browser.conftest import NewSet, Someone

ANSWERS = ["# One\n\n**bold** text", "Two", "Three " * 2000]


async def places(ada: Annotator) -> list[object]:
    buttons = await ada.page.locator("#answers button").all()
    return [await button.bounding_box() for button in buttons]


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}])
async def test_the_buttons_never_move(new_set: NewSet, someone: Someone, size: dict[str, int]) -> None:
    """Not by a countdown, a message, another pair, or none."""
    ada = await someone(viewport=size)
    await ada.open(await new_set(*ANSWERS, metadata={"minimum_reading_seconds": 1}, context="For children."))
    await ada.expect_message("you can judge in", "countdown")
    first = await places(ada)
    await ada.page.keyboard.press("u")
    await ada.expect_message("nothing to undo")
    assert await places(ada) == first
    for _ in range(3):
        await expect(ada["countdown"]).to_be_hidden()
        await ada.judge("1")
        assert await places(ada) == first
    await ada.expect_message("no pair is left to judge")
    assert await places(ada) == first


async def test_a_verdict_is_acknowledged_once_the_service_has_it(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    await ada.open(await new_set(*ANSWERS))
    for key, words in (("2", "Sent: second"), ("3", "Sent: tie"), ("u", "Taken back")):
        await ada.expect_pair()
        await ada.page.keyboard.press(key)
        await expect(ada["sent"]).to_have_text(words)


async def test_it_leads_nowhere_else(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    await ada.open(await new_set("One", "Two"))
    await ada.judge()
    await ada.expect_message("no pair is left to judge")
    assert await ada.page.locator("a:visible:not(.skip)").count() == 0


async def test_markdown_is_shown_and_the_choice_of_the_source_is_remembered(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    await ada.open(await new_set(*ANSWERS[:2], context="For *children*.", metadata={"instructions": "Read **both**."}))
    await expect(ada["pair"].locator("strong")).to_have_text("bold")
    await expect(ada["guide"].locator("strong")).to_have_text("both")
    await ada.page.keyboard.press("r")
    await expect(ada["pair"].get_by_text("**bold**")).to_be_visible()
    await ada.choose("larger")
    await ada.page.get_by_role("button", name="Instructions").click()
    size = await ada["first"].evaluate("(box) => getComputedStyle(box).fontSize")
    assert size == "18px"
    await ada.page.reload()
    await expect(ada["pair"].get_by_text("**bold**")).to_be_visible()
    await expect(ada["guide"]).to_be_hidden()
    assert await ada["first"].evaluate("(box) => getComputedStyle(box).fontSize") == size


async def test_keys_can_be_changed_but_not_taken_from_each_other(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    await ada.open(await new_set(*ANSWERS))
    await ada.expect_pair()
    await ada.page.keyboard.press("?")
    key = ada["key-list"].get_by_role("button", name="First is better")
    await key.click()
    await ada.page.keyboard.press("s")
    await expect(ada["key-problem"]).to_contain_text('s is the key of "Skip"')
    await key.click()
    await ada.page.keyboard.press("f")
    await expect(key).to_have_text("f")
    await ada.page.keyboard.press("Escape")
    await ada.page.reload()
    await ada.expect_pair()
    await ada.page.keyboard.press("1")
    await expect(ada.page.get_by_role("button", name="First is better f")).to_be_visible()
    await ada.judge("f")
    assert await ada.judged() == 1


async def test_a_reason_is_stored_with_its_verdict(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    set_id, ada = await new_set(*ANSWERS, metadata={"ask_reasons": True}), await someone()
    await ada.open(set_id)
    for answer in ("text", "chip", "none"):
        await ada.expect_pair()
        await ada.page.keyboard.press("1")
        await expect(ada["why"]).to_contain_text("Why is the first better?")
        if answer == "chip":
            await ada["why"].get_by_role("button", name="Clearer").click()
        else:
            await ada.page.keyboard.type("It says why." if answer == "text" else "")
            await ada.page.keyboard.press("Enter")
        await expect(ada["why"]).to_be_hidden()
    await ada.expect_in_set(3)
    entries = (await service.send(calls.list_comparisons(set_id))).comparisons
    assert [entry.raw for entry in entries] == [{"reason": "It says why."}, {"reason": "Clearer"}, None]


async def test_a_skip_has_a_reason_to_choose(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    await ada.open(await new_set(*ANSWERS))
    await ada.expect_pair()
    await ada.page.keyboard.press("s")
    async with ada.answer_to("/verdict") as answer:
        await ada["skipping"].get_by_role("button", name="Not my language").click()
    assert (await (await answer.value).json())["reason"] == "Not my language"
    await expect(ada["sent"]).to_have_text("Skipped")


async def test_an_address_names_the_pair(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    ada = await someone()
    set_id = await new_set(items=[schemas.ItemIn(key="sky", prompt="Why is it blue?")])
    outputs = [schemas.CandidateIn(key=key, outputs={"sky": f"By {key}."}) for key in ("gpt, 4", "qwen", "kelp")]
    await service.send(calls.add_candidates(set_id, schemas.CandidatesIn(candidates=outputs)))
    await ada.open(set_id, query="?pair=qwen,gpt%2C%204&item=sky")
    assert await ada.pair() == ("By qwen.", "By gpt, 4.")
    await expect(ada["prompt-text"]).to_have_text("Why is it blue?")
    await ada.page.keyboard.press("2")
    await expect(ada["sent"]).to_have_text("Sent: second")
    await expect(ada["pair"]).to_be_hidden()
    await expect(ada["back"]).to_have_attribute("href", f"/sets/{set_id}/items?item=sky")
    await ada.page.keyboard.press("u")
    await ada.expect_message("taken back")
    await ada.judge("1")
    await expect(ada["sent"]).to_have_text("Sent: first")
    entries = (await service.send(calls.list_comparisons(set_id))).comparisons
    assert [(entry.first, entry.winner, bool(entry.voided_by)) for entry in entries] == [
        ("qwen", "second", True), ("qwen", "first", False),
    ]  # fmt: skip
    unknown = await ada.page.request.get(f"{ada.url}/sets/{set_id}/annotate?pair=qwen,nobody&item=sky")
    assert unknown.status in (404, 422)
