"""Sets of a pool share priors of verdict weights: when, with which, and once each."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import numpy as np
import pytest
from fastapi import FastAPI
from scipy.special import expit

from app.inference.fitting import weights
from app.service import pools
from app.service.context import Context
from app.settings import Settings
from app.storage import pools as storage
from app.storage import sets
from tests.conftest import running
from tests.factories import (
    KEYS,
    Http,
    compare_all,
    comparison,
    create_set,
    get,
    patch,
    ranking,
    run_sql,
    simulated,
    void,
)


@pytest.fixture
async def elsewhere(settings: Settings, app: FastAPI) -> AsyncIterator[Context]:
    """A second process on the database of the first."""
    async with running(settings) as other:
        yield other.state.context


async def judged(http: Http, comparisons: int = 3, seed: int = 0, **fields: Any) -> str:
    """The id of a new set with so many comparisons, in the project wood."""
    created = await create_set(http, **{"project": "wood", **fields})
    if comparisons:
        await more(http, created["id"], comparisons, seed)
    return str(created["id"])


async def more(http: Http, set_id: str, comparisons: int, seed: int = 0) -> None:
    await compare_all(http, set_id, simulated(KEYS, comparisons, seed, "gpt"))


async def shared_with(http: Http, set_id: str) -> list[dict[str, Any]]:
    return list((await get(http, f"/v1/sets/{set_id}/pooled-evidence"))["entries"])


async def how_often_shared(http: Http, *ids: str) -> list[int]:
    return [len(await shared_with(http, set_id)) for set_id in ids]


async def test_sets_of_a_project_tell_each_other(http: Http, context: Context) -> None:
    here, there = await judged(http, 3, 0), await judged(http, 4, 1)
    await pools.look(context, None)
    (entry,) = await shared_with(http, here)
    assert {name: entry[name] for name in ("seq", "set_id", "pool", "sets")} == {
        "seq": 4, "set_id": here, "pool": "project:wood", "sets": 2,
    }  # fmt: skip
    assert set(entry["log_noise"]) == {"gpt"}
    assert [each["log_scale"] for each in await shared_with(http, there)] == [entry["log_scale"]]
    found = await get(http, f"/v1/sets/{here}")
    assert (found["version"], found["comparisons"]) == (4, 3)


@pytest.mark.parametrize(
    ("there", "all_have"),
    [
        ({"project": "stone"}, False),
        ({"pool_by": "none"}, False),
        ({"verdict_weight": "one-vote"}, False),
        ({"pool_by": "question"}, False),
        ({"comparisons": 2}, False),
        ({"question": "Which is taller?"}, True),
    ],
)
async def test_a_pool_takes_two_sets_with_three_comparisons_each(
    http: Http, context: Context, there: dict[str, Any], all_have: bool
) -> None:
    ids = await judged(http), await judged(http, **there)
    await pools.look(context, None)
    assert await how_often_shared(http, *ids) == [all_have] * 2


async def test_sets_of_a_question_tell_each_other_whatever_their_project(http: Http, context: Context) -> None:
    ids = [await judged(http, pool_by="question", project=project) for project in ("wood", "stone", None)]
    ids.append(await judged(http, project=None))  # as one without a project does
    other = await judged(http, pool_by="question", attribute="height")
    await pools.look(context, None)
    assert await how_often_shared(http, *ids, other) == [1, 1, 1, 1, 0]


async def test_sets_that_nobody_put_together_tell_of_judges_whose_model_is_described(
    http: Http, context: Context
) -> None:
    ids = [await judged(http, project=None, seed=seed) for seed in (0, 1)]
    await pools.look(context, None)
    assert await how_often_shared(http, *ids) == [0, 0]
    await http.put("/v1/judges/gpt", json={"kind": "llm", "model": "gpt-4"})
    for seed, set_id in enumerate(ids, 2):
        await more(http, set_id, 3, seed)
    await pools.look(context, None)
    assert await how_often_shared(http, *ids) == [1, 1]


async def test_a_pool_is_estimated_whenever_it_has_grown_by_a_quarter(http: Http, context: Context) -> None:
    here, there = await judged(http, 4), await judged(http, 4)
    versions = []
    for _ in range(6):
        await pools.look(context, None)
        versions.append((await how_often_shared(http, here, there))[0])
        await more(http, here, 1)
    assert versions == [1, 1, 2, 2, 2, 3]  # 8, 10 and 13 comparisons
    assert await how_often_shared(http, here, there) == [3, 3]


async def test_a_set_that_joins_later_gets_priors_with_its_first_comparison(http: Http, context: Context) -> None:
    await judged(http, 20), await judged(http, 20)
    await pools.look(context, None)
    late = await judged(http, 0)
    await pools.look(context, None)
    assert await shared_with(http, late) == []
    await more(http, late, 1)
    await pools.look(context, [UUID(late)])
    assert [(entry["seq"], entry["sets"]) for entry in await shared_with(http, late)] == [(2, 2)]


async def test_a_paused_set_contributes_and_gets_priors_once_it_is_open(http: Http, context: Context) -> None:
    paused, there = await judged(http), await judged(http)
    await patch(http, paused, status="paused")
    await pools.look(context, None)
    assert await how_often_shared(http, paused, there) == [0, 1]
    await patch(http, paused, status="open")
    await pools.look(context, [UUID(paused)])
    assert await how_often_shared(http, paused, there) == [1, 1]


async def test_a_deleted_set_says_nothing(http: Http, context: Context) -> None:
    gone, there = await judged(http), await judged(http)
    await http.delete(f"/v1/sets/{gone}")
    await pools.look(context, None)
    assert await shared_with(http, there) == []


async def test_a_set_that_changes_its_project_gets_priors_of_the_new_one(http: Http, context: Context) -> None:
    moved, _, _, _ = [await judged(http, project=project) for project in ("wood", "wood", "stone", "stone")]
    await pools.look(context, None)
    await patch(http, moved, project="stone")
    await pools.look(context, None)
    assert [entry["pool"] for entry in await shared_with(http, moved)] == ["project:wood", "project:stone"]


async def test_voided_comparisons_are_not_pooled(http: Http, context: Context) -> None:
    here, there = await judged(http, 9, 0), await judged(http, 9, 1)
    await compare_all(http, here, simulated(KEYS, 1, 2, "drunk"))
    await void(http, here, 10)
    await pools.look(context, None)
    (entry,) = await shared_with(http, there)
    assert set(entry["log_noise"]) == {"gpt"}


async def test_what_a_process_that_is_killed_leaves_undone_the_next_look_does(
    http: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = sorted([await judged(http, 3, seed) for seed in range(3)])
    announce, announced = sets.announce, []

    async def killed_at_the_second(db: Any, set_ids: list[UUID]) -> None:
        announced.extend(set_ids)
        if len(announced) == 2:
            raise KeyboardInterrupt
        await announce(db, set_ids)

    with monkeypatch.context() as patched:
        patched.setattr(pools, "SENT_AT_ONCE", 1)
        patched.setattr(sets, "announce", killed_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            await pools.look(context, None)
    assert await how_often_shared(http, *ids) == [1, 0, 0]
    await pools.look(context, None)
    assert await how_often_shared(http, *ids) == [1, 1, 1]
    assert len({str(await _without_place(http, set_id)) for set_id in ids}) == 1


async def _without_place(http: Http, set_id: str) -> dict[str, Any]:
    (entry,) = await shared_with(http, set_id)
    return {name: value for name, value in entry.items() if name not in ("set_id", "seq", "created_at")}


async def test_a_process_that_is_killed_while_it_estimates_holds_a_pool_for_a_while_only(
    http: Http, context: Context
) -> None:
    here, _ = await judged(http), await judged(http)
    async with context.engine.begin() as db:
        assert await storage.claim(db, ["project:wood"]) == ["project:wood"]
    await pools.look(context, None)
    assert await shared_with(http, here) == []
    await run_sql(context.engine, "UPDATE pools SET claimed_until = claimed_until - interval '5 minutes'")
    await pools.look(context, None)
    assert len(await shared_with(http, here)) == 1


async def test_a_pool_that_learns_nothing_tells_nothing_and_is_left_until_it_has_grown(
    http: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few votes of many candidates say nothing."""
    monkeypatch.setattr(weights, "AT_ONCE", 2)
    ids = [(await create_set(http, project="wood"))["id"] for _ in range(2)]
    for set_id in ids:
        await compare_all(http, set_id, [comparison("ash", "elm", 1.0), comparison("elm", "birch", 0.0)] * 2)
    await pools.look(context, None)
    assert await how_often_shared(http, *ids) == [0, 0]
    async with context.engine.begin() as db:
        assert await storage.claim(db, ["project:wood"]) == []


