"""The results of a set, in a browser."""

import asyncio
import csv
import io
import json
import random
import re
from itertools import combinations, permutations, product

import httpx
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Locator, Page, Route, expect

from tests.browser.conftest import JUDGES, KEYS, TEXTS, Judged, NewSet, Someone, open_page
from tests.browser.test_access import expect_accessible


def figure(page: Page, name: str) -> Locator:
    """One of the three figures of the headline."""
    return page.locator("#figures div").filter(has_text=name).locator("dd")


def rows(page: Page) -> Locator:
    return page.locator("#ranking tbody tr:not(.spacer)")


async def choose(page: Page, name: str, value: str) -> None:
    """Choose an option under Advanced."""
    await page.evaluate("document.querySelector('#advanced').open = true")
    await page.locator(f"#choices [name={name}]").select_option(value)


async def test_an_earlier_version_has_its_own_counts_and_an_address(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await expect(figure(page, "Spent")).to_have_text("120 comparisons")
    await page.locator("#history summary").click()
    await page.locator("#as-of").fill("50")
    await expect(figure(page, "Spent")).to_have_text("50 comparisons")
    await page.reload()
    await expect(figure(page, "Spent")).to_have_text("50 comparisons")
    await expect(page.locator("#version-note")).to_have_text("Version 50")
    await page.locator("#history summary").click()
    await page.get_by_role("button", name="Back to now").click()
    await expect(figure(page, "Spent")).to_have_text("120 comparisons")


async def test_a_status_that_the_page_came_with_is_asked_for_once_something_happens(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    set_id, visitor = await judged(), await someone()
    asks: list[str] = []
    visitor.page.on("request", lambda request: asks.append(request.url) if "/next-pair" in request.url else None)
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}")
    await expect(rows(visitor.page)).to_have_count(len(KEYS))
    await visitor.page.wait_for_timeout(2000)
    assert asks == []
    await expect(visitor.page.locator("#status")).to_have_text("Exhausted")
    await service.send(calls.patch_set(set_id, schemas.SetPatch(status="paused")))
    await expect(visitor.page.locator("#status")).to_have_text("Paused")
    await visitor.page.locator("#status").hover()
    await expect(visitor.page.get_by_role("tooltip")).to_contain_text("Paused: no pairs are handed out")
    assert len(asks) == 1


async def test_a_redraw_keeps_what_was_opened_and_the_focus(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    set_id = await judged()
    page = await open_page(someone, set_id)
    button = page.locator("#ranking tr[data-key=c3] .open")
    await button.press("Enter")
    await expect(page.locator(".panel h2")).to_have_text("c3")
    await page.keyboard.press("Escape")
    await expect(button).to_be_focused()
    vote = schemas.ComparisonIn(first="c3", second="c0", winner="first", judge="ann")
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=[vote] * 9)))
    await expect(figure(page, "Spent")).to_have_text("129 comparisons", timeout=20_000)
    await expect(button).to_be_focused()
    await button.press("Enter")
    await page.reload()
    await expect(page.locator(".panel h2")).to_have_text("c3")


async def test_the_ranking_moves_without_a_reload(judged: Judged, someone: Someone, service: AsyncClient) -> None:
    set_id = await judged(verdict_weight="one-vote")
    page = await open_page(someone, set_id)
    await expect(rows(page)).to_have_count(5)
    last = await page.locator("#ranking tbody .open").last.inner_text()
    pairs = [pair for pair in permutations(KEYS, 2) if last in pair]
    votes = [
        schemas.ComparisonIn(first=first, second=second, winner="first" if first == last else "second", judge=judge)
        for (first, second), judge in product(pairs, JUDGES)
    ]
    for _ in range(20):
        await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    await expect(figure(page, "Spent")).to_have_text(f"{120 + 20 * len(votes)} comparisons", timeout=20_000)
    await expect(page.locator("#ranking tbody .open").first).to_have_text(last, timeout=20_000)
    await expect(page.locator("#leader")).to_contain_text(f"{last} ")
    await expect(page.locator("#status")).to_have_text("Exhausted")


