"""What the database itself refuses, whoever writes to it."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import insert, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import Context
from app.storage import sets as storage
from app.storage.schema import absolute_scores, assignments, candidates, comparisons, judges, pooled_evidence, voids
from tests.factories import create_set, log, send


@pytest.fixture
async def set_id(http: httpx.AsyncClient, context: Context) -> UUID:
    """A set of four texts, with judge 1 and no comparison."""
    created = await create_set(http)
    async with context.engine.begin() as db:
        await db.execute(insert(judges).values(name="alice"))
    return UUID(created["id"])


def lease(set_id: UUID, first: int = 0, second: int = 1, **fields: Any) -> dict[str, Any]:
    row = {"id": uuid4(), "set_id": set_id, "item_id": 0, "first": first, "second": second, "judge_id": 1, "why": {}}
    return {**row, "expires_at": text("now()"), **fields}


def entry(set_id: UUID, seq: int = 1, **fields: Any) -> dict[str, Any]:
    row = {"set_id": set_id, "seq": seq, "item_id": 0, "first": 0, "second": 1, "p_first": 0.5, "judge_id": 1}
    return {**row, **fields}


def absolute(set_id: UUID, seq: int = 1, **fields: Any) -> dict[str, Any]:
    row = {"set_id": set_id, "seq": seq, "item_id": 0, "candidate": 0, "judge_id": 1, "mean": 7.0, "variance": 1.0}
    return {**row, **fields}


async def add(db: AsyncConnection, table: Any, values: dict[str, Any]) -> None:
    await db.execute(insert(table).values(values))


@pytest.mark.parametrize("pair", [(0, 1), (1, 0)])
async def test_a_pair_is_leased_once_whichever_way_round(
    connection: AsyncConnection, set_id: UUID, pair: tuple[int, int]
) -> None:
    await add(connection, assignments, lease(set_id, 0, 1))
    with pytest.raises(IntegrityError, match="uq_assignments_live_pair"):
        await add(connection, assignments, lease(set_id, *pair))


@pytest.mark.parametrize("state", ["done", "released", "expired"])
async def test_a_pair_whose_lease_has_ended_is_leased_again(
    connection: AsyncConnection, set_id: UUID, state: str
) -> None:
    await add(connection, assignments, lease(set_id))
    await connection.execute(update(assignments).values(state=state))
    await add(connection, assignments, lease(set_id))


async def test_another_pair_is_leased_beside_it(connection: AsyncConnection, set_id: UUID) -> None:
    await add(connection, assignments, lease(set_id, 0, 1))
    await add(connection, assignments, lease(set_id, 0, 2))


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"second": 0}, "ck_assignments_two_candidates"),
        ({"second": 99}, "fk_assignments_set_id_item_id_second_outputs"),
        ({"item_id": 5}, "outputs"),
        ({"judge_id": 99}, "fk_assignments_judge_id_judges"),
        ({"state": "lost"}, "ck_assignments_state"),
        ({"state": "failed"}, "ck_assignments_failure"),
        ({"failure": "timeout"}, "ck_assignments_failure"),
    ],
)
async def test_an_impossible_assignment_is_refused(
    connection: AsyncConnection, set_id: UUID, fields: dict[str, Any], constraint: str
) -> None:
    with pytest.raises(IntegrityError, match=constraint):
        await add(connection, assignments, lease(set_id, **fields))


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"p_first": float("nan")}, "ck_comparisons_p_first"),
        ({"p_first": 1.1}, "ck_comparisons_p_first"),
        ({"p_first": -0.1}, "ck_comparisons_p_first"),
        ({"p_first": float("inf")}, "ck_comparisons_p_first"),
        ({"second": 0}, "ck_comparisons_two_candidates"),
        ({"first": 99}, "names an output that is not there"),
        ({"second": 99}, "names an output that is not there"),
        ({"item_id": 5}, "names an output that is not there"),
        ({"judge_id": 99}, "names a judge that is not there"),
        ({"winner": "left"}, "ck_comparisons_winner"),
        ({"label_mass": 1.5}, "ck_comparisons_label_mass"),
        ({"label_mass": float("nan")}, "ck_comparisons_label_mass"),
        ({"order_chance": 0.0}, "ck_comparisons_order_chance"),
        ({"order_chance": 1.1}, "ck_comparisons_order_chance"),
        ({"order_chance": float("nan")}, "ck_comparisons_order_chance"),
        ({"assignment_id": uuid4()}, "fk_comparisons_assignment_id_assignments"),
    ],
)
async def test_an_impossible_comparison_is_refused(
    connection: AsyncConnection, set_id: UUID, fields: dict[str, Any], constraint: str
) -> None:
    with pytest.raises(IntegrityError, match=constraint):
        await add(connection, comparisons, entry(set_id, **fields))


async def test_one_impossible_comparison_among_many_is_refused(connection: AsyncConnection, set_id: UUID) -> None:
    with pytest.raises(IntegrityError, match="names an output that is not there"):
        await connection.execute(
            insert(comparisons), [entry(set_id, n, second=99 if n == 30 else 1) for n in range(40)]
        )


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM outputs",
        "TRUNCATE outputs CASCADE",
        "UPDATE outputs SET candidate_id = candidate_id",
        "DELETE FROM judges",
        "TRUNCATE judges CASCADE",
        "UPDATE judges SET id = DEFAULT",
    ],
)
async def test_what_comparisons_name_stays(connection: AsyncConnection, set_id: UUID, change: str) -> None:
    with pytest.raises(IntegrityError, match="stay: comparisons may name them"):
        await connection.execute(text(change))


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
async def test_every_probability_is_taken(connection: AsyncConnection, set_id: UUID, p: float) -> None:
    await add(connection, comparisons, entry(set_id, p_first=p))


async def test_a_sequence_number_is_taken_once(connection: AsyncConnection, set_id: UUID) -> None:
    await add(connection, comparisons, entry(set_id, 1))
    with pytest.raises(IntegrityError, match="pk_comparisons"):
        await add(connection, comparisons, entry(set_id, 1))


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"variance": 0.0}, "ck_absolute_scores_variance"),
        ({"variance": -1.0}, "ck_absolute_scores_variance"),
        ({"candidate": 99}, "fk_absolute_scores_set_id_item_id_candidate_outputs"),
        ({"item_id": 5}, "fk_absolute_scores_set_id_item_id_candidate_outputs"),
        ({"judge_id": 99}, "fk_absolute_scores_judge_id_judges"),
    ],
)
async def test_an_impossible_absolute_score_is_refused(
    connection: AsyncConnection, set_id: UUID, fields: dict[str, Any], constraint: str
) -> None:
    with pytest.raises(IntegrityError, match=constraint):
        await add(connection, absolute_scores, absolute(set_id, **fields))


async def test_a_sequence_number_of_an_absolute_score_is_taken_once(connection: AsyncConnection, set_id: UUID) -> None:
    await add(connection, absolute_scores, absolute(set_id, 1))
    with pytest.raises(IntegrityError, match="pk_absolute_scores"):
        await add(connection, absolute_scores, absolute(set_id, 1))


async def test_a_sequence_number_of_shared_priors_is_taken_once(connection: AsyncConnection, set_id: UUID) -> None:
    shared = {"set_id": set_id, "seq": 1, "pool": "project:wood", "sets": 2, "value": {}}
    await add(connection, pooled_evidence, shared)
    with pytest.raises(IntegrityError, match="pk_pooled_evidence"):
        await add(connection, pooled_evidence, shared)


@pytest.mark.parametrize(
    ("fields", "pool"),
    [
        ({"project": "wood"}, "project:wood"),
        ({"project": None, "pool_by": "none"}, None),
        ({"project": "wood", "pool_by": "none"}, None),
    ],
)
async def test_the_database_names_the_pool_of_a_set(
    connection: AsyncConnection, set_id: UUID, fields: dict[str, Any], pool: str | None
) -> None:
    await storage.change(connection, set_id, {"pool_by": "project", **fields})
    row = await storage.get(connection, set_id)
    assert row is not None
    assert row.pool == pool


async def test_a_pool_of_a_question_has_one_question_and_attribute(http: httpx.AsyncClient, context: Context) -> None:
    """As that of a set without a project has."""
    by_question = {"pool_by": "question"}
    asked: list[dict[str, Any]] = [
        {}, by_question, {**by_question, "project": "wood"}, {"attribute": "height"}, {"question": "Which is taller?"},
    ]  # fmt: skip
    ids = [UUID((await create_set(http, **fields))["id"]) for fields in asked]
    async with context.engine.connect() as db:
        here, *there, _, _ = others = [row.pool for row in [await storage.get(db, i) for i in ids] if row is not None]
    assert set(there) == {here}
    assert len(set(others)) == 3


async def test_a_client_id_is_taken_once(connection: AsyncConnection, set_id: UUID) -> None:
    await add(connection, comparisons, entry(set_id, 1, client_id="a"))
    with pytest.raises(IntegrityError, match="uq_comparisons_set_id_client_id"):
        await add(connection, comparisons, entry(set_id, 2, client_id="a"))


async def test_an_assignment_has_one_comparison(connection: AsyncConnection, set_id: UUID) -> None:
    given = lease(set_id)
    await add(connection, assignments, given)
    await add(connection, comparisons, entry(set_id, 1, assignment_id=given["id"]))
    with pytest.raises(IntegrityError, match="uq_comparisons_assignment_id"):
        await add(connection, comparisons, entry(set_id, 2, assignment_id=given["id"]))


async def test_a_comparison_is_voided_once(connection: AsyncConnection, set_id: UUID) -> None:
    await add(connection, comparisons, entry(set_id, 1))
    await add(connection, voids, {"set_id": set_id, "seq": 2, "voids": 1, "reason": "x"})
    with pytest.raises(IntegrityError, match="uq_voids_set_id_voids"):
        await add(connection, voids, {"set_id": set_id, "seq": 3, "voids": 1, "reason": "x"})


async def test_only_a_comparison_is_voided(connection: AsyncConnection, set_id: UUID) -> None:
    with pytest.raises(IntegrityError, match="fk_voids_set_id_voids_comparisons"):
        await add(connection, voids, {"set_id": set_id, "seq": 1, "voids": 7, "reason": "x"})


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"id": 9, "key": "ash"}, "uq_candidates_set_id_key"),
        ({"id": 0, "key": "oak"}, "pk_candidates"),
        ({"id": 9, "key": ""}, "ck_candidates_key"),
    ],
)
async def test_a_candidate_is_there_once(
    connection: AsyncConnection, set_id: UUID, values: dict[str, Any], constraint: str
) -> None:
    with pytest.raises(IntegrityError, match=constraint):
        await add(connection, candidates, {"set_id": set_id, "metadata": {}, **values})


async def test_sequence_numbers_of_many_tellers_at_once_have_no_gap(http: httpx.AsyncClient, set_id: UUID) -> None:
    one = {"first": "ash", "second": "elm", "p_first": 1, "judge": "bob"}
    answers = await asyncio.gather(*(send(http, str(set_id), *[one] * (1 + n % 3)) for n in range(20)))
    assert {a.status_code for a in answers} == {201}
    seqs = [e["seq"] for e in await log(http, str(set_id), limit=100)]
    assert seqs == list(range(1, sum(1 + n % 3 for n in range(20)) + 1))


async def test_a_transaction_that_fails_takes_no_sequence_number(context: Context, set_id: UUID) -> None:
    async with context.engine.connect() as db:
        assert await storage.advance(db, set_id, 5) == 5
        await db.rollback()
    async with context.engine.begin() as db:
        assert await storage.advance(db, set_id, 1) == 1
