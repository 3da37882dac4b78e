"""Judged pairs with their verdicts, and the statistics of items."""

from itertools import combinations
from math import log2
from typing import Any

import numpy as np
import pytest

from tests.factories import Http, comparison, create_set, create_systems, get, log, names, unordered, void

SYSTEMS, ITEMS = ("gpt", "llama", "mistral"), [f"p{n}" for n in range(6)]


@pytest.fixture
async def set_id(http: Http) -> str:
    """Three systems on 6 prompts, half of them code; ben contradicts ann on the first prompt, and ann judges alone on
    the last.
    """
    created = await create_systems(http, ITEMS, *SYSTEMS)
    rng, new = np.random.default_rng(1), []
    for item in ITEMS:
        for n, (better, worse) in enumerate(combinations(SYSTEMS, 2)):
            new.append(comparison(better, worse, 0.9 - 0.1 * rng.random(), judge="ann", item=item))
            if item != ITEMS[-1]:
                p = 0.2 if item == ITEMS[0] else 0.8
                sides = (worse, better, 1.0 - p) if n % 2 else (better, worse, p)
                new.append(comparison(*sides, judge="ben", item=item))
    await created.compare_all(new)
    items = [{"key": item, "tags": {"kind": "code" if n % 2 else "prose"}} for n, item in enumerate(ITEMS)]
    body = {"candidates": [{"key": "gpt"}], "items": items}
    assert (await http.post(f"{created.url}/candidates", json=body)).is_success
    return str(created["id"])


async def pairs(http: Http, set_id: str, **params: Any) -> list[dict[str, Any]]:
    """All pages."""
    every, after = list[dict[str, Any]](), 0
    while after is not None:
        page = await get(http, f"/v1/sets/{set_id}/pairs", after=after, limit=4, **params)
        every, after = [*every, *page["pairs"]], page["next_after"]
    assert len(every) == page["total"]
    assert page["surprising"] == sum(round(pair["surprise"], 9) > 1.0 for pair in every)
    return every


async def test_every_verdict_that_counts_is_listed_once_as_its_pair_is_listed(http: Http, set_id: str) -> None:
    assert (await void(http, set_id, 3)).status_code == 201
    by_seq = {entry["seq"]: entry for entry in await log(http, set_id, limit=1000)}
    listed = await pairs(http, set_id)
    said = [(pair, verdict) for pair in listed for verdict in pair["verdicts"]]
    assert sorted(verdict["seq"] for _, verdict in said) == sorted(by_seq.keys() - {3})
    assert [pair["verdicts"][-1]["seq"] for pair in listed] == sorted(
        (pair["verdicts"][-1]["seq"] for pair in listed), reverse=True
    )
    for pair, verdict in said:
        entry = by_seq[verdict["seq"]]
        swapped = entry["first"] != pair["first"]["key"]
        assert {entry["first"], entry["second"]} == set(names(pair))
        assert pair["item"]["key"] == entry["item"]
        assert pair["first"]["text"] == f"{pair['first']['key']} on {entry['item']}"
        assert verdict["swapped"] == swapped
        assert verdict["p_first"] == pytest.approx(1.0 - entry["p_first"] if swapped else entry["p_first"])
        assert verdict["created_at"] == entry["created_at"]
        assert verdict["winner"] == ("first" if verdict["p_first"] > 0.5 else "second")
        q, p = pair["expected"], verdict["p_first"]
        assert verdict["surprise"] == pytest.approx(-log2(p * q + (1.0 - p) * (1.0 - q)))
    for pair in listed:
        assert pair["surprise"] == pytest.approx(np.mean([verdict["surprise"] for verdict in pair["verdicts"]]))
        is_alone = len(pair["verdicts"]) == 1
        assert (pair["agreement"] is None, pair["disagreement"] is None) == (is_alone, is_alone)


async def test_pairs_are_sorted_by_what_they_say(http: Http, set_id: str) -> None:
    for name in ("disagreement", "surprise"):
        figures = [-1.0 if pair[name] is None else pair[name] for pair in await pairs(http, set_id, sort=name)]
        assert figures == sorted(figures, reverse=True)
    by_disagreement = await pairs(http, set_id, sort="disagreement")
    assert {pair["item"]["key"] for pair in by_disagreement[:3]} == {"p0"}
    assert [pair["agreement"] for pair in by_disagreement[:3]] == [0.0] * 3


