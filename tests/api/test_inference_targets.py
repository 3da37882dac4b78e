"""Inference targets: which one a ranking has, in which words, and what is refused."""

import re
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import expit

from app.inference.types import Floats
from app.sentences.confidence import DECIDED
from tests.api.test_bad_input import assert_problem
from tests.factories import (
    Http,
    ask,
    compare_all,
    comparison,
    create_set,
    create_systems,
    declare,
    get,
    patch,
    ranking,
    tell,
)

pytestmark = pytest.mark.alone

KEYS = ("ash", "birch", "cedar", "elm")
PAIRS = [f"{first}>{second}" for first, second in combinations(KEYS, 2)]
LATENT = "About latent scores: every verdict is a noisy reading of them."


async def name_person(http: Http, name: str) -> None:
    assert (await http.put(f"/v1/judges/{name}", json={"kind": "human"})).status_code == 200


async def texts(http: Http, judged: dict[str, list[str]], **fields: Any) -> str:
    """A set of four texts with these verdicts by judge; judges whose names begin with `person` are people."""
    created = await create_set(http, *KEYS, **{"inference_target": "auto", **fields})
    for judge, pairs in judged.items():
        if judge.startswith("person"):
            await name_person(http, judge)
        await created.compare(*pairs, judge=judge)
    return str(created["id"])


async def systems(http: Http, prompts: int, *judges: str, **fields: Any) -> str:
    """A set of two systems that are compared on all their prompts, but the last one, by each judge."""
    keys = [f"p{number}" for number in range(prompts + 1)]
    created = await create_systems(http, keys, "ash", "elm", **{"inference_target": "auto", **fields})
    new = [comparison("ash", "elm", judge=judge, item=key) for judge in judges or ("gpt",) for key in keys[:-1]]
    await created.compare_all(new)
    return str(created["id"])


async def target_of(http: Http, set_id: str, **params: Any) -> dict[str, Any]:
    return dict((await ranking(http, set_id, **params))["inference_target"])


async def said_of_first_place(http: Http, set_id: str) -> str:
    """By the check."""
    checks = (await get(http, f"/v1/sets/{set_id}/checks"))["checks"]
    (says,) = [check["says"] for check in checks if check["name"] == "First place"]
    return str(says)


class Case(NamedTuple):
    judged: dict[str, list[str]]
    name: str
    sentence: str
    also: list[str]


