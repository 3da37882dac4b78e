"""Several processes of one judge: whose leases come back to whom, and many leases at once."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from app.service.context import Context
from tests.api.test_assignments import ask_many, ids, nothing
from tests.api.test_bad_input import assert_problem
from tests.factories import Http, count_rows, create_set, names, tell

pytestmark = pytest.mark.alone


async def test_a_worker_gets_its_own_leases_back_and_no_others(http: Http) -> None:
    created = await create_set(http)
    one = await created.ask(worker="one", count=2)
    two = await created.ask(worker="two", count=2)
    nobody = await created.ask(count=1)

    assert not {*ids(one)} & {*ids(two)} | {*ids(one)} & {*ids(nobody)}
    assert len({frozenset(names(pair)) for pair in (*one["assignments"], *two["assignments"])}) == 4
    assert ids(await created.ask(worker="one", count=2)) == ids(one)
    assert ids(await created.ask(count=1)) == ids(nobody)


async def test_workers_over_many_sets_get_different_pairs_and_their_own_again(http: Http) -> None:
    for _ in range(3):
        await create_set(http)
    asked = await asyncio.gather(*(ask_many(http, "alice", count=4, worker=f"w{n}") for n in range(4)))

    found = [each for one in asked for each in ids(one)]
    assert len(found) == len(set(found)) == 16
    for n, one in enumerate(asked):
        assert sorted(ids(await ask_many(http, "alice", count=4, worker=f"w{n}"))) == sorted(ids(one))


async def test_a_large_batch_takes_what_every_set_can_give(http: Http) -> None:
    """Two sets of three pairs, one of six: twelve in all, and a second worker gets nothing."""
    for keys in (("ash", "elm", "oak"), ("ash", "elm", "oak"), ("ash", "birch", "cedar", "elm")):
        await create_set(http, *keys)

    assert len(ids(await ask_many(http, "alice", count=100, worker="one"))) == 12
    assert await ask_many(http, "alice", count=100, worker="two") == nothing("all_leased")


async def test_renewing_many_leaves_out_what_has_ended(http: Http) -> None:
    created = await create_set(http)
    done, held = ids(await created.ask(count=2))
    await tell(http, done, winner="tie")

    answer = await http.post(
        "/v1/assignments/renew", json={"assignments": [done, held, str(uuid4())], "lease_seconds": 9000}
    )

    (lease,) = answer.json()["held"]
    assert (lease["id"], lease["status"]) == (held, "leased")


async def test_releasing_many_frees_their_pairs(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak")
    done, *held = ids(await created.ask(count=3))
    await tell(http, done, winner="first")

    answer = await http.post("/v1/assignments/release", json={"assignments": [done, *held]})

    assert answer.json() == {"released": 2}
    assert len(ids(await created.ask(judge="bob", count=3))) == 2
    assert (await tell(http, done, winner="first")).status_code == 409


@pytest.mark.parametrize("path", ["renew", "release"])
async def test_nothing_to_renew_or_release_is_an_error(http: Http, path: str) -> None:
    answer = await http.post(f"/v1/assignments/{path}", json={"assignments": []})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/assignments"


# Generations


def generations(asked: dict[str, Any]) -> list[int]:
    return [pair["generation"] for pair in asked["assignments"]]


async def test_every_ask_that_gives_a_lease_back_makes_a_generation(http: Http) -> None:
    created = await create_set(http)
    assert generations(await created.ask(count=2)) == [1, 1]
    assert generations(await created.ask(count=3)) == [2, 2, 1]
    assert generations(await ask_many(http, "alice", count=3)) == [3, 3, 2]


async def test_the_last_process_to_ask_holds_the_lease(http: Http, context: Context) -> None:
    created = await create_set(http, "ash", "elm")
    (earlier,), (later,) = [(await created.ask())["assignments"] for _ in range(2)]
    assert earlier["id"] == later["id"]
    of_lease, before = f"/v1/assignments/{later['id']}", await count_rows(context.engine)

    for action, body in (
        ("verdict", {"winner": "first"}),
        ("verdict", {"failure": "refused"}),
        ("renew", {}),
        ("release", {}),
    ):
        answer = await http.post(f"{of_lease}/{action}", json={**body, "generation": earlier["generation"]})
        assert_problem(answer, 409, "lease-superseded", "Ask for pairs again")
    assert await count_rows(context.engine) == before

    held = {"generation": later["generation"]}
    assert (await http.post(f"{of_lease}/renew", json=held)).status_code == 200
    assert (await http.post(f"{of_lease}/verdict", json={"winner": "first"} | held)).json()["late"] is False
    answer = await http.post(f"{of_lease}/verdict", json={"winner": "first", "generation": earlier["generation"]})
    assert answer.json()["type"] == "urn:nextpair:problem:lease-superseded"


async def test_of_many_those_that_were_superseded_are_left_out(http: Http) -> None:
    created = await create_set(http, "ash", "elm", "oak")
    old = (await created.ask(count=3))["assignments"]
    taken, *kept = ids(await created.ask(count=1)) + [pair["id"] for pair in old[1:]]
    many = {"assignments": [taken, *kept], "generations": {taken: 1, kept[0]: 1}}

    assert {lease["id"] for lease in (await http.post("/v1/assignments/renew", json=many)).json()["held"]} == {*kept}
    assert (await http.post("/v1/assignments/release", json=many)).json() == {"released": 2}
    verdicts = [{"assignment_id": each, "winner": "tie", "generation": 1} for each in (taken, *kept)]
    results = (await http.post("/v1/verdicts", json={"verdicts": verdicts})).json()["results"]
    assert [(each["status"], each["comparison"] and each["comparison"]["late"]) for each in results] == [
        (409, None), (201, True), (201, True),
    ]  # fmt: skip


async def test_without_a_generation_the_first_verdict_counts(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    held, _ = ids(await created.ask()), await created.ask()
    assert (await tell(http, held[0], winner="first")).status_code == 201


async def test_the_generation_of_another_assignment_is_an_error(http: Http) -> None:
    one, other = str(uuid4()), str(uuid4())
    answer = await http.post("/v1/assignments/renew", json={"assignments": [one], "generations": {other: 1}})
    assert answer.status_code == 422
    assert other in answer.text