async def test_who_shares_the_first_place_is_named_and_marked(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    keys = [f"c{n}" for n in range(10)]
    set_id = await new_set(*keys)
    better = {*combinations(keys, 2), ("c2", "c0")} - {("c0", "c2")}
    verdicts = [
        schemas.ComparisonIn(
            first=pair[0], second=pair[1], p_first=float(pair in better), judge="one who repeats itself"
        )
        for pair in random.Random(1).sample(list(permutations(keys, 2)), 90)
    ]
    await service.send(calls.describe_judge("one who repeats itself", schemas.JudgeIn(repeats=True)))
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=verdicts)))
    page = await open_page(someone, set_id)
    await expect(page.locator("#leader")).to_have_text("Shared first: c0, c1 and c2.")
    await expect(figure(page, "Confidence")).to_contain_text("100%")
    ranks = page.locator("#ranking td[data-column=rank]")
    await expect(ranks).to_have_text(["=1", "=1", "=1", *(str(rank) for rank in range(4, 11))])


async def test_without_signal_nothing_is_said_of_the_order(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS)
    verdict = schemas.ComparisonIn(first="c0", second="c1", winner="first", judge="gpt")
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=[verdict])))
    page = await open_page(someone, set_id)
    await expect(page.locator("#leader")).to_have_text(
        re.compile(r"^No signal yet \(e-value .*, below 20\).* c0 leads so far\.$")
    )
    await expect(figure(page, "Confidence")).to_have_text(re.compile(r"^– no signal yet: e-value [\d.]+, below 20$"))
    await expect(page.locator("#ranking td[data-column=p_best]")).to_have_text(["–"] * len(TEXTS))


async def test_a_ranking_that_takes_longer_than_verdicts_take_is_shown(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    set_id = await judged()
    page = await open_page(someone, set_id)
    await expect(rows(page)).to_have_count(5)
    withdrawn: list[str] = []
    page.on("requestfailed", lambda request: withdrawn.append(request.url))

    async def delay(route: Route) -> None:
        await asyncio.sleep(1.5)
        await route.continue_()

    await page.route("**/ranking*", delay)
    vote = schemas.ComparisonIn(first="c0", second="c1", winner="first", judge="ann")
    for _ in range(10):
        await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=[vote])))
        await page.wait_for_timeout(300)
    first = page.locator("#ranking tr[data-key=c0] [data-column=comparisons]")
    await expect(first).to_have_text(re.compile(r"\d+"))
    await expect(figure(page, "Spent")).to_have_text("130 comparisons")
    assert withdrawn == []


async def test_a_drag_of_the_slider_asks_for_the_version_where_it_ends(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await expect(rows(page)).to_have_count(5)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "as_of=" in request.url else None)
    async with page.expect_response("**/ranking*as_of=60*"):
        await page.evaluate(
            """() => {
              const slider = document.querySelector("#as-of");
              for (let version = 100; version >= 60; version -= 1) {
                slider.value = version;
                slider.dispatchEvent(new Event("input"));
              }
            }"""
        )
    await expect(page.locator("#version")).to_have_text("60")
    assert [httpx.URL(url).params["as_of"] for url in asked] == ["60"]


async def test_an_earlier_version_is_marked_until_the_newer_one_is_there(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    mark = page.locator("#version-note")
    await expect(rows(page)).to_have_count(5)
    await expect(mark).to_be_hidden()
    answers = iter(({"version": 100, "newer_version": 120}, {}))

    async def early(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, json=await answer.json() | next(answers, {}))

    await page.route("**/ranking*", early)
    await choose(page, "method", "win-ratio")
    await expect(mark).to_have_text("This is version 100. Version 120 is being computed.")
    await expect(mark).to_be_hidden()


async def test_prompts_come_first_where_comparisons_do_not_help_and_a_met_rule_is_said_once(
    new_set: NewSet, someone: Someone
) -> None:
    rule, set_id = "Under the model of the judges, the stop rule is met.", await new_set(*TEXTS)

    async def changed(route: Route) -> None:
        answer = await route.fetch()
        ranking = await answer.json() | {
            "first_place": f"c0 leads. {rule}",
            "prompts": {"judged": 40, "needed": 69, "comparisons_suffice": False, "sentence": "29 more prompts."},
            "stopping": {"converged": True, "reason": "top_k", "sentence": rule},
        }
        await route.fulfill(response=answer, json=ranking)

    visitor = await someone()
    await visitor.page.route("**/ranking?*", changed)
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}")
    await expect(visitor.page.locator("#target")).to_contain_text("Add prompts first")
    await expect(visitor.page.locator("#leader")).to_contain_text(rule)
    await expect(visitor.page.locator("#target")).to_contain_text("29 more prompts.")
    await expect(visitor.page.locator("#target")).not_to_contain_text(rule)


