"""How a set reads its log: expert, prior, positional bias and temperatures, each as a direct fit has it."""

from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
import pytest
from nextpair.words import ExpertName

from app.inference.experts import MAKERS, parameters
from app.inference.fitting import posterior
from app.inference.fitting.model import Method, build
from app.inference.reporting import bias
from app.inference.reporting.bias import Bias
from app.inference.reporting.calibration import tempered
from app.inference.types import Comparisons, Floats
from app.service.context import Context
from tests.api.test_bad_input import assert_problem
from tests.factories import (
    Http,
    comparison,
    counted,
    create_set,
    get,
    log,
    patch,
    ranking,
    relative,
    said,
    scores_of,
    simulated,
)

EXPERTS = get_args(ExpertName)
SIX = tuple("abcdef")
one_vote = partial(create_set, verdict_weight="one-vote")
SAME_SCORE = 1e-7


async def six(http: Http, **fields: Any) -> str:
    """A set of six with 40 soft verdicts, one of them void; returns its id."""
    created = await one_vote(http, *SIX, **fields, told=simulated(SIX, 40, seed=1))
    await created.void(7)
    return str(created["id"])


def fitted(comparisons: Comparisons, method: Method) -> Floats:
    """Scores as they are published."""
    return relative(posterior.fit(comparisons, build(method, len(SIX))).mean)


class Joint(NamedTuple):
    scores: Floats
    biases: list[Bias]


def jointly(comparisons: Comparisons, judges: int, expert: str = "soft-bt") -> Joint:
    model = build(Method(expert, position_bias="estimate"), len(SIX), judges)
    found = posterior.fit(comparisons, model)
    return Joint(relative(found.mean[: len(SIX)]), bias.estimates(found, comparisons, model))


async def published(http: Http, set_id: str, **params: Any) -> Floats:
    found = await scores_of(http, set_id, **params)
    return np.array([found[key] for key in SIX])


# Experts


def test_the_contract_names_every_expert_there_is() -> None:
    assert set(EXPERTS) == set(MAKERS)


@pytest.mark.parametrize("expert", EXPERTS)
async def test_an_expert_ranks_alike_as_the_sets_own_and_when_asked_for(http: Http, expert: str) -> None:
    own, other = (
        await six(http, expert=expert),
        await six(http, expert="gaussian" if expert != "gaussian" else "soft-bt"),
    )
    expected = fitted((await counted(http, own, SIX)).comparisons, Method(expert))
    assert await published(http, own) == pytest.approx(expected, abs=SAME_SCORE)
    assert await published(http, other, method=expert) == pytest.approx(expected, abs=SAME_SCORE)
    shown = [(await ranking(http, own))["method"], (await ranking(http, other, method=expert))["method"]]
    assert shown[0] == shown[1]
    assert (shown[0]["name"], shown[0]["expert"], shown[0]["expert_parameters"]) == (expert, expert, parameters(expert))


@pytest.mark.parametrize(
    "fields", [*({"expert": e} for e in EXPERTS), {"prior": "anchor", "prior_variance": 100.0}], ids=str
)
async def test_every_expert_and_prior_hands_out_pairs_until_none_is_left(http: Http, fields: dict[str, Any]) -> None:
    created = await create_set(http, selection={"criterion": "determinant"}, **fields)
    assert (await created.ranking())["ranking"][0]["score"] == 0.0
    assert len(await created.answer_all(count=2)) == 6
    assert list(await created.scores_of()) == ["ash", "birch", "cedar", "elm"]


