"""Sets that ask several judges for a share of their pairs: who gets which, how far they agree, what they dispute."""

import httpx

from tests.factories import answer_all, ask, ask_one, candidates, create_set, log, patch, tell

TREES = ["ash", "birch", "cedar", "elm", "fir", "oak"]  # 15 pairs


async def judges_of_pairs(http: httpx.AsyncClient, set_id: str) -> dict[frozenset[str], list[str]]:
    by_pair: dict[frozenset[str], list[str]] = {}
    for entry in await log(http, set_id):
        by_pair.setdefault(frozenset((entry["first"], entry["second"])), []).append(entry["judge"])
    return by_pair


async def test_one_judge_alone_gets_every_pair_once_and_others_what_overlaps(http: httpx.AsyncClient) -> None:
    created = await create_set(http, candidates=candidates(*TREES), overlap={"share": 1.0, "judges": 2})
    assert len(await answer_all(http, created["id"], "ann")) == 15
    assert (await ask(http, created["id"], "ann"))["status"] == "exhausted"
    ben = await answer_all(http, created["id"], "ben", most=6)
    assert {each["why"]["criterion"] for each in ben} == {"overlap"}
    assert (await http.post("/v1/next-pairs", json={"judge": "ann", "count": 1})).json()["status"] == "exhausted"
    cid = (await http.post("/v1/next-pairs", json={"judge": "cid", "count": 20})).json()["assignments"]
    assert len(cid) == 9
    assert (await ask(http, created["id"], "ben"))["status"] == "all_leased"
    for pair in cid:
        await tell(http, pair["id"], winner="first")
    for judge in ("ann", "ben", "cid", "dan"):
        assert (await ask(http, created["id"], judge))["status"] == "exhausted"
    assert all(len(set(judges)) == len(judges) == 2 for judges in (await judges_of_pairs(http, created["id"])).values())


async def test_a_pair_that_overlaps_is_one_judges_at_a_time_and_counts_in_the_budget(http: httpx.AsyncClient) -> None:
    created = await create_set(http, overlap={"share": 1.0, "judges": 3}, budget={"max_comparisons": 3})
    one = await ask_one(http, created["id"], "ann")
    pair = {one["first"]["key"], one["second"]["key"]}
    other = await ask_one(http, created["id"], "ben")
    assert {other["first"]["key"], other["second"]["key"]} != pair
    await tell(http, one["id"], p_first=0.9)
    overlapped = await ask_one(http, created["id"], "cid")
    assert {overlapped["first"]["key"], overlapped["second"]["key"]} == pair
    assert (await ask(http, created["id"], "dan"))["status"] == "all_leased"
    assert (await tell(http, overlapped["id"], failure="refused")).status_code == 201
    assert (await ask_one(http, created["id"], "cid"))["why"]["criterion"] == "knowledge"


async def test_overlap_that_is_asked_for_later_finds_the_pairs_of_before(http: httpx.AsyncClient) -> None:
    created = await create_set(http)
    await answer_all(http, created["id"], "ann")
    assert (await http.post("/v1/next-pairs", json={"judge": "ben", "count": 1})).json()["assignments"] == []
    await patch(http, created["id"], overlap={"share": 1.0})
    assert len(await answer_all(http, created["id"], "ben")) == 6


async def test_a_preview_shows_what_overlaps_where_one_of_the_judges_may_get_it(http: httpx.AsyncClient) -> None:
    created = await create_set(http, overlap={"share": 1.0, "judges": 2})
    await answer_all(http, created["id"], "ann", most=2)
    url = f"/v1/sets/{created['id']}/next-pair"
    assert (await http.get(url)).json()["pairs"][0]["why"]["criterion"] == "knowledge"
    await answer_all(http, created["id"], "ben", most=1)
    assert (await http.get(url)).json()["pairs"][0]["why"]["criterion"] == "overlap"