async def test_a_baseline_a_scale_and_a_tag_can_be_chosen(someone: Someone, service: AsyncClient) -> None:
    rng, items = random.Random(1), [f"p{n}" for n in range(12)]
    tagged = [schemas.ItemIn(key=item, tags={"category": ["code", "facts"][n % 2]}) for n, item in enumerate(items)]
    systems = [
        schemas.CandidateIn(key=key, outputs={item: f"{key} on {item}" for item in items}) for key in ("gpt", "llama")
    ]
    new = schemas.SetIn(name="Models", question="Which is better?", candidates=systems, items=tagged)
    set_id = (await service.send(calls.create_set(new))).id
    verdicts = [
        schemas.ComparisonIn(
            first="gpt", second="llama", item=item, judge="ann", p_first=(0.2, 0.8)[n % 2] + 0.1 * rng.random()
        )
        for n, item in enumerate(items)
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=verdicts)))
    page = await open_page(someone, set_id)
    whole = rows(page)
    await expect(whole).to_have_count(2)
    against = page.locator("#ranking th[data-column=against]")
    await expect(against).to_have_count(0)
    await choose(page, "baseline", "gpt")
    await expect(against).to_have_text("Against gpt")
    of_llama = page.locator("#ranking [data-key=llama] [data-column=against]")
    await expect(of_llama).to_contain_text("wins")
    await expect(page.locator("#ranking [data-key=gpt] [data-column=against]")).to_have_text("–")
    await choose(page, "scale", "elo")
    await expect(page.locator("#ranking [data-key=gpt] [data-column=score]")).to_have_text(re.compile(r"^-?\d+$"))
    await choose(page, "by", "category")
    await expect(page.get_by_role("heading", level=2)).to_have_text(["category: code", "category: facts"])
    slices = page.locator("#slices table")
    await expect(slices).to_have_count(2)
    await expect(slices.nth(0).locator("tbody th")).to_have_text(["llama", "gpt"])
    await expect(slices.nth(1).locator("tbody th")).to_have_text(["gpt", "llama"])
    await expect(slices.nth(0)).to_contain_text("Against gpt")
    await expect_accessible(page)
    await choose(page, "by", "")
    await expect(slices).to_have_count(0)


