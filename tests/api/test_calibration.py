"""Read: how well a judge's probabilities are calibrated."""

from itertools import combinations
from math import log as ln
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from tests.factories import Http, comparison, create_set, create_systems, get, patch, said, send_scores, void


async def calibration(http: Http, set_id: str, judge: str, *reference: str, **params: Any) -> dict[str, Any]:
    url = f"/v1/sets/{set_id}/calibration"
    return await get(http, url, judge=judge, reference=list(reference), **params)


async def distorted(http: Http, sure: float, count: int = 35) -> str:
    """Every pair judged by "human" and by "model", whose logits are `sure` times the true ones; returns the id."""
    rng, keys = np.random.default_rng(6), [f"c{n:02}" for n in range(count)]
    created = await create_set(http, *keys)
    new = []
    for first, second in combinations(keys, 2):
        d = rng.normal(0.0, 1.5)
        new.append(comparison(first, second, float(expit(sure * d)), "model"))
        right = float(rng.random() < expit(d))
        turned = rng.random() < 0.5
        pair = (second, first, 1.0 - right) if turned else (first, second, right)
        new.append(comparison(*pair, judge="human"))
    await created.compare_all(new)
    return str(created["id"])


@pytest.mark.parametrize(("sure", "objective"), [(2.5, "log-loss"), (0.5, "log-loss"), (2.5, "ece"), (1.0, "log-loss")])
async def test_the_temperature_is_how_much_too_sure_a_judge_is(http: Http, sure: float, objective: str) -> None:
    found = await calibration(http, await distorted(http, sure), "model", "human", objective=objective)
    assert found["temperature"] == pytest.approx(sure, rel=0.3)
    assert (found["verdicts"], found["at_bound"], found["objective"]) == (595, False, objective)
    assert (
        sum(b["verdicts"] for b in found["reliability"])
        == sum(b["verdicts"] for b in found["reliability_after"])
        == 595
    )
    if sure != 1.0:
        error = "ece" if objective == "ece" else "log_loss"
        assert found["after"][error] < found["before"][error]
        assert found["after"]["ece"] < 0.5 * found["before"]["ece"]


async def small(http: Http, *new: dict[str, Any]) -> str:
    created = await create_set(http, told=new)
    return str(created["id"])


async def test_a_reference_that_saw_the_other_order_is_turned(http: Http) -> None:
    set_id = await small(
        http, comparison("ash", "elm", 0.8, "model"), comparison("elm", "ash", 0.1, "human"),
        comparison("birch", "elm", 0.7, "model"), comparison("elm", "birch", 1.0, "human"),
    )  # fmt: skip
    found = await calibration(http, set_id, "model", "human")
    assert found["verdicts"] == 2
    assert found["before"]["log_loss"] == pytest.approx(-(ln(0.8) + ln(0.3)) / 2)
    assert [(b["verdicts"], b["confidence"], b["accuracy"]) for b in found["reliability"]] == [
        (1, pytest.approx(0.7), 0.0), (1, pytest.approx(0.8), 1.0),
    ]  # fmt: skip
    assert found["before"]["ece"] == pytest.approx((0.7 + 0.2) / 2)


async def test_both_orders_of_a_pair_are_one_debiased_verdict(http: Http) -> None:
    """Of three answers on ash and elm two are a couple; the temperature is of single answers."""
    set_id = await small(
        http, comparison("ash", "elm", 0.9, "model"), comparison("ash", "elm", 0.7, "model"),
        comparison("elm", "ash", 0.6, "model"), comparison("birch", "elm", 0.2, "model"),
        comparison("elm", "ash", 0.0, "human"), comparison("birch", "elm", 0.0, "human"),
    )  # fmt: skip
    found = await calibration(http, set_id, "model", "human")
    t, p = found["temperature"], np.array([0.9, 0.4])
    together = float(expit(np.log(p / (1.0 - p)) / t).mean())
    assert found["verdicts"] == 3
    assert found["before"]["log_loss"] == pytest.approx(-(ln(0.65) + ln(0.7) + ln(0.8)) / 3)
    singles = expit(np.log(np.array([0.7, 0.8]) / np.array([0.3, 0.2])) / t)
    assert found["after"]["log_loss"] == pytest.approx(-(ln(together) + np.log(singles).sum()) / 3)
    assert sorted(b["confidence"] for b in found["reliability"]) == pytest.approx([0.65, 0.7, 0.8])
    assert found["before"]["ece"] == pytest.approx((0.35 + 0.3 + 0.2) / 3)
    assert found["before"]["biased_ece"] == pytest.approx((0.1 / 2 + 0.6 / 2 + 0.3 + 0.2) / 3)


