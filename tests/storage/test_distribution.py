"""What a database that is spread over machines by set (Citus) could keep on one of them, and what it could not.

Decision 55 says what would have to change; these tests hold its lists.
"""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import asyncpg
import httpx
import pytest
from fastapi import FastAPI
from nextpair import AsyncClient
from nextpair.calls import (
    add_comparisons,
    create_set,
    list_comparisons,
    next_pair,
    next_pairs,
    ranking,
    release_many,
    renew_many,
    send_verdict,
    send_verdicts,
)
from nextpair.schemas import CandidateIn, ComparisonIn, ComparisonsIn, SetIn, SetOut, VerdictIn, VerdictOf, VerdictsIn
from sqlalchemy import PrimaryKeyConstraint, UniqueConstraint, event
from sqlalchemy.engine import Engine

from app.service.context import Context
from app.service.purge import purge_all
from app.storage.schema import metadata
from tests.factories import run_sql

OF_A_SET = (
    "items",
    "candidates",
    "outputs",
    "assignments",
    "comparisons",
    "voids",
    "absolute_scores",
    "pooled_evidence",
)
NOT_BY_SET = {  # unique, and not by set
    ("assignments", "id"), ("comparisons", "assignment_id"), ("idempotency", "key"), ("judges", "id"),
    ("judge_records", "judge_id"), ("judges", "name"), ("pools", "name"), ("sets", "id"),
}  # fmt: skip
GIVEN = r"(\$\d|ANY ?\(|any\(|span\.set_id|new\.set_id|judged\.set_id)"  # what a set's id is compared with
BY_SET = re.compile(
    rf"set_id = {GIVEN}|\bsets\.id = {GIVEN}|sets\.id = t\.id|USING \(set_id|INSERT INTO \w+ \([^)]*set_id"
)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[AsyncClient]:
    async with AsyncClient("http://localhost", transport=httpx.ASGITransport(app)) as client:
        yield client


@contextmanager
def statements() -> Iterator[list[str]]:
    """What is executed meanwhile, by SQLAlchemy or past it, on one line each."""
    seen: list[str] = []

    def note(connection: object, cursor: object, statement: str, *_: object) -> None:
        seen.append(" ".join(statement.split()))

    fetch = asyncpg.Connection.fetch

    def fetch_and_note(connection: asyncpg.Connection, statement: str, *values: object) -> object:
        note(connection, None, statement)
        return fetch(connection, statement, *values)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(asyncpg.Connection, "fetch", fetch_and_note)
            yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def elsewhere(seen: list[str]) -> set[str]:
    """Statements on tables of sets that do not say which sets."""
    tables = re.compile(rf"\b(FROM|JOIN|INTO|UPDATE) ({'|'.join(OF_A_SET)})\b")
    return {statement for statement in seen if tables.search(statement) and not BY_SET.search(statement)}


async def texts(client: AsyncClient) -> SetOut:
    candidates = [CandidateIn(key=f"c{n}", text="x" * n) for n in range(1, 7)]
    return await client.send(create_set(SetIn(name="texts", question="Which is longer?", candidates=candidates)))


def test_keys_begin_with_the_set_except_for_these() -> None:
    unique = [
        (table.name, next(iter(constraint.columns)).name)
        for table in metadata.sorted_tables
        for constraint in table.constraints
        if isinstance(constraint, PrimaryKeyConstraint | UniqueConstraint)
    ]
    unique += [
        (table.name, str(getattr(index.expressions[0], "name", index.expressions[0])))
        for table in metadata.sorted_tables
        for index in table.indexes
        if index.unique
    ]
    assert {(table, column) for table, column in unique if column != "set_id"} == NOT_BY_SET
    assert {table for table, column in unique if column == "set_id"} == set(OF_A_SET)


async def test_asking_and_reading_the_log_say_which_sets(client: AsyncClient) -> None:
    one = await texts(client)
    with statements() as seen:
        await client.send(next_pair(one.id, judge="ada", count=2))
        await client.send(next_pairs(judge="bob", count=2, sets=[one.id]))
        comparison = ComparisonIn(first="c1", second="c2", p_first=0.5, judge="cyd")
        await client.send(add_comparisons(one.id, ComparisonsIn(comparisons=[comparison])))
        await client.send(list_comparisons(one.id))
        await client.send(ranking(one.id))
    assert len(seen) > 10
    assert elsewhere(seen) == set()


async def test_the_removal_of_a_deleted_set_says_which_set(client: AsyncClient, context: Context) -> None:
    one = await texts(client)
    await client.send(next_pair(one.id, judge="ada", count=2))
    comparison = ComparisonIn(first="c1", second="c2", p_first=0.5, judge="cyd")
    await client.send(add_comparisons(one.id, ComparisonsIn(comparisons=[comparison])))
    await run_sql(context.engine, "UPDATE sets SET deleted_at = now() - interval '31 days'")
    with statements() as seen:
        await purge_all(context)
    assert any("DELETE FROM comparisons" in statement for statement in seen)
    assert elsewhere(seen) == set()


async def test_what_follows_an_ask_names_assignments_alone(client: AsyncClient) -> None:
    one = await texts(client)
    pairs = (await client.send(next_pair(one.id, judge="ada", count=5))).assignments
    with statements() as seen:
        await client.send(next_pair(one.id, judge="ada", count=5))
        await client.send(renew_many([pair.id for pair in pairs]))
        await client.send(send_verdict(pairs[0].id, VerdictIn(winner="first")))
        several = [VerdictOf(assignment_id=pair.id, winner="first") for pair in pairs[1:3]]
        await client.send(send_verdicts(VerdictsIn(verdicts=several)))
        await client.send(send_verdict(pairs[3].id, VerdictIn(failure="refused")))
        await client.send(release_many([pairs[4].id]))
    assert len(elsewhere(seen)) == 5  # lock, expire, extend, release, fail
    for statement in elsewhere(seen):
        assert re.search(r"\ba\.id = ANY\(|assignments WHERE id = ANY\(|assignments\.id = \$", statement), statement