async def test_filters_narrow_the_list_together(http: Http, set_id: str) -> None:
    async def found(**params: Any) -> set[tuple[str, frozenset[str]]]:
        return {(pair["item"]["key"], unordered(pair)) for pair in await pairs(http, set_id, **params)}

    every = await found()
    assert len(every) == 18
    assert await found(item="p1") == {each for each in every if each[0] == "p1"}
    assert await found(candidate="gpt") == {each for each in every if "gpt" in each[1]}
    assert await found(candidate="llama", other="gpt") == {each for each in every if each[1] == {"llama", "gpt"}}
    assert await found(judge="ben") == {each for each in every if each[0] != "p5"}
    assert await found(tag="kind:code", judge="ben") == {each for each in every if each[0] in ("p1", "p3")}
    assert await found(tag=["kind:code", "kind:prose"]) == set()
    assert await found(find="dO P3") == {each for each in every if each[0] == "p3"}
    assert await found(find="gpt") == set()
    for name in ("item", "candidate", "other", "judge"):
        answer = await http.get(f"/v1/sets/{set_id}/pairs", params={name: "nobody"})
        unknown = "candidate" if name == "other" else name
        assert (answer.status_code, answer.json()["type"]) == (404, f"urn:nextpair:problem:unknown-{unknown}")


async def test_items_have_the_figures_of_their_pairs(http: Http, set_id: str) -> None:
    await void(http, set_id, 3)
    listed, url = await pairs(http, set_id), f"/v1/sets/{set_id}/item-statistics"
    one = await get(http, url, limit=4)
    two = await get(http, url, after=one["next_after"])
    items = [*one["items"], *two["items"]]
    surprising = [item["key"] for item in items if item["surprise"] > 1.0]
    assert one["surprising"] == two["surprising"] == len(surprising) > 0
    assert ([item["key"] for item in items], one["total"], two["next_after"]) == (ITEMS, 6, None)
    for item in items:
        here = [pair for pair in listed if pair["item"]["key"] == item["key"]]
        assert item["pairs"] == len(here)
        assert item["comparisons"] == sum(len(pair["verdicts"]) for pair in here)
        bits = [verdict["surprise"] for pair in here for verdict in pair["verdicts"]]
        assert item["surprise"] == pytest.approx(np.mean(bits))
        several = [pair for pair in here if pair["disagreement"] is not None]
        assert (item["disagreement"] is None) == (not several) == (item["key"] == "p5")
        if several:
            assert item["disagreement"] == pytest.approx(np.mean([pair["disagreement"] for pair in several]))
            assert item["agreement"] == pytest.approx(np.mean([pair["agreement"] for pair in several]))
    assert items[0]["tags"] == {"kind": "prose"}
    assert items[0]["prompt"] == "Do p0."
    of_ben = (await get(http, url, judge="ben", candidate="llama"))["items"]
    assert [(item["key"], item["pairs"]) for item in of_ben] == [(item, 2) for item in ITEMS[:-1]]
    assert [item["key"] for item in (await get(http, url, find="P5", tag="kind:code"))["items"]] == ["p5"]


async def test_a_set_of_texts_has_pairs_and_no_items(http: Http) -> None:
    created = await create_set(http)
    assert await pairs(http, created["id"]) == []
    await created.send({"first": "elm", "second": "ash", "judge": "ann", "winner": "both_bad"})
    assert await pairs(http, created["id"], find="cedar") == []
    (pair,) = await pairs(http, created["id"], find="ELM")
    assert (pair["item"], names(pair)) == (None, ("ash", "elm"))
    (verdict,) = pair["verdicts"]
    assert (verdict["winner"], verdict["p_first"], verdict["swapped"]) == ("both_bad", 0.5, True)
    assert verdict["surprise"] == pytest.approx(1.0)
    assert (await created.read("/item-statistics"))["items"] == []
