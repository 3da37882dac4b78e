"""Judging by keyboard, undo, skip, reading time, leases, two people at once."""

import asyncio
import time
from uuid import UUID

from nextpair import AsyncClient, calls, schemas
from playwright.async_api import expect

from tests.browser.annotator import VERDICT_KEYS, Annotator
from tests.browser.conftest import NewSet, Someone

ANSWERS = [f"Answer number {n}." for n in range(9)]
WINNERS = {"1": "first", "2": "second", "3": "tie", "4": "both_bad", "=": "tie"} | {
    "ArrowLeft": "first", "ArrowRight": "second",
}  # fmt: skip


async def log(service: AsyncClient, set_id: UUID) -> list[schemas.Comparison]:
    return (await service.send(calls.list_comparisons(set_id))).comparisons


async def test_thirty_pairs_by_keyboard_are_thirty_comparisons(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, ada = await new_set(*ANSWERS), await someone()
    await ada.open(set_id, "ada")
    keys = [VERDICT_KEYS[n % len(VERDICT_KEYS)] for n in range(30)]
    seen = []
    for key in keys:
        seen.append(await ada.pair())
        await ada.judge(key)
    await expect(ada["progress"]).to_have_text("30 by you today · 30 of 36 in the set · 6 left")
    entries = await log(service, set_id)
    assert [entry.winner for entry in entries] == [WINNERS[key] for key in keys]
    assert [(ANSWERS[int(e.first[1])], ANSWERS[int(e.second[1])]) for e in entries] == seen
    assert {entry.judge for entry in entries} == {"ada"}
    assert not any(entry.late for entry in entries)
    assert all(entry.latency_ms is not None for entry in entries)


async def test_an_undone_vote_is_void_and_its_pair_comes_again(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, ada = await new_set(*ANSWERS), await someone()
    await ada.open(set_id)
    await ada.judge("1")
    pair = await ada.pair()
    await ada.judge("1")
    await ada.expect_in_set(2)
    async with ada.answer_to("/void"):
        await ada.page.keyboard.press("u")
    await ada.expect_message("taken back")
    await ada.expect_judged(1)
    await ada.expect_in_set(1)
    assert await ada.pair() == pair
    await ada.judge("2")
    await ada.expect_in_set(2)
    before, undone, again = await log(service, set_id)
    assert (before.voided_by, undone.voided_by, again.voided_by) == (None, 3, None)
    assert (again.first, again.second, again.winner) == (undone.first, undone.second, "second")


async def test_undo_goes_back_as_far_as_the_page_remembers(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, ada = await new_set(*ANSWERS), await someone()
    await ada.open(set_id)
    await ada.expect_pair()
    await ada.page.keyboard.press("u")
    await ada.expect_message("nothing to undo")
    pairs = []
    for count in (1, 2):
        pairs.append(await ada.pair())
        await ada.judge("1")
        await ada.expect_in_set(count)
    for pair in reversed(pairs):
        async with ada.answer_to("/void"):
            await ada.page.keyboard.press("z")
        assert await ada.pair() == pair
    assert all(entry.voided_by for entry in await log(service, set_id))


async def test_a_skipped_pair_is_a_failure_with_its_reason(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, ada = await new_set(*ANSWERS), await someone()
    await ada.open(set_id)
    pair = await ada.pair()
    await ada.page.keyboard.press("s")
    await ada.page.keyboard.type("1 is in a language I cannot read")
    async with ada.answer_to("/verdict") as answer:
        await ada.page.keyboard.press("Enter")
    recorded = await (await answer.value).json()
    assert (recorded["failure"], recorded["reason"]) == ("skipped", "1 is in a language I cannot read")
    assert await ada.pair() != pair
    await ada.page.keyboard.press("u")
    await ada.expect_message("a skipped pair cannot be undone")
    assert await log(service, set_id) == []
    assert (await service.send(calls.diagnostics(set_id))).judges["ada"].failures == {"skipped": 1}


async def test_an_undone_pair_that_is_skipped_does_not_come_again(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    """It has no lease any more, so it is skipped as soon as the service gives one."""
    set_id, ada = await new_set(*ANSWERS[:4]), await someone()
    await ada.open(set_id)
    pair = await ada.pair()
    await ada.judge("1")
    await ada.expect_in_set(1)
    async with ada.answer_to("/void"):
        await ada.page.keyboard.press("u")
    assert await ada.pair() == pair
    await ada.page.keyboard.press("s")
    await ada.page.keyboard.press("Enter")
    seen = []
    for count in range(1, 6):
        seen.append(set(await ada.pair()))
        await ada.judge("1")
        await ada.expect_in_set(count)
    assert set(pair) not in seen
    await ada.expect_message("no pair is left")
    assert (await service.send(calls.diagnostics(set_id))).judges["ada"].failures == {"skipped": 1}


async def test_skipping_can_be_called_off(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    await ada.open(await new_set(*ANSWERS))
    pair = await ada.pair()
    await ada.page.keyboard.press("s")
    await ada.page.keyboard.press("Escape")
    await expect(ada["skipping"]).to_be_hidden()
    assert await ada.pair() == pair


async def test_nothing_can_be_judged_before_the_reading_time_has_passed(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, ada = await new_set(*ANSWERS, metadata={"minimum_reading_seconds": 1.5}), await someone()
    await ada.open(set_id)
    await ada.expect_pair()
    first, opened = ada.page.get_by_role("button", name="First is better"), time.monotonic()
    await expect(first).to_be_disabled()
    await ada.expect_message("you can judge in 2 s", "countdown")
    await ada.page.keyboard.press("1")
    await first.click(force=True)
    await ada.expect_judged(0)
    await expect(first).to_be_enabled()
    assert time.monotonic() - opened > 1.0
    await ada.judge("1")
    await expect(first).to_be_disabled()


async def test_two_people_at_once_never_see_the_same_pair(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, people = await new_set(*ANSWERS[:6]), [await someone(), await someone()]
    seen = await asyncio.gather(
        *(_judge_all(who, set_id, name) for who, name in zip(people, ("ada", "bob"), strict=True))
    )
    assert not set(seen[0]) & set(seen[1])
    assert len(seen[0]) + len(seen[1]) == 15 == len(await log(service, set_id))
    assert all(seen)


async def _judge_all(who: Annotator, set_id: UUID, name: str) -> list[frozenset[str]]:
    seen: list[frozenset[str]] = []
    await who.open(set_id, name)
    either = who["pair"].or_(who.page.get_by_text("no pair is left to judge"))
    while True:
        await expect(either.filter(visible=True).first).to_be_visible(timeout=60_000)
        if not await who["pair"].is_visible():
            return seen
        seen.append(frozenset(await who.pair()))
        await who.judge("1")


async def test_a_set_says_why_it_hands_out_nothing(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    set_id, ada = await new_set(*ANSWERS, budget=schemas.Budget(max_comparisons=1)), await someone()
    await ada.open(set_id)
    await expect(ada["progress"]).to_contain_text("0 of 1 in the set · 1 left")
    await ada.judge()
    await ada.expect_message("the budget is used up")
    await service.send(calls.patch_set(set_id, schemas.SetPatch(status="paused")))
    await ada["again"].click()
    await ada.expect_message("Paused: no pairs are handed out")
    await service.send(calls.patch_set(set_id, schemas.SetPatch(status="open", budget=schemas.Budget())))
    await ada["again"].click()
    await ada.expect_pair()


async def test_without_a_pair_there_is_nothing_to_answer(new_set: NewSet, someone: Someone) -> None:
    set_id, ada, bob = await new_set(*ANSWERS[:2]), await someone(), await someone()
    await ada.open(set_id, "ada")
    await ada.judge()
    await bob.open(set_id, "bob")
    for who in (ada, bob):
        await who.expect_message("no pair is left to judge")
        await expect(who.page.locator("#answers button:enabled")).to_have_text(["Undo u"])


async def test_who_waits_for_others_gets_their_pair_when_they_leave(new_set: NewSet, someone: Someone) -> None:
    set_id, ada, bob = await new_set(*ANSWERS[:2]), await someone(), await someone()
    await ada.open(set_id, "ada")
    await ada.expect_pair()
    await bob.open(set_id, "bob")
    await bob.expect_message("judges hold all remaining pairs")
    await ada.page.goto("about:blank")
    await bob.expect_pair()


async def test_a_pair_in_view_is_kept_and_one_whose_lease_ended_still_counts(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, ada = await new_set(*ANSWERS[:2]), await someone()
    await ada.page.clock.install()
    async with ada.answer_to("/next-pair") as answer:
        await ada.open(set_id)
    (pair,) = (await (await answer.value).json())["assignments"]
    assert await ada.judged() == 0  # all that the page waits for is there before its clock jumps
    async with ada.answer_to("/assignments/renew") as renewed:
        await ada.page.clock.fast_forward(61_000)
    assert [lease["id"] for lease in (await (await renewed.value).json())["held"]] == [pair["id"]]
    await service.send(calls.release(pair["id"]))
    await ada.page.clock.fast_forward(61_000)
    await ada.expect_message("no longer reserved")
    async with ada.answer_to("/verdict"):
        await ada.judge("2")
    (entry,) = await log(service, set_id)
    assert entry.late
    assert entry.winner == "second"


async def test_the_name_is_remembered_and_can_be_changed(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, page = await new_set(*ANSWERS), await someone()
    await page.open(set_id, "ada")
    async with page.answer_to("/verdict"):
        await page.judge()
    await page.page.reload()
    await page.judge()
    await expect(page["judge"]).to_have_text("ada")
    await page.choose("rename")
    await page.page.keyboard.type("bob")
    await page.page.keyboard.press("Enter")
    async with page.answer_to("/verdict"):
        await page.judge()
    assert [entry.judge for entry in await log(service, set_id)] == ["ada", "ada", "bob"]


async def test_who_judges_here_is_a_person_unless_it_was_said_otherwise(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    await service.send(calls.describe_judge("a robot", schemas.JudgeIn(kind="llm")))
    set_id = await new_set(*ANSWERS)
    for name in ("grace/ü", "a robot"):
        visitor = await someone()
        await visitor.open(set_id, name)
        await visitor.judge()
        await visitor.expect_sent()
    assert (await service.send(calls.get_judge("grace/ü"))).kind == "human"
    assert (await service.send(calls.get_judge("a robot"))).kind == "llm"


async def test_an_ask_may_name_the_judge_that_people_check(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    async with ada.page.expect_request("**/next-pair") as request:
        await ada.open(await new_set(*ANSWERS), query="?rank_sets_with=gpt-4")
    assert ((await request.value).post_data_json or {})["rank_sets_with"] == "gpt-4"
    await ada.expect_message("There is no judge 'gpt-4'", "error")


async def test_opening_the_page_leases_nothing(service: AsyncClient, new_set: NewSet, someone: Someone) -> None:
    set_id, ada = await new_set(*ANSWERS[:2]), await someone()
    await ada.page.goto(f"{ada.url}/sets/{set_id}")
    await ada.page.get_by_role("link", name="Judge pairs").first.click()
    await expect(ada["name"]).to_be_focused()
    assert len((await service.send(calls.next_pair(set_id, judge="bob"))).assignments) == 1


async def test_the_second_annotator_of_one_pair_learns_what_gives_it_to_both(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id, ada, bea = await new_set(*ANSWERS[:2]), await someone(), await someone()
    await ada.open(set_id, "ada")
    await ada.judge("1")
    await ada.expect_message("an overlap of judges")
    await bea.open(set_id, "bea")
    await bea.expect_message("no pair is left to judge")
    overlap = schemas.Overlap(share=1.0)
    await service.send(calls.patch_set(set_id, schemas.SetPatch(overlap=overlap)))
    await bea.page.get_by_role("button", name="Ask again").click()
    await bea.judge("1")
    await bea.expect_in_set(2)
    assert {entry.judge for entry in await log(service, set_id)} == {"ada", "bea"}
