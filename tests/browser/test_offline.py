"""Votes while the connection is away: each arrives, once."""

import re
from uuid import UUID

from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Page, Route, expect

from tests.browser.annotator import Annotator
from tests.browser.conftest import NewSet, Someone

ANSWERS = [f"Answer number {n}." for n in range(6)]


async def winners(service: AsyncClient, set_id: UUID) -> list[str | None]:
    return [entry.winner for entry in (await service.send(calls.list_comparisons(set_id))).comparisons]


async def prefetched(someone: Someone, set_id: UUID) -> Annotator:
    """Who has a pair in view and one more."""
    ada = await someone()
    async with ada.answer_to("/next-pair"):
        await ada.open(set_id)
    await ada.expect_pair()
    return ada


async def test_votes_made_offline_arrive_once(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    set_id = await new_set(*ANSWERS)
    ada = await prefetched(someone, set_id)
    await ada.page.context.set_offline(True)
    await ada.judge("1")
    await ada.expect_message("Offline: 1 verdict not sent", "waiting")
    await ada.judge("2")
    await ada.expect_message("Offline: 2 verdicts not sent", "waiting")
    await expect(ada["pair"]).to_be_hidden()
    await ada.page.context.set_offline(False)
    await ada.expect_pair()
    await ada.expect_sent()
    await ada.judge("3")
    await ada.expect_in_set(3)
    assert await winners(service, set_id) == ["first", "second", "tie"]


async def test_a_vote_undone_offline_is_taken_back_once_it_has_arrived(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*ANSWERS)
    ada = await prefetched(someone, set_id)
    pair = await ada.pair()
    await ada.page.context.set_offline(True)
    await ada.judge("1")
    await ada.page.keyboard.press("u")
    await ada.expect_message("is not sent yet")
    async with ada.answer_to("/void"):
        await ada.page.context.set_offline(False)
    await ada.expect_message("taken back")
    await ada.expect_in_set(0)
    either = re.compile("|".join(map(re.escape, pair)))  # leased anew, it may come the other way round
    for side in ("first", "second"):
        await expect(ada[side]).to_have_text(either)
    await ada.judge("2")
    await ada.expect_in_set(1)
    assert await winners(service, set_id) == ["first", "second"]


async def test_a_vote_whose_answer_was_lost_is_not_doubled(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*ANSWERS)
    ada = await prefetched(someone, set_id)
    lost: list[str | None] = []

    async def lose_the_answer(route: Route) -> None:
        lost.append(await route.request.header_value("idempotency-key"))
        if len(lost) == 1:
            await route.fetch()
            await route.abort()
        else:
            await route.continue_()

    await ada.page.route("**/verdict", lose_the_answer)
    await ada.judge("1")
    await ada.expect_message("Offline: 1 verdict not sent", "waiting")
    assert await winners(service, set_id) == ["first"]
    await ada.expect_sent()
    await ada.judge("2")
    await ada.expect_in_set(2)
    assert await winners(service, set_id) == ["first", "second"]
    assert lost[0] == lost[1] != lost[2]


async def test_waiting_votes_survive_a_reload(new_set: NewSet, someone: Someone, service: AsyncClient) -> None:
    set_id = await new_set(*ANSWERS)
    ada = await prefetched(someone, set_id)
    await cut_off(ada.page)
    await ada.judge("1")
    await ada.judge("2")
    await ada.page.reload()
    await ada.expect_message("Offline: 2 verdicts not sent", "waiting")
    assert await winners(service, set_id) == []
    await ada.page.unroute("**/v1/**")
    await ada.expect_sent()
    await ada.expect_pair()
    await ada.expect_judged(2)
    assert await winners(service, set_id) == ["first", "second"]


async def test_the_page_goes_on_when_the_service_answers_again(new_set: NewSet, someone: Someone) -> None:
    set_id, ada = await new_set(*ANSWERS), await someone()
    await cut_off(ada.page)
    await ada.open(set_id)
    await ada.expect_message("the service does not answer")
    await ada.page.unroute("**/v1/**")
    await ada.expect_pair()


async def test_a_refused_vote_is_said_and_holds_up_nothing(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*ANSWERS)
    ada = await someone()
    async with ada.answer_to("/next-pair") as answer:
        await ada.open(set_id)
    pair = (await (await answer.value).json())["assignments"][0]
    await service.send(calls.send_verdict(pair["id"], schemas.VerdictIn(winner="tie")))
    await ada.expect_pair()
    await ada.page.keyboard.press("1")
    await ada.expect_message("already has its verdict", "error")
    await ada.expect_judged(0)
    async with ada.answer_to("/verdict"):
        await ada.judge("2")
    assert await winners(service, set_id) == ["tie", "second"]


async def test_what_another_tab_delivers_is_known_to_the_page_that_voted(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*ANSWERS)
    ada = await prefetched(someone, set_id)
    await cut_off(ada.page, "**/verdict")
    await ada.judge("1")
    await ada.expect_message("Offline: 1 verdict not sent", "waiting")
    await (await ada.page.context.new_page()).goto(ada.page.url)
    await ada.expect_sent()
    await ada.page.keyboard.press("u")
    await ada.expect_message("taken back")
    await ada.expect_in_set(0)
    assert await winners(service, set_id) == ["first"]


async def test_what_another_tab_is_refused_is_said_on_the_page_that_voted(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*ANSWERS)
    ada = await someone()
    async with ada.answer_to("/next-pair") as answer:
        await ada.open(set_id)
    pair = (await (await answer.value).json())["assignments"][0]
    await cut_off(ada.page, "**/verdict")
    await ada.judge("1")
    await service.send(calls.send_verdict(pair["id"], schemas.VerdictIn(winner="tie")))
    await (await ada.page.context.new_page()).goto(ada.page.url)
    await ada.expect_message("already has its verdict", "error")
    await ada.expect_judged(0)


async def cut_off(page: Page, requests: str = "**/v1/**") -> None:
    async def fail(route: Route) -> None:
        await route.abort("internetdisconnected")

    await page.route(requests, fail)
