"""The ranking, win matrix, judges and diagnostics of a set, in a browser."""

import asyncio
import csv
import io
import json
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import combinations, pairwise, permutations, product
from uuid import UUID

import httpx
import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Error, Locator, Page, Route, expect

from app.web.texts import TABS
from tests.browser.conftest import NewSet, Someone
from tests.browser.test_access import expect_accessible
from tests.factories import simulated

TEXTS = ("Air scatters blue light.", "The sea is blue.", "It is painted.", "Nobody knows.", "<script>alert(1)</script>")
KEYS = [f"c{n}" for n in range(len(TEXTS))]
JUDGES = ("ann", "gpt <b>")

Judged = Callable[..., Awaitable[UUID]]


@pytest.fixture
def judged(new_set: NewSet, service: AsyncClient) -> Judged:
    """A set with verdicts of two judges; `more` are its other fields."""

    async def create(**more: object) -> UUID:
        set_id = await new_set(*TEXTS, **more)
        for seed, judge in enumerate(JUDGES):
            new = [schemas.ComparisonIn(**each) for each in simulated(KEYS, 60, seed, judge)]
            await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=new)))
        return set_id

    return create


async def open_page(someone: Someone, set_id: UUID, path: str = "", **options: object) -> Page:
    visitor = await someone(**options)
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}{path}")
    return visitor.page


def figure(page: Page, name: str) -> Locator:
    """One of the five figures of the headline."""
    return page.locator(f"#figures [data-figure={name}] dd")


@pytest.mark.parametrize("path", TABS)
@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_axe_finds_nothing(judged: Judged, someone: Someone, path: str, colours: str) -> None:
    page = await open_page(someone, await judged(), path, color_scheme=colours)
    await page.wait_for_timeout(2000)
    await expect_accessible(page)


@pytest.mark.parametrize("path", TABS)
async def test_a_phone_needs_no_sideways_scrolling(judged: Judged, someone: Someone, path: str) -> None:
    page = await open_page(someone, await judged(), path, viewport={"width": 320, "height": 640})
    await page.wait_for_timeout(1000)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("width", [1280, 320])
async def test_a_long_key_widens_no_page(someone: Someone, service: AsyncClient, width: int) -> None:
    key = "k" * 190
    candidates = [schemas.CandidateIn(key=each) for each in (key, "short")]
    new = schemas.SetIn(name="Sky", question="Which answer is clearer?", candidates=candidates)
    set_id = (await service.send(calls.create_set(new))).id
    verdicts = [schemas.ComparisonIn(first=key, second="short", winner="first", judge=judge) for judge in ("ann", key)]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=verdicts)))
    for path in (*TABS, "/annotate"):
        page = await open_page(someone, set_id, path, viewport={"width": width, "height": 640})
        await page.wait_for_load_state("networkidle" if path else "load")
        if path == "/compare":
            await expect(page.locator("#at")).to_contain_text(key)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, path


async def test_an_earlier_version_has_its_own_counts(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await expect(page.locator("#comparisons")).to_have_text("120 comparisons")
    await page.get_by_label("Version").fill("50")
    await expect(page.locator("#comparisons")).to_have_text("50 comparisons")
    await expect(page.locator("[data-status]:visible")).to_have_text(
        "An earlier version: move the slider right to return."
    )
    await page.get_by_label("Version").fill("1")
    await expect(page.locator("#comparisons")).to_have_text("1 comparison")


async def test_a_status_that_the_page_came_with_is_asked_for_once_something_happens(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    set_id, visitor = await judged(), await someone()
    asks: list[str] = []
    visitor.page.on("request", lambda request: asks.append(request.url) if "/next-pair" in request.url else None)
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}")
    status = visitor.page.locator("[data-status]:visible")
    await expect(visitor.page.locator("#ranking tbody tr")).to_have_count(len(KEYS))
    await visitor.page.wait_for_timeout(2000)
    assert asks == []
    await expect(status).to_contain_text("Exhausted: no pair is left to judge")
    await service.send(calls.patch_set(set_id, schemas.SetPatch(status="paused")))
    await expect(status).to_contain_text("Paused: no pairs are handed out")
    assert len(asks) == 1


async def test_a_redraw_keeps_what_was_opened_and_the_focus(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    set_id = await judged()
    page = await open_page(someone, set_id)
    summary = page.locator("#ranking tr[data-key=c3] summary")
    await summary.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#ranking tr[data-key=c3] details")).to_have_attribute("open", "")
    vote = schemas.ComparisonIn(first="c3", second="c0", winner="first", judge="ann")
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=[vote] * 9)))
    await expect(page.locator("#comparisons")).to_have_text("129 comparisons", timeout=20_000)
    await expect(page.locator("#ranking tr[data-key=c3] [data-column=comparisons]")).to_have_text(re.compile(r"\d"))
    await page.get_by_label("Method").select_option("win-ratio")
    await expect(page.locator("#ranking tr[data-key=c3] [data-column=p_best]")).to_have_text("–")
    await expect(page.locator("#ranking tr[data-key=c3] details")).to_have_attribute("open", "")
    await summary.focus()
    await page.evaluate("document.querySelector('#choices [name=find]').dispatchEvent(new Event('input'))")
    await expect(summary).to_be_focused()