@pytest.mark.parametrize(
    ("expert", "given"),
    [
        ("gaussian", {"alpha": 2.0, "beta": 0.4}),
        ("gaussian", {"v": 2.0, "power": 0.5}),
        ("logit-gaussian", {"v": 2.0, "power": 1.0}),
        ("sigma-beta", {"a": 0.0, "b": 3.0}),
        ("sigma-gaussian", {"v": 2.5}),
        ("phi-gaussian", {"v": 2.5}),
        ("laplace", {"b": 0.5}),
    ],
)
async def test_parameters_of_an_expert_are_its_sets_alone(http: Http, expert: str, given: dict[str, float]) -> None:
    set_id = await six(http, expert=expert, expert_parameters=given)
    comparisons = (await counted(http, set_id, SIX)).comparisons
    expected = fitted(comparisons, Method(expert, tuple(given.items())))
    assert not np.allclose(expected, fitted(comparisons, Method(expert)), atol=0.01)
    assert await published(http, set_id) == pytest.approx(expected, abs=SAME_SCORE)
    assert (await ranking(http, set_id))["method"]["expert_parameters"] == parameters(expert) | given
    assert await published(http, set_id, method="soft-bt") == pytest.approx(
        fitted(comparisons, Method()), abs=SAME_SCORE
    )


# Priors


async def test_an_anchor_holds_one_score_and_leaves_the_differences_to_the_verdicts(http: Http) -> None:
    set_id = await six(http, prior="anchor")
    expected = fitted((await counted(http, set_id, SIX)).comparisons, Method(prior="anchor"))
    assert await published(http, set_id) == pytest.approx(expected, abs=SAME_SCORE)
    assert (await ranking(http, set_id))["method"]["prior"] == "anchor"
    assert not np.allclose(expected, await published(http, await six(http)), atol=0.1)  # the unit prior shrinks them


async def test_it_does_not_matter_who_is_the_anchor(http: Http) -> None:
    differences = []
    for keys in (SIX, SIX[::-1]):
        created = await one_vote(http, *keys, prior="anchor", told=simulated(SIX, 40, seed=1))
        differences.append(await published(http, created["id"]))
    assert differences[0] == pytest.approx(differences[1], abs=1e-4)


async def test_an_anchored_set_is_read_by_every_other_expert_but_laplace(http: Http) -> None:
    set_id = await six(http, prior="anchor")
    for expert in set(EXPERTS) - {"laplace"}:
        assert (await ranking(http, set_id, method=expert))["method"]["prior"] == "anchor"
    refused = await http.get(f"/v1/sets/{set_id}/ranking", params={"method": "laplace"})
    assert_problem(refused, 422, "invalid-request", "laplace needs the prior unit")


# Positional bias


async def two_leaning_judges(http: Http, **fields: Any) -> str:
    """Alice likes the first position as much as Bob the second; returns the set's id."""
    created = await one_vote(http, *SIX, **{"position_bias": "estimate"} | fields)
    await created.compare_all(simulated(SIX, 75, seed=2, judge="alice", lean=0.9))
    await created.compare_all(simulated(SIX, 75, seed=3, judge="bob", lean=-0.9))
    return str(created["id"])


async def test_judges_of_opposite_bias_are_distinguished(http: Http) -> None:
    found = (await ranking(http, await two_leaning_judges(http)))["position_bias"]
    assert {judge: bias["comparisons"] for judge, bias in found.items()} == {"alice": 75, "bob": 75}
    for judge, lean in (("alice", 0.9), ("bob", -0.9)):
        assert abs(found[judge]["delta"] - lean) < 2.5 * found[judge]["sd"] < 1.0
        assert abs(found[judge]["delta"]) > 2 * found[judge]["sd"]
        assert found[judge]["warning"] is None


@pytest.mark.parametrize("expert", ["soft-bt", "gaussian", "phi-beta"])
async def test_biases_and_scores_are_those_of_a_joint_fit(http: Http, expert: str) -> None:
    set_id = await two_leaning_judges(http)
    comparisons, judges, _ = await counted(http, set_id, SIX)
    expected = jointly(comparisons, 2, expert)
    assert await published(http, set_id, method=expert) == pytest.approx(expected.scores, abs=SAME_SCORE)
    found = (await ranking(http, set_id, method=expert))["position_bias"]
    for known in expected.biases:
        told = found[judges[known.judge]]
        assert (told["delta"], told["sd"]) == (pytest.approx(known.delta), pytest.approx(known.sd))


