"""Rankings by the values of a tag, and their forms."""

import csv
import io
from itertools import combinations
from typing import Any

import httpx
import numpy as np
import pytest
from scipy.special import expit

from tests.api.test_bad_input import assert_problem
from tests.factories import Http, comparison, create_set, create_systems, ranking

KEYS, ITEMS = ("gpt", "llama", "mistral"), [f"p{n:02}" for n in range(12)]


@pytest.fixture
async def set_id(http: Http) -> str:
    """Three systems on 12 prompts, half of them code, on which the first two change places."""
    rng, log = np.random.default_rng(0), []
    created = await create_systems(http, ITEMS, *KEYS, inference_target="auto", verdict_weight="learnt")
    for n, item in enumerate(ITEMS):
        score = dict(zip(KEYS, [[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]][n % 2] + rng.normal(0.0, 0.2, 3), strict=True))
        log += [comparison(a, b, float(expit(score[a] - score[b])), item=item) for a, b in combinations(KEYS, 2)]
    await created.compare_all(log)
    await tag(http, created["id"], ["writing", "code"] * 6)
    return str(created["id"])


async def tag(http: Http, set_id: str, categories: list[str]) -> None:
    items = [{"key": item, "tags": {"category": each}} for item, each in zip(ITEMS, categories, strict=True)]
    answer = await http.post(f"/v1/sets/{set_id}/candidates", json={"candidates": [{"key": "gpt"}], "items": items})
    assert answer.status_code in (200, 201), answer.text


async def asked(http: Http, set_id: str, **params: Any) -> httpx.Response:
    return await http.get(f"/v1/sets/{set_id}/ranking", params=params)


async def test_a_ranking_by_tag_finds_the_reversal(http: Http, set_id: str) -> None:
    slices = (await ranking(http, set_id, by="category", baseline="gpt"))["slices"]
    by_value = {each["value"]: each for each in slices["slices"]}
    assert [row["key"] for row in by_value["code"]["ranking"]] == ["llama", "gpt", "mistral"]
    assert [row["key"] for row in by_value["writing"]["ranking"]] == ["gpt", "llama", "mistral"]
    assert by_value["code"]["deviation"]["claimed"]
    assert by_value["code"]["deviation"]["reversal"]
    assert by_value["code"]["ranking"][0]["against"]["difference"] > 0.0
    assert (await ranking(http, set_id))["slices"] is None


async def test_a_changed_tag_changes_the_ranking(http: Http, set_id: str) -> None:
    before = await asked(http, set_id, by="category")
    await tag(http, set_id, ["writing", "code"] * 5 + ["code", "code"])
    after = await http.get(
        f"/v1/sets/{set_id}/ranking", params={"by": "category"}, headers={"If-None-Match": before.headers["ETag"]}
    )
    assert after.status_code == 200
    assert [each["prompts"] for each in after.json()["slices"]["slices"]] == [7, 5]


async def test_slices_follow_the_whole_in_csv(http: Http, set_id: str) -> None:
    answer = await asked(http, set_id, by="category", baseline="llama", format="csv")
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    expected = await ranking(http, set_id, by="category", baseline="llama")
    assert next(iter(rows[0])) == "category"
    assert [*rows[0]][-3:] == ["departs_p", "version", "method"]
    assert [row["category"] for row in rows] == [*[""] * 3, *["code"] * 3, *["writing"] * 3]
    (code, _) = expected["slices"]["slices"]
    for row, e in zip(rows[3:6], code["ranking"], strict=True):
        assert (row["key"], float(row["score"])) == (e["key"], e["score"])
        assert float(row["departs_p"]) == code["deviation"]["p_value"]
        if e["against"]:
            assert float(row["against_difference"]) == e["against"]["difference"]
            assert [float(row[f"against_win_rate_{end}"]) for end in ("low", "high")] == e["against"][
                "win_rate_interval"
            ]
        else:
            assert row["against_difference"] == row["p_better"] == ""


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"by": "language"}, "by: no prompt with comparisons has the tag 'language'; the tags are category."),
        ({"baseline": "oak"}, "baseline: there is no candidate 'oak'"),
        ({"covariate": "length", "method": "gaussian"}, "covariate: gaussian has no covariates"),
        ({"scale": "elo", "method": "gaussian"}, "scale: the scores of gaussian are not logits"),
    ],
)
async def test_what_cannot_be_ranked_so_names_the_parameter(
    http: Http, set_id: str, params: dict[str, str], message: str
) -> None:
    assert_problem(await asked(http, set_id, **params), 422, "invalid-request", message)


async def test_the_length_of_outputs_is_taken_out(http: Http) -> None:
    """Of two systems equally good, the judge prefers whatever is longer; the second one writes more."""
    rng, log, outputs = np.random.default_rng(1), [], {key: dict[str, str]() for key in KEYS[:2]}
    for item in ITEMS:
        sizes = rng.integers(20, 200, 2) + np.array([0, 100])
        outputs |= {key: outputs[key] | {item: "x" * int(size)} for key, size in zip(outputs, sizes, strict=True)}
        difference = float(np.log(sizes[0] / sizes[1])) + float(rng.normal(0.0, 0.1))
        log.append(comparison("gpt", "llama", float(expit(difference)), item=item))
    systems, prompts = (
        [{"key": key, "outputs": texts} for key, texts in outputs.items()],
        [{"key": item} for item in ITEMS],
    )
    created = await create_set(
        http, candidates=systems, items=prompts, inference_target="auto", verdict_weight="learnt"
    )
    await created.compare_all(log)
    alone = await asked(http, created["id"])
    beside = await asked(http, created["id"], covariate="length")
    assert alone.headers["ETag"] != beside.headers["ETag"]
    assert alone.json()["effects"] is None
    effect = beside.json()["effects"]["length"]
    assert effect["interval"][0] > 0.0
    assert effect["sentence"].startswith("Longer outputs win more: ")
    before, after = ({row["key"]: row["score"] for row in each.json()["ranking"]} for each in (alone, beside))
    assert before["llama"] - before["gpt"] > 0.4 > 0.2 > abs(after["llama"] - after["gpt"])
    unknown = await asked(http, created["id"], covariate="lists")
    assert unknown.status_code == 422