async def test_the_ranking_moves_without_a_reload(judged: Judged, someone: Someone, service: AsyncClient) -> None:
    set_id = await judged(verdict_weight="one-vote")
    page = await open_page(someone, set_id)
    await expect(page.locator("#ranking tbody tr")).to_have_count(5)
    last = (await page.locator("#ranking tbody th").last.inner_text()).split("\n")[0]
    pairs = [pair for pair in permutations(KEYS, 2) if last in pair]
    votes = [
        schemas.ComparisonIn(first=first, second=second, winner="first" if first == last else "second", judge=judge)
        for (first, second), judge in product(pairs, JUDGES)
    ]
    for _ in range(20):
        await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    await expect(page.locator("#comparisons")).to_have_text(f"{120 + 20 * len(votes)} comparisons", timeout=20_000)
    await expect(page.locator("#ranking tbody th").first).to_contain_text(last, timeout=20_000)
    await expect(page.locator("#leader")).to_contain_text(f"{last} ")
    await expect(page.locator("[data-status]:visible")).to_contain_text("Exhausted: no pair is left to judge")


async def test_who_shares_the_first_place_is_named_and_marked(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    keys = [f"c{n}" for n in range(10)]
    set_id = await new_set(*keys)
    better = {*combinations(keys, 2), ("c2", "c0")} - {("c0", "c2")}
    verdicts = [
        schemas.ComparisonIn(first=pair[0], second=pair[1], p_first=float(pair in better), judge="gpt")
        for pair in random.Random(1).sample(list(permutations(keys, 2)), 90)
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=verdicts)))
    page = await open_page(someone, set_id)
    await expect(page.locator("#leader")).to_have_text("Shared first: c0, c1 and c2.")
    await expect(figure(page, "concordance")).to_have_text("All of the pairs expected in the right order")
    ranks = page.locator("#ranking [data-column=rank]")
    await expect(ranks).to_have_text(["=1", "=1", "=1", *(str(rank) for rank in range(4, 11))])


async def test_without_signal_nothing_is_said_of_the_order(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS)
    verdict = schemas.ComparisonIn(first="c0", second="c1", winner="first", judge="gpt")
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=[verdict])))
    page = await open_page(someone, set_id)
    await expect(page.locator("#leader")).to_have_text(
        re.compile(r"^No signal yet: .* random judging plus position bias .* c0 leads so far\.$")
    )
    await expect(figure(page, "concordance")).to_have_text("–")
    await expect(figure(page, "p-best")).to_have_text(re.compile(r": –$"))
    await expect(page.locator("#ranking [data-column=p_best]")).to_have_text(["–"] * len(TEXTS))
    await expect(figure(page, "signal")).to_have_text(re.compile(r"^not yet \(e-value [\d.]+, below 20\)$"))


