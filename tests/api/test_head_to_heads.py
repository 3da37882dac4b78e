"""Read: two candidates compared."""

from typing import Any

import pytest
from nextpair.words import InferenceTargetName

from tests.api.test_checks import matrix
from tests.factories import (
    Http,
    compare,
    compare_all,
    comparison,
    create_set,
    create_systems,
    get,
    judged_for,
    ranking,
    score,
)

TARGETS: tuple[InferenceTargetName, ...] = ("all-pairs", "new-items", "people", "latent")


async def head_to_head(http: Http, set_id: str, first: str, second: str, **how: Any) -> dict[str, Any]:
    return await get(http, f"/v1/sets/{set_id}/head-to-head", first=first, second=second, **how)


def turned(interval: list[float], whole: float) -> list[float]:
    """The interval of what is left of the whole."""
    return [whole - end for end in reversed(interval)]


@pytest.mark.parametrize("target", TARGETS)
async def test_turned_round_every_figure_is_mirrored(http: Http, target: InferenceTargetName) -> None:
    set_id = await judged_for(http, target, 12)
    one, other = await head_to_head(http, set_id, "b", "d"), await head_to_head(http, set_id, "d", "b")
    assert other["inference_target"]["name"] == target
    assert other["win_rate"] == pytest.approx(1.0 - one["win_rate"])
    assert other["win_rate_interval"] == pytest.approx(turned(one["win_rate_interval"], 1.0))
    assert other["difference"] == pytest.approx(-one["difference"])
    assert other["difference_interval"] == pytest.approx(turned(one["difference_interval"], 0.0))
    if one["signal"]["claimed"]:
        assert other["p_first_better"] == pytest.approx(1.0 - one["p_first_better"])
    else:
        assert (one["p_first_better"], other["p_first_better"]) == (None, None)
    assert (other["verdicts"]["wins"], other["verdicts"]["losses"]) == (
        one["verdicts"]["losses"],
        one["verdicts"]["wins"],
    )
    for tally, mirrored in zip(
        [one["verdicts"], *one["by_judge"]], [other["verdicts"], *other["by_judge"]], strict=True
    ):
        assert mirrored["ties"] == tally["ties"]
        if tally["share"] is not None:
            assert mirrored["share"] == pytest.approx(1.0 - tally["share"])
            assert mirrored["interval"] == pytest.approx(turned(tally["interval"], 1.0))
    assert other["to_decide"] == one["to_decide"]
    assert (other["source"], other["note"]) == (one["source"], one["note"])


@pytest.mark.parametrize("target", TARGETS)
async def test_it_is_what_the_ranking_says_beside_a_baseline(http: Http, target: InferenceTargetName) -> None:
    set_id = await judged_for(http, target, 12)
    against = {row["key"]: row["against"] for row in (await ranking(http, set_id, baseline="c"))["ranking"]}["a"]
    found = await head_to_head(http, set_id, "a", "c")
    assert found["difference"] == pytest.approx(against["difference"])
    assert found["difference_interval"] == pytest.approx(against["interval"])
    assert found["p_first_better"] == pytest.approx(against["p_better"])
    if target == "all-pairs":
        keys, cells = await matrix(http, set_id, "win-rate")
        assert found["win_rate"] == pytest.approx(cells[keys.index("a"), keys.index("c")] / 200.0, abs=0.0025)
    else:
        assert found["win_rate"] == pytest.approx(against["win_rate"])
        assert found["win_rate_interval"] == pytest.approx(against["win_rate_interval"])


async def test_nobody_judged_is_the_prior_and_says_so(http: Http) -> None:
    created = await create_set(http)
    found = await head_to_head(http, created["id"], "ash", "elm")
    assert found["win_rate"] == pytest.approx(0.5, abs=0.02)
    low, high = found["win_rate_interval"]
    assert low < 0.1
    assert high > 0.9
    assert found["source"] == "prior"
    assert found["sentence"].startswith("Nothing compares ash with elm yet: the prior gives each ")
    assert found["note"] == "No verdicts yet: these figures are the prior's."
    assert found["to_decide"]["sentence"] == "A forecast needs verdicts: judge this pair first."
    assert (found["verdicts"]["comparisons"], found["verdicts"]["share"]) == (0, None)
    assert (found["by_judge"], found["by_tag"]) == ([], [])


async def test_where_an_estimate_comes_from(http: Http) -> None:
    set_id = (await create_set(http, "ash", "birch", "cedar", "elm", "fir", "gum"))["id"]
    await compare(http, set_id, "ash>birch", "birch>cedar", "elm>fir")
    source = {}
    for pair in ("ash birch", "ash cedar", "ash elm"):
        found = await head_to_head(http, set_id, *pair.split())
        source[pair] = found["source"]
        assert ("comparisons with others" in found["note"]) == (pair == "ash cedar")
        assert ("No chain of comparisons" in found["note"]) == (pair == "ash elm")
    assert source == {"ash birch": "verdicts", "ash cedar": "others", "ash elm": "prior"}
    await score(http, set_id, ash=4.0, gum=2.0)
    assert (await head_to_head(http, set_id, "ash", "gum"))["source"] == "absolute-scores"