CASES = {
    "nobody": Case({}, "all-pairs", "By all 6 pairs, none of them judged yet.", ["latent"]),
    "a model": Case({"gpt": PAIRS[:2]}, "all-pairs", "By all 6 pairs, as gpt would judge them.", ["latent"]),
    "a model, of all": Case({"gpt": PAIRS}, "all-pairs", "By all 6 pairs, as gpt judged them.", ["latent"]),
    "models": Case(
        {"a": PAIRS[:1], "b": PAIRS[:2], "c": PAIRS[:3], "d": PAIRS[:1], "e": PAIRS[:1]}, "all-pairs",
        "By all 6 pairs, as c, b, a and 2 more would judge them, each counting the same.", ["latent"],
    ),
    "a model that repeats itself": Case(
        {"gpt": 8 * PAIRS}, "all-pairs", f"By all 6 pairs, as gpt judged them. {DECIDED}", ["latent"]
    ),
    "people": Case({"person": PAIRS, "person 2": PAIRS}, "latent", LATENT, ["all-pairs"]),
    "people and a model": Case(
        {"person": PAIRS[:2], "gpt": PAIRS[1:4]},
        "all-pairs",
        "By all 6 pairs, as gpt and person would judge them, each counting the same.",
        ["people", "latent"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_auto_follows_what_was_judged_and_by_whom(http: Http, case: Case) -> None:
    found = await target_of(http, await texts(http, case.judged))
    assert found == {"name": case.name, "sentence": case.sentence, "also": case.also}


@pytest.mark.parametrize("verdict_weight", ["learnt", "one-vote", {"gpt": 2.0, "claude": 1.0}])
@pytest.mark.parametrize(("repeats", "does"), [((1.0, 1.0), True), ((1.0, 0.0), False)])
async def test_a_model_that_changes_its_mind_is_not_taken_to_repeat_itself(
    http: Http, repeats: tuple[float, ...], does: bool, verdict_weight: str | dict[str, float]
) -> None:
    set_id = await texts(http, {"claude": PAIRS}, verdict_weight=verdict_weight)
    for _ in range(4):
        for p in repeats:
            await compare_all(http, set_id, [comparison(*each, p, "gpt") for each in combinations(KEYS, 2)])
    shown = await ranking(http, set_id)
    assert shown["inference_target"]["name"] == "all-pairs"
    assert shown["repetition"]["claude"] == {
        "known": None, "repeats": 0, "alike": 0, "swaps": 0, "swaps_alike": 0, "probability": 0.0
    }  # fmt: skip
    gpt = shown["repetition"]["gpt"]
    assert (gpt["repeats"], gpt["probability"] > 0.9, gpt["probability"] < 0.1) == (7 * len(PAIRS), does, not does)
    assert any(("repeated questions alike: it" if does else "count as draws") in each for each in shown["summary"])


@pytest.mark.parametrize(
    ("prompts", "name", "sentence"),
    [
        (1, "all-pairs", "By all 2 pairs on 2 prompts, as gpt would judge them."),
        (6, "all-pairs", "By all 7 pairs on 7 prompts, as gpt would judge them."),
        (7, "new-items", "On prompts like these 7, as gpt would judge them: too few prompts to generalise from."),
        (8, "new-items", "On prompts like these 8, as gpt would judge them."),
    ],
)
async def test_a_set_of_eight_prompts_is_about_new_ones_however_few_are_judged(
    http: Http, prompts: int, name: str, sentence: str
) -> None:
    found = await target_of(http, await systems(http, prompts))
    assert (found["name"], found["sentence"]) == (name, sentence)


async def test_a_few_prompts_are_said_to_be_too_few(http: Http) -> None:
    found = await target_of(http, await systems(http, 3), inference_target="new-items")
    assert found["sentence"] == "On prompts like these 3, as gpt would judge them: too few prompts to generalise from."


async def test_people_are_a_target_beside_models(http: Http) -> None:
    set_id = await texts(http, {"person": PAIRS[:2], "person 2": PAIRS[:1], "gpt": PAIRS, "claude": PAIRS[:5]})
    found = await target_of(http, set_id, inference_target="people")
    assert found["sentence"] == (
        "What people would say, estimated from 3 verdicts of 2 people and 11 verdicts of gpt and claude."
    )
    assert found["also"] == ["all-pairs", "latent"]


async def test_a_request_comes_before_the_set_and_the_set_before_auto(http: Http) -> None:
    set_id = await texts(http, {"gpt": PAIRS}, inference_target="latent")
    assert (await target_of(http, set_id))["name"] == "latent"
    assert (await target_of(http, set_id, inference_target="all-pairs"))["name"] == "all-pairs"
    predicted = await get(http, f"/v1/sets/{set_id}/predict", first="ash", second="elm", inference_target="all-pairs")
    assert predicted["inference_target"] == await target_of(http, set_id, inference_target="all-pairs")


async def test_a_patched_target_is_that_of_the_next_ranking(http: Http) -> None:
    set_id = await texts(http, {"gpt": PAIRS}, inference_target="latent")
    url = f"/v1/sets/{set_id}/ranking"
    before = await http.get(url)
    await patch(http, set_id, inference_target="auto")
    after = await http.get(url, headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, after.json()["inference_target"]["name"]) == (200, "all-pairs")
    named = await http.get(url, params={"inference_target": "latent"}, headers={"If-None-Match": after.headers["ETag"]})
    assert (named.status_code, named.json()["inference_target"]["name"]) == (200, "latent")


async def test_a_set_that_cannot_answer_its_target_yet_says_so(http: Http) -> None:
    set_id = await texts(http, {"gpt": PAIRS}, inference_target="people")
    found = await target_of(http, set_id)
    assert (found["name"], found["also"]) == ("people", ["all-pairs", "latent"])
    assert (
        found["sentence"] == "What people would say, estimated from 6 verdicts of gpt, without a verdict of a person."
    )
    await name_person(http, "gpt")
    assert "only people have judged" in (await target_of(http, set_id))["sentence"]


@pytest.mark.parametrize(
    ("params", "remedy"),
    [
        ({"inference_target": "new-items"}, "verdicts on 1 prompt say nothing of others; judge more prompts"),
        ({"inference_target": "all-pairs", "method": "gaussian"}, "choose latent, or the method soft-bt"),
        ({"inference_target": "all-pairs", "method": "consensus"}, "choose latent, or the method soft-bt"),
        (
            {"inference_target": "latent", "method": "win-ratio"},
            "win-ratio states no confidence; choose the method soft-bt",
        ),
        ({"inference_target": "truth"}, "input should be 'all-pairs', 'new-items', 'people' or 'latent'"),
    ],
)
async def test_what_cannot_be_answered_is_refused_with_the_remedy(
    http: Http, params: dict[str, str], remedy: str
) -> None:
    answer = await http.get(f"/v1/sets/{await texts(http, {'gpt': PAIRS})}/ranking", params=params)
    assert (answer.status_code, "inference_target" in answer.text) == (422, True)
    assert remedy in answer.json()["detail"]


async def test_auto_gives_way_to_what_a_method_can_answer(http: Http) -> None:
    set_id = await texts(http, {"gpt": PAIRS})
    assert (await target_of(http, await systems(http, 8), method="gaussian"))["name"] == "new-items"
    assert await target_of(http, set_id, method="gaussian") == {"name": "latent", "sentence": LATENT, "also": []}
    of_baseline = {"name": "latent", "sentence": "Scores by win-ratio, which states no confidence.", "also": []}
    assert await target_of(http, set_id, method="win-ratio") == of_baseline


@pytest.mark.parametrize("target", ["all-pairs", "people"])
async def test_a_target_that_an_expert_can_never_answer_is_refused_at_once(http: Http, target: str) -> None:
    body = {"name": "Trees", "question": "Which?", "expert": "gaussian", "inference_target": target}
    set_id = (await create_set(http, expert="gaussian"))["id"]
    changed = await http.patch(f"/v1/sets/{set_id}", json={"inference_target": target})
    for answer in (await http.post("/v1/sets", json=body), changed):
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/inference_target")
        assert "choose latent" in answer.json()["detail"]


SYSTEMS = ("ash", "birch", "cedar", "elm", "fir", "hazel", "oak", "yew")
TRUTH = np.array([1.0, 0.3, 0.2, 0.0, -0.2, -0.3, -0.5, -0.5])


class OnPrompts(NamedTuple):
    set_id: str
    score: Floats  # (prompts, systems)

    def p_first(self, prompt: str, first: str, second: str) -> float:
        i, j = SYSTEMS.index(first), SYSTEMS.index(second)
        return float(expit(self.score[int(prompt), i] - self.score[int(prompt), j]))


async def on_prompts(http: Http, prompts: int) -> OnPrompts:
    """A set of systems that stops once the best is known; gpt has judged each pair of them on each prompt, once.

    Systems do well or badly on a prompt by more than they differ on all prompts.
    """
    rng, keys = np.random.default_rng([28, 3]), list(map(str, range(prompts)))
    stop = {"goal": {"top_k": 1}, "stop": {"goal": 0.95}, "order": "as_selected"}
    created = await create_systems(http, keys, *SYSTEMS, inference_target="auto", **stop)
    judged = OnPrompts(created["id"], TRUTH + rng.normal(0.0, 1.5, (prompts, len(SYSTEMS))))
    places = [(key, *rng.permutation(pair).tolist()) for key in keys for pair in combinations(SYSTEMS, 2)]
    new = [comparison(a, b, judged.p_first(key, a, b), "gpt", item=key) for key, a, b in places]
    await created.compare_all(new)
    return judged


async def test_few_prompts_decide_nothing_and_it_is_said_what_would(http: Http) -> None:
    judged = await on_prompts(http, 20)
    now = await ranking(http, judged.set_id)
    assert (now["inference_target"]["name"], now["stopping"]["converged"]) == ("new-items", False)
    of_these = (await ranking(http, judged.set_id, inference_target="latent"))["signal"]
    assert now["signal"]["e_value"] < 0.01 * of_these["e_value"]
    prompts = now["prompts"]
    assert (prompts["judged"], prompts["comparisons_suffice"]) == (20, False)
    assert 20 < prompts["needed"] <= 160
    more = prompts["needed"] - 20
    remedy = f"As scores stand, about {more} more prompts would {{}}; more comparisons on these 20 prompts would not."
    by_rule, first = remedy.format("meet the stop rule"), remedy.format("show who is best")
    assert prompts["sentence"] == by_rule
    assert await said_of_first_place(http, judged.set_id) == f"{now['first_place']} {first}"
    while pairs := (asked := await ask(http, judged.set_id, "gpt", count=9))["assignments"]:
        for pair in pairs:
            p = judged.p_first(pair["item"]["key"], pair["first"]["key"], pair["second"]["key"])
            assert (await tell(http, pair["id"], p_first=p)).status_code == 201
    assert asked["status"] == "cannot_converge"
    assert asked["reason"] == f"This judge has judged every pair. {by_rule}"


async def test_more_prompts_decide_who_is_best(http: Http) -> None:
    judged = await on_prompts(http, 80)
    now = await ranking(http, judged.set_id)
    assert (now["stopping"]["reason"], now["prompts"]) == ("goal", None)
    assert now["ranking"][0]["key"] == "ash"
    assert (await ask(http, judged.set_id))["status"] == "converged"


async def test_what_people_would_say_is_about_models(http: Http) -> None:
    set_id = await texts(http, {"person": PAIRS})
    answer = await http.get(f"/v1/sets/{set_id}/ranking", params={"inference_target": "people"})
    says = "only people have judged, so all-pairs and latent are about people already"
    assert_problem(answer, 422, "invalid-request", says)


async def test_a_model_alone_never_stops_a_set_about_people(http: Http) -> None:
    """gpt is sure of itself, which ends a set about its own verdicts; of people the set says what would help."""
    stop, answers = {"goal": 0.95}, {}
    for target in ("all-pairs", "people"):
        set_id = await texts(http, {}, inference_target=target, stop=stop, goal={"top_k": 1})
        for _ in range(3):
            ordered = [each for pair in combinations(KEYS, 2) for each in (pair, pair[::-1])]
            new = [comparison(*each, 0.999 if each[0] < each[1] else 0.001, "gpt") for each in ordered]
            await compare_all(http, set_id, new)
        answers[target] = await ask(http, set_id, judge="gpt")
    assert answers["all-pairs"]["status"] == "converged"
    assert answers["people"]["status"] == "cannot_converge"
    assert "ask people" in answers["people"]["reason"]
    assert (await said_of_first_place(http, set_id)).endswith(answers["people"]["reason"])


async def test_a_set_about_people_goes_on_by_latent_scores_where_its_models_are_too_many(http: Http) -> None:
    keys = [f"k{number:03}" for number in range(72)]
    created = await create_set(http, *keys, inference_target="people", stop={"top_k": 1})
    await name_person(http, "ann")
    models = [f"model {number}" for number in range(71)]
    new = [comparison(keys[0], key, 0.999, model) for key, model in zip(keys[1:], models, strict=True)]
    await created.compare_all([*new, comparison(keys[0], keys[1], 1.0, "ann")])
    found = await target_of(http, created["id"])
    assert (found["name"], found["also"]) == ("latent", ["all-pairs"])
    assert "Not people: 71 models and 72 candidates have more than 5,000 judge effects" in found["sentence"]
    await created.ask(models[0])
    checks = (await created.read("/checks"))["checks"]
    assert "First place" in [check["name"] for check in checks]
    params = {"first": keys[0], "second": keys[1]}
    assert (await created.read("/predict", **params))["inference_target"]["name"] == "latent"
    for path, more in (("ranking", {}), ("predict", params)):
        named = await http.get(f"{created.url}/{path}", params={"inference_target": "people", **more})
        assert (
            named.status_code,
            "71 models and 72 candidates have more than 5,000 judge effects; choose latent" in named.text,
        ) == (422, True)


async def test_the_best_of_all_pairs_share_the_first_place_and_the_set_is_through(http: Http) -> None:
    """Of ten, each beats those after it, but the third the first; in both orders."""
    keys = list("abcdefghij")
    stop = {"goal": {"top_k": 1}, "stop": {"goal": 0.95}}
    created = await create_set(http, *keys, inference_target="all-pairs", **stop)
    await declare(http, "bob")
    better = {*combinations(keys, 2), ("c", "a")} - {("a", "c")}
    pairs = np.random.default_rng(1).permutation(list(permutations(keys, 2))).tolist()
    await created.compare_all([comparison(a, b, float((a, b) in better)) for a, b in pairs])
    shown = await created.ranking()
    assert [row["rank"] for row in shown["ranking"]] == [1, 1, 1, *range(4, 11)]
    assert [row["rank_interval"] for row in shown["ranking"][:4]] == [[1, 1], [1, 1], [1, 1], [4, 4]]
    assert [row["p_best"] for row in shown["ranking"][:4]] == [1.0, 1.0, 1.0, 0.0]
    assert shown["first_place"] == "Shared first: a, b and c."
    assert shown["inference_target"]["sentence"] == "By all 45 pairs, as bob judged them."
    assert (await created.ask("bob"))["status"] == "converged"


@pytest.mark.parametrize("stop", [None, {"top_k": 1}])
async def test_without_signal_all_pairs_say_who_is_first_and_what_would_tell_only_if_something_would(
    http: Http, stop: dict[str, Any] | None
) -> None:
    """An order, a cycle and nothing but ties; an order with pairs left, too."""
    first = {}
    logs = {
        "order": [comparison(a, b, 1.0) for a, b in combinations("abc", 2)],
        "cycle": [comparison(a, b, 1.0) for a, b in ("ab", "bc", "ca")],
        "ties": [comparison(a, b, 0.5) for a, b in combinations("abcd", 2)],
        "some left": [comparison(a, b, 1.0) for a, b in ("ab", "bc", "cd")],
    }
    for name, log in logs.items():
        keys = sorted({key for each in log for key in (each["first"], each["second"])})
        created = await create_set(http, *keys, inference_target="all-pairs", stop=stop, told=log)
        first[name] = (await created.ranking())["first_place"]
        says = await said_of_first_place(http, created["id"])
        assert says.startswith(first[name])
        assert "No signal yet (e-value" in first[name]
        assert not re.search("is the best|Shared first|P.best.", first[name])
    who = {name: re.search(r"([\w, ]+) leads?\b", sentence) for name, sentence in first.items()}
    found = {name: leaders and leaders[1].strip() for name, leaders in who.items()}
    assert found == {"order": "a", "cycle": "a, b and c", "ties": "a, b, c and 1 more", "some left": "a"}


async def test_a_set_about_all_pairs_cannot_converge_where_its_judge_gives_no_answer(http: Http) -> None:
    stop = {"goal": {"top_k": 1}, "stop": {"goal": 0.95}}
    created = await create_set(http, "ash", "elm", inference_target="all-pairs", **stop)
    await tell(http, (await created.ask_one("gpt"))["id"], failure="refused")
    asked = await created.ask("gpt")
    assert asked["status"] == "cannot_converge"
    assert "failed" in asked["reason"]
    await declare(http, "claude")
    await tell(http, (await created.ask_one("claude"))["id"], p_first=1.0)
    assert (await created.ask("claude"))["status"] == "converged"