async def test_method_search_and_order_can_be_chosen(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await expect(rows(page)).to_have_count(5)
    await choose(page, "method", "win-ratio")
    await expect(rows(page).first.locator("[data-column=p_best]")).to_have_text("–")
    await page.get_by_label("Find").fill("c3")
    await expect(rows(page)).to_have_count(1)
    await page.get_by_label("Find").fill("is PAINTED")
    await expect(rows(page).locator(".open")).to_have_text(["c2"])
    await page.get_by_label("Find").fill("")
    await page.get_by_role("button", name="Candidate").click()
    await expect(page.locator("#ranking tbody .open").first).to_have_text("c0")
    await page.keyboard.press("Enter")
    await expect(page.locator("#ranking tbody .open").first).to_have_text("c4")
    assert await page.get_by_role("columnheader", name="Candidate").get_attribute("aria-sort") == "descending"
    await page.reload()
    await expect(page.locator("#ranking tbody .open").first).to_have_text("c4")
    await expect(rows(page).first.locator("[data-column=p_best]")).to_have_text("–")


async def test_texts_are_found_among_many_and_few_rows_are_drawn(new_set: NewSet, someone: Someone) -> None:
    page = await open_page(someone, await new_set("A needle.", *(f"Hay {n}." for n in range(300))))
    await expect(rows(page).first).to_be_visible()
    assert await rows(page).count() < 100
    await page.keyboard.press("End")
    await expect(page.locator("#ranking tbody tr[aria-rowindex='302']")).to_be_visible()
    await page.get_by_label("Find").fill("needle")
    await expect(rows(page)).to_have_count(1)
    await expect(rows(page)).to_contain_text("A needle.")


async def test_two_candidates_are_chosen_to_compare(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await page.get_by_label("Choose c1 to compare").check()
    await page.get_by_label("Choose c3 to compare").check()
    link = page.get_by_role("link", name="Compare c1 with c3")
    assert (await link.get_attribute("href") or "").endswith("/compare?a=c1&b=c3")
    await page.reload()
    await expect(link).to_be_visible()


async def test_the_checks_are_behind_a_badge_doubts_first(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await page.locator("#checks").click()
    await expect(page.locator(".panel .checks li")).to_have_count(13)
    verdicts = await page.locator(".panel .checks .badge").all_inner_texts()
    assert verdicts == sorted(verdicts, key=["Doubt", "Unknown", "Holds"].index)
    await expect(page.locator(".panel figure svg")).to_be_visible()
    await expect_accessible(page)
    await page.keyboard.press("Escape")
    await expect(page.locator("#checks")).to_be_focused()


async def test_the_text_behind_a_key_can_be_read(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    button = page.locator("#ranking .open").first
    key = await button.inner_text()
    await button.press("Enter")
    await expect(page.locator(".panel .text")).to_have_text(TEXTS[KEYS.index(key)])


async def test_what_is_shown_can_be_downloaded(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await choose(page, "method", "gaussian")
    downloads = {}
    await page.get_by_label("Download").click()
    for form in ("CSV", "JSON", "SVG", "PNG"):
        async with page.expect_download() as started:
            await page.locator(f"[data-format={form.lower()}]").click()
        downloads[form] = (await (await started.value).path()).read_bytes()
    assert len(list(csv.DictReader(io.StringIO(downloads["CSV"].decode())))) == 5
    assert json.loads(downloads["JSON"])["method"]["name"] == "gaussian"
    assert b"gaussian" in downloads["SVG"]
    assert downloads["PNG"].startswith(b"\x89PNG")


async def test_the_headline_states_confidence_and_what_it_is_about(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    page = await open_page(someone, await judged(), "?panel=checks")
    await expect(figure(page, "Confidence")).to_contain_text("100%")
    await expect(page.locator("#target")).to_have_text(re.compile(r"By all \d+ pairs, as .* them"))
    await expect(page.locator(".panel")).to_contain_text(schemas.ABOUT_CONFIDENCE)
    await service.send(calls.describe_judge("ann", schemas.JudgeIn(kind="human")))
    await page.reload()
    await expect(page.locator(".panel")).to_have_text(
        re.compile(r"Judges and people name the same winner in \d+% of \d+ pairs \(\d+ to \d+%\)\.")
    )
    await service.send(calls.describe_judge("ann", schemas.JudgeIn()))  # as other sets know her
    await choose(page, "method", "win-ratio")
    await expect(figure(page, "Confidence")).to_contain_text("–")


async def test_the_headline_has_the_confidence_after_more_comparisons(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS, verdict_weight="one-vote", inference_target="latent")
    verdicts = [
        schemas.ComparisonIn(first=a, second=b, p_first=0.6, judge=f"judge {number}")
        if (place + number) % 2
        else schemas.ComparisonIn(first=b, second=a, p_first=0.4, judge=f"judge {number}")
        for number in range(4)
        for place, (a, b) in enumerate(list(combinations(KEYS, 2))[:-1])
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=verdicts)))
    page = await open_page(someone, set_id)
    await page.locator("#figures .term").first.focus()
    tip = page.get_by_role("tooltip")
    await expect(tip).to_have_text(re.compile(r"%\); forecast: \d+% after 72 comparisons\.$"))
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=verdicts[:1])))
    await expect(figure(page, "Spent")).to_contain_text("37")
    await expect(tip).to_have_text(re.compile(r"after 74 comparisons\.$"))


async def test_the_headline_forecasts_when_the_set_stops(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS, verdict_weight="one-vote", inference_target="latent", stop=schemas.Stop(top_k=1))
    votes = [schemas.ComparisonIn(first=a, second=b, winner="first", judge="jan") for a, b in combinations(KEYS, 2)]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    await service.send(calls.describe_judge("jan", schemas.JudgeIn(kind="human")))
    page = await open_page(someone, set_id)
    forecast = re.compile(r"About \d+ more comparisons? \(\d+ (to \d+|or more)\) would meet the stop rule\.")
    await expect(page.locator("#target")).to_have_text(forecast)
    await figure(page, "Left").get_by_role("link", name="Add a price").click()
    await expect(page).to_have_url(re.compile(r"/settings#judges-heading$"))
    await page.locator("#invite summary").click()
    await expect(page.get_by_role("link", name=f"/sets/{set_id}/annotate").first).to_be_visible()
