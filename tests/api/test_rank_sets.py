"""People and a judge on the same pairs of outputs, and where people's next verdict helps most."""

from typing import Any

import httpx
import numpy as np
import pytest

from app.inference.judges import prediction_powered, ranked
from tests.api.test_bad_input import assert_problem
from tests.factories import Http, ask, ask_one, comparison, create_set, create_systems, send, tell

SYSTEMS = ["ash", "birch", "cedar", "elm"]
ITEMS = [f"q{n}" for n in range(30)]


async def rank_sets(http: Http, set_id: str, **params: Any) -> httpx.Response:
    return await http.get(f"/v1/sets/{set_id}/rank-sets", params={"judge": "gpt", **params})


def said(judge: str, item: str, first: str, second: str, p: float) -> dict[str, Any]:
    return comparison(first, second, p, judge, item=item)


def all_pairs(seed: int) -> list[tuple[str, str, str, float]]:
    """(item, first, second, p) of every pair on every item, earlier systems being better most of the time."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    return [
        (item, SYSTEMS[i], SYSTEMS[j], float(rng.random() < 0.5 + 0.1 * (j - i))) for item in ITEMS for i, j in pairs
    ]


@pytest.fixture
async def judged(http: Http) -> str:
    """A judge on all 180 pairs of outputs, ann on the first 60 of them."""
    created = await create_systems(http, ITEMS, *SYSTEMS)
    await http.put("/v1/judges/ann", json={"kind": "human"})
    truth = all_pairs(0)
    answer = await created.send(
        *(said("gpt", item, a, b, 0.2 + 0.6 * p) for item, a, b, p in truth),
        *(said("ann", item, b, a, 1.0 - p) for item, a, b, p in truth[:60]),
    )
    assert answer.status_code == 201, answer.text
    return str(created["id"])


async def test_rank_sets_are_those_of_the_function(http: Http, judged: str) -> None:
    found = (await rank_sets(http, judged)).json()
    truth = all_pairs(0)
    first, second = (np.array([SYSTEMS.index(name) for name in names]) for names in list(zip(*truth, strict=True))[1:3])
    p = np.array([row[3] for row in truth])
    soft = 0.2 + 0.6 * p
    people = np.where(np.arange(180) < 60, p, np.nan)
    expected = ranked(
        prediction_powered(
            np.array([first, second]), np.array([people, 1.0 - people]), [np.array([soft, 1.0 - soft])], k=4
        ),
        0.05,
    )
    by_key = {system["key"]: system for system in found["systems"]}
    np.testing.assert_allclose([by_key[key]["theta"] for key in SYSTEMS], expected.estimate.theta)
    assert [by_key[key]["ranks"] for key in SYSTEMS] == expected.ranks.tolist()
    assert found["tuned_lambda"] == pytest.approx(expected.estimate.lambdas[0])
    assert (found["instances_by_both"], found["instances_by_judge"], found["pairs_unseen"]) == (60, 120, 0)
    assert (found["reference"], found["judge"]) == (["ann"], "gpt")
    assert found["people_saved"] > 20
    assert found["systems"][0]["by_people"]["sd"] > found["systems"][0]["sd"]


async def test_people_may_be_named_and_two_on_one_pair_count_for_one(http: Http, judged: str) -> None:
    item, a, b, p = all_pairs(0)[0]
    await send(http, judged, said("bob", item, a, b, 1.0 - p))
    alone, both = [(await rank_sets(http, judged, reference=people)).json() for people in (["ann"], ["ann", "bob"])]
    assert alone["instances_by_both"] == both["instances_by_both"] == 60
    assert alone["systems"] != both["systems"]


async def test_the_published_covariance_says_what_the_paper_did(http: Http, judged: str) -> None:
    found = (await rank_sets(http, judged, covariance="published")).json()
    assert found["people_saved"] is None
    sandwich = (await rank_sets(http, judged)).json()
    sd = {name["key"]: name["sd"] for name in sandwich["systems"]}
    assert all(system["sd"] < sd[system["key"]] for system in found["systems"])


async def test_lambda_and_what_holds_together_may_be_said(http: Http, judged: str) -> None:
    usual, left_out, wide = [
        (await rank_sets(http, judged, **params)).json()
        for params in ({}, {"lambda": 0.0}, {"simultaneous": "ellipsoid"})
    ]
    assert left_out["tuned_lambda"] == 0.0 < usual["tuned_lambda"]
    assert [system["theta"] for system in left_out["systems"]] == [s["by_people"]["theta"] for s in left_out["systems"]]
    assert (usual["simultaneous"], wide["simultaneous"]) == ("contrasts", "ellipsoid")
    assert (await rank_sets(http, judged, covariance="published")).json()["simultaneous"] == "ellipsoid"
    sizes = [sum(worst - best for best, worst in (s["ranks"] for s in of["systems"])) for of in (usual, wide)]
    assert sizes[0] <= sizes[1]


async def test_several_judges_have_a_lambda_each(http: Http, judged: str) -> None:
    rng = np.random.default_rng(1)
    random = [said("random", item, a, b, float(rng.random())) for item, a, b, _ in all_pairs(0)[30:]]
    await send(http, judged, *random)
    both = (await rank_sets(http, judged, judge=["gpt", "random"])).json()
    assert [(of["judge"], of["instances_by_both"], of["instances_by_judge"]) for of in both["judges"]] == [
        ("gpt", 60, 120),
        ("random", 30, 120),
    ]
    assert both["judges"][0]["tuned_lambda"] == both["tuned_lambda"] > both["judges"][1]["tuned_lambda"]
    assert all(system["by_judges"][0] == system["by_judge"] != system["by_judges"][1] for system in both["systems"])


@pytest.mark.parametrize(
    ("params", "status", "says"),
    [
        ({"judge": "nobody"}, 404, "no judge 'nobody'"),
        ({"reference": "nobody"}, 404, "no judge 'nobody'"),
        ({"reference": "gpt"}, 422, "is also a reference"),
        ({"alpha": 0.7}, 422, "alpha"),
        ({"judge": ["gpt", "gpt"]}, 422, "name each judge once"),
        ({"lambda": [0.2, 0.3]}, 422, "send one for each judge"),
        ({"lambda": 1.5}, 422, "lambda"),
    ],
)
async def test_what_cannot_be_answered_is_said(
    http: Http, judged: str, params: dict[str, Any], status: int, says: str
) -> None:
    answer = await rank_sets(http, judged, **params)
    assert answer.status_code == status
    assert says in answer.text


async def test_without_people_the_remedy_is_named(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await created.send(comparison("ash", "elm", judge="gpt"))
    answer = await rank_sets(http, created["id"])
    assert_problem(answer, 422, "invalid-request", "PUT /v1/judges/NAME")
    await http.put("/v1/judges/ann", json={"kind": "human"})
    await created.send(comparison("ash", "elm", judge="ann"))
    few = await rank_sets(http, created["id"])
    assert few.status_code == 409
    assert "'ash' is in 1" in few.json()["detail"]


async def test_people_are_asked_what_the_judge_has_judged(http: Http, judged: str) -> None:
    seen = set()
    for _ in range(20):
        pair = await ask_one(http, judged, "bob", rank_sets_with="gpt")
        assert pair["why"]["criterion"] == "rank-sets"
        assert 0.0 < pair["why"]["propensity"] <= 1.0
        seen.add((pair["item"]["key"], frozenset((pair["first"]["key"], pair["second"]["key"]))))
        assert (await tell(http, pair["id"], winner="first")).status_code == 201
    assert len(seen) == 20
    by_ann = {(item, frozenset((a, b))) for item, a, b, _ in all_pairs(0)[:60]}
    assert not seen & by_ann, "ann is human and has judged these"


async def test_people_are_asked_what_tells_which_judges_are_right(http: Http, judged: str) -> None:
    """What somebody human has judged, or holds, is not asked for again."""
    pairs = (await ask(http, judged, "bob", count=30, check_judges=True))["assignments"]
    places = {(pair["item"]["key"], frozenset((pair["first"]["key"], pair["second"]["key"]))) for pair in pairs}
    assert {pair["why"]["criterion"] for pair in pairs} == {"labels"}
    assert len(places) == 30
    assert not places & {(item, frozenset((a, b))) for item, a, b, _ in all_pairs(0)[:60]}, "ann has judged these"
    (other,) = (await ask(http, judged, "cyd", check_judges=True))["assignments"]
    assert (other["item"]["key"], frozenset((other["first"]["key"], other["second"]["key"]))) not in places
    both = {"judge": "bob", "rank_sets_with": "gpt", "check_judges": True}
    assert (await http.post(f"/v1/sets/{judged}/next-pair", json=both)).status_code == 422


async def test_two_people_never_hold_the_same_pair(http: Http, judged: str) -> None:
    held = [(await ask(http, judged, judge, count=50, rank_sets_with="gpt"))["assignments"] for judge in ("bob", "cyd")]
    places = [{(a["item"]["key"], a["first"]["key"], a["second"]["key"]) for a in pairs} for pairs in held]
    assert [len(pairs) for pairs in places] == [50, 50]
    turned = {(item, b, a) for item, a, b in places[1]}
    assert not places[0] & (places[1] | turned)


async def test_people_go_on_when_the_sets_own_queue_has_ended(http: Http) -> None:
    created = await create_systems(http, ["one"], *SYSTEMS)
    await created.answer_all("gpt")
    assert (await created.ask("ann"))["status"] == "exhausted"
    for _ in range(6):
        await tell(http, (await created.ask_one("ann", rank_sets_with="gpt"))["id"], winner="tie")
    assert (await created.ask("ann", rank_sets_with="gpt"))["status"] == "exhausted"


async def test_a_judge_that_is_unknown_or_silent_has_nothing_to_check(http: Http, judged: str) -> None:
    answer = await http.post(f"/v1/sets/{judged}/next-pair", json={"judge": "bob", "rank_sets_with": "nobody"})
    assert answer.status_code == 404
    await http.put("/v1/judges/quiet", json={"kind": "llm"})
    assert (await ask(http, judged, "bob", rank_sets_with="quiet"))["assignments"] == []
