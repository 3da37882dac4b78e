"""Read: rankings and predictions."""

import asyncio
import csv
import io
from threading import Event, current_thread
from typing import Any, get_args
from xml.etree import ElementTree

import httpx
import numpy as np
import pytest
from fastapi import FastAPI
from nextpair.sending.retries import TRANSIENT
from nextpair.words import JOINT, BaselineName, ExpertName
from scipy.special import ndtr
from starlette.types import Message

from app.inference.fitting import baselines
from app.inference.reporting import standings
from app.inference.types import Convergence, Outcome
from app.live import jobs
from app.service import basis, rankings, results
from app.service.context import Context
from tests.api.test_bad_input import assert_problem
from tests.factories import (
    Http,
    agreed,
    candidates,
    compare,
    comparison,
    create_set,
    get,
    patch,
    ranking,
    score,
    simulated,
    void,
)

EXPERTS, BASELINES = get_args(ExpertName), get_args(BaselineName)
METHODS = (*EXPERTS, *JOINT, *BASELINES)
UNCERTAINTIES = ("sd", "interval", "rank_interval", "p_best", "p_top_k", "tie_group")
SVG = "{http://www.w3.org/2000/svg}"


async def read(http: Http, set_id: str, *, etag: str | None = None, **params: Any) -> httpx.Response:
    headers = {"If-None-Match": etag} if etag else None
    return await http.get(f"/v1/sets/{set_id}/ranking", params=params, headers=headers)


async def trees(http: Http) -> str:
    """A set in which earlier keys are better; returns its id."""
    created = await create_set(http, told=["ash>birch", "birch>cedar", "cedar>elm", "ash>elm", "ash>cedar"])
    return str(created["id"])


def order(found: dict[str, Any]) -> list[str]:
    return [row["key"] for row in found["ranking"]]


async def test_the_better_candidate_ranks_higher(http: Http) -> None:
    found = await ranking(http, await trees(http))
    assert order(found) == ["ash", "birch", "cedar", "elm"]
    assert [row["rank"] for row in found["ranking"]] == [1, 2, 3, 4]
    scores = [row["score"] for row in found["ranking"]]
    assert scores == sorted(scores, reverse=True)


async def test_a_ranking_says_how_it_was_made(http: Http) -> None:
    found = await ranking(http, await trees(http), level=0.8, top_k=2, epsilon=0.25)
    assert found["method"] == {
        "name": "soft-bt", "expert": "soft-bt", "expert_parameters": {}, "prior": "unit", "prior_variance": 1.0,
        "position_bias": "none", "absolute_scale": "estimate", "verdict_weight": "learnt",
        "temperatures": {}, "level": 0.8, "top_k": 2, "epsilon": 0.25, "scale": "logit",
    }  # fmt: skip
    assert found["convergence"]["converged"] is True
    assert (found["version"], found["comparisons"], found["components"]) == (5, 5, 1)


async def test_what_a_set_does_not_do_is_null(http: Http) -> None:
    found = await ranking(http, await trees(http))
    assert {name: found[name] for name in ("position_bias", "absolute_scores", "held_out", "stopping")} == {
        "position_bias": None, "absolute_scores": None, "held_out": None, "stopping": None,
    }  # fmt: skip


async def test_every_row_is_consistent_in_itself(http: Http) -> None:
    found = await ranking(http, await trees(http), verdict_weight="one-vote")
    for row in found["ranking"]:
        low, high = row["interval"]
        best, worst = row["rank_interval"]
        assert low < row["score"] < high
        assert high - row["score"] == pytest.approx(1.959964 * row["sd"], rel=1e-5)
        assert 1 <= best <= row["rank"] <= worst <= 4
    assert {row["key"]: row["comparisons"] for row in found["ranking"]} == {"ash": 3, "birch": 2, "cedar": 3, "elm": 2}


@pytest.mark.parametrize(("top_k", "expected"), [(1, 1), (2, 2), (3, 3), (4, 4), (9, 4), (10**400, 4)])
async def test_as_many_as_are_asked_for_are_among_the_first(http: Http, top_k: int, expected: int) -> None:
    found = (await ranking(http, await agreed(http), top_k=top_k))["ranking"]
    assert sum(row["p_best"] for row in found) == pytest.approx(1.0)
    assert sum(row["p_top_k"] for row in found) == pytest.approx(expected)
    assert all(row["p_best"] <= row["p_top_k"] <= 1 for row in found)