async def test_a_ranking_that_takes_longer_than_verdicts_take_is_shown(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    set_id = await judged()
    page = await open_page(someone, set_id)
    await expect(page.locator("#ranking tbody tr")).to_have_count(5)
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
    await expect(page.locator("#comparisons")).to_have_text("130 comparisons")
    assert withdrawn == []


async def test_a_drag_of_the_slider_asks_for_the_version_where_it_ends(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await expect(page.locator("#ranking tbody tr")).to_have_count(5)
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
    mark = page.locator("#newer")
    await expect(page.locator("#ranking tbody tr")).to_have_count(5)
    await expect(mark).to_have_text("")
    answers = iter(({"version": 100, "newer_version": 120}, {}))

    async def early(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, json=await answer.json() | next(answers, {}))

    await page.route("**/ranking*", early)
    await page.get_by_label("Method").select_option("win-ratio")
    await expect(mark).to_have_text("This is version 100. Version 120 is being computed.")
    await expect(mark).to_have_text("")


@asynccontextmanager
async def held_up(page: Page, requests: str) -> AsyncIterator[None]:
    """Requests whose answers come only once the block ends."""
    released = asyncio.Event()

    async def hold(route: Route) -> None:
        await released.wait()
        with suppress(Error):  # the page may have withdrawn it
            await route.continue_()

    await page.route(requests, hold)
    yield
    released.set()
    await page.wait_for_timeout(500)


async def test_a_late_answer_leaves_the_map_that_was_chosen_since(new_set: NewSet, someone: Someone) -> None:
    page = await open_page(someone, await new_set(*TEXTS), "/compare")
    await expect(page.locator("#at")).to_contain_text("the same candidate")
    await page.locator("#map").press("ArrowRight")
    await expect(page.locator("#at")).to_contain_text("never compared")
    async with held_up(page, "**/matrix?of=expected"):
        await page.locator("[value=expected]").check()
        await page.locator("[value=observed]").check()
    await expect(page.locator("#at")).to_contain_text("never compared")
    await expect(page.locator("#problem")).to_be_hidden()


async def test_a_late_answer_leaves_the_judges_that_were_chosen_since(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/judges")
    skill = page.locator(".card dd").nth(1)
    await expect(skill).not_to_have_text("–")
    async with held_up(page, "**/judges?method=majority*"):
        await page.locator("[name=method]").select_option("majority")
        await page.locator("[name=method]").select_option("dawid-skene")
    await expect(skill).not_to_have_text("–")
    await expect(page.locator("#problem")).to_be_hidden()


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
    await expect(visitor.page.locator("[data-status]:visible")).to_contain_text("Add prompts first")
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
    whole = page.locator("#ranking tbody tr")
    await expect(whole).to_have_count(2)
    await expect(page.locator("#against")).to_be_hidden()
    await page.get_by_label("Baseline").select_option("gpt")
    await expect(page.locator("#against")).to_have_text("Against gpt")
    of_llama = page.locator("#ranking [data-key=llama] [data-column=against]")
    await expect(of_llama).to_contain_text("wins")
    await expect(page.locator("#ranking [data-key=gpt] [data-column=against]")).to_have_text("–")
    await page.get_by_label("Scale").select_option("elo")
    await expect(page.locator("#ranking [data-key=gpt] [data-column=score]")).to_have_text(re.compile(r"^-?\d+$"))
    await page.get_by_label("By tag").select_option("category")
    await expect(page.get_by_role("heading", level=2)).to_have_text(["category: code", "category: facts"])
    slices = page.locator("#slices table")
    await expect(slices).to_have_count(2)
    await expect(slices.nth(0).locator("tbody th")).to_have_text(["llama", "gpt"])
    await expect(slices.nth(1).locator("tbody th")).to_have_text(["gpt", "llama"])
    await expect(slices.nth(0)).to_contain_text("Against gpt")
    await expect_accessible(page)
    await page.get_by_label("By tag").select_option("")
    await expect(slices).to_have_count(0)


async def test_method_version_search_and_order_can_be_chosen(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    rows = page.locator("#ranking tbody tr")
    await expect(rows).to_have_count(5)
    await page.get_by_label("Method").select_option("win-ratio")
    await expect(rows.first.locator("[data-column=p_best]")).to_have_text("–")
    await page.get_by_label("Method").select_option("judge-aware")
    await page.get_by_label("Version").focus()
    await page.keyboard.press("Home")
    await expect(page.locator("#version")).to_have_text("0")
    await expect(rows.first.locator("[data-column=comparisons]")).to_have_text("0")
    await page.keyboard.press("End")
    await expect(page.locator("#version")).to_have_text("now")
    await page.get_by_label("Find").fill("c3")
    await expect(rows).to_have_count(1)
    await page.get_by_label("Find").fill("is PAINTED")
    await expect(rows.locator("summary")).to_contain_text(["c2"])
    await page.get_by_label("Find").fill("")
    await page.get_by_role("button", name="Candidate").click()
    await expect(page.locator("#ranking tbody th").first).to_contain_text("c0")
    await page.keyboard.press("Enter")
    await expect(page.locator("#ranking tbody th").first).to_contain_text("c4")
    assert await page.get_by_role("columnheader", name="Candidate").get_attribute("aria-sort") == "descending"


async def test_texts_are_found_among_many(new_set: NewSet, someone: Someone) -> None:
    page = await open_page(someone, await new_set("A needle.", *(f"Hay {n}." for n in range(300))))
    await page.get_by_label("Find").fill("needle")
    await expect(page.locator("#ranking tbody tr")).to_have_count(1)
    await expect(page.locator("#ranking tbody summary")).to_contain_text("A needle.")


async def test_the_text_behind_a_key_can_be_read(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    row = page.locator("#ranking details").first
    await row.locator("summary").focus()
    await page.keyboard.press("Enter")
    key = (await row.locator("summary").inner_text()).split("\n")[0]
    await expect(row.locator("> span")).to_have_text(TEXTS[KEYS.index(key)])


async def test_what_is_shown_can_be_downloaded(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged())
    await page.get_by_label("Method").select_option("gaussian")
    downloads = {}
    for form in ("CSV", "JSON", "SVG", "PNG"):
        async with page.expect_download() as started:
            await page.get_by_role("link", name=form, exact=True).click()
        downloads[form] = (await (await started.value).path()).read_bytes()
    assert len(list(csv.DictReader(io.StringIO(downloads["CSV"].decode())))) == 5
    assert json.loads(downloads["JSON"])["method"]["name"] == "gaussian"
    assert b"gaussian" in downloads["SVG"]
    assert downloads["PNG"].startswith(b"\x89PNG")


async def test_the_diagnostics_say_what_holds_and_draw_a_judge(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/diagnostics")
    await expect(page.locator("#checks li")).to_have_count(13)
    await expect(page.locator("#summary")).to_contain_text("checks hold")
    await expect(page.get_by_text("Holds: Connected")).to_be_visible()
    await page.get_by_role("button", name="Draw chart").press("Enter")
    await expect(page.locator("#reliability img")).to_be_visible()
    assert await page.locator("#reliability img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


async def test_the_map_is_read_by_keys(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/compare")
    at = page.locator("#at")
    await expect(at).to_contain_text("the same candidate")
    await page.locator("#map").focus()
    await page.keyboard.press("ArrowRight")
    await expect(at).to_contain_text("(rank 1) against")
    await expect(at).to_contain_text("% of verdicts")
    for key in ("+", "ArrowDown", "-", "0"):
        await page.keyboard.press(key)
    await page.get_by_label("P(row better)").check()
    await page.locator("#map").press("ArrowUp")
    await expect(at).to_contain_text("is better with probability")


@pytest.mark.parametrize(
    ("path", "place"), [("", "#warnings"), ("/judges", ".card .note"), ("/diagnostics", "#checks")]
)
async def test_a_bias_that_is_not_known_is_said_not_to_be(
    new_set: NewSet, someone: Someone, service: AsyncClient, path: str, place: str
) -> None:
    set_id = await new_set(*TEXTS, position_bias="estimate")
    one_way = [schemas.ComparisonIn(first=a, second=b, p_first=0.8, judge="ann") for a, b in pairwise(KEYS)]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=one_way)))
    page = await open_page(someone, set_id, path)
    await expect(page.locator(place)).to_contain_text("merit", timeout=20_000)


async def test_judges_have_cards_as_text(judged: Judged, someone: Someone) -> None:
    page = await open_page(someone, await judged(), "/judges")
    await expect(page.locator(".card h2")).to_have_text(["ann", "gpt <b>"], timeout=20_000)
    await expect(page.locator("#agreement tbody tr")).to_have_count(2)
    await page.get_by_label("Skill by").select_option("skill-aggregation")
    await expect(page.locator(".card dd").nth(1)).not_to_have_text("–", timeout=60_000)


async def test_disputed_pairs_show_both_texts_and_who_is_for_which(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS)
    said = [("ann", 0.9), ("<i>ben", 0.25), ("cid", 0.5)]
    votes = [schemas.ComparisonIn(first="c0", second="c4", p_first=p, judge=judge) for judge, p in said]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    page = await open_page(someone, set_id, "/judges")
    await expect(page.locator("#alpha")).to_contain_text("on 1 pair", timeout=20_000)
    await expect(page.locator(".dispute .text")).to_have_text([TEXTS[0], TEXTS[4]])
    await expect(page.locator(".dispute .said")).to_have_text(
        ["Better, by: ann (90%)", "Better, by: <i>ben (75%)", "Tie, by: cid (50%)"]
    )
    await expect(page.locator("#more-disputes")).to_be_hidden()


@pytest.mark.parametrize("path", TABS)
async def test_names_are_shown_as_text_and_no_script_runs(someone: Someone, service: AsyncClient, path: str) -> None:
    evil = [
        "<img src=x onerror=alert(1)>",
        "javascript:alert(1)",
        "\u202eright to left",
        "x" * 199,
        "</script><script>1",
    ]
    new = schemas.SetIn(
        name="<script>alert('name')</script>",
        question="<svg onload=alert(1)>",
        candidates=[schemas.CandidateIn(key=key, text=key) for key in evil],
    )
    set_id = (await service.send(calls.create_set(new))).id
    votes = [
        schemas.ComparisonIn(first=evil[0], second=key, p_first=p, judge=judge)
        for key in evil[1:]
        for judge, p in (("<b onclick=1>", 0.8), ("<i>", 0.3))
    ]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    visitor = await someone()
    broken: list[str] = []
    visitor.page.on("dialog", lambda dialog: broken.append(dialog.message))
    visitor.page.on(
        "console", lambda message: broken.append(message.text) if "Content Security" in message.text else None
    )
    visitor.page.on("pageerror", lambda error: broken.append(str(error)))
    answer = await visitor.page.goto(f"{visitor.url}/sets/{set_id}{path}")
    assert answer is not None
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
    await visitor.page.wait_for_timeout(1500)
    assert await visitor.page.locator("h1").inner_text() == "<script>alert('name')</script>"
    assert not broken


async def test_the_headline_states_confidence_and_what_it_is_about(
    judged: Judged, someone: Someone, service: AsyncClient
) -> None:
    page = await open_page(someone, await judged())
    await expect(figure(page, "concordance")).to_have_text("All of the pairs expected in the right order")
    await expect(page.locator("#target")).to_have_text(re.compile(r"^By all \d+ pairs, as .* them"))
    await expect(page.locator("#validation")).to_have_text(schemas.ABOUT_CONFIDENCE)
    await service.send(calls.describe_judge("ann", schemas.JudgeIn(kind="human")))
    await page.reload()
    await expect(page.locator("#validation")).to_have_text(
        re.compile(r"Judges and people name the same winner in \d+% of \d+ pairs \(\d+ to \d+%\)\.")
    )
    await page.get_by_label("Method").select_option("win-ratio")
    await expect(figure(page, "concordance")).to_have_text("–")


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
    await expect(figure(page, "concordance")).to_have_text(re.compile(r"%\); forecast: \d+% after 72 comparisons$"))


async def test_the_headline_forecasts_when_the_set_stops(
    new_set: NewSet, someone: Someone, service: AsyncClient
) -> None:
    set_id = await new_set(*TEXTS, verdict_weight="one-vote", inference_target="latent", stop=schemas.Stop(top_k=1))
    votes = [schemas.ComparisonIn(first=a, second=b, winner="first", judge="ann") for a, b in combinations(KEYS, 2)]
    await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=votes)))
    page = await open_page(someone, set_id)
    await expect(page.locator("#target")).to_have_text(
        re.compile(
            r"The stop rule is not met yet.* About \d+ more comparisons? \(\d+ (to \d+|or more)\) would meet it\.$"
        )
    )
