"""Goals: what a set or one ask wants to know decides which pairs are handed out."""

from typing import Any

import pytest

from tests.api.test_bad_input import assert_problem
from tests.factories import Http, candidates, create_asked, create_set, get, names, tell, unordered

NOTHING = {"top_k": None, "against": None, "pair": None}
CHAIN = ("ash>birch", "birch>cedar", "cedar>elm")


def goal(**wanted: Any) -> dict[str, Any]:
    """As the service shows it."""
    return {**NOTHING, **wanted}


async def pairs_of(http: Http, set_id: str, **params: Any) -> list[frozenset[str]]:
    """The pairs of a preview, in order."""
    found = await get(http, f"/v1/sets/{set_id}/next-pair", **params)
    return [unordered(pair) for pair in found["pairs"]]


async def test_a_set_wants_the_ranking_unless_it_says_otherwise(http: Http) -> None:
    assert (await create_set(http))["goal"] == NOTHING
    assert (await create_set(http, goal={}))["goal"] == NOTHING


@pytest.mark.parametrize("wanted", [{"top_k": 2}, {"against": "elm"}, {"pair": ["ash", "elm"]}])
async def test_a_goal_is_kept_and_may_change(http: Http, wanted: dict[str, Any]) -> None:
    created = await create_set(http, goal=wanted)
    assert created["goal"] == goal(**wanted)
    assert (await created.patch(goal={}))["goal"] == NOTHING
    assert (await created.patch(goal=wanted))["goal"] == goal(**wanted)


@pytest.mark.parametrize("criterion", ["knowledge", "reordering", "variance", "determinant", "exponent"])
async def test_pairs_are_chosen_for_the_goal(http: Http, criterion: str) -> None:
    created = await create_set(
        http, *"abcdef", selection={"criterion": criterion}, goal={"against": "f"}, order="as_selected"
    )
    await created.compare("a>b", "c>d", "e>f", "b>c")
    asked = (await created.ask(count=3))["assignments"]
    assert all("f" in names(pair) for pair in asked)


async def test_the_pair_in_question_comes_first(http: Http) -> None:
    created, pair = await create_asked(http, *"abcdef", selection={"criterion": "knowledge"}, goal={"pair": ["e", "b"]})
    assert set(names(pair)) == {"b", "e"}
    assert (await tell(http, pair["id"], p_first=0.6)).status_code == 201
    (following,) = (await created.ask())["assignments"]
    assert len({"b", "e"} & set(names(following))) == 1


async def test_one_ask_may_want_something_else(http: Http) -> None:
    created = await create_set(http, *"abcdefgh", goal={"pair": ["a", "b"]})
    wanted = {"against": "h"}
    assert "h" in names(await created.ask_one(goal=wanted))
    assert set(names(await created.ask_one("bob"))) == {"a", "b"}
    assert (await created.read())["goal"] == goal(pair=["a", "b"])


@pytest.mark.parametrize(
    ("params", "pair"), [({"top_k": 1}, None), ({"against": "elm"}, {"elm"}), ({"pair": ["birch", "elm"]}, None)]
)
async def test_a_preview_may_have_a_goal(http: Http, params: dict[str, Any], pair: set[str] | None) -> None:
    created = await create_set(http, selection={"criterion": "knowledge"}, told=CHAIN)
    previewed = await pairs_of(http, created["id"], **params)
    asked = await created.ask_one(goal=params)
    assert previewed == [unordered(asked)]
    assert pair is None or pair <= previewed[0]


async def test_asks_over_many_sets_may_have_a_goal(http: Http) -> None:
    """The set without this candidate keeps to its own goal."""
    first = await create_set(http, *"abcdef")
    second = await create_set(http, *"uvwxyz", goal={"pair": ["x", "u"]})
    body = {"judge": "alice", "count": 2, "sets": [first["id"], second["id"]], "goal": {"against": "f"}}
    answer = (await http.post("/v1/next-pairs", json=body)).json()
    by_set = {pair["set_id"]: set(names(pair)) for pair in answer["assignments"]}
    assert "f" in by_set[first["id"]]
    assert by_set[second["id"]] == {"u", "x"}


@pytest.mark.parametrize(
    ("wanted", "pointer"), [({"against": "oak"}, "/goal/against"), ({"pair": ["ash", "oak"]}, "/goal/pair")]
)
async def test_a_candidate_that_the_set_lacks_is_refused(http: Http, wanted: dict[str, Any], pointer: str) -> None:
    set_id = (await create_set(http))["id"]
    body = {"name": "Trees", "question": "Which?", "candidates": candidates("ash", "elm"), "goal": wanted}
    for answer in (
        await http.post("/v1/sets", json=body),
        await http.patch(f"/v1/sets/{set_id}", json={"goal": wanted}),
        await http.post(f"/v1/sets/{set_id}/next-pair", json={"judge": "alice", "goal": wanted}),
        await http.get(f"/v1/sets/{set_id}/next-pair", params=wanted),
    ):
        assert answer.status_code == 422
        assert [(each["pointer"], each["detail"]) for each in answer.json()["errors"]] == [
            (pointer, "unknown candidate 'oak'")
        ]
        assert "add it first" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"top_k": 0}, "greater than or equal to 1"),
        ({"top_k": 1, "against": "ash"}, "send one of top_k, against and pair"),
        ({"pair": ["ash", "ash"]}, "two different candidates"),
        ({"pair": ["ash"]}, "/goal/pair/1"),
        ({"best": 1}, "unknown field"),
    ],
)
async def test_a_goal_that_makes_no_sense_is_refused(http: Http, wanted: dict[str, Any], says: str) -> None:
    answer = await http.post("/v1/sets", json={"name": "Trees", "question": "Which?", "goal": wanted})
    assert_problem(answer, 422, "invalid-request", says)


async def test_a_preview_refuses_two_goals_at_once(http: Http) -> None:
    set_id = (await create_set(http))["id"]
    answer = await http.get(f"/v1/sets/{set_id}/next-pair", params={"top_k": 1, "against": "ash"})
    assert_problem(answer, 422, "invalid-request", "send one of top_k, against and pair")


async def test_a_candidate_of_the_goal_may_join_later(http: Http) -> None:
    """A set that is created empty takes any key; until it is there, the ranking is wanted."""
    body = {"name": "Trees", "question": "Which?", "goal": {"against": "oak"}}
    set_id = (await http.post("/v1/sets", json=body)).json()["id"]
    await http.post(f"/v1/sets/{set_id}/candidates", json={"candidates": candidates("ash", "birch", "elm")})
    assert len(await pairs_of(http, set_id, count=9)) == 3
    await http.post(f"/v1/sets/{set_id}/candidates", json={"candidates": candidates("oak")})
    assert all("oak" in pair for pair in (await pairs_of(http, set_id, count=3)))


async def test_the_top_of_fewer_candidates_is_the_ranking(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak", goal={"top_k": 9})
    assert len(await pairs_of(http, created["id"], count=9)) == 3
