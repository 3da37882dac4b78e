"""Judges: what is said of them, their cards in a set, and the group's verdicts."""

import asyncio
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI

from app.live import jobs
from tests.api.test_bad_input import assert_problem
from tests.factories import (
    Http,
    candidates,
    compare,
    comparison,
    create_set,
    create_systems,
    get,
    patch,
    ranking,
    run_sql,
    simulated,
    tell,
)

pytestmark = pytest.mark.alone

TREES = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"]


async def judges(http: Http, set_id: str, **params: Any) -> dict[str, Any]:
    return await get(http, f"/v1/sets/{set_id}/judges", **params)


async def describe(http: Http, name: str, **said: Any) -> dict[str, Any]:
    answer = await http.put(f"/v1/judges/{name}", json=said)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.fixture
async def many(http: Http) -> str:
    """A set in which two judges are good, one is random and one is inverted."""
    created = await create_set(http, candidates=candidates(*TREES))
    for number, (judge, sure) in enumerate([("ann", 3.0), ("bea", 2.0), ("coin", 0.0), ("foe", -2.0)]):
        await created.compare_all(simulated(TREES, 80, number, judge, sure=sure))
    return str(created["id"])


async def test_a_judge_can_be_described_before_and_after_it_judges(http: Http) -> None:
    made = await describe(http, "gpt-4", kind="llm", model="gpt-4-0125", cost_per_1000=10.0)
    assert (made["kind"], made["model"], made["cost_per_1000"]) == ("llm", "gpt-4-0125", 10.0)
    again = await describe(http, "gpt-4", kind="llm")
    assert again == made | {"model": None, "cost_per_1000": None}
    assert (await http.get("/v1/judges/gpt-4")).json() == again


async def test_names_may_hold_slashes_and_other_signs(http: Http) -> None:
    await describe(http, "team/größe 7", kind="human")
    assert (await http.get("/v1/judges/team%2Fgröße 7")).json()["name"] == "team/größe 7"


async def test_judges_are_listed_by_name_and_kind_in_pages(http: Http) -> None:
    for name, kind in (("ann", "human"), ("gpt", "llm"), ("bob", "human")):
        await describe(http, name, kind=kind)
    created = await create_set(http, "ash", "elm")
    await created.compare("ash>elm", judge="zoe")
    first = (await http.get("/v1/judges", params={"limit": 2})).json()
    rest = (await http.get("/v1/judges", params={"limit": 2, "after": first["next_after"]})).json()
    assert [judge["name"] for judge in first["judges"] + rest["judges"]] == ["ann", "bob", "gpt", "zoe"]
    assert rest["next_after"] is None
    people = (await http.get("/v1/judges", params={"kind": "human"})).json()["judges"]
    assert [judge["name"] for judge in people] == ["ann", "bob"]


@pytest.mark.parametrize("said", [{"kind": "robot"}, {"cost_per_1000": -1}, {"model": ""}, {"colour": "red"}])
async def test_nonsense_about_a_judge_is_refused(http: Http, said: dict[str, Any]) -> None:
    answer = await http.put("/v1/judges/gpt", json=said)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == f"/{next(iter(said))}"
    assert (await http.get("/v1/judges/gpt")).status_code == 404


async def test_cards_tell_good_judges_from_bad_ones(http: Http, many: str) -> None:
    found = await judges(http, many)
    cards = {card["judge"]: card for card in found["judges"]}
    assert list(cards) == ["ann", "bea", "coin", "foe"]
    assert cards["ann"]["skill"] > 0.4
    assert cards["foe"]["skill"] < -0.1
    assert abs(cards["coin"]["skill"]) < 0.35
    assert cards["ann"]["position_bias"]["discrimination"] > 2 * cards["coin"]["position_bias"]["discrimination"]
    assert cards["foe"]["judge_effects"]["sd"] > cards["ann"]["judge_effects"]["sd"]
    assert len(cards["foe"]["judge_effects"]["largest_deviations"]) == 3
    assert cards["ann"]["agreement"]["share"] > cards["foe"]["agreement"]["share"]
    assert any(warning.startswith("foe disagrees with the others") for warning in found["warnings"])
    assert {tuple(pair["judges"]) for pair in found["agreement"]} >= {("ann", "bea"), ("coin", "foe")}
    assert found["convergence"]["converged"]