async def test_a_larger_epsilon_makes_fewer_tie_groups(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak", verdict_weight="one-vote")
    first = [comparison("ash", "elm", 1.0), comparison("oak", "ash", 0.0)]
    other = [comparison("elm", "ash", 0.0), comparison("ash", "oak", 1.0)]
    judged = [{**each, "judge": f"judge {n}"} for n in range(20) for each in (other if n % 2 else first)]
    await created.compare_all(judged)
    fine, coarse = [
        [row["tie_group"] for row in (await created.ranking(epsilon=epsilon))["ranking"]] for epsilon in (0, 9)
    ]
    assert (fine, coarse) == ([1, 2, 2], [1, 1, 1])  # elm and oak have the same verdicts


async def test_a_candidate_alone_is_the_average_one_for_certain(http: Http) -> None:
    created = await create_set(http, "ash")
    (row,) = (await created.ranking())["ranking"]
    assert (row["score"], row["sd"], row["interval"], row["rank_interval"]) == (0.0, 0.0, [0.0, 0.0], [1, 1])


async def test_a_higher_level_gives_wider_intervals(http: Http) -> None:
    set_id = await trees(http)
    ends = [
        (await ranking(http, set_id, level=level))["ranking"][0]["interval"] for level in (0.9999, 0.99, 0.5, 0.001)
    ]
    lows, highs = zip(*ends, strict=True)
    assert [*lows, *reversed(highs)] == sorted({*lows, *highs})


async def test_one_vote_tells_nobody_apart(http: Http) -> None:
    created = await create_set(http, "ash", "elm", verdict_weight="one-vote", told=["ash>elm"])
    found = (await created.ranking())["ranking"]
    told = [(row["p_best"], row["p_top_k"], row["rank_interval"], row["tie_group"]) for row in found]
    assert told == [(None, None, [1, 2], 1)] * 2
    assert found[0]["sd"] > 0.5


@pytest.mark.parametrize("method", METHODS)
async def test_every_method_finds_the_order(http: Http, method: str) -> None:
    found = await ranking(http, await agreed(http), method=method)
    assert order(found)[0] == "ash"
    assert order(found)[-1] == "elm"
    assert found["method"]["name"] == method
    if method in (*EXPERTS, "bradley-terry", "poe-g-hard"):  # relative to the average candidate
        assert sum(row["score"] for row in found["ranking"]) == pytest.approx(0.0, abs=1e-7)
    for name in UNCERTAINTIES:
        assert {row[name] is None for row in found["ranking"]} == {method in BASELINES}


async def test_the_judge_aware_method_tells_of_every_judge(http: Http) -> None:
    created = await create_set(http)
    await created.compare(*["ash>birch", "birch>cedar", "cedar>elm"] * 3, judge="good")
    turned = [comparison(b, a, 0.0, "good") for a, b in (("ash", "birch"), ("birch", "cedar"), ("cedar", "elm"))]
    await created.compare_all(turned * 3)
    await created.compare(*["ash>elm", "elm>ash", "birch>elm", "elm>birch"] * 6, judge="first")
    found = await created.ranking(method="judge-aware")
    good, first = found["position_bias"]["good"], found["position_bias"]["first"]
    assert good["discrimination"] > first["discrimination"]
    assert first["delta"] > 1.0
    assert found["method"]["position_bias"] == "estimate"
    assert order(found) == ["ash", "birch", "cedar", "elm"]


async def test_consensus_is_no_matter_of_who_says_most(http: Http) -> None:
    """A model says a hundred times that elm is best, five people twice each that it is the worst."""
    created = await create_set(http, "ash", "birch", "elm")
    ways = [comparison("elm", "ash", 1.0, "model"), comparison("birch", "elm", 0.0, "model")]
    await created.compare_all(ways * 50)
    people = [("ash", "elm", 1.0), ("elm", "birch", 0.0), ("elm", "ash", 0.0), ("birch", "elm", 1.0)]
    await created.compare_all([comparison(*said, f"person {n}") for n in range(5) for said in people])
    pooled = await created.ranking(verdict_weight="one-vote")
    agreed = await created.ranking(method="consensus")
    assert (order(pooled)[0], order(agreed)[-1]) == ("elm", "elm")
    (farthest, *_) = agreed["judge_effects"]["model"]["largest_deviations"]
    assert farthest["key"] == "elm"
    assert farthest["deviation"] > 1.0
    assert agreed["judge_effects"]["model"]["sd"] > agreed["judge_effects"]["person 1"]["sd"]
    assert pooled["judge_effects"] is None


def held_back(monkeypatch: pytest.MonkeyPatch) -> Event:
    """What every ranking waits for from now on."""
    go, ranking_of = Event(), rankings.ranking_of

    def slow(*given: Any) -> Any:
        assert go.wait(10)
        return ranking_of(*given)

    monkeypatch.setattr(rankings, "ranking_of", slow)
    return go


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The threads that rankings are computed in, one for each."""
    threads, ranking_of = list[str](), rankings.ranking_of

    def watched(*given: Any) -> Any:
        threads.append(current_thread().name.split("_")[0])
        return ranking_of(*given)

    monkeypatch.setattr(rankings, "ranking_of", watched)
    return threads


async def test_a_ranking_is_computed_beside_those_who_ask_and_kept(http: Http, computed: list[str]) -> None:
    set_id = await trees(http)
    both = await asyncio.gather(ranking(http, set_id), ranking(http, set_id))
    assert [*both] == [await ranking(http, set_id)] * 2
    assert computed == ["jobs"]
    assert (await ranking(http, set_id, method="win-ratio"))["version"] == 5
    assert len(computed) == 2
    await compare(http, set_id, "elm>ash")
    assert (await ranking(http, set_id))["version"] == 6
    assert len(computed) == 3


async def test_what_was_at_a_version_is_computed_once(http: Http, computed: list[str]) -> None:
    set_id = await trees(http)
    early = await ranking(http, set_id, as_of=3)
    await compare(http, set_id, "elm>ash")
    assert await ranking(http, set_id, as_of=3) == early
    assert len(computed) == 1


async def test_while_verdicts_arrive_a_reader_gets_the_last_ranking_and_a_mark(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_id = await trees(http)
    assert (await ranking(http, set_id))["newer_version"] is None
    go = held_back(monkeypatch)
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    for version in range(6, 16):
        await compare(http, set_id, "elm>ash")
        answer = await read(http, set_id)
        assert (answer.json()["version"], answer.json()["newer_version"]) == (5, version)
        assert "ETag" not in answer.headers
    go.set()
    monkeypatch.setattr(jobs, "PATIENCE", 10.0)
    newest = await read(http, set_id)
    assert (newest.json()["version"], newest.json()["newer_version"]) == (15, None)
    assert (await read(http, set_id, etag=newest.headers["ETag"])).status_code == 304


async def test_a_reader_who_leaves_before_it_begins_costs_nothing(
    app: FastAPI, http: Http, context: Context, computed: list[str]
) -> None:
    set_id, go = await trees(http), Event()
    others = [asyncio.create_task(context.jobs.compute(lambda: go.wait(10))) for _ in range(jobs.AT_ONCE)]
    await asyncio.sleep(0)
    sent: list[Message] = []

    async def leave() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost")]
    scope = {"type": "http", "method": "GET", "path": f"/v1/sets/{set_id}/ranking", "query_string": b""}
    await asyncio.wait_for(app({**scope, "headers": headers}, leave, send), 10)
    assert sent[0]["status"] == 499
    go.set()
    await asyncio.gather(*others)
    await ranking(http, set_id, method="win-ratio")
    assert len(computed) == 1


async def test_more_judge_effects_than_consensus_takes_are_refused(http: Http) -> None:
    created = await create_set(http, *(f"tree {n}" for n in range(101)))
    await created.compare_all([comparison("tree 0", "tree 1", 1.0, f"judge {n}") for n in range(50)])
    refused = await read(http, created["id"], method="consensus")
    assert_problem(refused, 422, "invalid-request", "at most 5,000; here are 101 x 50")


@pytest.mark.parametrize("method", BASELINES)
async def test_a_baseline_has_neither_uncertainty_nor_a_model(http: Http, method: str) -> None:
    created = await create_set(http, position_bias="estimate", selection={"random_share": 1.0})
    await created.compare("ash>birch", "birch>ash", "cedar>elm")
    await created.score(ash=7, elm=3)
    found = await created.ranking(method=method)
    assert found["entropy"] is found["confidence"] is None
    assert {row[name] for row in found["ranking"] for name in UNCERTAINTIES} == {None}
    assert {found[name] for name in ("position_bias", "absolute_scores", "held_out")} == {None}
    assert found["method"] | {"level": 0, "top_k": 0, "epsilon": 0} == {
        "name": method, "expert": None, "expert_parameters": None, "prior": None, "prior_variance": None,
        "position_bias": "none", "absolute_scale": None, "verdict_weight": None,
        "temperatures": {}, "level": 0, "top_k": 0, "epsilon": 0, "scale": None,
    }  # fmt: skip


async def test_win_ratios_are_the_shares_of_wins(http: Http) -> None:
    found = await ranking(http, await trees(http), method="win-ratio")
    shares = {row["key"]: row["score"] for row in found["ranking"]}
    assert shares == {"ash": 1.0, "birch": 0.5, "cedar": pytest.approx(1 / 3), "elm": 0.0}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keys", [(), ("ash",), ("ash", "elm")])
async def test_every_method_ranks_a_set_without_comparisons(http: Http, method: str, keys: tuple[str, ...]) -> None:
    created = await create_set(http, candidates=candidates(*keys))
    found = await created.ranking(method=method)
    assert order(found) == list(keys)
    assert {row["rank"] for row in found["ranking"]} <= {1}  # nobody is ahead
    for form in ("csv", "svg"):
        assert (await read(http, created["id"], method=method, format=form)).status_code == 200


async def test_a_fit_that_did_not_converge_is_an_error_that_no_client_repeats(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = baselines.BaselineScores(np.zeros(4), Convergence(Outcome.MAX_ITERATIONS, 7, 1.0))
    monkeypatch.setattr(standings, "BASELINES", {"win-ratio": lambda *_: stopped})
    created = await create_set(http)
    answer = await http.get(f"{created.url}/ranking", params={"method": "win-ratio"})
    assert_problem(answer, 409, "not-converged", "choose another method")
    assert "Retry-After" not in answer.headers
    assert answer.status_code not in TRANSIENT


async def test_islands_are_distinguished(http: Http) -> None:
    created = await create_set(http, told=["ash>birch", "cedar>elm"])
    found = await created.ranking()
    component = {row["key"]: row["component"] for row in found["ranking"]}
    assert found["components"] == 2
    assert component["ash"] == component["birch"] != component["cedar"] == component["elm"]


# At an earlier version


@pytest.mark.parametrize("method", ["soft-bt", "win-ratio"])
async def test_a_ranking_as_of_a_version_is_the_one_given_then(http: Http, method: str) -> None:
    created = await create_set(http)
    given = [await created.ranking(method=method)]
    for n, pair in enumerate(["ash>birch", "birch>ash", "cedar>elm", "", "elm>ash"]):
        if pair:
            await created.compare(pair)
        else:
            await created.void(n - 2)
        given.append(await created.ranking(method=method))
    for version, then in enumerate(given):
        now = await created.ranking(method=method, as_of=version)
        assert now["version"] == then["version"] == version
        assert now["comparisons"] == then["comparisons"]
        assert order(now) == order(then)
        for name in ("score", "sd", "p_best"):
            expected = [pytest.approx(row[name], abs=1e-8) if row[name] else row[name] for row in then["ranking"]]
            assert [row[name] for row in now["ranking"]] == expected


async def test_looking_back_leaves_the_present_alone(http: Http) -> None:
    set_id = await trees(http)
    before = await ranking(http, set_id)
    await ranking(http, set_id, as_of=1)
    assert await ranking(http, set_id) == before


# Conditional requests


@pytest.mark.parametrize("sent", ["{}", '"other", {}'])
async def test_an_unchanged_ranking_is_not_sent_again(http: Http, sent: str) -> None:
    set_id = await trees(http)
    etag = (await read(http, set_id)).headers["etag"]
    again = await read(http, set_id, etag=sent.format(etag))
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)


async def test_whatever_may_move_the_ranking_changes_the_etag(http: Http) -> None:
    set_id = await trees(http)
    seen = [(await read(http, set_id)).headers["etag"]]
    for change in (
        compare(http, set_id, "elm>birch"),
        void(http, set_id, 6),
        score(http, set_id, ash=7, elm=3),
        http.post(f"/v1/sets/{set_id}/candidates", json={"candidates": candidates("oak")}),
        patch(http, set_id, temperatures={"bob": 2.0}),
        patch(http, set_id, stop={"top_k": 1}),
    ):
        await change
        answer = await read(http, set_id, etag=seen[-1])
        assert answer.status_code == 200
        seen.append(answer.headers["etag"])
    assert len(set(seen)) == len(seen)


async def test_everything_that_can_be_asked_for_has_its_etag(http: Http) -> None:
    set_id = await trees(http)
    asked: list[dict[str, Any]] = [
        {}, {"method": "win-ratio"}, {"level": 0.9}, {"level": 0.90000001}, {"as_of": 1}, {"format": "csv"},
        {"baseline": "ash"}, {"baseline": "elm"}, {"scale": "elo"}, {"verdict_weight": "one-vote"},
        {"format": "svg"}, {"top_k": 2}, {"epsilon": 0.1}, {"epsilon": 0.10000001}, {"method": "gaussian"},
    ]  # fmt: skip
    assert len({(await read(http, set_id, **params)).headers["etag"] for params in asked}) == len(asked)


async def test_a_vote_leaves_an_earlier_version_unchanged(http: Http) -> None:
    set_id = await trees(http)
    etag = (await read(http, set_id, as_of=2)).headers["etag"]
    await compare(http, set_id, "elm>birch")
    assert (await read(http, set_id, as_of=2, etag=etag)).status_code == 304


async def test_renaming_a_set_redraws_its_picture(http: Http) -> None:
    set_id = await trees(http)
    etag = (await read(http, set_id, format="svg")).headers["etag"]
    await http.patch(f"/v1/sets/{set_id}", json={"name": "Bushes"})
    assert "Bushes" in (await read(http, set_id, format="svg", etag=etag)).text


# Other forms


async def test_csv_holds_the_ranking(http: Http) -> None:
    set_id = await agreed(http, "a,b", 'c"d', "e\nf")
    answer = await read(http, set_id, format="csv")
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    expected = (await ranking(http, set_id))["ranking"]
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert [row["key"] for row in rows] == [row["key"] for row in expected]
    for row, e in zip(rows, expected, strict=True):
        assert [float(row[n]) for n in ("score", "sd", "low", "high")] == [e["score"], e["sd"], *e["interval"]]
        assert [int(row[n]) for n in ("rank", "best_rank", "worst_rank")] == [e["rank"], *e["rank_interval"]]
        assert (float(row["p_top_k"]), int(row["tie_group"])) == (e["p_top_k"], e["tie_group"])


async def test_svg_is_well_formed_and_names_every_candidate(http: Http) -> None:
    keys = ["<b>bold</b>", "a&b", "'\"", "ünï", "x" * 80, "tab\there"]
    created = await create_set(http, *keys, name="</svg><script>alert(1)</script>\x01")
    answer = await read(http, created["id"], format="svg")
    drawing = ElementTree.fromstring(answer.text)
    texts = [element.text or "" for element in drawing.iter(f"{SVG}text")]
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert {"<b>bold</b>", "a&b", "'\"", "ünï"} <= set(texts)
    assert sum(text.startswith("rank ") for text in texts) == len(keys)
    assert "<script" not in answer.text


async def test_png_is_a_picture(http: Http) -> None:
    answer = await read(http, await trees(http), format="png")
    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")


# Predictions


async def test_a_prediction_is_the_probability_of_a_positive_difference_of_the_published_scores(http: Http) -> None:
    set_id = await trees(http)
    found, back = [
        await get(http, f"/v1/sets/{set_id}/predict", first=first, second=second)
        for first, second in (("ash", "elm"), ("elm", "ash"))
    ]
    scores = {row["key"]: row["score"] for row in (await ranking(http, set_id))["ranking"]}
    assert (found["mean_difference"], found["version"]) == (pytest.approx(scores["ash"] - scores["elm"], abs=1e-8), 5)
    assert found["p_first_better"] == pytest.approx(ndtr(found["mean_difference"] / found["sd_difference"]), abs=0.02)
    assert found["p_first_better"] > 0.5
    assert back["p_first_better"] == pytest.approx(1 - found["p_first_better"])
    assert back["mean_difference"] == pytest.approx(-found["mean_difference"])
    assert back["sd_difference"] == pytest.approx(found["sd_difference"])


async def test_a_prediction_across_islands_is_a_coin_toss(http: Http) -> None:
    created = await create_set(http, verdict_weight="one-vote", told=["ash>birch"])
    found = await created.read("/predict", first="cedar", second="elm")
    assert (found["p_first_better"], found["sd_difference"]) == (0.5, pytest.approx(2**0.5))


async def test_the_order_of_the_candidates_does_not_move_the_intervals(http: Http) -> None:
    """The same comparisons among the same candidates, listed the other way round."""
    keys, rows = [f"c{n}" for n in range(12)], []
    for keys_in_order in (keys, keys[::-1]):
        created = await create_set(http, *keys_in_order)
        await created.compare(*(f"c{n}>c{m}" for n in range(12) for m in range(n + 1, 12)))
        found = (await created.ranking())["ranking"]
        rows.append({row["key"]: (row["rank_interval"], row["p_best"]) for row in found})
    assert rows[0].keys() == rows[1].keys()
    assert rows[0] == rows[1]


async def test_confidence_is_of_the_pairs_that_matter_to_the_goal(http: Http) -> None:
    goals = {"ranking": {}, "against": {"against": "cedar"}, "top_k": {"top_k": 2}, "pair": {"pair": ["elm", "ash"]}}
    confidence = {}
    for name, goal in goals.items():
        created = await create_set(http, goal=goal, told=["ash>birch", "birch>cedar", "cedar>elm", "ash>cedar"])
        confidence[name] = (await created.ranking())["confidence"]
    assert {name: each["pairs"] for name, each in confidence.items()} == {
        "ranking": 6, "against": 3, "top_k": 4, "pair": 1,
    }  # fmt: skip
    predicted = await created.read("/predict", first="ash", second="elm")
    assert confidence["pair"]["expected_concordance"] == pytest.approx(predicted["p_first_better"])
    assert confidence["pair"]["expected_concordance"] > confidence["ranking"]["expected_concordance"]


# Many candidates


@pytest.mark.parametrize("verdict_weight", ["one-vote", "learnt"])
async def test_a_ranking_of_many_needs_no_matrix_and_says_the_same(
    http: Http, monkeypatch: pytest.MonkeyPatch, verdict_weight: str
) -> None:
    """60 candidates, treated as many: standard deviations within 5%, shares over 64 draws within 0.1; no entropy."""
    keys = [f"c{number:02}" for number in range(60)]
    created = await create_set(http, *keys, verdict_weight=verdict_weight, told=simulated(keys, 1500, seed=1))
    monkeypatch.setattr("app.inference.fitting.weights.SHARP", 10.0)  # of more candidates it is sharper
    with_matrix = await created.ranking()
    monkeypatch.setattr(basis, "RANKED_DENSE", 50)
    without = await created.ranking(level=0.9)
    assert with_matrix["entropy"] is not None
    assert without["entropy"] is None
    assert order(without) == order(with_matrix)
    for ours, theirs in zip(without["ranking"], with_matrix["ranking"], strict=True):
        assert ours["score"] == pytest.approx(theirs["score"], abs=0.01)
        assert ours["sd"] == pytest.approx(theirs["sd"], rel=0.05)
        assert ours["p_best"] == pytest.approx(theirs["p_best"], abs=0.1)
    assert without["confidence"]["expected_concordance"] == pytest.approx(
        with_matrix["confidence"]["expected_concordance"], abs=0.01
    )


async def test_a_ranking_of_many_for_a_goal_keeps_its_confidence(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(basis, "RANKED_DENSE", 3)
    set_id = await trees(http)
    await patch(http, set_id, goal={"top_k": 1})
    found = await ranking(http, set_id)
    assert (found["confidence"]["pairs"], found["entropy"] is None) == (3, False)


async def test_every_format_names_version_and_method_and_a_fresh_ranking_waits(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_id = await trees(http)
    await ranking(http, set_id)
    go = held_back(monkeypatch)
    monkeypatch.setattr(jobs, "PATIENCE", 0.01)
    monkeypatch.setattr(results, "FIRST", 0.01)
    await compare(http, set_id, "elm>ash")
    origin = {"nextpair-version": "5", "nextpair-newer-version": "6", "nextpair-method": "soft-bt"}
    for form, shown in (
        ("json", b'"version":5'),
        ("csv", b",5,soft-bt"),
        ("latex", b"Version 5, method soft-bt."),
        ("svg", b"version 5, soft-bt"),
        ("svg&width=single", b"version 5, soft-bt"),
        ("png", b"version 5, soft-bt"),
        ("pdf&width=double", b"version 5, soft-bt"),
    ):
        answer = await http.get(f"/v1/sets/{set_id}/ranking?format={form}")
        assert answer.status_code == 200, answer.text
        assert {name: value for name, value in answer.headers.items() if name.startswith("nextpair")} == origin
        assert shown in answer.content
    assert (await read(http, set_id, fresh=True)).status_code == 425
    go.set()
    monkeypatch.setattr(results, "FIRST", 10.0)
    newest = await read(http, set_id, fresh=True, format="csv")
    assert (newest.headers["Nextpair-Version"], newest.headers.get("Nextpair-Newer-Version")) == ("6", None)
    assert [row["version"] for row in csv.DictReader(io.StringIO(newest.text))] == ["6"] * 4
