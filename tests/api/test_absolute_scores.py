"""Tell: what a judge said of one candidate alone."""

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.fitting.absolute import AbsoluteScores, combine
from app.inference.fitting.model import Method, build
from app.service.context import Context
from app.storage import bulk
from tests.factories import (
    KEYS,
    Http,
    comparison,
    count_rows,
    create_set,
    create_systems,
    get,
    names,
    pages,
    ranking,
    relative,
    said,
    tell,
)


async def listed(http: Http, set_id: str, **params: Any) -> list[dict[str, Any]]:
    return list((await get(http, f"/v1/sets/{set_id}/absolute-scores", **params))["scores"])


async def kept(http: Http, **fields: Any) -> dict[str, Any]:
    """A score of ash as it is listed."""
    created = await create_set(http)
    answer = await created.send_scores({"candidate": "ash", "judge": "gpt", **fields})
    assert answer.status_code == 201, answer.text
    (found,) = await listed(http, created["id"])
    return found


# What is kept


async def test_a_score_is_listed_as_it_was_sent(http: Http) -> None:
    found = await kept(http, mean=7.2, variance=0.36)
    assert {name: found[name] for name in ("seq", "item", "candidate", "judge", "mean", "variance")} == {
        "seq": 1, "item": None, "candidate": "ash", "judge": "gpt", "mean": 7.2, "variance": 0.36,
    }  # fmt: skip
    assert found["probabilities"] is None


@pytest.mark.parametrize(
    ("probabilities", "mean", "variance"),
    [
        ({"6": 0.1, "7": 0.6, "8": 0.3}, 7.2, 0.1 * 1.44 + 0.6 * 0.04 + 0.3 * 0.64),
        ({"1": 0.2, "3": 0.2}, 2.0, 1.0),  # normalised
        ({"1": 5e-324, "3": 5e-324}, 2.0, 1.0),
        ({"1": 1e9, "3": 1e9}, 2.0, 1.0),
        ({"7": 1.0}, 7.0, 1 / 12),  # nobody is surer than the rounding of the scale
        ({"7": 1.0, "8": 0.0}, 7.0, 1 / 12),
        ({"10": 1.0, "20": 0.0, "40": 0.0}, 10.0, 100 / 12),
        ({"-0.5": 0.5, "0.5": 0.5}, 0.0, 0.25),
        ({"7": 0.3, " 7": 0.2, "7.0": 0.5}, 7.0, 1 / 12),  # labels of one value
        ({"7": 0.25, " 7": 0.25, "9": 0.5}, 8.0, 1.0),
        ({"7": 1.0, "7.0": 0.0}, 7.0, 1 / 12),
        ({"0": 0.0, "1e-200": 1.0}, 1e-200, 1e-9),
        ({"1e9": 0.5, "-1e9": 0.5}, 0.0, 1e18),
    ],
)
async def test_probabilities_of_any_scale_become_their_moments_and_are_kept(
    http: Http, probabilities: dict[str, float], mean: float, variance: float
) -> None:
    found = await kept(http, probabilities=probabilities)
    assert (found["mean"], found["variance"]) == (pytest.approx(mean), pytest.approx(variance))
    assert found["probabilities"] == probabilities
    assert (await ranking(http, found["set_id"]))["convergence"]["converged"]


async def test_many_scores_are_stored_like_few(http: Http) -> None:
    size = bulk.ROWS_TO_INSERT + 10
    large, small = [await create_set(http) for _ in range(2)]
    new = [
        said("ash", n, judge=f"j{n}")
        if n % 2
        else {"candidate": "elm", "judge": f"j{n}", "probabilities": {"1": 0.5, "2": n}}
        for n in range(1, size + 1)
    ]
    await large.send_scores(*new)
    for start in range(0, size, 20):
        await small.send_scores(*new[start : start + 20])
    lists = [
        [{k: v for k, v in s.items() if k not in ("set_id", "created_at")} for s in await listed(http, c["id"])]
        for c in (large, small)
    ]
    assert lists[0] == lists[1]
    assert [s["seq"] for s in lists[0]] == list(range(1, size + 1))


async def test_pages_give_every_score_once(http: Http) -> None:
    created = await create_set(http)
    for n in range(5):
        await created.score(ash=n)
        await created.compare("ash>elm")
    found = await pages(http, f"{created.url}/absolute-scores", "scores", limit=2)
    assert [s["seq"] for s in found] == [1, 3, 5, 7, 9]


# All or nothing


