"""Ask: when a set has had enough."""

import asyncio
from functools import partial
from typing import Any

import pytest

from app.inference.state.stops import MOST_REPEATS
from tests.api.test_assignments import nothing
from tests.factories import (
    Http,
    Made,
    answer_all,
    ask,
    candidates,
    compare_all,
    comparison,
    create_set,
    create_systems,
    get,
    names,
    ranking,
    tell,
)

pytestmark = pytest.mark.alone

one_vote = partial(create_set, verdict_weight="one-vote")  # sets in which a judge's repeats count as often as they come
CLEAR = ["ash>birch", "ash>cedar", "ash>elm"] * 40  # birch, cedar and elm have the same verdicts
JUDGES = "abcdefghij"  # of whom each is evidence of its own


def converged(reason: str) -> dict[str, Any]:
    return {"status": "converged", "reason": reason, "assignments": [], "left_out": []}


async def stopped(http: Http, **fields: Any) -> Made:
    """A set with a clear winner that stops when it is found."""
    created = await one_vote(http, stop={"top_k": 1}, **fields)
    await agree(http, created["id"], *CLEAR[:12])
    return created


async def agree(http: Http, set_id: str, *pairs: str) -> None:
    """Ten judges say so, every second one of them with the winner shown second."""
    sides = [pair.split(">") for pair in pairs]
    for number, judge in enumerate(JUDGES):
        won = [comparison(winner, loser, 1.0, judge) for winner, loser in sides]
        lost = [comparison(loser, winner, 0.0, judge) for winner, loser in sides]
        await compare_all(http, set_id, lost if number % 2 else won)


async def stopping(http: Http, set_id: str, **params: Any) -> dict[str, Any]:
    return dict((await ranking(http, set_id, **params))["stopping"])


async def state(http: Http, set_id: str, **params: Any) -> dict[str, Any]:
    found = await stopping(http, set_id, **params)
    return {name: found[name] for name in ("converged", "reason", "forecast")}


async def test_judges_are_asked_until_the_winner_is_clear_and_no_longer(http: Http) -> None:
    created = await create_systems(http, map(str, range(40)), "kelp", "rowan", "sage", "yew", stop={"top_k": 1})
    asked = 0
    while pairs := (await created.ask(count=6))["assignments"]:
        before = await state(http, created["id"])
        assert (before["converged"], before["reason"]) == (False, None)
        for pair in pairs:
            p = {pair["first"]["key"]: 1.0, pair["second"]["key"]: 0.0}.get("kelp", 0.5)
            assert (await tell(http, pair["id"], p_first=p)).status_code == 201
        asked += len(pairs)
    assert await created.ask() == converged("top_k")
    assert await state(http, created["id"]) == {"converged": True, "reason": "top_k", "forecast": 0}
    assert 12 < asked < 120
    assert (await created.ranking())["ranking"][0]["key"] == "kelp"


async def test_nothing_is_handed_out_of_a_set_that_has_converged(http: Http) -> None:
    created = await stopped(http)
    assert await created.ask() == converged("top_k")
    url = f"{created.url}/next-pair"
    assert await get(http, url, count=3) == {"status": "converged", "reason": "top_k", "pairs": []}
    answer = await http.post("/v1/next-pairs", json={"judge": "alice", "count": 3, "sets": [created["id"]]})
    assert (answer.json()["status"], answer.json()["assignments"]) == ("converged", [])


async def test_a_pair_that_is_out_when_a_set_converges_is_given_back_to_its_judge(http: Http) -> None:
    created = await one_vote(http, stop={"top_k": 1})
    held = (await created.ask(count=2))["assignments"]
    await agree(http, created["id"], *CLEAR[:12])
    again = await created.ask(count=5)
    assert (again["status"], again["assignments"][0]["id"], len(again["assignments"])) == ("open", held[0]["id"], 2)
    assert await created.ask("bob") == converged("top_k")
    assert (await tell(http, held[0]["id"], p_first=0.5)).status_code == 201


async def test_a_waiting_judge_learns_that_the_set_has_converged(http: Http) -> None:
    created = await one_vote(http, "ash", "elm")
    await created.ask("alice")
    waiting = asyncio.create_task(created.ask("bob", wait_seconds=30))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    await created.patch(stop={"entropy_change": 5.0})
    assert await asyncio.wait_for(waiting, 4) == converged("entropy_change")


async def test_a_harder_stop_reopens_the_set_and_an_easier_one_closes_it(http: Http) -> None:
    created = await stopped(http)
    await created.patch(stop={"top_k": 2})
    assert (await created.ask())["status"] == "open"
    await created.patch(stop={"top_k": 2, "rank_width": 2})
    assert (await created.ask("bob")) == converged("rank_width")