async def test_several_references_are_one_opinion(http: Http) -> None:
    set_id = await small(
        http, comparison("ash", "elm", 0.8, "model"), comparison("ash", "elm", 1.0, "alice"),
        comparison("elm", "ash", 1.0, "bob"), comparison("birch", "elm", 0.9, "model"),
        comparison("birch", "elm", 0.9, "alice"), comparison("birch", "elm", 0.4, "bob"),
    )  # fmt: skip
    found = await calibration(http, set_id, "model", "alice", "bob")
    assert (found["verdicts"], found["reference"]) == (2, ["alice", "bob"])
    a_tie, a_win = -(ln(0.8) + ln(0.2)) / 2, -ln(0.9)
    assert found["before"]["log_loss"] == pytest.approx((a_tie + a_win) / 2)
    assert (await calibration(http, set_id, "model", "alice"))["before"]["log_loss"] == pytest.approx(
        -(ln(0.8) + ln(0.9)) / 2
    )


async def test_naming_a_reference_twice_is_naming_it_once(http: Http) -> None:
    set_id = await small(http, comparison("ash", "elm", 0.8, "model"), comparison("ash", "elm", 1.0, "human"))
    once, twice = [await calibration(http, set_id, "model", *["human"] * n) for n in (1, 2)]
    assert (once["verdicts"], once["before"]) == (twice["verdicts"], twice["before"])


async def test_what_was_voided_on_either_side_is_left_out(http: Http) -> None:
    set_id = await small(
        http, comparison("ash", "elm", 0.8, "model"), comparison("ash", "elm", 1.0, "human"),
        comparison("birch", "elm", 0.7, "model"), comparison("birch", "elm", 1.0, "human"),
        comparison("cedar", "elm", 0.6, "model"), comparison("cedar", "elm", 1.0, "human"),
    )  # fmt: skip
    verdicts = []
    for seq in (1, 4, 6):
        await void(http, set_id, seq)
        verdicts.append((await calibration(http, set_id, "model", "human"))["verdicts"])
    assert verdicts == [2, 1, 0]


async def test_pairs_that_no_reference_judged_teach_nothing(http: Http) -> None:
    """Null and a reason: errors of 0 would read as a perfect judge."""
    set_id = await small(http, comparison("ash", "elm", 0.8, "model"), comparison("ash", "birch", 1.0, "human"))
    found = await calibration(http, set_id, "model", "human")
    assert (found["verdicts"], found["temperature"], found["at_bound"]) == (0, None, False)
    assert (found["before"], found["after"]) == (None, None)
    assert "No pair was judged by model and by human" in found["reason"]
    assert (found["reliability"], found["reliability_after"]) == ([], [])
    assert found["version"] == 2
    params = {"judge": "model", "reference": "human", "format": "svg"}
    picture = await http.get(f"/v1/sets/{set_id}/calibration", params=params)
    assert "No pair was judged by model and by human" in picture.text


async def test_only_the_same_item_is_the_same_pair(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp", "rowan")
    sides = [("model", "one"), ("model", "two"), ("human", "two")]
    await created.compare_all([comparison("kelp", "rowan", 0.8, j, item=i) for j, i in sides])
    assert (await calibration(http, created["id"], "model", "human"))["verdicts"] == 1


async def test_only_the_same_set_counts(http: Http) -> None:
    await small(http, comparison("ash", "elm", 1.0, "human"))
    set_id = await small(http, comparison("ash", "elm", 0.8, "model"))
    assert (await calibration(http, set_id, "model", "human"))["verdicts"] == 0


async def test_a_judge_that_is_always_right_could_be_surer_than_is_looked_for(http: Http) -> None:
    set_id = await small(
        http, *(comparison(x, "elm", 0.6, "model") for x in ("ash", "birch", "cedar")),
        *(comparison(x, "elm", 1.0, "human") for x in ("ash", "birch", "cedar")),
    )  # fmt: skip
    found = await calibration(http, set_id, "model", "human")
    assert (found["temperature"], found["at_bound"]) == (pytest.approx(0.05, rel=0.01), True)


async def test_a_calibration_reads_what_was_said_whatever_temperature_the_set_has(http: Http) -> None:
    set_id = await distorted(http, 2.0, count=12)
    before = await calibration(http, set_id, "model", "human")
    await patch(http, set_id, temperatures={"model": before["temperature"]})
    assert await calibration(http, set_id, "model", "human") == before


async def test_a_judge_who_only_scores_has_no_verdict(http: Http) -> None:
    set_id = await small(http, comparison("ash", "elm", 1.0, "human"))
    await send_scores(http, set_id, said("ash", 7, judge="model"))
    assert (await calibration(http, set_id, "model", "human"))["verdicts"] == 0
