"""Sets that ask several judges for a share of their pairs: who gets which, how far they agree, what they dispute."""

from typing import Any

import numpy as np
import pytest

from tests.api.test_judges import judges
from tests.factories import Http, ask, candidates, create_set, log, names, pages, tell, unordered

pytestmark = pytest.mark.alone

TREES = ["ash", "birch", "cedar", "elm", "fir", "oak"]  # 15 pairs
FOREST = [f"t{n:02}" for n in range(25)]
QUICK: dict[str, Any] = {"verdict_weight": "one-vote", "selection": {"criterion": "random"}}


async def judges_of_pairs(http: Http, set_id: str) -> dict[frozenset[str], list[str]]:
    by_pair: dict[frozenset[str], list[str]] = {}
    for entry in await log(http, set_id, limit=1000):
        by_pair.setdefault(frozenset((entry["first"], entry["second"])), []).append(entry["judge"])
    return by_pair


async def test_one_judge_alone_gets_every_pair_once_and_others_what_overlaps(http: Http) -> None:
    created = await create_set(http, candidates=candidates(*TREES), overlap={"share": 1.0, "judges": 2}, **QUICK)
    assert len(await created.answer_all("ann")) == 15
    assert (await created.ask("ann"))["status"] == "exhausted"
    ben = await created.answer_all("ben", most=6)
    assert {each["why"]["criterion"] for each in ben} == {"overlap"}
    assert (await http.post("/v1/next-pairs", json={"judge": "ann", "count": 1})).json()["status"] == "exhausted"
    cid = (await http.post("/v1/next-pairs", json={"judge": "cid", "count": 20})).json()["assignments"]
    assert len(cid) == 9
    assert (await created.ask("ben"))["status"] == "all_leased"
    for pair in cid:
        await tell(http, pair["id"], winner="first")
    for judge in ("ann", "ben", "cid", "dan"):
        assert (await created.ask(judge))["status"] == "exhausted"
    assert all(len(set(judges)) == len(judges) == 2 for judges in (await judges_of_pairs(http, created["id"])).values())


async def test_a_pair_that_overlaps_is_one_judges_at_a_time_and_counts_in_the_budget(http: Http) -> None:
    created = await create_set(http, overlap={"share": 1.0, "judges": 3}, budget={"max_comparisons": 3}, **QUICK)
    one = await created.ask_one("ann")
    pair = {one["first"]["key"], one["second"]["key"]}
    other = await created.ask_one("ben")
    assert {other["first"]["key"], other["second"]["key"]} != pair
    await tell(http, one["id"], p_first=0.9)
    overlapped = await created.ask_one("cid")
    assert {overlapped["first"]["key"], overlapped["second"]["key"]} == pair
    assert (await created.ask("dan"))["status"] == "all_leased"
    assert (await tell(http, overlapped["id"], failure="refused")).status_code == 201
    assert (await created.ask_one("cid"))["why"]["criterion"] == "random"


async def test_overlap_that_is_asked_for_later_finds_the_pairs_of_before(http: Http) -> None:
    created = await create_set(http, **QUICK)
    await created.answer_all("ann")
    assert (await http.post("/v1/next-pairs", json={"judge": "ben", "count": 1})).json()["assignments"] == []
    await created.patch(overlap={"share": 1.0})
    assert len(await created.answer_all("ben")) == 6


async def test_a_preview_shows_what_overlaps_where_one_of_the_judges_may_get_it(http: Http) -> None:
    created = await create_set(http, overlap={"share": 1.0, "judges": 2}, **QUICK)
    await created.answer_all("ann", most=2)
    url = f"{created.url}/next-pair"
    assert (await http.get(url)).json()["pairs"][0]["why"]["criterion"] == "random"
    await created.answer_all("ben", most=1)
    assert (await http.get(url)).json()["pairs"][0]["why"]["criterion"] == "overlap"


async def judge_all(http: Http, set_id: str, right: float, seed: int) -> dict[frozenset[str], set[str]]:
    """Three judges, who name the earlier key so often, answer all they get; the winners that they name of each pair."""
    rng, winners = np.random.default_rng(seed), dict[frozenset[str], set[str]]()
    while pairs := [pair for judge in "abc" for pair in (await ask(http, set_id, judge, count=25))["assignments"]]:
        verdicts = []
        for pair in pairs:
            winner = sorted(names(pair), reverse=bool(rng.random() > right))[0]
            winners.setdefault(unordered(pair), set()).add(winner)
            verdicts.append({"assignment_id": pair["id"], "winner": "first" if winner == names(pair)[0] else "second"})
        assert (await http.post("/v1/verdicts", json={"verdicts": verdicts})).status_code == 200
    return winners


async def test_agreement_holds_the_truth_and_disputes_are_those_that_were_planted(http: Http) -> None:
    """Judges who are right in 90% of 300 pairs agree in .82 of them, which is .64 beyond chance.

    Which pairs overlap is drawn by the set's id, another in every run: the truth is within twice the interval.
    """
    set_id = (await create_set(http, *FOREST, overlap={"share": 0.2}, **QUICK))["id"]
    winners = await judge_all(http, set_id, right=0.9, seed=6)
    several = {pair for pair, said in (await judges_of_pairs(http, set_id)).items() if len(set(said)) > 1}
    assert len(several) == pytest.approx(60, abs=28)
    found = await judges(http, set_id, verdicts=False)
    alpha = found["alpha"]
    assert (alpha["pairs"], alpha["drawn"]) == (len(several), True)
    low, high = alpha["interval"]
    assert abs(0.5 * (low + high) - 0.64) <= high - low < 0.6
    assert sum(pair["pairs"] for pair in found["agreement"]) == len(several)
    assert all(-0.5 < pair["kappa"] <= 1.0 for pair in found["agreement"])

    disputes = await pages(http, f"/v1/sets/{set_id}/disputes", "disputes", limit=2)
    assert {unordered(each) for each in disputes} == {pair for pair, named in winners.items() if len(named) > 1}
    assert [each["seq"] for each in disputes] == sorted({each["seq"] for each in disputes})
    for each in disputes:
        assert each["first"]["text"] == f"The text of {each['first']['key']}."
        assert sorted(verdict["winner"] for verdict in each["verdicts"]) == ["first", "second"]


async def test_without_overlap_agreement_is_on_all_pairs_that_several_judged(http: Http) -> None:
    created = await create_set(http, **QUICK)
    assert (await judges(http, created["id"]))["alpha"] is None
    for judge in ("ann", "ben"):
        await created.compare("ash>birch", "cedar>ash", "elm>ash", judge=judge)
    await created.compare("birch>elm", judge="ann")
    await created.compare("elm>birch", judge="ben")
    found = await judges(http, created["id"])
    assert (found["alpha"]["pairs"], found["alpha"]["drawn"]) == (4, False)
    (agreement,) = found["agreement"]
    low, high = agreement.pop("kappa_interval")
    assert agreement == {"judges": ["ann", "ben"], "pairs": 4, "share": 0.75, "kappa": 0.5}
    assert -1.0 <= low < 0.5 < high < 1.0
    (dispute,) = (await created.read("/disputes"))["disputes"]
    assert (dispute["seq"], names(dispute), dispute["item"]) == (8, ("birch", "elm"), None)
    assert [(said["judge"], said["kind"], said["winner"]) for said in dispute["verdicts"]] == [
        ("ann", None, "first"), ("ben", None, "second"),
    ]  # fmt: skip
    assert [said["p_first"] for said in dispute["verdicts"]] == pytest.approx([0.9, 0.1])
