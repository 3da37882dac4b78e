"""Read: what to know before believing a ranking."""

import json
from typing import Any, get_args

import pytest
from nextpair.words import InferenceTargetName
from scipy.special import logit

from app.inference.fitting import posterior
from app.inference.fitting.model import Method, build
from app.inference.reporting import bias
from tests.factories import (
    KEYS,
    Http,
    candidates,
    comparison,
    create_set,
    create_systems,
    judged_for,
    ranking,
    simulated,
    tell,
)


async def diagnostics(http: Http, set_id: str) -> dict[str, Any]:
    """As strict JSON, which has neither NaN nor Infinity."""
    answer = await http.get(f"/v1/sets/{set_id}/diagnostics")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = json.loads(answer.text, parse_constant=pytest.fail)
    return found


HAND_MADE = [
    comparison("ash", "birch", 0.9, "alice"),
    comparison("ash", "birch", 0.9, "alice"),  # again, and the same
    comparison("birch", "ash", 0.6, "alice"),  # the other way round: the first wins again
    comparison("birch", "cedar", 0.8, "alice"),
    comparison("cedar", "ash", 0.7, "alice"),  # a cycle: ash over birch over cedar over ash
    comparison("ash", "birch", 0.2, "bob"),  # against alice
    comparison("birch", "cedar", 0.9, "bob"),  # with her
    comparison("elm", "ash", 0.5, "bob"),
    comparison("elm", "cedar", 1.0, "carol"),  # to be voided
]


@pytest.fixture
async def found(http: Http) -> dict[str, Any]:
    """The diagnostics of HAND_MADE, its last entry voided, and of three failures."""
    created = await create_set(http, told=HAND_MADE)
    await created.void(9)
    for judge, failures in (("bob", ["refused", "timeout"]), ("dan", ["skipped"])):
        for pair, failure in zip((await created.ask(judge, count=2))["assignments"], failures, strict=False):
            assert (await tell(http, pair["id"], failure=failure)).status_code == 201
    return await diagnostics(http, created["id"])


def test_the_log_is_counted_without_what_was_voided(found: dict[str, Any]) -> None:
    assert (found["version"], found["comparisons"], found["components"]) == (10, 8, 1)
    assert found["held_out"] is None


def test_a_cycle_is_found(found: dict[str, Any]) -> None:
    assert found["cycles"] == {"triads": 1, "cyclic": 1, "share": 1.0}  # a tie closes no triad


def test_repeats_of_one_judge_are_compared(found: dict[str, Any]) -> None:
    assert found["repeats"] == {
        "same_order": {"pairs": 1, "share": 1.0}, "swapped": {"pairs": 1, "share": 0.0}, "first_both": 1.0,
        "second_both": 0.0,
    }  # fmt: skip


def test_judges_are_compared_with_each_other(found: dict[str, Any]) -> None:
    assert found["agreement"] == {"pairs": 2, "share": 0.5}


def test_the_balance_of_orders_is_that_of_the_worst(found: dict[str, Any]) -> None:
    assert found["order_balance"] == {
        "worst": 1, "mixed": pytest.approx(0.8214, abs=1e-4), "first_picked": pytest.approx(5.5 / 8),
    }  # fmt: skip


def test_every_judge_is_described_failures_included(found: dict[str, Any]) -> None:
    assert found["judges"] == {
        "alice": {
            "comparisons": 5, "failures": {}, "failure_rate": 0.0, "first_picked": pytest.approx(0.78),
            "delta": pytest.approx(logit(0.78)),
        },
        "bob": {
            "comparisons": 3, "failures": {"refused": 1, "timeout": 1}, "failure_rate": 0.4,
            "first_picked": pytest.approx(1.6 / 3), "delta": pytest.approx(logit(1.6 / 3)),
        },
        "dan": {"comparisons": 0, "failures": {"skipped": 1}, "failure_rate": 1.0, "first_picked": None, "delta": None},
    }  # fmt: skip


def test_the_history_ends_at_the_present(found: dict[str, Any]) -> None:
    assert [moment["comparisons"] for moment in found["history"]] == list(range(1, 9))
    assert [moment["version"] for moment in found["history"]] == list(range(1, 9))
    assert found["history"][-1]["rank_correlation"] == pytest.approx(1.0)
    assert all(-1 <= moment["rank_correlation"] <= 1.0 + 1e-12 for moment in found["history"])


# Against other sources


@pytest.mark.parametrize(
    "fields", [{}, {"position_bias": "estimate", "prior": "anchor", "expert": "phi-beta"}], ids=str
)
async def test_biases_are_estimated_whatever_the_set_does(http: Http, fields: dict[str, Any]) -> None:
    created = await create_set(http, verdict_weight="one-vote", **fields, told=HAND_MADE)
    await created.compare("ash>elm", "birch>elm", judge="one way")
    found = (await diagnostics(http, created["id"]))["position_bias"]
    comparisons, judges, _ = await created.counted(KEYS)
    method = Method(fields.get("expert", "soft-bt"), prior=fields.get("prior", "unit"), position_bias="estimate")
    model = build(method, 4, len(judges))
    for known in bias.estimates(posterior.fit(comparisons, model), comparisons, model):
        told = found[judges[known.judge]]
        assert (told["delta"], told["sd"]) == (pytest.approx(known.delta, abs=1e-6), pytest.approx(known.sd))
        assert (told["warning"] is None) == known.identified
    assert set(found) == set(judges)


