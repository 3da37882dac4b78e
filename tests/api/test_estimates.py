"""Estimates over HTTP: the comparisons until a set stops, and what limits them."""

import pytest

from tests.api.test_bad_input import assert_problem
from tests.factories import Http, get


async def test_a_goal_takes_a_range_of_comparisons(http: Http) -> None:
    found = await get(http, "/v1/estimate", candidates=24, goal="top_k")
    assert 0 < found["low"] < found["median"] < found["high"] < 24 * 23
    assert found["sentence"].endswith("as in 8 of 10 simulated sets like this.")


async def test_people_need_more_comparisons_than_a_model(http: Http) -> None:
    model, people = [
        (await get(http, "/v1/estimate", candidates=16, goal="top_k", concordance=0.9, judge=judge))["median"]
        for judge in ("llm", "human")
    ]
    assert model < people


async def test_where_prompts_limit_what_can_be_known_it_says_so(http: Http) -> None:
    found = await get(http, "/v1/estimate", candidates=8, items=15, judge="human")
    assert found["high"] is None
    assert "The 15 prompts limit what can be known: add prompts" in found["sentence"]
    assert found["reachable_concordance"] is None


async def test_it_names_the_highest_share_that_most_sets_reach(http: Http) -> None:
    set_like_this = {"candidates": 8, "items": 15, "goal": "top_k", "top_k": 1}
    share = (await get(http, "/v1/estimate", **set_like_this))["reachable_concordance"]
    by_share = [await get(http, "/v1/estimate", **set_like_this, concordance=each) for each in (share, 0.95)]
    assert share == 0.9
    assert [each["high"] is None for each in by_share] == [False, True]


@pytest.mark.parametrize("query", ["candidates=1", "candidates=4&concordance=1", "candidates=4&goal=none", "items=3"])
async def test_what_cannot_be_estimated_is_refused(http: Http, query: str) -> None:
    assert_problem(await http.get(f"/v1/estimate?{query}"), 422, "invalid-request", "")