async def test_the_group_says_one_thing_of_each_pair(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await created.compare_all(
        [
            comparison("ash", "elm", 0.9, "ann"),
            comparison("elm", "ash", 0.2, "bea"),
            comparison("ash", "elm", 0.4, "cyd"),
        ]
    )
    (average,) = (await judges(http, created["id"], method="average"))["verdicts"]
    assert average == {
        "item": None, "first": "ash", "second": "elm", "p_first": pytest.approx(2.1 / 3), "p_tie": None, "judges": 3,
    }  # fmt: skip
    (majority,) = (await judges(http, created["id"], method="majority"))["verdicts"]
    assert majority["p_first"] == pytest.approx(2 / 3)
    assert (await judges(http, created["id"], verdicts=False))["verdicts"] is None


async def test_a_card_counts_failures_time_and_money(http: Http) -> None:
    created = await create_set(http, "ash", "birch", "cedar")
    await describe(http, "gpt", kind="llm", model="m", cost_per_1000=500.0)
    await tell(http, (await created.ask_one("gpt"))["id"], p_first=0.8, latency_ms=120.0)
    await tell(http, (await created.ask_one("gpt"))["id"], failure="refused")
    await tell(http, (await created.ask_one("dan"))["id"], failure="skipped")
    dan, gpt = (await judges(http, created["id"]))["judges"]
    assert (gpt["comparisons"], gpt["cost"], gpt["median_latency_ms"]) == (1, 1.0, 120.0)
    assert (gpt["failures"], gpt["failure_rate"], gpt["model"]) == ({"refused": 1}, 0.5, "m")
    assert (dan["comparisons"], dan["failure_rate"], dan["skill"], dan["influence"]) == (0, 1.0, None, None)


async def test_any_judge_may_be_named_as_the_reference(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak")
    verdicts = [comparison("ash", "elm", 1.0, judge) for judge in ("gpt", "llama", "expert")]
    await created.compare_all([*verdicts, comparison("elm", "oak", 1.0, "gpt")])
    alone = (await judges(http, created["id"]))["people"]
    assert (alone["pairs"], alone["ways"]) == (0, {})
    assert "accuracy is unknown" in alone["summary"]
    held = (await judges(http, created["id"], reference="expert"))["people"]
    assert (held["pairs"], held["judge_next"]) == (1, [{"item": None, "first": "elm", "second": "oak"}])
    assert (await http.get(f"{created.url}/judges?reference=nobody")).status_code == 404


async def test_ties_are_half_a_vote_or_a_class_and_a_position_bias_is_taken_off(http: Http) -> None:
    """Judge bea is sure of what it is shown first; all but one say that ash and elm are alike."""
    created = await create_set(http, "ash", "elm", "oak")
    of_bea = [comparison("elm", "oak", 0.9, "bea"), comparison("oak", "elm", 0.6, "bea")]
    others = [comparison("ash", "elm", p, judge) for judge, p in (("ann", 0.5), ("bea", 0.5), ("cyd", 1.0))]
    await created.compare_all([*others, *of_bea])
    half = (await judges(http, created["id"], method="majority"))["verdicts"]
    ties = (await judges(http, created["id"], method="majority", ties="class"))["verdicts"]
    assert [(verdict["p_first"], verdict["p_tie"]) for verdict in half] == [(pytest.approx(2 / 3), None), (1.0, None)]
    assert [(verdict["p_first"], verdict["p_tie"]) for verdict in ties] == [
        (pytest.approx(1 / 3), pytest.approx(2 / 3)),
        (1.0, 0.0),
    ]
    debiased = (await judges(http, created["id"], method="average", debias=True))["verdicts"]
    assert debiased[1]["p_first"] == pytest.approx(0.7101, abs=1e-4), "sigma((logit .9 - logit .6) / 2)"


async def test_leaving_out_the_judge_that_decides_changes_the_top(http: Http) -> None:
    created = await create_set(http, "ash", "elm", verdict_weight="one-vote")
    await created.compare_all([comparison("ash", "elm", 1.0, "strong")] * 5)
    await created.compare_all([comparison("elm", "ash", 0.0, "strong")] * 4)
    both = [comparison("elm", "ash", 1.0, "weak"), comparison("ash", "elm", 0.0, "weak")]
    await created.compare_all(both)
    cards = {card["judge"]: card["influence"] for card in (await judges(http, created["id"]))["judges"]}
    assert cards["strong"]["changes_top"]
    assert not cards["weak"]["changes_top"]


async def test_people_are_not_blamed_where_a_majority_is_against_them(http: Http) -> None:
    """One person says in which order eight trees are, and one model, sage, with her; three models say the opposite."""
    keys = [f"tree {number}" for number in range(8)]
    created = await create_set(http, *keys, verdict_weight="one-vote")
    await describe(http, "alice", kind="human")
    pairs = [(first, second) for k, first in enumerate(keys) for second in keys[k + 1 :]]
    for judge, p in (("alice", 1.0), ("sage", 1.0), ("gpt", 0.0), ("llama", 0.0), ("claude", 0.0)):
        for shown, p_first in ((pairs, p), ([(second, first) for first, second in pairs], 1.0 - p)):
            await created.compare_all([comparison(*pair, p_first, judge) for pair in shown])

    weighed = await judges(http, created["id"])
    warnings, cards = weighed["warnings"], {card["judge"]: card for card in weighed["judges"]}
    checks = (await http.get(f"{created.url}/checks")).json()["checks"]
    url = f"{created.url}/ranking"
    ranking = (await http.get(url, params={"method": "judge-aware"})).json()

    assert "gpt is mostly wrong by people's labels (skill -0.76)" in " ".join(warnings)
    assert weighed["people"]["summary"].startswith(
        "The majority agrees with people in 0% (0% to 12%) of 28 labelled items"
    )
    assert cards["gpt"]["agreement_with_people"]["interval"] == pytest.approx([0.0, 0.12], abs=0.01)
    assert cards["alice"]["agreement_with_people"] is None
    assert all(verdict["p_first"] == 1.0 for verdict in weighed["verdicts"])
    assert weighed["people"]["judge_next"] == []
    blamed = " ".join([*warnings, *(check["says"] for check in checks)])
    assert "alice" not in blamed
    assert "sage" not in blamed
    assert [row["key"] for row in ranking["ranking"]] == keys
    biases = ranking["position_bias"]
    assert (biases["alice"]["discrimination"], biases["alice"]["discrimination_sd"]) == (1.0, 0.0)
    assert all(biases[model]["discrimination"] < -0.5 for model in ("gpt", "llama", "claude"))
    assert "disagrees with the others" in biases["gpt"]["warning"]
    assert "against" not in (biases["alice"]["warning"] or "")


@pytest.mark.parametrize("keys", [(), ("ash",), ("ash", "elm")])
async def test_a_set_without_comparisons_has_no_cards(http: Http, keys: tuple[str, ...]) -> None:
    created = await create_set(http, candidates=candidates(*keys))
    found = await judges(http, created["id"])
    assert (found["judges"], found["verdicts"], found["warnings"], found["agreement"]) == ([], [], [], [])


@pytest.mark.parametrize("method", ["skill-aggregation", "crowdlayer", "train-on-majority"])
async def test_methods_that_read_the_texts(http: Http, many: str, method: str) -> None:
    found = await judges(http, many, method=method)
    assert all(0.0 <= verdict["p_first"] <= 1.0 for verdict in found["verdicts"])
    assert found["convergence"] is not None


async def test_systems_without_texts_cannot_be_read(http: Http) -> None:
    created = await create_set(http, candidates=[{"key": "ash"}, {"key": "elm"}], told=["ash>elm"])
    answer = await http.get(f"{created.url}/judges", params={"method": "crowdlayer"})
    assert_problem(answer, 422, "invalid-request", "the set stores none; choose dawid-skene")


async def test_long_work_is_announced_and_then_ready(http: Http, many: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    asked = f"/v1/sets/{many}/judges?method=skill-aggregation"
    early = await http.get(asked)
    assert early.status_code == 425
    assert early.headers["Retry-After"] == "1"
    assert "Ask again." in early.json()["detail"]
    for _ in range(100):
        if (answer := await http.get(asked)).status_code != 425:
            break
        await asyncio.sleep(0.1)
    assert answer.status_code == 200


async def test_while_a_new_version_is_weighed_the_last_one_is_shown(
    http: Http, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    weighed = await judges(http, many)
    await compare(http, many, "ash>elm", judge="zoe")
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    assert await judges(http, many) == weighed
    monkeypatch.setattr(jobs, "PATIENCE", 10.0)
    found = await judges(http, many)
    assert (found["version"], found["judges"][-1]["judge"]) == (weighed["version"] + 1, "zoe")


async def test_what_was_weighed_before_a_set_changed_is_not_shown(
    http: Http, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (await judges(http, many))["judges"][0]["position_bias"]
    await patch(http, many, temperatures={"ann": 3.0})
    assert (await judges(http, many))["judges"][0]["position_bias"] != before
    await http.post(f"/v1/sets/{many}/candidates", json={"candidates": candidates("rowan")})
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    assert (await http.get(f"/v1/sets/{many}/judges")).status_code == 425


async def test_systems_are_compared_item_by_item(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "ash", "birch", "cedar")
    await created.answer_all("ann")
    found = await judges(http, created["id"])
    assert len(found["verdicts"]) == 6
    assert {verdict["item"] for verdict in found["verdicts"]} == {"one", "two"}
    assert (await created.ask("bea"))["status"] == "exhausted"


async def test_more_than_an_answer_lists_is_left_out_with_a_warning(
    http: Http, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("app.service.presenting.judges", "app.analysis.judges"):
        monkeypatch.setattr(f"{place}.MOST_LISTED", 3)
    answer = await judges(http, many)
    assert (answer["verdicts"], answer["agreement"]) == (None, [])
    assert {"agreement: too many to list.", "verdicts: too many to list."} <= set(answer["warnings"])


async def test_more_judges_than_matrices_can_hold_are_refused(
    http: Http, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.service.weighing.MOST_CELLS", 50)
    answer = await http.get(f"/v1/sets/{many}/judges")
    assert_problem(answer, 422, "invalid-request", "4 judges of")


async def test_where_only_people_judged_nobody_is_missed(http: Http) -> None:
    created = await create_set(http)
    for name in ("ada", "bob"):
        await http.put(f"/v1/judges/{name}", json={"kind": "human"})
        await created.compare_all([comparison("ash", "elm", 1.0, name)])
    weighed = await judges(http, created["id"])
    assert [judge["kind"] for judge in weighed["judges"]] == ["human", "human"]
    assert weighed["people"]["summary"].startswith("Only people have judged")


async def read_one(http: Http, set_id: str, name: str) -> dict[str, Any]:
    return await get(http, f"/v1/sets/{set_id}/judges/{quote(name, safe='')}")


async def test_one_judge_has_its_card_and_its_history(http: Http, many: str) -> None:
    detail = await read_one(http, many, "foe")
    card = next(card for card in (await judges(http, many))["judges"] if card["judge"] == "foe")
    effects = detail["card"].pop("judge_effects")
    assert effects["largest_deviations"][:3] == card.pop("judge_effects")["largest_deviations"]
    assert len(effects["largest_deviations"]) == len(TREES)
    assert detail["card"] == card
    end = detail["history"][-1]
    assert (end["verdicts"], end["agreement"]) == (card["comparisons"], card["agreement"])
    assert sum(period["verdicts"] for period in detail["periods"]) == card["comparisons"]
    assert len(detail["latest"]) == 50
    assert [each["seq"] for each in detail["latest"]] == sorted(
        (each["seq"] for each in detail["latest"]), reverse=True
    )
    assert detail["summary"].startswith("foe agrees with the other judges on ")
    assert detail["over_time"] == "It is in doubt from its first verdict on."
    assert (await read_one(http, many, "ann"))["over_time"].startswith("No decline beyond chance shows in ")


async def test_a_judge_that_is_inverted_has_that_status(http: Http, many: str) -> None:
    cards = {card["judge"]: card for card in (await judges(http, many))["judges"]}
    assert {name: card["status"] for name, card in cards.items() if name != "coin"} == {
        "ann": "fine",
        "bea": "fine",
        "foe": "inverted",
    }
    assert any(doubt.startswith("foe disagrees") for doubt in cards["foe"]["doubts"])
    assert cards["ann"]["doubts"] == []
    weights = (await ranking(http, many))["verdict_weight"]["effective_votes"]
    assert {name: card["effective_votes"] for name, card in cards.items()} == pytest.approx(weights)


async def test_a_pace_leaves_out_pauses_and_verdicts_from_elsewhere(http: Http, app: FastAPI) -> None:
    """Four verdicts that were asked for: half a minute, an hour, and another half minute apart."""
    created = await create_set(http, *TREES)
    name = "team/größe 7"
    await created.answer_all(name, most=4)
    await created.compare("ash>elm", judge="elsewhere")
    ends = enumerate(("10:00:00", "10:00:30", "11:00:30", "11:01:00"), 1)
    await run_sql(
        app.state.context.engine,
        "ALTER TABLE comparisons DISABLE TRIGGER USER",
        *(f"UPDATE comparisons SET created_at = '2026-03-01T{at}Z' WHERE seq = {seq}" for seq, at in ends),
        "ALTER TABLE comparisons ENABLE TRIGGER USER",
    )
    other, own = (await judges(http, created["id"]))["judges"]
    detail = await read_one(http, created["id"], name)
    assert (own["verdicts_per_hour"], own["last_verdict_at"]) == (120.0, "2026-03-01T11:01:00Z")
    assert (other["verdicts_per_hour"], own["status"]) == (None, None)
    assert (detail["period"], [period["verdicts"] for period in detail["periods"]]) == ("hour", [2, 2])
    assert detail["history"][-1]["at"] == "2026-03-01T11:01:00Z"


async def test_voided_verdicts_are_listed_and_do_not_count(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await created.compare("ash>elm", "elm>ash", judge="ann")
    await created.void(2)
    detail = await read_one(http, created["id"], "ann")
    assert [(each["seq"], each["voided_by"]) for each in detail["latest"]] == [(2, 3), (1, None)]
    assert [moment["verdicts"] for moment in detail["history"]] == [1]
    assert detail["summary"] == "ann sent 1 verdict, none of them on a pair that others judged."


async def test_a_judge_that_only_failed_has_a_page(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await tell(http, (await created.ask_one("dan"))["id"], failure="skipped")
    detail = await read_one(http, created["id"], "dan")
    assert (detail["card"]["failures"], detail["history"], detail["periods"]) == ({"skipped": 1}, [], [])


async def test_a_judge_without_verdicts_in_the_set_is_unknown(http: Http, many: str) -> None:
    await describe(http, "idle", kind="llm")
    for name in ("idle", "nobody/at all"):
        answer = await http.get(f"/v1/sets/{many}/judges/{quote(name, safe='')}")
        assert_problem(answer, 404, "unknown-judge", f"'{name}'")