async def test_a_void_reopens_the_set(http: Http) -> None:
    created = await one_vote(http, stop={"rank_width": 0})
    await agree(http, created["id"], *["ash>birch", "birch>cedar", "cedar>elm"] * 3)
    n = 90
    while (await state(http, created["id"]))["converged"] is False and n < 180:
        await created.compare("ash>birch", "birch>cedar", "cedar>elm")
        n += 3
    assert (await created.ask())["status"] == "converged"
    for seq in range(1, 61):
        await created.void(seq)
    assert (await created.ask())["status"] == "open"
    assert (await state(http, created["id"]))["converged"] is False
    assert (await state(http, created["id"], as_of=n))["converged"] is True


@pytest.mark.parametrize("joins", [True, False])
async def test_a_candidate_that_joins_and_a_stop_that_is_taken_away_reopen_the_set(http: Http, joins: bool) -> None:
    created = await stopped(http)
    await (created.add("oak") if joins else created.patch(stop=None))
    assert (await created.ask())["status"] == "open"
    assert ((await created.ranking())["stopping"] is None) is not joins


async def test_the_budget_ends_a_set_that_has_not_converged(http: Http) -> None:
    created = await one_vote(http, stop={"top_k": 1}, budget={"max_comparisons": 2})
    assert len(await created.answer_all()) == 2
    assert (await created.ask())["status"] == "budget_reached"


async def test_a_set_that_has_converged_and_spent_its_budget_says_that_it_has_converged(http: Http) -> None:
    created = await stopped(http, budget={"max_comparisons": 3})
    assert (await created.ask())["status"] == "converged"
    await created.patch(status="paused")
    assert await created.ask() == nothing("paused")


@pytest.mark.parametrize(
    "stop", [{"top_k": 4}, {"top_k": 5}, {"top_k": 10**30}, {"rank_width": 3}, {"rank_width": 10**30}], ids=str
)
async def test_what_holds_of_any_ranking_never_stops_a_set(http: Http, stop: dict[str, int]) -> None:
    created = await one_vote(http, stop=stop, told=CLEAR)
    assert (await created.ask())["status"] == "open"
    assert await state(http, created["id"]) == {"converged": False, "reason": None, "forecast": None}


async def test_a_set_with_nothing_left_to_learn_stops(http: Http) -> None:
    created = await one_vote(http, stop={"entropy_change": 0.1})
    assert await state(http, created["id"]) == {"converged": False, "reason": None, "forecast": None}
    await created.answer_all(most=6)
    await created.patch(stop={"entropy_change": 0.3})
    assert await created.ask() == converged("entropy_change")


async def test_absolute_scores_may_end_the_asking(http: Http) -> None:
    created = await one_vote(http, stop={"entropy_change": 0.2})
    assert (await created.read("/next-pair"))["status"] == "open"
    for judge in "abcdefgh":
        await created.score(judge, ash=9, birch=7, cedar=3, elm=1)
    assert (await created.ask()) == converged("entropy_change")


async def test_a_forecast_comes_true_about_where_it_says(http: Http) -> None:
    created = await one_vote(http, stop={"top_k": 1})
    await http.put("/v1/judges/bob", json={"kind": "human"})
    await created.compare(*CLEAR[:9])
    promised, needed = (await state(http, created["id"]))["forecast"], 0
    while not (await state(http, created["id"]))["converged"] and needed < 60:
        judge = f"judge {needed}"
        await http.put(f"/v1/judges/{judge}", json={"kind": "human"})
        forth = [comparison("ash", other, 1.0, judge=judge) for other in ("birch", "cedar", "elm")]
        back = [comparison(other, "ash", 0.0, judge=judge) for other in ("birch", "cedar", "elm")]
        await created.compare_all([*forth, *back] if needed % 4 else [*back, *forth])
        needed += 6
    assert 0 < needed < 4 * promised
    assert promised < 4 * needed


async def test_a_forecast_has_an_interval_and_promises_no_more_than_can_be_done(http: Http) -> None:
    created = await one_vote(http, stop={"top_k": 1}, told=CLEAR[:9])
    await http.put("/v1/judges/bob", json={"kind": "human"})
    found = await stopping(http, created["id"])
    low, high = found["forecast_interval"]
    assert (0 < low < found["forecast"] < high, found["left"]) == (True, None)
    await created.patch(budget={"max_comparisons": 9 + found["forecast"]})
    found = await stopping(http, created["id"])
    assert (found["forecast_interval"], found["left"]) == ([low, None], found["forecast"])
    await created.patch(budget={"max_comparisons": 10})
    found = await stopping(http, created["id"])
    needs = "The stop rule is not met yet: it needs e-value 20 for first place, and has "
    assert found.pop("sentence").startswith(needs)
    nothing_known = dict.fromkeys(("reason", "forecast", "forecast_interval"))
    assert found == {"converged": False, "missing": "", "left": 1} | nothing_known