async def test_counts_by_judge_sum_to_the_total_and_ties_are_half(http: Http) -> None:
    set_id = (await create_set(http))["id"]
    await compare_all(
        http,
        set_id,
        [
            comparison("ash", "elm", 0.9, "ann"),
            comparison("elm", "ash", 0.9, "ann"),
            comparison("elm", "ash", 0.5, "bob"),
            comparison("ash", "elm", 0.7, "bob", weight=3.0),
            comparison("ash", "birch", 0.2, "cleo"),
        ],
    )
    found = await head_to_head(http, set_id, "ash", "elm")
    assert [(tally["judge"], tally["comparisons"]) for tally in found["by_judge"]] == [("ann", 2), ("bob", 2)]
    for count in ("comparisons", "wins", "ties", "losses"):
        assert sum(tally[count] for tally in found["by_judge"]) == found["verdicts"][count]
    total = found["verdicts"]
    assert (total["comparisons"], total["wins"], total["ties"], total["losses"]) == (4, 4.0, 1.0, 1.0)
    assert total["share"] == pytest.approx((0.9 + 0.1 + 0.5 + 3.0 * 0.7) / 6.0)
    assert total["interval"][0] < total["share"] < total["interval"][1]


async def test_a_tally_for_each_value_of_a_tag(http: Http) -> None:
    created = await create_systems(http, ["i1", "i2", "i3"], "ash", "elm")
    tagged = [{"key": item, "prompt": f"Do {item}.", "tags": {"topic": topic}} for item, topic in
              (("i1", "code"), ("i2", "code"), ("i3", "prose"))]  # fmt: skip
    outputs = [{"key": "ash", "outputs": {"i1": "So."}}]
    answer = await http.post(f"{created.url}/candidates", json={"candidates": outputs, "items": tagged})
    assert answer.status_code < 300, answer.text
    await created.compare_all(
        [comparison("ash", "elm", p, item=item) for item, p in (("i1", 1.0), ("i2", 1.0), ("i3", 0.0))]
    )
    found = await head_to_head(http, created["id"], "ash", "elm")
    assert [(each["tag"], each["value"], each["wins"], each["losses"]) for each in found["by_tag"]] == [
        ("topic", "code", 2.0, 0.0),
        ("topic", "prose", 0.0, 1.0),
    ]


async def test_what_would_decide_it_and_what_that_costs(http: Http) -> None:
    created = await create_set(http, verdict_weight="one-vote")
    pairs = 3 * ["ash>birch", "birch>cedar", "cedar>birch"] + ["ash>elm", "cedar>elm"]
    await created.compare_all(
        [comparison(pair.split(">")[0], pair.split(">")[1], 1.0, f"gpt-{n % 4}") for n, pair in enumerate(pairs)]
    )
    unpriced = (await head_to_head(http, created["id"], "cedar", "birch"))["to_decide"]
    assert (unpriced["converged"], unpriced["cost"]) == (False, None)
    for judge, price in (("gpt-0", 20.0), ("gpt-1", 20.0)):
        answer = await http.put(f"/v1/judges/{judge}", json={"kind": "llm", "cost_per_1000": price})
        assert answer.status_code == 200
    priced = (await head_to_head(http, created["id"], "cedar", "birch"))["to_decide"]
    assert priced["forecast"] == unpriced["forecast"]
    assert priced["cost"] == pytest.approx(0.02 * priced["forecast"])
    assert priced["sentence"].endswith("would decide which is better.")
    await created.patch(goal={"pair": ["cedar", "birch"]}, stop={"goal": 0.95})
    stopping = (await created.ranking())["stopping"]
    assert [priced[name] for name in ("forecast", "forecast_interval", "left")] == [
        stopping[name] for name in ("forecast", "forecast_interval", "left")
    ]


@pytest.mark.parametrize(
    ("pair", "status", "problem"),
    [
        ({"first": "ash", "second": "oak"}, 404, "unknown-candidate"),
        ({"first": "ash", "second": "ash"}, 422, "same-candidate"),
        ({"first": "ash"}, 422, "invalid-request"),
        ({"first": "ash", "second": "elm", "inference_target": "new-items"}, 422, "invalid-request"),
    ],
)
async def test_what_is_no_pair_is_refused(http: Http, pair: dict[str, str], status: int, problem: str) -> None:
    created = await create_set(http)
    assert (await created.send(comparison("ash", "elm"))).status_code == 201
    answer = await http.get(f"{created.url}/head-to-head", params=pair)
    assert (answer.status_code, answer.json()["type"].rsplit(":", 1)[-1]) == (status, problem)