async def test_a_moment_of_the_history_is_the_ranking_of_then(http: Http) -> None:
    created = await create_set(http, *"abcdef", verdict_weight="one-vote", told=simulated("abcdef", 50, seed=3))
    history = (await diagnostics(http, created["id"]))["history"]
    assert len(history) == 12
    assert [moment["comparisons"] for moment in history][-1] == 50
    for moment in history[::4]:
        then = await created.ranking(as_of=moment["version"])
        assert (then["comparisons"], then["entropy"]) == (moment["comparisons"], pytest.approx(moment["entropy"]))
        assert moment["concordance"] == pytest.approx(then["confidence"]["expected_concordance"])
    entropies = [moment["entropy"] for moment in history]
    assert entropies == sorted(entropies, reverse=True)
    assert history[-1]["rank_correlation"] == pytest.approx(1.0)


@pytest.mark.parametrize("target", get_args(InferenceTargetName))
async def test_the_history_is_about_what_is_ranked_and_ends_with_the_ranking(
    http: Http, target: InferenceTargetName
) -> None:
    set_id = await judged_for(http, target, 5)
    history, now = (await diagnostics(http, set_id))["history"], await ranking(http, set_id)
    assert now["inference_target"]["name"] == target
    assert [history[-1]["concordance"], history[-1]["entropy"]] == [
        now["confidence"]["expected_concordance"],
        now["entropy"],
    ]
    if target != "latent":
        then = await ranking(http, set_id, as_of=history[3]["version"])
        assert history[3]["concordance"] == pytest.approx(then["confidence"]["expected_concordance"], abs=1e-6)


async def test_new_items_have_a_history_from_the_second_one_on(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp", "rowan", "sorrel", inference_target="new-items")
    pairs = [("kelp", "rowan"), ("rowan", "sorrel"), ("kelp", "sorrel")]
    new = [comparison(*pair, 0.9, item=item) for item in ("one", "two") for pair in pairs]
    await created.compare_all(new)
    assert [each["comparisons"] for each in (await diagnostics(http, created["id"]))["history"]] == [4, 5, 6]


async def test_only_the_same_item_is_a_repeat(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp", "rowan")
    await created.compare_all(
        [
            comparison("kelp", "rowan", 0.9, judge, item=item)
            for judge, item in (("a", "one"), ("a", "two"), ("b", "two"))
        ]
    )
    found = await diagnostics(http, created["id"])
    assert (found["repeats"]["same_order"]["pairs"], found["agreement"]) == (0, {"pairs": 1, "share": 1.0})


async def test_a_judge_who_only_ever_names_the_first_has_no_finite_logit(http: Http) -> None:
    created = await create_set(http, told=[comparison("ash", "elm", 1.0), comparison("elm", "ash", 1.0)])
    judge = (await diagnostics(http, created["id"]))["judges"]["bob"]
    assert (judge["first_picked"], judge["delta"]) == (1.0, None)


async def test_a_judge_who_only_scores_is_described_too(http: Http) -> None:
    created = await create_set(http, told=["ash>elm", "elm>birch", "birch>ash"])
    await created.score("gpt", ash=7, elm=3)
    found = await diagnostics(http, created["id"])
    assert found["judges"]["gpt"] == {
        "comparisons": 0, "failures": {}, "failure_rate": None, "first_picked": None, "delta": None,
    }  # fmt: skip
    assert (found["version"], found["comparisons"], set(found["position_bias"])) == (5, 3, {"bob"})
    assert found["history"][-1]["rank_correlation"] == pytest.approx(1.0)


@pytest.mark.parametrize("keys", [(), ("ash",), ("ash", "elm"), KEYS], ids=len)
async def test_a_set_without_comparisons_has_nothing_to_say(http: Http, keys: tuple[str, ...]) -> None:
    created = await create_set(http, candidates=candidates(*keys), position_bias="estimate")
    found = await diagnostics(http, created["id"])
    nothing = {"pairs": 0, "share": None}
    assert found == {
        "set_id": created["id"], "version": 0, "newer_version": None, "comparisons": 0, "components": len(keys),
        "cycles": {"triads": 0, "cyclic": 0, "share": None},
        "repeats": {"same_order": nothing, "swapped": nothing, "first_both": None, "second_both": None},
        "agreement": nothing, "order_balance": {"worst": 0, "mixed": None, "first_picked": None}, "position_bias": {},
        "judges": {}, "held_out": None, "history": [],
    }  # fmt: skip


async def test_all_voided_is_like_nothing_said(http: Http) -> None:
    created = await create_set(http, "ash", "elm", told=["ash>elm"])
    await created.void(1)
    found = await diagnostics(http, created["id"])
    assert (found["version"], found["comparisons"], found["history"], found["judges"]) == (2, 0, [], {})


async def test_two_candidates_have_a_history(http: Http) -> None:
    created = await create_set(http, "ash", "elm", order="both")
    assert len(await created.answer_all()) == 2
    found = await diagnostics(http, created["id"])
    assert [moment["rank_correlation"] for moment in found["history"]] == [1.0, 1.0]


async def test_a_large_log_is_diagnosed(http: Http) -> None:
    keys = [f"c{n:03}" for n in range(200)]
    created = await create_set(http, *keys)
    for n in range(4):
        await created.compare_all(simulated(keys, 500, n, judge=f"judge {n}", lean=0.5))
    found = await diagnostics(http, created["id"])
    assert (found["comparisons"], found["components"], len(found["history"])) == (2000, 1, 12)
    assert found["cycles"]["share"] < 0.15
    assert all(abs(known["delta"] - 0.5) < 3 * known["sd"] for known in found["position_bias"].values())
