"""Summaries of sets: who leads, how sure that is, and how far the set is to its own goal."""

from typing import Any

import pytest

from tests.factories import Http, comparison, create_set, create_systems, get, ranking

CLEAR = ["ash>birch", "ash>cedar", "ash>elm", "birch>cedar", "birch>elm", "cedar>elm"]


async def summary(http: Http, set_id: str) -> dict[str, Any]:
    return await get(http, f"/v1/sets/{set_id}/summary")


async def progress(http: Http, set_id: str) -> dict[str, Any]:
    return dict((await summary(http, set_id))["progress"])


async def judged(http: Http, judges: int, weight: str = "one-vote", **fields: Any) -> str:
    """A set each of whose pairs so many judges have judged alike, each judge every other pair in reverse."""
    created = await create_set(http, verdict_weight=weight, **fields)
    for judge in range(judges):
        new = []
        for n, pair in enumerate(CLEAR):
            better, worse = pair.split(">")
            is_first = (n + judge) % 2 == 0
            sides = (better, worse, 0.9) if is_first else (worse, better, 0.1)
            new.append(comparison(*sides, judge=f"judge {judge}"))
        await created.compare_all(new)
    return str(created["id"])


async def test_the_summary_has_what_the_ranking_says(http: Http) -> None:
    set_id = await judged(http, 8, goal={"top_k": 1})
    of_ranking, shown = await ranking(http, set_id), await summary(http, set_id)
    assert shown["signal_claimed"] is True
    assert shown["leaders"] == ["ash"]
    assert shown["sentence"] == of_ranking["first_place"]
    assert shown["confidence"]["measure"] == "p_best"
    assert shown["confidence"]["value"] == of_ranking["ranking"][0]["p_best"]
    assert (shown["version"], shown["newer_version"], shown["comparisons"]) == (48, None, 48)
    assert shown["judges"] == {"people": 0, "models": 0, "others": 8}


async def test_a_set_that_wants_the_order_shows_the_expected_concordance(http: Http) -> None:
    set_id = await judged(http, 8)
    of_ranking, shown = await ranking(http, set_id), await summary(http, set_id)
    assert shown["confidence"]["measure"] == "expected_concordance"
    assert shown["confidence"]["value"] == of_ranking["confidence"]["expected_concordance"]
    assert (shown["progress"]["aim"], shown["progress"]["share"]) == ("goal", 1.0)


async def test_before_there_is_a_signal_no_probability_is_stated(http: Http) -> None:
    created = await create_set(http, goal={"top_k": 1})
    none = await summary(http, created["id"])
    assert (none["leaders"], none["confidence"]["words"]) == ([], "no verdict yet")
    assert none["last_activity"] == created["created_at"]
    await created.compare("ash>elm")
    one = await summary(http, created["id"])
    assert (one["confidence"]["value"], one["confidence"]["words"]) == (None, "no signal yet")
    assert one["progress"]["share"] is None
    assert "before a signal" in one["progress"]["sentence"]


async def test_a_stop_rule_that_is_met_is_all_of_the_way(http: Http) -> None:
    shown = await progress(http, await judged(http, 8, "learnt", stop={"top_k": 1}, budget={"max_comparisons": 900}))
    assert (shown["aim"], shown["share"], shown["comparisons_left"]) == ("stop", 1.0, 0)
    assert shown["sentence"].startswith("The stop rule is met")


async def test_a_forecast_of_the_stop_rule_is_what_is_left(http: Http) -> None:
    set_id = await judged(http, 8, stop={"top_k": 1})
    forecast = (await ranking(http, set_id))["stopping"]["forecast"]
    shown = await progress(http, set_id)
    assert forecast > 0
    assert (shown["aim"], shown["comparisons_left"]) == ("stop", forecast)
    assert shown["share"] == pytest.approx(48 / (48 + forecast))


async def test_a_budget_that_ends_first_is_the_goal(http: Http) -> None:
    created = await create_set(http, stop={"rank_width": 0}, budget={"max_comparisons": 16}, told=CLEAR * 2)
    shown = await progress(http, created["id"])
    assert (shown["aim"], shown["share"], shown["comparisons_left"]) == ("budget", 0.75, 4)
    assert "stop rule" in shown["sentence"]
    await created.patch(stop=None, budget={"max_comparisons": 10})
    used = await progress(http, created["id"])
    assert (used["share"], used["comparisons_left"], used["words"]) == (1.0, 0, "budget used")


@pytest.mark.alone
async def test_what_is_left_costs_what_verdicts_cost_so_far(http: Http) -> None:
    created = await create_set(http, budget={"max_comparisons": 100})
    await created.compare(*CLEAR, judge="gpt")
    assert (await progress(http, created["id"]))["cost_left"] is None
    await http.put("/v1/judges/gpt", json={"kind": "llm", "cost_per_1000": 50.0})
    assert (await progress(http, created["id"]))["cost_left"] == pytest.approx(94 * 0.05)
    await http.put("/v1/judges/ann", json={"kind": "human"})
    await created.compare(*CLEAR, judge="ann")
    half = await summary(http, created["id"])
    assert half["progress"]["cost_left"] == pytest.approx(88 * 0.025)
    assert "$2.20" in half["progress"]["sentence"]
    assert half["judges"] == {"people": 1, "models": 1, "others": 0}
    await created.compare("ash>elm", judge="mistral")
    assert (await progress(http, created["id"]))["cost_left"] is None


async def test_prompts_that_a_rule_needs_are_comparisons_that_are_left(http: Http) -> None:
    items = [f"p{n}" for n in range(12)]
    created = await create_systems(http, items, "ash", "elm", "oak", stop={"top_k": 1}, inference_target="new-items")
    for n, item in enumerate(items):
        pairs = [("ash", "elm"), ("elm", "oak"), ("ash", "oak")]
        new = [comparison(*pair, 0.8 if n % 4 else 0.2, "gpt", item=item) for pair in pairs]
        await created.compare_all(new)
    of_ranking, shown = await created.ranking(), await progress(http, created["id"])
    prompts = of_ranking["prompts"]
    assert of_ranking["stopping"]["forecast"] is None
    assert prompts["needed"] is not None
    assert shown["aim"] == "stop"
    assert shown["share"] == pytest.approx(prompts["judged"] / prompts["needed"], abs=0.01)


async def test_an_unchanged_summary_is_not_sent_again(http: Http) -> None:
    created = await create_set(http)
    await created.compare(*CLEAR, judge="gpt")
    url = f"{created.url}/summary"
    etag = (await http.get(url)).headers["ETag"]
    assert (await http.get(url, headers={"If-None-Match": etag})).status_code == 304
    await http.put("/v1/judges/gpt", json={"kind": "llm", "cost_per_1000": 1.0})
    priced = await http.get(url, headers={"If-None-Match": etag})
    assert priced.status_code == 200
    await created.void(1)
    assert (await http.get(url, headers={"If-None-Match": priced.headers["ETag"]})).status_code == 200