async def test_comparisons_left_are_those_of_the_judges_so_far(http: Http) -> None:
    """Four candidates have twelve ordered pairs, and of nine answers to three pairs six were alike."""
    created = await one_vote(http, stop={"top_k": 1}, told=CLEAR[:9])
    for left in (12 - 3 + MOST_REPEATS - 6, 12 - 3 + MOST_REPEATS - 6 - 1):
        assert (await stopping(http, created["id"]))["left"] == left
        await created.compare("birch>cedar")


async def test_before_the_first_verdict_nobody_knows_how_many_are_left_but_a_budget(http: Http) -> None:
    created = await one_vote(http, stop={"top_k": 1})
    found = await stopping(http, created["id"])
    assert (found["left"], "No comparison is left" in found["sentence"]) == (None, False)
    await created.patch(budget={"max_comparisons": 10})
    assert (await stopping(http, created["id"]))["left"] == 10


async def test_a_forecast_is_in_votes(http: Http) -> None:
    await http.put("/v1/judges/bob", json={"kind": "human"})
    one, other = await one_vote(http, stop={"top_k": 1}), await one_vote(http, stop={"top_k": 1})
    await one.compare(*CLEAR[:9])
    await other.compare_all([comparison("ash", key, weight=3) for key in ("birch", "cedar", "elm")])
    assert (await state(http, one["id"]))["forecast"] == (await state(http, other["id"]))["forecast"]


@pytest.mark.parametrize("keys", [(), ("ash",), ("ash", "elm")])
async def test_a_very_small_set_has_not_converged(http: Http, keys: tuple[str, ...]) -> None:
    created = await one_vote(http, candidates=candidates(*keys), stop={"top_k": 1, "rank_width": 0})
    assert await state(http, created["id"]) == {"converged": False, "reason": None, "forecast": None}
    assert (await created.ask())["status"] == ("open" if len(keys) == 2 else "exhausted")


async def test_where_a_set_stands_does_not_depend_on_the_method_that_is_asked_for(http: Http) -> None:
    created = await stopped(http)
    found = [await state(http, created["id"], method=method) for method in ("soft-bt", "phi-gaussian", "win-ratio")]
    assert found == [{"converged": True, "reason": "top_k", "forecast": 0}] * 3


# Pairs that open again


async def answer(http: Http, pair: dict[str, Any], p_first: float = 0.5) -> None:
    assert (await tell(http, pair["id"], p_first=p_first)).status_code == 201


async def cannot_converge(http: Http, set_id: str, judge: str = "alice") -> str:
    """The reason why the set cannot converge by this judge."""
    asked = await ask(http, set_id, judge)
    assert (asked["status"], asked["assignments"]) == ("cannot_converge", [])
    return str(asked["reason"])


async def test_a_set_without_a_stop_ends_and_one_with_a_stop_shows_its_pairs_the_other_way_round(http: Http) -> None:
    created = await one_vote(http, "ash", "elm")
    await answer(http, pair := await created.ask_one())
    assert (await created.ask())["status"] == "exhausted"
    await created.patch(stop={"top_k": 1})
    assert names(await created.ask_one()) == names(pair)[::-1]


async def test_a_judge_that_answers_alike_is_asked_again_a_few_times_and_then_another_goes_on(http: Http) -> None:
    created = await one_vote(http, "ash", "elm", stop={"top_k": 1})
    for _ in range(2 + MOST_REPEATS):
        await answer(http, await created.ask_one())
    assert "repeats itself" in await cannot_converge(http, created["id"])
    assert (await created.read("/next-pair"))["status"] == "cannot_converge"
    await answer(http, await created.ask_one("bob"))
    assert (await created.read("/next-pair"))["status"] == "open"


async def test_a_person_may_be_asked_again_and_again(http: Http) -> None:
    created = await one_vote(http, "ash", "elm", stop={"top_k": 1})
    for _ in range(2 + MOST_REPEATS):
        await answer(http, await created.ask_one())
    await http.put("/v1/judges/alice", json={"kind": "human"})
    for _ in range(3):
        await answer(http, await created.ask_one())


async def test_few_repeats_are_out_of_a_judge_that_has_not_shown_whether_it_answers_alike(http: Http) -> None:
    created = await one_vote(http, *"abcde", stop={"top_k": 1}, order="as_selected")
    for pair in (await created.ask(count=10))["assignments"]:
        await answer(http, pair)
    assert len((await created.ask(count=10))["assignments"]) == MOST_REPEATS


