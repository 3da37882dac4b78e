"""Asking over many sets: a few of them at a time, and none again that is known to have nothing to give."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from app.inference.state import ChosenPair, Snapshot
from app.inference.state import ask as choose_pairs
from app.inference.types import Bools
from app.service import asking, choosing
from app.service.context import Context
from app.storage import sets
from tests.api.test_assignments import age, ask_many, ids, nothing, release
from tests.api.test_stopping import stopped
from tests.factories import (
    Http,
    ask,
    ask_one,
    candidates,
    compare,
    count_rows,
    create_set,
    patch,
    tell,
    unordered,
    void,
)

pytestmark = pytest.mark.alone


@pytest.fixture
def asked_together(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sets each transaction has held."""
    sizes: list[int] = []
    lock = sets.lock_of_asking

    def lock_and_note(ids: Sequence[UUID]) -> str:
        sizes.append(len(ids))
        return lock(ids)

    monkeypatch.setattr(sets, "lock_of_asking", lock_and_note)
    return sizes


@pytest.fixture
def two_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "SETS_AT_ONCE", 2)


async def exhausted(http: Http) -> str:
    """A set without a pair left; returns its id."""
    created = await create_set(http, "ash", "elm", told=["ash>elm"])
    return str(created["id"])


# A few at a time


async def test_few_sets_are_held_at_a_time_and_each_gives_its_share(
    http: Http, two_at_once: None, asked_together: list[int]
) -> None:
    for _ in range(5):
        await create_set(http)
    asked = await ask_many(http, count=15)
    assert asked_together == [2, 2, 1]
    assert sorted(Counter(pair["set_id"] for pair in asked["assignments"]).values()) == [3, 3, 3, 3, 3]


async def test_what_small_sets_cannot_give_comes_from_the_others(http: Http, two_at_once: None) -> None:
    for keys in (("ash", "elm"), ("ash", "birch", "cedar", "elm")) * 3:
        await create_set(http, *keys)
    assert len((await ask_many(http, count=21))["assignments"]) == 21


async def test_an_ask_of_one_set_waits_for_those_asked_with_it_only(
    http: Http, context: Context, two_at_once: None
) -> None:
    first, *_, last = [(await create_set(http))["id"] for _ in range(3)]
    async with context.engine.begin() as other:
        await sets.lock_asking(other, [UUID(last)])
        asking = asyncio.create_task(ask_many(http, count=3))
        await asyncio.sleep(0.2)
        async with asyncio.timeout(5.0):
            assert (await ask(http, first, "bob"))["status"] == "open"
        assert not asking.done()
    assert len((await asking)["assignments"]) == 3


async def test_pairs_end_where_choosing_them_takes_too_long_and_asking_again_gives_more(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "WORK", 2 * (4**2 + 4**3))  # of two pairs of four candidates by `knowledge`
    created = [await create_set(http) for _ in range(3)]
    url = f"/v1/sets/{created[0]['id']}/next-pair"
    assert len((await http.get(url, params={"count": 6})).json()["pairs"]) == 2
    for count in (2, 4, 6):
        assert len((await ask(http, created[0]["id"], count=6))["assignments"]) == count
    sizes = [len((await ask_many(http, count=12))["assignments"]) for _ in range(6)]
    assert (sizes[0], sizes[-1]) == (2 + 1, 12)


# One that fails