async def test_biases_in_closed_form_are_those_of_mean_verdicts(http: Http) -> None:
    set_id = await two_leaning_judges(http, position_bias="closed-form", verdict_weight="one-vote")
    comparisons, judges, _ = await counted(http, set_id, SIX)
    found = await ranking(http, set_id)
    assert found["method"]["position_bias"] == "closed-form"
    for name, told in found["position_bias"].items():
        mean = float(comparisons.p[comparisons.judge == judges.index(name)].mean())
        assert told["delta"] == pytest.approx(np.log(mean / (1.0 - mean)), abs=1e-6)
        assert told["warning"] is None
    ignored, estimated = [
        await published(http, await two_leaning_judges(http, position_bias=how, verdict_weight="one-vote"))
        for how in ("none", "estimate")
    ]
    scores = np.array(await published(http, set_id))
    assert np.abs(scores - estimated).max() < np.abs(np.array(ignored) - estimated).max()


async def test_without_a_verdict_there_is_no_bias(http: Http) -> None:
    created = await one_vote(http, position_bias="estimate")
    assert (await created.ranking())["position_bias"] == {}


async def test_a_mixed_order_takes_the_warning_away_and_its_void_brings_it_back(http: Http) -> None:
    created = await one_vote(http, position_bias="estimate")
    warned = []
    for change in (created.compare("ash>elm"), created.compare("elm>ash"), created.void(2)):
        await change
        warned.append((await created.ranking())["position_bias"]["bob"]["warning"])
    assert [each and "some of them in the other order" in each for each in warned] == [True, None, True]