async def test_processes_that_look_at_once_estimate_once(http: Http, context: Context, elsewhere: Context) -> None:
    ids = [await judged(http, 3, seed) for seed in range(4)]
    await asyncio.gather(*(pools.look(process, None) for process in (context, elsewhere) * 3))
    await pools.look(elsewhere, None)
    assert await how_often_shared(http, *ids) == [1] * 4


async def test_a_set_that_others_write_to_gets_priors_later(http: Http, context: Context) -> None:
    busy, there = await judged(http), await judged(http)
    async with context.engine.begin() as db:
        await sets.lock(db, UUID(busy))
        context.notices.changes.take()
        await pools.look(context, None)
        assert await how_often_shared(http, busy, there) == [0, 1]
        await asyncio.wait_for(context.notices.changes.wait(), 1.0)
    await pools.look(context, context.notices.changes.take())
    assert await how_often_shared(http, busy, there) == [1, 1]


async def test_only_the_sets_with_most_comparisons_are_read(
    http: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MOST_SETS", 2)
    ids = [await judged(http, comparisons) for comparisons in (3, 5, 4)]
    await pools.look(context, None)
    assert [(await shared_with(http, set_id))[0]["sets"] for set_id in ids] == [2] * 3


async def test_the_service_looks_by_itself(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "LOOK_SECONDS", 0.0)
    async with (
        running(settings) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as http,
    ):
        here, _ = await judged(http), await judged(http)
        topic = app.state.context.notices.about(UUID(here))
        async with asyncio.timeout(10):
            while not await shared_with(http, here):
                await topic.wait(topic.notices, 0.1)


async def test_a_ranking_of_an_earlier_version_stays_what_it_was(http: Http, context: Context) -> None:
    here, *_ = [await judged(http, 30 if seed else 6, seed) for seed in range(5)]
    before = await ranking(http, here)
    await pools.look(context, None)
    context.live.forget(UUID(here))
    assert await ranking(http, here, as_of=6) == before
    after = await ranking(http, here)
    assert after["version"] == 7
    assert after["ranking"] != before["ranking"]


async def test_two_processes_agree_on_what_was_shared(http: Http, context: Context, elsewhere: Context) -> None:
    """One of them has followed the log step by step, the other reads it now."""
    here, *_ = [await judged(http, 12, seed) for seed in range(3)]
    await ranking(http, here)
    await pools.look(elsewhere, None)
    await more(http, here, 1, 9)
    one_by_one = await ranking(http, here)
    context.live.forget(UUID(here))
    at_once = await ranking(http, here)
    assert one_by_one["version"] == at_once["version"] == 14
    assert [row["score"] for row in one_by_one["ranking"]] == pytest.approx(
        [row["score"] for row in at_once["ranking"]], abs=1e-6
    )


async def judged_by_gpt(http: Http, effects: float, seed: int, beside: str | None = None) -> str:
    """The id of a new set of the project wood: gpt departs by effects of this sd from what somebody beside it says."""
    rng, keys = np.random.default_rng(seed), [str(number) for number in range(8)]
    s, created = rng.standard_normal(8), await create_set(http, *keys, project="wood")
    for judge, scores in (("gpt", s + effects * rng.standard_normal(8)), *([(beside, s)] if beside else [])):
        pairs = [rng.choice(8, 2, replace=False) for _ in range(60)]
        p = [float(expit(scores[i] - scores[k] + 0.2 * rng.standard_normal())) for i, k in pairs]
        new = [comparison(keys[i], keys[k], each, judge) for (i, k), each in zip(pairs, p, strict=True)]
        await created.compare_all(new)
    return str(created["id"])


async def width(http: Http, set_id: str) -> float:
    """Mean width of the rank intervals of what people would say."""
    rows = (await ranking(http, set_id, inference_target="people"))["ranking"]
    return float(np.mean([row["rank_interval"][1] - row["rank_interval"][0] for row in rows]))


@pytest.mark.parametrize("departs", [False, True])
async def test_a_pool_tells_how_far_a_judge_alone_departs_from_people(
    http: Http, context: Context, departs: bool
) -> None:
    """From three sets in which a person judges beside it; the set that it judges alone is as it was until then."""
    assert (await http.put("/v1/judges/person", json={"kind": "human"})).status_code == 200
    alone = await judged_by_gpt(http, 0.0, 9)
    before = await width(http, alone)
    for seed in range(3):
        await judged_by_gpt(http, 3.0 if departs else 0.0, seed, "person")
    assert await width(http, alone) == before
    await pools.look(context, None)
    (entry,) = await shared_with(http, alone)
    assert set(entry["log_effects"]) == {"gpt"}
    mean, after = entry["log_effects"]["gpt"]["mean"], await width(http, alone)
    if departs:
        assert mean > 0.0
        assert after > before
    else:
        assert mean < -1.0
        assert after < before