async def test_a_set_on_which_asking_fails_is_left_out_and_named(
    http: Http, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = [(await create_set(http))["id"] for _ in range(5)]

    def fails_for_one(snapshot: Snapshot, has: Bools, *rest: Any) -> list[ChosenPair]:
        if has.shape[1] == 2:
            raise np.linalg.LinAlgError("the matrix is not positive definite")
        return choose_pairs(snapshot, has, *rest)

    failing = (await create_set(http, "oak", "ash"))["id"]
    monkeypatch.setattr(choosing, "ask", fails_for_one)
    asked = await ask_many(http, count=10)
    assert asked["left_out"] == [failing]
    assert len(asked["assignments"]) == 10
    assert {pair["set_id"] for pair in asked["assignments"]} == set(made)
    assert failing in caplog.text
    assert (await ask_many(http, sets=[failing], count=1))["left_out"] == [failing]


# Nothing to give


async def test_exhausted_sets_are_looked_at_together_and_once(http: Http, asked_together: list[int]) -> None:
    for _ in range(10):
        await exhausted(http)
    for _ in range(2):
        assert await ask_many(http, count=1) == nothing("exhausted")
    assert asked_together == [1, 2, 4, 3]


async def test_no_more_is_leased_than_was_asked_for(http: Http, context: Context) -> None:
    for _ in range(3):
        await exhausted(http)
    opened = [(await create_set(http))["id"] for _ in range(4)]
    for each in opened:
        await compare(http, each, *["ash>elm"] * 3)  # behind the others
    asked = await ask_many(http, count=1)
    assert [pair["set_id"] for pair in asked["assignments"]] == opened[:1]
    assert (await count_rows(context.engine))["assignments"] == 1


async def add_candidate(http: Http, set_id: str) -> None:
    await http.post(f"/v1/sets/{set_id}/candidates", json={"candidates": candidates("oak")})


async def take_back(http: Http, set_id: str) -> None:
    await void(http, set_id, 1)


@pytest.mark.parametrize("change", [add_candidate, take_back])
async def test_an_exhausted_set_is_asked_again_once_it_has_changed(
    http: Http, change: Callable[[Http, str], Awaitable[None]]
) -> None:
    set_id = await exhausted(http)
    assert await ask_many(http, count=1) == nothing("exhausted")
    await change(http, set_id)
    assert (await ask_many(http, count=1))["status"] == "open"


@pytest.mark.parametrize(
    ("fields", "status", "changes"),
    [({"budget": {"max_comparisons": 1}}, "budget_reached", {"budget": None}), ({}, "paused", {"status": "open"})],
)
async def test_a_set_that_was_closed_is_asked_again_once_it_is_open(
    http: Http, fields: dict[str, Any], status: str, changes: dict[str, Any]
) -> None:
    set_id = (await create_set(http, **fields))["id"]
    await compare(http, set_id, "ash>elm")
    if status == "paused":
        await patch(http, set_id, status="paused")
    for _ in range(2):
        assert await ask_many(http, count=1, sets=[set_id]) == nothing(status)
    await patch(http, set_id, **changes)
    assert (await ask_many(http, count=1, sets=[set_id]))["status"] == "open"


async def test_a_set_that_has_converged_is_looked_at_once(http: Http, asked_together: list[int]) -> None:
    created = await stopped(http)
    for _ in range(2):
        assert await ask_many(http, count=1) == nothing("converged") | {"reason": "top_k"}
    assert asked_together == [1]
    await created.patch(stop=None)
    assert (await ask_many(http, count=1))["status"] == "open"


async def test_a_set_that_cannot_converge_by_one_judge_is_looked_at_once_and_goes_on_by_another(
    http: Http, asked_together: list[int]
) -> None:
    set_id = (await create_set(http, "ash", "elm", stop={"top_k": 1}))["id"]
    await compare(http, set_id, *["ash>elm", "elm>ash"] * 10, judge="worker")
    for _ in range(2):
        assert (await ask_many(http, count=1))["status"] == "cannot_converge"
    assert asked_together == [1]
    assert (await ask_many(http, "other", count=1))["status"] == "open"


async def test_what_others_give_back_or_lose_is_asked_again(http: Http, context: Context) -> None:
    set_id = (await create_set(http, "ash", "elm"))["id"]
    for lose in (lambda lease: release(http, lease), lambda _: age(context, set_id)):
        lease = await ask_one(http, set_id, "alice")
        assert await ask_many(http, count=1) == nothing("all_leased")
        await lose(lease["id"])
        (pair,) = (await ask_many(http, count=1))["assignments"]
        assert unordered(pair) == unordered(lease)
        await release(http, pair["id"])


async def test_a_pair_that_one_judge_failed_at_is_there_for_the_others(http: Http) -> None:
    set_id = (await create_set(http, "ash", "elm"))["id"]
    await tell(http, (await ask_one(http, set_id, "worker"))["id"], failure="refused")
    assert await ask_many(http, count=1) == nothing("exhausted")
    assert (await ask_many(http, "other", count=1))["status"] == "open"


async def test_leases_of_a_set_with_nothing_else_to_give_come_back(http: Http) -> None:
    set_id = (await create_set(http))["id"]
    lease = await ask_one(http, set_id, "worker")
    await patch(http, set_id, status="paused")
    assert await ask_many(http, "other", count=1, sets=[set_id]) == nothing("paused")
    assert ids(await ask_many(http, count=1, sets=[set_id])) == [lease["id"]]