async def test_a_judge_who_comes_later_is_fitted_as_from_the_beginning(http: Http, context: Context) -> None:
    created = await one_vote(http, *SIX, position_bias="estimate")
    carol = simulated(SIX, 8, seed=4, judge="carol", lean=0.5)
    for n, new in enumerate(simulated(SIX, 25, seed=5, judge="dan", lean=-0.5)):
        await created.compare_all([new, *carol[n // 3 - 4 : n // 3 - 3]] if n > 12 else [new])
        if n % 4 == 0:
            await created.ranking()  # the posterior goes on from here
        if n in (11, 19):
            await created.void(n - 4)
    kept = await created.ranking()
    previewed = await created.read("/next-pair", count=5)
    context.live._sets.clear()
    again = await created.ranking()
    comparisons, judges, _ = await created.counted(SIX)
    expected = jointly(comparisons, 2)
    deltas = [known.delta for known in expected.biases]
    assert set(judges) == set(kept["position_bias"]) == {"carol", "dan"}
    for found in (kept, again):
        assert [found["position_bias"][judge]["delta"] for judge in judges] == pytest.approx(deltas, abs=1e-6)
        assert {row["key"]: row["score"] for row in found["ranking"]} == pytest.approx(
            dict(zip(SIX, expected.scores, strict=True)), abs=1e-6
        )
    assert [row["key"] for row in kept["ranking"]] == [row["key"] for row in again["ranking"]]
    again = await created.read("/next-pair", count=5)
    assert [(p["first"]["key"], p["second"]["key"]) for p in previewed["pairs"]] == [
        (p["first"]["key"], p["second"]["key"]) for p in again["pairs"]
    ]


async def test_voiding_all_that_a_judge_said_takes_its_bias_away(http: Http) -> None:
    created = await one_vote(http, position_bias="estimate")
    await created.compare("ash>elm", "elm>ash", judge="alice")
    await created.compare("ash>elm", judge="bob")
    await created.void(3)
    assert set((await created.ranking())["position_bias"]) == {"alice"}


async def test_asking_goes_on_while_judges_with_biases_come_and_go(http: Http) -> None:
    created = await one_vote(http, *"abcdefgh", position_bias="estimate", order="both", stop={"top_k": 1})
    for n in range(24):
        for pair in (await created.ask(f"judge {n % 3}", count=2))["assignments"]:
            better = pair["first"]["key"] < pair["second"]["key"]
            answer = await http.post(f"/v1/assignments/{pair['id']}/verdict", json={"p_first": 0.85 if better else 0.4})
            assert answer.status_code == 201
        if n == 4:
            await created.void(2)
    found = await created.ranking()
    assert set(found["position_bias"]) == {"judge 0", "judge 1", "judge 2"}
    assert all(row["delta"] > 0 for row in found["position_bias"].values())


async def test_a_judges_name_is_kept_as_it_is_whatever_it_holds(http: Http) -> None:
    judges = ['a"b\\c', "büro\n2", "../x?y=1&z", "👩‍⚖️", "a b", "__proto__"]
    created = await one_vote(http, position_bias="estimate", temperatures=dict.fromkeys(judges, 2.0))
    await created.compare_all([comparison("ash", "elm", judge=judge) for judge in judges])
    await created.send_scores(*(said("ash", 7, judge=judge) for judge in judges))
    found = await created.ranking()
    for shown in (found["position_bias"], found["method"]["temperatures"], found["absolute_scores"]):
        assert set(shown) == set(judges)
    url = created.url
    assert set((await get(http, f"{url}/diagnostics"))["judges"]) == set(judges)
    calibrated = await get(http, f"{url}/calibration", judge=judges[0], reference=judges[1:])
    assert (calibrated["judge"], calibrated["reference"], calibrated["verdicts"]) == (judges[0], judges[1:], 1)


# Temperatures


async def test_a_temperature_changes_how_the_log_is_read_and_not_the_log(http: Http) -> None:
    set_id = await six(http)
    before, entries = await ranking(http, set_id), await log(http, set_id, limit=100)
    await patch(http, set_id, temperatures={"bob": 3.0})
    after = await ranking(http, set_id)
    assert await log(http, set_id, limit=100) == entries
    assert (after["version"], after["method"]["temperatures"]) == (before["version"], {"bob": 3.0})
    assert after["ranking"][0]["score"] < before["ranking"][0]["score"]


@pytest.mark.parametrize("temperature", [0.01, 0.5, 1.0, 4.0, 100.0])
async def test_the_scores_are_those_of_tempered_verdicts(http: Http, temperature: float) -> None:
    created = await one_vote(http, *SIX, temperatures={"bob": temperature}, told=simulated(SIX, 20, seed=1))
    await created.compare_all(simulated(SIX, 20, seed=2, judge="carol"))
    await created.compare("a>b", "f>a")
    comparisons, judges, _ = await created.counted(SIX)
    read = tempered(comparisons.p, np.where(comparisons.judge == judges.index("bob"), temperature, 1.0))
    expected = fitted(comparisons._replace(p=read), Method())
    assert await published(http, created["id"]) == pytest.approx(expected, abs=SAME_SCORE)


async def test_a_temperature_may_be_there_before_its_judge(http: Http) -> None:
    before, after = [await one_vote(http, *SIX) for _ in range(2)]
    await before.patch(temperatures={"newcomer": 2.0})
    for created in (before, after):
        await created.compare_all(simulated(SIX, 20, seed=1, judge="newcomer"))
    await after.patch(temperatures={"newcomer": 2.0})
    assert await published(http, before["id"]) == pytest.approx(await published(http, after["id"]), abs=SAME_SCORE)


async def test_temperatures_are_replaced_as_a_whole_and_can_be_taken_away(http: Http) -> None:
    set_id = await six(http)
    before = await ranking(http, set_id)
    await patch(http, set_id, temperatures={"bob": 3.0, "carol": 2.0})
    assert (await patch(http, set_id, temperatures={"carol": 2.0}))["temperatures"] == {"carol": 2.0}
    assert (await patch(http, set_id, temperatures={}))["temperatures"] == {}
    after = await ranking(http, set_id)
    assert [row["score"] for row in after["ranking"]] == pytest.approx(
        [row["score"] for row in before["ranking"]], abs=SAME_SCORE
    )


async def test_looking_back_reads_the_log_by_the_present_temperatures(http: Http) -> None:
    here, early = [await one_vote(http, *SIX, temperatures={"bob": 3.0}) for _ in range(2)]
    await here.compare_all(simulated(SIX, 30, seed=1))
    await early.compare_all(simulated(SIX, 30, seed=1)[:20])
    await here.patch(temperatures={"bob": 0.5})
    await early.patch(temperatures={"bob": 0.5})
    assert await here.scores_of(as_of=20) == pytest.approx(await early.scores_of(), abs=SAME_SCORE)
