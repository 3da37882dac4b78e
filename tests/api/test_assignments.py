"""Ask: who gets which pair, and for how long."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any, get_args
from uuid import UUID

import httpx
import pytest
from nextpair.words import CriterionName
from sqlalchemy import text

from app.service.context import Context
from app.storage import assignments
from tests.factories import (
    Http,
    ask,
    ask_one,
    comparison,
    count_rows,
    create_asked,
    create_set,
    create_systems,
    get,
    names,
    tell,
    unordered,
)


def ids(asked: dict[str, Any]) -> list[str]:
    return [a["id"] for a in asked["assignments"]]


def nothing(status: str) -> dict[str, Any]:
    """The answer that there is no pair."""
    return {"status": status, "reason": None, "assignments": [], "left_out": []}


async def renew(http: Http, assignment_id: str, seconds: float = 600.0) -> httpx.Response:
    return await http.post(f"/v1/assignments/{assignment_id}/renew", json={"lease_seconds": seconds})


async def release(http: Http, assignment_id: str) -> httpx.Response:
    return await http.post(f"/v1/assignments/{assignment_id}/release")


async def age(context: Context, set_id: str, seconds: float = 3600.0) -> None:
    """Let every lease of a set have begun, and ended, that much earlier."""
    async with context.engine.begin() as db:
        earlier = f"UPDATE assignments SET expires_at = expires_at - interval '{seconds} s' WHERE set_id = :id"
        await db.execute(text(earlier), {"id": set_id})


# What an assignment says


async def test_an_assignment_holds_what_a_judge_has_to_see(http: Http) -> None:
    created, pair = await create_asked(http, context="A forest.")
    for side in ("first", "second"):
        assert pair[side]["text"] == f"The text of {pair[side]['key']}."
    assert (pair["question"], pair["context"], pair["judge"]) == ("Which is better?", "A forest.", "alice")
    assert (pair["set_id"], pair["item"]) == (created["id"], None)


async def test_an_assignment_of_systems_holds_the_prompt_and_the_outputs(http: Http) -> None:
    created = await create_systems(http, ["one"], "kelp", "rowan")
    pair = await created.ask_one()
    assert pair["item"] == {"key": "one", "prompt": "Do one.", "tags": {}}
    assert {pair["first"]["text"], pair["second"]["text"]} == {"kelp on one", "rowan on one"}


async def test_the_reason_reads_first_minus_second(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak", order="as_selected", verdict_weight="one-vote")
    await created.compare("ash>elm", "ash>elm")
    (pair,) = [a for a in (await created.ask(count=3))["assignments"] if names(a) == ("ash", "oak")]
    prediction = await created.read("/predict", first="ash", second="oak")
    assert pair["why"]["mean_difference"] == pytest.approx(prediction["mean_difference"])
    assert pair["why"]["mean_difference"] > 0
    assert pair["why"]["propensity"] > 0


async def test_a_lease_lasts_as_long_as_it_was_asked_for(http: Http) -> None:
    created = await create_set(http)
    expires = datetime.fromisoformat((await created.ask_one(lease_seconds=100))["expires_at"])
    assert expires - datetime.now(UTC) == pytest.approx(timedelta(seconds=100), abs=timedelta(seconds=20))


# Statuses


async def test_all_leased_when_others_hold_the_rest(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await created.ask("alice")
    assert await created.ask("bob") == nothing("all_leased")


async def test_exhausted_when_every_pair_was_judged(http: Http) -> None:
    created = await create_set(http)
    assert len(await created.answer_all()) == 6
    assert await created.ask() == nothing("exhausted")


async def test_budget_reached_when_as_many_were_judged(http: Http) -> None:
    created = await create_set(http, budget={"max_comparisons": 2})
    assert len(await created.answer_all()) == 2
    assert await created.ask() == nothing("budget_reached")


async def test_leases_count_against_the_budget(http: Http) -> None:
    created = await create_set(http, budget={"max_comparisons": 2})
    assert len((await created.ask("alice", count=6))["assignments"]) == 2
    assert await created.ask("bob") == nothing("all_leased")


async def test_a_void_gives_its_comparison_back_to_the_budget(http: Http) -> None:
    created = await create_set(http, budget={"max_comparisons": 1})
    await created.answer_all()
    await created.void(1)
    assert (await created.ask())["status"] == "open"


async def test_a_paused_set_hands_out_nothing_until_it_is_opened(http: Http) -> None:
    created = await create_set(http)
    await http.patch(created.url, json={"status": "paused"})
    assert await created.ask() == nothing("paused")
    await http.patch(created.url, json={"status": "open"})
    assert (await created.ask())["status"] == "open"


@pytest.mark.parametrize("keys", [(), ("ash",)])
async def test_fewer_than_two_candidates_are_exhausted_at_once(http: Http, keys: tuple[str, ...]) -> None:
    created = await create_set(http, candidates=[{"key": key} for key in keys])
    assert await created.ask() == nothing("exhausted")


# Leases


async def test_asking_again_gives_the_old_pairs_first_and_as_many_as_are_asked_for(http: Http) -> None:
    created = await create_set(http)
    two, four, one = [ids(await created.ask(count=count)) for count in (2, 4, 1)]
    assert (four[:2], four[:1], len(set(four))) == (two, one, 4)


@pytest.mark.parametrize("seed", range(4))
async def test_an_old_pair_that_shares_a_candidate_with_a_new_one_has_its_texts(http: Http, seed: int) -> None:
    created = await create_set(http, "oak", "elm", "ash", selection={"criterion": "random", "seed": seed})
    await created.ask()
    for pair in (await created.ask(count=2))["assignments"]:
        for side in ("first", "second"):
            assert pair[side]["text"] == f"The text of {pair[side]['key']}."


async def test_asking_again_is_a_sign_of_life(http: Http) -> None:
    created = await create_set(http)
    short = await created.ask_one(lease_seconds=10)
    long = await created.ask_one(lease_seconds=1000)
    renewed = (await renew(http, short["id"], 1.0)).json()
    assert long["expires_at"] > short["expires_at"]
    assert long["expires_at"] == renewed["expires_at"]


async def test_count_beyond_what_is_left_gives_what_is_left_once_each(http: Http) -> None:
    created = await create_set(http)
    asked = (await created.ask(count=1000))["assignments"]
    assert len(asked) == len({unordered(a) for a in asked}) == 6


async def test_judges_who_ask_at_the_same_time_get_different_pairs(http: Http) -> None:
    created = await create_set(http)
    asked = await asyncio.gather(*(created.ask_one(f"judge {n}") for n in range(6)))
    assert len({unordered(a) for a in asked}) == 6


async def test_a_judge_who_asks_twice_at_the_same_time_gets_one_pair(http: Http) -> None:
    created = await create_set(http)
    asked = await asyncio.gather(*(created.ask_one() for _ in range(5)))
    assert len({a["id"] for a in asked}) == 1


@pytest.mark.parametrize("judge", ["alice", "bob"])
async def test_an_expired_lease_frees_its_pair(http: Http, context: Context, judge: str) -> None:
    created, lost = await create_asked(http, "ash", "elm")
    await age(context, created["id"])
    found = await created.ask_one(judge)
    assert unordered(found) == unordered(lost)
    assert found["id"] != lost["id"]


async def test_a_released_pair_goes_to_the_next_judge(http: Http) -> None:
    created, given = await create_asked(http, "ash", "elm")
    answer = await release(http, given["id"])
    assert (answer.status_code, answer.json()["status"]) == (200, "released")
    assert unordered(await created.ask_one("bob")) == unordered(given)


async def test_a_lease_is_renewed_for_longer_and_never_cut_short(http: Http) -> None:
    created = await create_set(http)
    given = await created.ask_one(lease_seconds=100)
    longer = (await renew(http, given["id"], 1000)).json()
    kept = (await renew(http, given["id"], 1)).json()
    assert given["expires_at"] < longer["expires_at"] == kept["expires_at"]
    assert longer["status"] == "leased"


@pytest.mark.parametrize("action", [renew, release])
async def test_what_was_released_cannot_be_renewed_or_released(http: Http, action: Any) -> None:
    given = await ask_one(http, (await create_set(http))["id"])
    await release(http, given["id"])
    answer = await action(http, given["id"])
    assert (answer.status_code, answer.json()["type"]) == (410, "urn:nextpair:problem:lease-ended")


async def test_renewing_many_does_not_revive_what_ran_out(http: Http, context: Context) -> None:
    created = await create_set(http)
    lost = ids(await created.ask(count=3))
    await age(context, created["id"])
    assert (await http.post("/v1/assignments/renew", json={"assignments": lost})).json() == {"held": []}
    assert len((await created.ask("bob", count=6))["assignments"]) == 6


async def test_a_lease_that_is_renewed_while_an_ask_waits_for_it_stays_with_its_holder(
    http: Http, context: Context
) -> None:
    created = await create_set(http, "ash", "elm")
    held = await created.ask_one(lease_seconds=0.3)
    async with context.engine.begin() as renewal:
        assert await assignments.extend(renewal, {UUID(held["id"]): None}, 600.0)
        await asyncio.sleep(0.3)
        asking = asyncio.create_task(created.ask("bob"))
        await asyncio.sleep(0.1)
    assert await asking == nothing("all_leased")
    assert (await renew(http, held["id"])).status_code == 200


async def test_a_renewal_that_waits_for_an_ask_learns_that_its_lease_has_ended(http: Http, context: Context) -> None:
    created = await create_set(http, "ash", "elm")
    held = await created.ask_one(lease_seconds=0.2)
    async with context.engine.begin() as other:
        await other.execute(text("SELECT FROM assignments FOR UPDATE"))
        renewing = asyncio.create_task(renew(http, held["id"]))
        await asyncio.sleep(0.3)
    assert (await renewing).json()["type"] == "urn:nextpair:problem:lease-ended"


# Waiting


@pytest.mark.parametrize(("action", "status"), [("release", "open"), ("verdict", "exhausted")])
async def test_a_waiting_judge_is_woken_by_a_release_and_by_the_last_verdict(
    http: Http, action: str, status: str
) -> None:
    created, given = await create_asked(http, "ash", "elm")
    waiting = asyncio.create_task(created.ask("bob", wait_seconds=30))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    await http.post(f"/v1/assignments/{given['id']}/{action}", json={"p_first": 1.0} if action == "verdict" else None)
    assert (await asyncio.wait_for(waiting, 4))["status"] == status


async def test_waiting_ends_with_its_time(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await created.ask("alice")
    asked = await asyncio.wait_for(created.ask("bob", wait_seconds=0.2), 4)
    assert asked == nothing("all_leased")


async def test_nothing_is_waited_for_when_a_pair_is_there(http: Http) -> None:
    created = await create_set(http)
    assert (await asyncio.wait_for(created.ask(wait_seconds=60), 4))["status"] == "open"


# Preview


async def test_a_preview_is_what_an_ask_then_gives(http: Http) -> None:
    created = await create_set(http, selection={"random_share": 0.5, "seed": 3}, told=["ash>elm", "birch>cedar"])
    previewed = await created.read("/next-pair", count=3)
    asked = await created.ask(count=3)
    assert [{name: a[name] for name in ("item", "first", "second", "why")} for a in asked["assignments"]] == (
        previewed["pairs"]
    )
    assert previewed["status"] == asked["status"]


async def test_a_preview_leases_nothing(http: Http, context: Context) -> None:
    created = await create_set(http)
    before = await count_rows(context.engine)
    for _ in range(2):
        await created.read("/next-pair", count=6)
    assert await count_rows(context.engine) == before


async def test_a_preview_leaves_out_what_is_leased(http: Http) -> None:
    created = await create_set(http)
    leased = await created.ask(count=4)
    previewed = await created.read("/next-pair", count=6)
    assert len(previewed["pairs"]) == 2
    assert not {unordered(p) for p in previewed["pairs"]} & {unordered(a) for a in leased["assignments"]}


async def test_a_preview_of_nothing_says_why(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await created.answer_all()
    assert await created.read("/next-pair") == {
        "status": "exhausted", "reason": None, "pairs": [],
    }  # fmt: skip


@pytest.mark.parametrize("criterion", ["reordering", "variance", "determinant", "exponent", "knowledge"])
async def test_a_batch_from_the_top_is_the_top_of_one_list(http: Http, criterion: str) -> None:
    """Every pair of it is what the others leave as the best, its score unmoved by theirs."""
    selection = {"criterion": criterion, "batch": "top"}
    created = await create_set(http, *"abcdef", selection=selection, order="as_selected")
    await created.compare("a>b", "c>d", "e>f", "a>c", "f>b")
    url = f"{created.url}/next-pair"
    whole = (await get(http, url, count=15))["pairs"]
    asked = (await created.ask(count=4))["assignments"]
    scores = [pair["why"]["score"] for pair in whole]
    assert len(whole) == 10
    assert scores == pytest.approx(sorted(scores, reverse=True))
    assert [unordered(a) for a in asked] == [unordered(p) for p in whole[:4]]
    assert [a["why"] for a in asked] == [p["why"] for p in whole[:4]]


async def test_a_greedy_batch_counts_on_the_answers_to_come(http: Http) -> None:
    """Where one candidate is unknown, every answer about it makes the next one less telling."""
    shown = {}
    for batch in ("greedy", "top"):
        created = await create_set(http, *"abcdefg", selection={"criterion": "variance", "batch": batch})
        await created.compare(*(f"{x}>{y}" for x in "abcdef" for y in "abcdef" if x < y))
        asked = await created.ask(count=6)
        assert {frozenset("g") <= unordered(a) for a in asked["assignments"]} == {True}
        shown[batch] = [a["why"]["sd_difference"] for a in asked["assignments"]]
    assert shown["top"][0] == pytest.approx(shown["top"][-1], rel=0.2)
    assert shown["greedy"][-1] < 0.8 * shown["greedy"][0]


# Order


async def test_order_both_shows_a_pair_in_both_orders_one_after_the_other(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak", order="both")
    shown = [names(pair) for pair in await created.answer_all()]
    assert len(shown) == 6
    assert all(there == back[::-1] for there, back in zip(shown[::2], shown[1::2], strict=True))
    assert len({frozenset(pair) for pair in shown[::2]}) == 3


async def test_order_each_asks_every_ordered_pair_when_it_tells_most(http: Http) -> None:
    """The other order of a pair that was just judged is the last thing to ask, not the next."""
    created = await create_set(http, "ash", "elm", "oak", order="each")
    shown = [names(pair) for pair in await created.answer_all()]
    assert len(set(shown)) == len(shown) == 6
    assert shown[1] != shown[0][::-1]


async def test_the_second_order_may_go_to_another_judge(http: Http) -> None:
    created, there = await create_asked(http, order="both")
    await tell(http, there["id"], p_first=1.0)
    assert names(await created.ask_one("bob")) == names(there)[::-1]


async def test_order_balanced_shows_everyone_first_about_as_often_as_second(http: Http) -> None:
    keys = [f"c{n}" for n in range(7)]
    created = await create_set(http, *keys, order="balanced")
    shown = [names(pair) for pair in await created.answer_all(count=3)]
    lead = Counter(first for first, _ in shown)
    lead.subtract(second for _, second in shown)
    assert len(shown) == 21
    assert sum(each**2 for each in lead.values()) < 7 * 6  # the mean of fair coins


async def test_an_order_is_drawn_once_and_its_chance_goes_with_the_verdict(http: Http) -> None:
    """Asked again, after verdicts that change who has led less, the judge sees the pair as it was."""
    created = await create_systems(http, [f"prompt {n}" for n in range(9)], "kelp", "rowan", order="balanced")
    given = await created.ask_one()
    for n in range(3, 8):
        await created.send(comparison(*names(given), item=f"prompt {n}"))
    again = await created.ask_one()
    assert (again["id"], again["generation"], names(again)) == (given["id"], 2, names(given))
    assert again["why"]["order_chance"] == given["why"]["order_chance"] == 1 / 2
    told = (await tell(http, given["id"], p_first=1.0)).json()
    other = await created.ask_one()
    assert other["why"]["order_chance"] == (1 / 3 if names(other) == names(given) else 2 / 3)
    await tell(http, other["id"], p_first=1.0)
    entries = await created.log()
    assert told["order_chance"] == entries[-2]["order_chance"] == 1 / 2
    assert [entry["order_chance"] for entry in entries[:-2]] == [None] * 5
    assert entries[-1]["order_chance"] == other["why"]["order_chance"]


@pytest.mark.parametrize("order", ["both", "each"])
async def test_the_second_of_two_orders_is_certain(http: Http, order: str) -> None:
    created = await create_set(http, "ash", "elm", "oak", order=order)
    seen = set[tuple[str, str]]()
    for pair in await created.answer_all():
        assert (pair["why"]["order_chance"] == 1.0) is (names(pair)[::-1] in seen)
        seen.add(names(pair))
    assert len(seen) == 6


async def test_order_as_selected_shows_who_joined_earlier_first(http: Http) -> None:
    keys = ("elm", "ash", "cedar", "birch")
    created = await create_set(http, *keys, order="as_selected")
    given = await created.answer_all()
    assert {names(pair) for pair in given} == set(combinations(keys, 2))
    assert {pair["why"]["order_chance"] for pair in given} == {1.0}


# Systems


async def test_every_pair_of_systems_is_asked_on_every_item(http: Http) -> None:
    created = await create_systems(http, ["one", "two", "three"], "kelp", "rowan", "sage")
    shown = await created.answer_all()
    slots = {(pair["item"]["key"], unordered(pair)) for pair in shown}
    assert len(slots) == len(shown) == 9


async def test_a_batch_of_systems_asks_every_pair_once_before_it_goes_to_further_items(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp", "rowan", "sage")
    asked = (await created.ask(count=5))["assignments"]
    assert len(asked) == 5
    assert len({unordered(a) for a in asked[:3]}) == 3
    assert len({(a["item"]["key"], unordered(a)) for a in asked}) == 5


async def test_the_random_criterion_pairs_every_pair_with_every_item(http: Http) -> None:
    """The item must not be drawn from the numbers that chose the pair."""
    places = set()
    for seed in range(40):
        selection = {"criterion": "random", "seed": seed}
        created = await create_systems(http, ["one", "two"], "kelp", "rowan", "sage", selection=selection)
        pair = await created.ask_one()
        places.add((pair["item"]["key"], unordered(pair)))
    assert len(places) == 6


async def test_a_timeout_bars_the_pair_only_while_its_lease_would_have_run(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    given = await created.ask_one(lease_seconds=1.5)
    await tell(http, given["id"], failure="timeout")
    assert (await created.ask())["assignments"] == []
    await asyncio.sleep(1.55)
    assert unordered(await created.ask_one()) == unordered(given)


async def test_many_sets_are_asked_first_where_the_judge_has_a_lease(http: Http) -> None:
    first, second = await create_set(http), await create_set(http)
    held = await first.ask_one()
    await first.compare("ash>elm", "ash>birch")
    body = {"judge": "alice", "count": 1, "sets": [first["id"], second["id"]]}
    (again,) = (await http.post("/v1/next-pairs", json=body)).json()["assignments"]
    assert again["id"] == held["id"]


async def test_a_system_without_an_output_is_not_asked_about_there(http: Http) -> None:
    systems = [
        {"key": "kelp", "outputs": {"one": "a", "two": "b"}},
        {"key": "rowan", "outputs": {"one": "c"}},
        {"key": "sage", "outputs": {"two": "d"}},
    ]
    items = [{"key": "one"}, {"key": "two"}]
    created = await create_set(http, candidates=systems, items=items)
    shown = await created.answer_all()
    assert {(pair["item"]["key"], unordered(pair)) for pair in shown} == {
        ("one", frozenset({"kelp", "rowan"})),
        ("two", frozenset({"kelp", "sage"})),
    }


# Failures


@pytest.mark.parametrize("failure", ["skipped", "refused", "parse_error", "timeout"])
async def test_a_failed_pair_goes_to_another_judge_and_not_back(http: Http, failure: str) -> None:
    created, failed = await create_asked(http, "ash", "elm")
    assert (await tell(http, failed["id"], failure=failure)).status_code == 201
    assert (await created.ask("alice"))["assignments"] == []
    assert unordered(await created.ask_one("bob")) == unordered(failed)


async def test_a_judge_who_skips_one_pair_gets_the_others(http: Http) -> None:
    created, skipped = await create_asked(http)
    await tell(http, skipped["id"], failure="skipped")
    rest = (await created.ask(count=10))["assignments"]
    assert len(rest) == 5
    assert unordered(skipped) not in {unordered(a) for a in rest}


# Chance


@pytest.mark.parametrize("criterion", get_args(CriterionName))
async def test_the_same_seed_gives_the_same_pairs(http: Http, criterion: str) -> None:
    selection = {"criterion": criterion, "seed": 42, "random_share": 0.3}
    one, other = [await create_set(http, selection=selection) for _ in range(2)]
    assert [names(p) for p in await one.answer_all()] == [names(p) for p in await other.answer_all()]


async def test_other_seeds_give_other_pairs(http: Http) -> None:
    sets = [await create_set(http, selection={"criterion": "random", "seed": seed}) for seed in range(6)]
    firsts = {tuple(names(a) for a in (await s.ask(count=6))["assignments"]) for s in sets}
    assert len(firsts) > 1


async def test_a_uniform_draw_has_the_propensity_of_one_in_all(http: Http) -> None:
    created = await create_set(http, selection={"criterion": "random"})
    asked = (await created.ask(count=6))["assignments"]
    assert [a["why"]["propensity"] for a in asked] == pytest.approx([1 / n for n in (6, 5, 4, 3, 2, 1)])


async def test_covering_compares_everyone_before_it_draws_from_all_pairs(http: Http) -> None:
    """A pair on a lease counts as compared. The fifth of five is in the third pair; ten pairs less three are left."""
    created = await create_set(http, *"abcde", selection={"criterion": "covering"})
    asked = [await created.ask_one(judge) for judge in ("ann", "bea")]
    assert (await tell(http, asked[0]["id"], p_first=0.5)).status_code == 201
    asked += [await created.ask_one(judge) for judge in ("cid", "dot")]
    assert len({key for pair in asked[:2] for key in names(pair)}) == 4
    assert len({key for pair in asked[:3] for key in names(pair)}) == 5
    shown = [(pair["why"]["criterion"], round(1 / pair["why"]["propensity"]), pair["why"]["random"]) for pair in asked]
    assert shown == [("covering", 10, False), ("covering", 3, False), ("covering", 4, False), ("covering", 7, True)]


async def test_a_random_share_enters_the_propensity(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak", selection={"random_share": 0.25, "seed": 1}, told=["ash>elm"])
    why = (await created.ask_one())["why"]
    assert why["propensity"] in (pytest.approx(0.25 / 2), pytest.approx(0.25 / 2 + 0.75 / 2))


# Over many sets


async def ask_many(http: Http, judge: str = "worker", **fields: Any) -> dict[str, Any]:
    answer = await http.post("/v1/next-pairs", json={"judge": judge, **fields})
    assert answer.status_code == 200, answer.text
    asked: dict[str, Any] = answer.json()
    return asked


@pytest.mark.alone
async def test_the_set_with_the_least_progress_comes_first(http: Http) -> None:
    ahead, behind = await create_set(http), await create_set(http)
    await ahead.compare("ash>elm")
    asked = await ask_many(http, count=1)
    assert [a["set_id"] for a in asked["assignments"]] == [behind["id"]]


async def test_many_sets_are_limited_to_those_named(http: Http) -> None:
    here, _, other = [await create_set(http, project=project) for project in ("a", "b", "a")]
    named = await ask_many(http, "one", count=9, sets=[here["id"]])
    project = await ask_many(http, "two", count=2, project="a", sets=[here["id"], other["id"]])
    assert {a["set_id"] for a in named["assignments"]} == {here["id"]}
    assert {a["set_id"] for a in project["assignments"]} <= {here["id"], other["id"]}


@pytest.mark.alone
async def test_many_sets_leave_out_paused_and_deleted_ones(http: Http) -> None:
    paused, deleted, here = [await create_set(http) for _ in range(3)]
    await http.patch(paused.url, json={"status": "paused"})
    await http.delete(deleted.url)
    assert {a["set_id"] for a in (await ask_many(http, count=18))["assignments"]} == {here["id"]}


@pytest.mark.alone
async def test_no_set_at_all_is_exhausted(http: Http) -> None:
    assert await ask_many(http, count=1) == nothing("exhausted")


# Long texts


@pytest.mark.alone
async def test_an_answer_ends_where_its_texts_take_too_much_and_leases_no_more(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.service.presenting.assignments.LARGEST_ANSWER", 1000)
    texts = [{"key": key, "text": key * 100} for key in "abcd"]
    made = [await create_set(http, candidates=texts, context="c" * 100, question="q" * 10) for _ in "xy"]
    url = f"/v1/sets/{made[0]['id']}/next-pair"
    assert len((await http.get(url, params={"count": 6})).json()["pairs"]) == 3
    given = (await http.post(url, json={"judge": "alice", "count": 6})).json()
    assert (len(given["assignments"]), given["status"]) == (3, "open")
    again = (await http.post(url, json={"judge": "alice", "count": 6})).json()["assignments"]
    assert [each["id"] for each in again] == [each["id"] for each in given["assignments"]]
    others = (await http.post(url, json={"judge": "zoe", "count": 6})).json()["assignments"]
    assert len({each["id"] for each in [*again, *others]}) == 6
    for each in again[:2]:
        await tell(http, each["id"], p_first=1.0)
    assert len((await http.post(url, json={"judge": "alice", "count": 6})).json()["assignments"]) == 1
    many = (await http.post("/v1/next-pairs", json={"judge": "bob", "count": 6})).json()
    assert (len(many["assignments"]), many["status"]) == (3, "open")
    monkeypatch.setattr("app.service.presenting.assignments.LARGEST_ANSWER", 10)
    assert len((await http.post("/v1/next-pairs", json={"judge": "carol", "count": 6})).json()["assignments"]) == 1


async def test_leases_that_do_not_fit_in_a_response_stay_as_their_holder_knows_them(
    http: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [{"key": key, "text": key * (1 if key in "de" else 400)} for key in "abcde"]
    set_id = (await create_set(http, candidates=texts))["id"]
    given = (await ask(http, set_id, count=4))["assignments"]
    before = await count_rows(context.engine)
    monkeypatch.setattr("app.service.presenting.assignments.LARGEST_ANSWER", 100)
    (again,) = (await ask(http, set_id, count=9))["assignments"]
    assert (again["id"], again["generation"]) == (given[0]["id"], 2)
    assert await count_rows(context.engine) == before
    for lease in given[1:]:
        assert (await tell(http, lease["id"], p_first=1.0, generation=1)).status_code == 201


@pytest.mark.alone
async def test_texts_are_measured_in_bytes(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.service.asking.SETS_AT_ONCE", 1)
    made = [await create_set(http, *"abc", question="?", context="é" * 500) for _ in range(2)]
    monkeypatch.setattr("app.service.presenting.assignments.LARGEST_ANSWER", 1500)
    assert len((await ask(http, made[0]["id"], "bob", count=2))["assignments"]) == 1
    monkeypatch.setattr("app.service.presenting.assignments.LARGEST_ANSWER", 1000)
    assert len((await ask_many(http, count=2))["assignments"]) == 1