@pytest.mark.parametrize(
    ("second", "status", "pointer"),
    [
        ({"candidate": "oak"}, 404, "/scores/1/candidate"),
        ({"item": "six"}, 404, "/scores/1/item"),
        ({"mean": "high"}, 422, "/scores/1/mean"),
    ],
)
async def test_one_bad_score_keeps_all_out(
    http: Http, context: Context, second: dict[str, Any], status: int, pointer: str
) -> None:
    created = await create_set(http)
    before = await count_rows(context.engine)
    answer = await created.send_scores(said("ash", 7, judge="new"), said("elm", 3, judge="newer") | second)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (status, pointer)
    assert await count_rows(context.engine) == before
    assert (await created.read())["version"] == 0


async def test_a_score_of_a_system_names_its_item(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp", "rowan")
    answer = await created.send_scores(said("kelp", 7, item="two"), said("kelp", 5, item="one"))
    assert answer.json() == {"accepted": 2, "version": 2}
    assert [s["item"] for s in await listed(http, created["id"])] == ["two", "one"]


async def test_the_only_item_need_not_be_named(http: Http) -> None:
    created = await create_systems(http, ["one"], "kelp", "rowan")
    await created.score(kelp=7)
    assert (await listed(http, created["id"]))[0]["item"] == "one"


# Their place in the log


async def test_sequence_numbers_have_no_gap_over_all_that_a_log_holds(http: Http, connection: AsyncConnection) -> None:
    created = await create_set(http, told=["ash>elm", "ash>birch"])
    await created.score(ash=7, elm=3)
    await created.void(1)
    await created.send_scores(said("oak", 7))  # refused, so it takes no number
    given = await created.ask_one()
    told = (await tell(http, given["id"], p_first=0.5)).json()
    await created.score(birch=4)
    tables = ("comparisons", "voids", "absolute_scores")
    seqs = await connection.execute(text(" UNION ALL ".join(f"SELECT seq FROM {t}" for t in tables) + " ORDER BY seq"))
    assert list(seqs.scalars()) == [1, 2, 3, 4, 5, 6, 7]
    assert told["seq"] == 6
    found = await created.read()
    assert (found["version"], found["comparisons"], found["absolute_scores"]) == (7, 2, 3)


async def test_everyone_may_tell_at_once_and_no_number_is_lost(http: Http) -> None:
    created = await create_set(http, *"abcdefgh")

    async def by_asking(judge: str) -> None:
        for _ in range(4):
            for pair in (await created.ask(judge, count=2))["assignments"]:
                assert (await tell(http, pair["id"], p_first=0.7)).status_code == 201

    async def by_scoring(judge: str) -> None:
        for n in range(5):
            await created.score(judge, a=n, **{"bcdefgh"[n]: 3})

    async def by_comparing() -> None:
        for n in range(5):
            answer = await created.send(comparison("a", "b", judge=f"judge {n}"))
            assert (await created.void(answer.json()["version"])).status_code in (201, 404)

    async def look() -> None:
        for _ in range(5):
            await created.ranking()

    await asyncio.gather(
        by_asking("alice"), by_asking("judge 1"), by_scoring("judge 0"), by_scoring("x"), by_comparing(), look()
    )
    found = await created.read()
    entries, scores = await created.log(limit=500), await listed(http, created["id"], limit=500)
    seqs = [e["seq"] for e in entries + scores] + [e["voided_by"] for e in entries if e["voided_by"]]
    assert sorted(seqs) == list(range(1, found["version"] + 1))
    assert (found["absolute_scores"], found["comparisons"]) == (20, sum(e["voided_by"] is None for e in entries))


async def test_a_score_is_no_comparison_that_could_be_voided(http: Http) -> None:
    created = await create_set(http)
    await created.score(ash=7)
    answer = await created.void(1)
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:nextpair:problem:unknown-comparison")


async def test_comparisons_are_listed_and_exported_without_the_scores_between_them(http: Http) -> None:
    created = await create_set(http)
    for n in range(4):
        await created.compare("ash>elm")
        await created.score(ash=n)
    assert [e["seq"] for e in await created.log()] == [1, 3, 5, 7]
    page = await created.read("/comparisons", after=2, limit=1)
    assert ([e["seq"] for e in page["comparisons"]], page["next_after"]) == ([3], 3)
    exported = await http.get(f"{created.url}/comparisons", params={"format": "jsonl"})
    assert [json.loads(line)["seq"] for line in exported.text.splitlines()] == [1, 3, 5, 7, None, None]


async def test_a_text_that_was_scored_cannot_change(http: Http) -> None:
    created = await create_set(http)
    await created.score(ash=7)
    url = f"{created.url}/candidates"
    scored, free = [await http.post(url, json={"candidates": [{"key": key, "text": "New."}]}) for key in ("ash", "elm")]
    assert (scored.status_code, scored.json()["type"]) == (409, "urn:nextpair:problem:text-in-use")
    assert free.is_success


# What they do to a ranking


async def test_scores_alone_rank_the_candidates(http: Http) -> None:
    created = await create_set(http)
    await created.score(ash=9, birch=7, cedar=4, elm=2)
    found = await created.ranking()
    assert [row["key"] for row in found["ranking"]] == list(KEYS)
    assert (found["version"], found["comparisons"], found["components"]) == (4, 0, 4)
    assert {row["comparisons"] for row in found["ranking"]} == {0}
    assert {row["p_best"] for row in found["ranking"]} == {None}  # no verdict shows a signal


async def test_a_scale_leads_from_what_a_judge_said_to_the_scores(http: Http) -> None:
    created = await create_set(http, told=["ash>birch", "birch>cedar", "cedar>elm", "ash>cedar", "birch>elm"] * 3)
    await created.score(ash=90, birch=70, cedar=40, elm=20)
    await created.score("other", ash=0.9, birch=0.7, cedar=0.4, elm=0.2)
    found = await created.ranking()
    scales = found["absolute_scores"]
    assert set(scales) == {"gpt", "other"}
    assert all(scale["c1"] > 0 for scale in scales.values())
    by_key = {row["key"]: row["score"] for row in found["ranking"]}
    mapped = {key: scales["gpt"]["c0"] + scales["gpt"]["c1"] * m for key, m in zip(KEYS, (90, 70, 40, 20), strict=True)}
    assert mapped == pytest.approx(by_key, abs=0.3)


@pytest.mark.parametrize("expert", ["soft-bt", "gaussian"])
@pytest.mark.parametrize("biases", ["none", "estimate"])
async def test_the_scores_are_those_of_a_fit_of_both(http: Http, expert: str, biases: str) -> None:
    """Two judges compare, of whom one scores too, and a third only scores."""
    created = await create_set(http, expert=expert, position_bias=biases, verdict_weight="one-vote")
    await created.compare("ash>birch", "birch>cedar", "elm>ash", judge="alice")
    await created.score("carol", ash=6, birch=2, elm=5)
    await created.score("bob", ash=60, cedar=10)
    await created.compare("cedar>birch", "elm>cedar", "ash>cedar", judge="bob")
    comparisons = (await created.counted(KEYS)).comparisons  # alice is 0, bob 1; let carol be 2
    absolute = AbsoluteScores(
        np.array([0, 1, 3, 0, 2]), np.array([2, 2, 2, 1, 1]), np.array([6.0, 2, 5, 60, 10]), np.full(5, 0.5)
    )
    fitted = combine(comparisons, build(Method(expert, position_bias=biases), 4, 3), absolute)
    found = await created.ranking()
    by_key = {row["key"]: row["score"] for row in found["ranking"]}
    assert [by_key[key] for key in KEYS] == pytest.approx(relative(fitted.posterior.mean[:4]).tolist(), abs=1e-6)
    assert set(found["absolute_scores"]) == {"bob", "carol"}
    assert found["absolute_scores"]["carol"]["c1"] == pytest.approx(fitted.scale.c1[2])
    assert set(found["position_bias"] or ()) == ({"alice", "bob"} if biases == "estimate" else set())


async def test_a_given_scale_is_that_of_the_scores_except_for_its_level(http: Http) -> None:
    """What is said differs by 0.8 from one to the next, and so does what is found where nobody compares."""
    steps = {}
    for scale in ("given", "estimate"):
        created = await create_set(http, absolute_scale=scale, prior_variance=100.0)
        await created.score(ash=8.2, birch=7.4, cedar=6.6, elm=5.8)
        found = await created.ranking()
        assert found["method"]["absolute_scale"] == scale
        by_key = {row["key"]: row["score"] for row in found["ranking"]}
        steps[scale] = -np.diff([by_key[key] for key in KEYS])
    assert steps["given"] == pytest.approx(np.full(3, 0.8), rel=0.01)
    assert steps["estimate"].min() > 2.0
    assert (await http.patch(created.url, json={"absolute_scale": "given"})).status_code == 422


@pytest.mark.parametrize(
    ("probabilities", "variance"),
    [({"7": 1.0}, 1e-9), ({"7": 1.0, "8": 0.0}, 1e-9), ({"7": 0.99, "8": 0.01}, 0.0099), ({"1": 0.5, "3": 0.5}, 1.0)],
)
async def test_a_given_variance_is_that_of_the_probabilities(
    http: Http, probabilities: dict[str, float], variance: float
) -> None:
    """GPM 3.2 has no floor; 1e-9 is the least that a score may have."""
    created = await create_set(http, absolute_variance="given")
    await created.send_scores({"candidate": "ash", "judge": "gpt", "probabilities": probabilities})
    (found,) = await listed(http, created["id"])
    assert found["variance"] == pytest.approx(variance)
    assert (await created.ranking())["convergence"]["converged"]
    assert (await http.patch(created.url, json={"absolute_variance": "given"})).status_code == 422


async def test_of_several_scores_by_one_judge_the_last_counts(http: Http) -> None:
    again, once = await create_set(http), await create_set(http)
    await again.score(ash=1, elm=9)
    await again.compare("ash>birch")
    await again.score(elm=2)
    await again.send_scores(said("ash", 3), said("ash", 8))  # in one request too
    await once.compare("ash>birch")
    await once.score(ash=8, elm=2)
    assert await again.scores_of() == pytest.approx(await once.scores_of(), abs=1e-6)


async def test_scores_of_two_judges_and_of_two_items_all_count(http: Http) -> None:
    created = await create_systems(http, ["one", "two"], "kelp", "rowan")
    sd = []
    for judge, item in (("gpt", "one"), ("gpt", "two"), ("llama", "two")):
        await created.send_scores(*(said(key, m, item=item, judge=judge) for key, m in (("kelp", 8), ("rowan", 4))))
        sd.append((await created.ranking())["ranking"][0]["sd"])
    assert sd[0] > sd[1] > sd[2]


async def test_looking_back_before_the_scores_gives_the_ranking_without_them(http: Http) -> None:
    created = await create_set(http, told=["ash>elm"])
    without = await created.ranking()
    await created.score(ash=2, elm=9)
    between = await created.ranking()
    await created.compare("birch>elm")
    await created.score(ash=9)
    assert await created.ranking(as_of=1) == without
    assert without["absolute_scores"] is None
    back = await created.ranking(as_of=3)
    assert [(row["key"], pytest.approx(row["score"], abs=1e-6)) for row in back["ranking"]] == [
        (row["key"], row["score"]) for row in between["ranking"]
    ]
    rankings = [[row["score"] for row in (await created.ranking(as_of=v))["ranking"]] for v in (1, 2, 3, 4, 5)]
    assert len({tuple(scores) for scores in rankings}) == 5


async def test_asking_goes_on_after_scores(http: Http) -> None:
    created = await create_set(http, *"abcdef", position_bias="estimate", stop={"top_k": 1})
    await created.score(a=9, b=8, c=5, d=5, e=2, f=1)
    first = await created.ask_one()
    assert set(names(first)) == {"c", "d"}  # the pair about whose order the scores say least
    assert len(await created.answer_all(most=15)) == 15
    await created.score(a=1, f=9)
    assert (await created.ask())["status"] == "open"


async def test_a_prediction_knows_of_the_scores(http: Http) -> None:
    created = await create_set(http)
    await created.score(ash=9, birch=6, cedar=6, elm=2)
    found = await created.read("/predict", first="ash", second="elm")
    assert found["p_first_better"] > 0.9


async def test_a_candidate_that_joins_after_the_scores_is_ranked_without_one(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    await created.score(ash=8, elm=2)
    await created.compare("ash>elm")
    await created.add("oak")
    assert list(await created.scores_of()) == ["ash", "oak", "elm"]
    await created.score(oak=9)
    assert next(iter(await created.scores_of())) == "oak"
    assert (await created.ask())["status"] == "open"


@pytest.mark.parametrize("means", [{"ash": 5}, {"ash": 5, "elm": 5}, {"ash": 5, "birch": 5, "cedar": 5, "elm": 5}])
async def test_scores_that_tell_nobody_apart_leave_everyone_level(http: Http, means: dict[str, float]) -> None:
    created = await create_set(http)
    await created.send_scores(*(said(key, mean) for key, mean in means.items()))
    assert await created.scores_of() == pytest.approx(dict.fromkeys(KEYS, 0.0), abs=1e-6)


@pytest.mark.parametrize("keys", [("ash",), ("ash", "elm")])
async def test_scores_in_a_very_small_set(http: Http, keys: tuple[str, ...]) -> None:
    created = await create_set(http, *keys)
    await created.send_scores(*(said(key, 8 - 5 * n) for n, key in enumerate(keys)))
    assert list(await created.scores_of()) == list(keys)
    assert (await created.ask())["status"] == ("open" if len(keys) == 2 else "exhausted")