async def test_a_stop_that_holds_of_any_ranking_cannot_be_met(http: Http) -> None:
    created = await one_vote(http, "ash", "elm", stop={"top_k": 2})
    await answer(http, await created.ask_one())
    assert "any 2 candidates" in await cannot_converge(http, created["id"])


async def test_where_the_judge_failed_another_may_go_on(http: Http) -> None:
    created = await one_vote(http, "ash", "elm", stop={"top_k": 1})
    await tell(http, (await created.ask_one())["id"], failure="refused")
    assert "failed" in await cannot_converge(http, created["id"])
    assert (await created.ask("bob"))["status"] == "open"


async def test_a_pair_that_opened_again_is_held_by_one_judge_at_a_time(http: Http) -> None:
    created = await one_vote(http, "ash", "elm", stop={"top_k": 1})
    await answer(http, await created.ask_one())
    held = await created.ask_one()
    assert (await created.ask("bob"))["status"] == "all_leased"
    await answer(http, held)
    assert (await created.ask("bob"))["status"] == "open"


# Goals


async def test_a_set_stops_once_it_knows_its_goal(http: Http) -> None:
    fields = {"stop": {"goal": 0.95}, "goal": {"against": "cedar"}}
    created = await one_vote(http, "ash", "birch", "cedar", **fields)
    await agree(http, created["id"], *["ash>cedar", "birch>cedar"] * 2)
    assert await created.ask() == converged("goal")
    assert (await state(http, created["id"]))["reason"] == "goal"
    await created.patch(goal={"pair": ["ash", "birch"]})
    assert (await created.ask(goal={"against": "cedar"}))["status"] == "open"
    assert (await state(http, created["id"]))["converged"] is False


async def test_a_set_that_wants_the_ranking_has_no_goal_to_stop_at(http: Http) -> None:
    created = await one_vote(http, stop={"goal": 0.95}, goal={"top_k": 1})
    for url, body in (
        ("/v1/sets", {"name": "Trees", "question": "Which?", "stop": {"goal": 0.95}}),
        (created.url, {"goal": {}}),
    ):
        answer = await http.request("PATCH" if url.endswith(created["id"]) else "POST", url, json=body)
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/stop/goal")
    await created.patch(goal={}, stop={"concordance": 0.9})


async def test_a_set_stops_once_its_order_is_likely_enough(http: Http) -> None:
    created = await one_vote(http, stop={"concordance": 0.8})
    await agree(http, created["id"], *CLEAR[:12], *["birch>cedar", "cedar>elm"] * 2)
    assert await created.ask() == converged("concordance")


async def two_systems(http: Http, prompts: int, target: str = "auto") -> str:
    fields: dict[str, Any] = {"inference_target": target, "position_bias": "auto"}
    goal: dict[str, Any] = {"goal": {"top_k": 1}, "stop": {"goal": 0.95}}
    return str((await create_systems(http, map(str, range(prompts)), "kelp", "rowan", **fields, **goal))["id"])


async def test_a_set_with_prompts_stops_once_eight_are_judged_and_there_is_signal(http: Http) -> None:
    set_id = await two_systems(http, 60)
    await answer_all(http, set_id, "model", most=2)
    found = await stopping(http, set_id)
    assert found["missing"] == "a stop needs verdicts on 8 prompts, and 2 have any."
    assert found["sentence"] == f"The stop rule is not met yet: {found['missing']}"
    assert (await get(http, f"/v1/sets/{set_id}/summary"))["progress"]["words"] == "needs evidence"
    judged = 2 + len(await answer_all(http, set_id, "model"))
    final = await ranking(http, set_id)
    assert (final["stopping"]["converged"], final["inference_target"]["name"]) == (True, "new-items")
    assert final["signal"]["claimed"]
    assert 8 <= judged < 60


async def test_a_set_of_few_prompts_stops_once_all_of_them_are_judged(http: Http) -> None:
    set_id = await two_systems(http, 3)
    await answer_all(http, set_id, "model", most=2)
    assert (await stopping(http, set_id))["missing"] == "a stop needs verdicts on 3 prompts, and 2 have any."


async def test_where_all_is_judged_without_signal_the_reason_says_so(http: Http) -> None:
    set_id = await two_systems(http, 5, "new-items")
    await answer_all(http, set_id, "model")
    answer = await ask(http, set_id, "model")
    assert answer["status"] == "cannot_converge"
    assert answer["reason"].startswith("This judge has judged every pair. But a stop needs evidence of signal")
    assert answer["reason"].endswith(" Add prompts, or another judge.")
