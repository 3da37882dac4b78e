"""What a judge answered when it was asked again counts in the next sets, as long as it answers as it did."""

from typing import Any

import pytest

from tests.factories import Http, create_set, get, ranking

KEYS = [f"t{number}" for number in range(6)]


async def judged_set(http: Http, judge: str) -> tuple[str, int, int]:
    """A set judged until it stopped, by votes for the earlier key; how often it asked, and how often again."""
    fields: dict[str, Any] = {"inference_target": "auto", "position_bias": "auto", "stop": {"top_k": 1}}
    created = await create_set(http, *KEYS, **fields)
    asked = await created.answer_all(judge, p=1.0)
    return created["id"], len(asked), sum(each["why"]["criterion"] == "repeat" for each in asked)


async def describe(http: Http, judge: str, **fields: Any) -> None:
    answer = await http.put(f"/v1/judges/{judge}", json=fields)
    assert answer.status_code == 200, answer.text


async def test_the_next_set_starts_from_the_record_and_is_asked_less_often(http: Http) -> None:
    await describe(http, "voter", kind="llm", model="m-1", configuration="temperature 0")
    first, asked, again = await judged_set(http, "voter")
    assert (await ranking(http, first))["repetition"]["voter"]["known"] is None
    assert again >= 3
    second, asked_next, again_next = await judged_set(http, "voter")
    known = (await ranking(http, second))["repetition"]["voter"]["known"]
    assert 0.8 < known <= 0.98
    assert asked_next < asked
    assert again_next < again


@pytest.mark.parametrize(
    ("described", "has"),
    [
        ({"model": "m-1", "configuration": "temperature 0", "cost_per_1000": 2.0}, True),
        ({"model": "m-1", "configuration": "temperature 1"}, False),
        ({"model": "m-2", "configuration": "temperature 0"}, False),
        ({"configuration": "temperature 0"}, False),
    ],
)
async def test_a_judge_that_answers_in_another_way_starts_anew(
    http: Http, described: dict[str, Any], has: bool
) -> None:
    await describe(http, "voter", model="m-1", configuration="temperature 0")
    await judged_set(http, "voter")
    await describe(http, "voter", **described)
    created = await create_set(http, *KEYS, inference_target="auto")
    await created.answer_all("voter", most=1)
    known = (await created.ranking())["repetition"]["voter"]["known"]
    assert (known is not None) == has
    assert (await get(http, "/v1/judges/voter"))["configuration"] == described.get("configuration")


async def test_a_declaration_changes_the_ranking_that_is_kept(http: Http) -> None:
    created = await create_set(http, *KEYS, inference_target="auto")
    await created.answer_all("voter", most=3)
    url = f"{created.url}/ranking"
    before = await http.get(url)
    kept = await http.get(url, headers={"If-None-Match": before.headers["ETag"]})
    assert (before.json()["repetition"]["voter"]["known"], kept.status_code) == (None, 304)
    await describe(http, "voter", repeats=True)
    after = await http.get(url, headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, after.json()["repetition"]["voter"]["known"]) == (200, 1.0)
