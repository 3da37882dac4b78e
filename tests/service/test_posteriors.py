"""The live posterior of a set, against its log and against another process."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from app.inference.fitting import posterior as inference
from app.inference.fitting.model import Method, build
from app.inference.types import by_one_judge
from app.live import speed
from app.service.context import Context
from app.settings import Settings
from tests.conftest import served
from tests.factories import (
    Http,
    ask,
    ask_one,
    candidates,
    compare,
    create_asked,
    create_set,
    get,
    names,
    patch,
    ranking,
    relative,
    score,
    scores_of,
    tell,
    unordered,
    void,
)


@pytest.fixture
async def elsewhere(settings: Settings, app: Any) -> AsyncIterator[Http]:
    """A second process on the database of the first."""
    async with served(settings) as client:
        yield client


async def test_the_ranking_is_a_fit_of_the_log_from_scratch(http: Http) -> None:
    keys = [f"c{n:02}" for n in range(14)]
    created = await create_set(http, *keys, prior_variance=2.0, verdict_weight="one-vote")
    await created.answer_all(count=7)
    await created.void(3)
    entries = [e for e in await created.log(limit=500) if e["voided_by"] is None]
    data = by_one_judge(
        np.array([keys.index(e["first"]) for e in entries]),
        np.array([keys.index(e["second"]) for e in entries]),
        np.array([e["p_first"] for e in entries]),
    )
    fitted = inference.fit(data, build(Method(prior_variance=2.0), len(keys)))
    published = {row["key"]: row for row in (await created.ranking())["ranking"]}
    assert [published[key]["score"] for key in keys] == pytest.approx(relative(fitted.mean).tolist(), abs=1e-8)


async def test_two_processes_agree(http: Http, elsewhere: Http) -> None:
    created = await create_set(http)
    for n, pair in enumerate(["ash>elm", "birch>ash", "", "cedar>birch"]):
        here, there = (http, elsewhere) if n % 2 else (elsewhere, http)
        if pair:
            await compare(here, created["id"], pair)
        else:
            await void(here, created["id"], 1)
        assert await ranking(there, created["id"]) == await ranking(here, created["id"])


@pytest.mark.parametrize("expert", ["soft-bt", "laplace"])
async def test_two_processes_agree_on_biases_scores_and_temperatures(http: Http, elsewhere: Http, expert: str) -> None:
    """One of them has followed the log step by step; the other reads it now and then."""
    created = await create_set(http, expert=expert, position_bias="estimate", stop={"rank_width": 1})
    steps = [
        created.compare("ash>elm", "elm>birch", judge="alice"),
        score(elsewhere, created["id"], ash=7, elm=3),
        compare(elsewhere, created["id"], "birch>ash", "ash>birch", judge="bob"),
        created.void(2),
        patch(elsewhere, created["id"], temperatures={"bob": 2.0}),
        created.score("alice", birch=2, cedar=6),
        created.compare("cedar>birch", judge="carol"),
        created.score(elm=9),
        void(elsewhere, created["id"], 5),
    ]
    url = f"{created.url}/next-pair"
    for n, step in enumerate(steps):
        await step
        await created.ranking()
        if n % 3 == 2:
            assert same(await ranking(elsewhere, created["id"])) == same(await created.ranking())
            here, there = await get(http, url, count=3), await get(elsewhere, url, count=3)
            assert [unordered(p) for p in here["pairs"]] == [unordered(p) for p in there["pairs"]]


def same(found: dict[str, Any]) -> Any:
    """Numbers rounded: the two came to them on different ways."""
    if isinstance(found, dict):
        return {name: same(value) for name, value in found.items() if name != "convergence"}
    if isinstance(found, list):
        return [same(value) for value in found]
    return round(found, 6) + 0.0 if isinstance(found, float) else found


async def test_two_processes_choose_the_same_next_pair(http: Http, elsewhere: Http) -> None:
    created = await create_set(http, selection={"random_share": 0.4, "seed": 9}, told=["ash>elm", "birch>cedar"])
    url = f"{created.url}/next-pair"
    assert await get(http, url, count=4) == await get(elsewhere, url, count=4)


async def test_two_processes_never_lease_the_same_pair(http: Http, elsewhere: Http) -> None:
    keys = [f"c{n}" for n in range(6)]
    created = await create_set(http, *keys)
    asked = await asyncio.gather(
        *(ask(process, created["id"], f"judge {n}", count=2) for n, process in enumerate([http, elsewhere] * 3))
    )
    pairs = [unordered(a) for answer in asked for a in answer["assignments"]]
    assert len(set(pairs)) == len(pairs) == 12


async def test_a_judge_gets_its_lease_back_from_another_process(http: Http, elsewhere: Http) -> None:
    created = await create_set(http)
    assert (await created.ask_one())["id"] == (await ask_one(elsewhere, created["id"]))["id"]


async def test_a_wait_in_one_process_is_ended_by_the_other(http: Http, elsewhere: Http) -> None:
    created, given = await create_asked(http, "ash", "elm")
    waiting = asyncio.create_task(ask(elsewhere, created["id"], "bob", wait_seconds=30))
    await asyncio.sleep(0.2)
    await http.post(f"/v1/assignments/{given['id']}/release")
    assert (await asyncio.wait_for(waiting, 4))["status"] == "open"


async def test_a_candidate_that_joins_in_one_process_is_ranked_in_the_other(http: Http, elsewhere: Http) -> None:
    created = await create_set(http, "ash", "elm", told=["ash>elm"])
    await ranking(elsewhere, created["id"])
    await created.add("oak")
    assert await ranking(elsewhere, created["id"]) == await created.ranking()


async def test_a_set_that_was_forgotten_is_folded_again(http: Http, context: Context) -> None:
    created = await create_set(http, told=["ash>elm", "elm>birch"])
    before = await created.ranking()
    context.live.forget(UUID(created["id"]))
    assert await created.ranking() == before


async def test_a_candidate_may_join_in_the_middle_of_an_ask(http: Http, context: Context) -> None:
    created, gate = await create_set(http), threading.Event()
    await created.compare("ash>elm")
    busy = [asyncio.create_task(context.live.compute(gate.wait)) for _ in range(2)]  # no thread is left
    asking = asyncio.create_task(created.ask_one())
    await asyncio.sleep(0.2)  # by now it has read who is in the set, and waits for a thread
    await created.add("oak")
    await created.compare("oak>elm")
    gate.set()
    assert "oak" not in unordered(await asking)
    await asyncio.gather(*busy)


async def test_candidates_may_join_while_everything_else_goes_on(http: Http) -> None:
    created = await create_set(http)

    async def join() -> None:
        for n in range(12):
            new = {"candidates": candidates(f"new {n}")}
            assert (await http.post(f"{created.url}/candidates", json=new)).status_code == 201

    async def judge(name: str) -> None:
        for _ in range(10):
            for pair in (await created.ask(name, count=2))["assignments"]:
                assert (await tell(http, pair["id"], p_first=0.7)).status_code == 201

    async def bring() -> None:
        for _ in range(20):
            await created.compare("ash>elm")

    async def look() -> None:
        for _ in range(10):
            found = await created.ranking()
            assert len(found["ranking"]) >= 4

    await asyncio.gather(join(), judge("alice"), judge("bob"), bring(), look(), look())
    found = await created.ranking()
    assert (len(found["ranking"]), found["comparisons"]) == (16, found["version"])


async def test_everything_that_changes_a_ranking_may_come_at_once(http: Http, context: Context) -> None:
    created = await create_set(http, position_bias="estimate", stop={"top_k": 1})
    url = created.url

    async def bring(judge: str) -> None:
        for n in range(8):
            await created.compare("ash>elm" if n % 2 else "birch>ash", judge=judge)
            await created.score(judge, ash=n, cedar=3)

    async def temper() -> None:
        for n in range(10):
            await created.patch(temperatures={"alice": 1.0 + n})

    async def join() -> None:
        for n in range(4):
            await http.post(f"{url}/candidates", json={"candidates": candidates(f"new {n}")})

    async def take_back() -> None:
        for seq in range(1, 12):
            assert (await created.void(seq)).status_code in (201, 404)

    async def look() -> None:
        for path in ("ranking", "next-pair", "diagnostics", "ranking?method=gaussian", "ranking?as_of=3") * 2:
            assert (await http.get(f"{url}/{path}")).status_code in (200, 422)  # before there is a version 3

    await asyncio.gather(bring("alice"), bring("bob"), temper(), join(), take_back(), look(), look())
    found = await created.ranking()
    context.live.forget(UUID(created["id"]))
    assert same(await created.ranking()) == same(found)
    assert (len(found["ranking"]), found["method"]["temperatures"]) == (8, {"alice": 10.0})


def version_in_memory(context: Context, set_id: str) -> int | None:
    held = context.live.get(UUID(set_id)).snapshot if UUID(set_id) in context.live else None
    return None if held is None else held.version


async def test_verdicts_are_taken_in_before_anyone_asks_again(http: Http, elsewhere: Http, context: Context) -> None:
    created = await create_set(http)
    for version in (1, 2, 3):
        pair = await created.ask_one()
        await tell(http, pair["id"], p_first=0.8)
        assert version_in_memory(context, created["id"]) == version
        assert context.live.size_bytes == context.live.get(UUID(created["id"])).size_bytes
    assert await created.scores_of() == pytest.approx(await scores_of(elsewhere, created["id"]), abs=1e-9)


async def test_verdict_weights_are_learnt_before_the_next_stage_of_a_large_set(
    http: Http, elsewhere: Http, context: Context
) -> None:
    created = await create_set(http, *(f"tree {number}" for number in range(40)))
    for _ in range(11):
        pair = await created.ask_one()
        await tell(http, pair["id"], p_first=0.8)
        snapshot = context.live.get(UUID(created["id"])).snapshot
        assert snapshot is not None
        assert snapshot.learnt_ahead is not None
        assert snapshot.due is None
    url = f"{created.url}/next-pair"
    here, there = [(await get(client, url, count=4))["pairs"] for client in (http, elsewhere)]
    assert [(pair["first"], pair["second"]) for pair in here] == [(pair["first"], pair["second"]) for pair in there]


async def test_verdicts_after_something_unknown_wait_for_the_next_ask(
    http: Http, elsewhere: Http, context: Context
) -> None:
    created, pair = await create_asked(http)
    await compare(elsewhere, created["id"], "ash>elm")
    await tell(http, pair["id"], p_first=0.8)
    assert version_in_memory(context, created["id"]) == 0
    assert await created.scores_of() == pytest.approx(await scores_of(elsewhere, created["id"]), abs=1e-9)
    assert version_in_memory(context, created["id"]) == 2


async def test_verdicts_on_a_candidate_that_was_just_added_wait_for_the_next_ask(
    http: Http, elsewhere: Http, context: Context
) -> None:
    created = await create_set(http, "ash", "elm")
    await created.ask_one(lease_seconds=0.01)
    joined = {"candidates": candidates("oak")}
    assert (await elsewhere.post(f"{created.url}/candidates", json=joined)).status_code == 201
    pair = next(pair for pair in (await ask(elsewhere, created["id"], count=3))["assignments"] if "oak" in names(pair))
    await tell(http, pair["id"], p_first=0.8)
    assert version_in_memory(context, created["id"]) == 0
    assert await created.scores_of() == pytest.approx(await scores_of(elsewhere, created["id"]), abs=1e-9)


async def test_a_set_that_nobody_asks_about_here_is_not_kept_here(
    http: Http, elsewhere: Http, context: Context
) -> None:
    created = await create_set(elsewhere)
    pair = await ask_one(elsewhere, created["id"])
    await tell(http, pair["id"], p_first=0.8)
    assert version_in_memory(context, created["id"]) is None


async def test_a_long_batch_is_fitted_beside_the_event_loop_to_the_same_end(
    http: Http, elsewhere: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = await create_set(http)
    monkeypatch.setattr(speed, "QUICK", 0)
    pair = await created.ask_one()
    await tell(http, pair["id"], p_first=0.8)
    monkeypatch.undo()
    assert await created.scores_of() == pytest.approx(await scores_of(elsewhere, created["id"]), abs=1e-9)
