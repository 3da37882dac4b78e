"""Pairs on a lease, and what became of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import bindparam, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.driver import fetch
from app.storage.schema import Record, assignments
from app.storage.sets import Head

a = assignments.c


class NewLease(NamedTuple):
    id: UUID
    set_id: UUID
    item_id: int
    first: int
    second: int
    why: str  # JSON


class Blocking(NamedTuple):
    """An assignment that keeps a pair from a judge."""

    id: UUID
    set_id: UUID
    item_id: int
    first: int
    second: int
    judge_id: int
    worker: str
    state: str
    expired: bool


_FIELDS = (
    "a.id, a.set_id, a.item_id, a.first, a.second, a.judge_id, a.worker, a.state, a.expires_at <= clock_timestamp()"
)
_BLOCKS = (
    "(a.state = 'leased' OR (a.state = 'failed' AND a.judge_id = {judge_id} AND "
    "(a.failure <> 'timeout' OR a.expires_at > clock_timestamp())))"
)
_BLOCKING = text(
    f"SELECT {_FIELDS} FROM assignments AS a WHERE a.set_id = ANY(:set_ids) AND {_BLOCKS.format(judge_id=':judge_id')} "
    "ORDER BY a.created_at, a.id"
)
_HEADS_AND_BLOCKING = (
    f"SELECT sets.id, sets.revision, sets.version, {_FIELDS} FROM sets LEFT JOIN assignments AS a "
    f"ON a.set_id = sets.id AND {_BLOCKS.format(judge_id='$2')} "
    "WHERE sets.id = ANY($1) AND sets.deleted_at IS NULL ORDER BY a.created_at, a.id"
)


async def blocking(db: AsyncConnection, set_ids: Sequence[UUID], judge_id: int) -> list[Blocking]:
    """Assignments that keep a pair from this judge, oldest first: everyone's leases and the judge's own failures.

    A timeout says nothing about the pair, so it does so only until its lease would have ended.
    """
    return [Blocking(*row) for row in await db.execute(_BLOCKING, {"set_ids": set_ids, "judge_id": judge_id})]


async def heads_and_blocking(
    db: AsyncConnection, set_ids: Sequence[UUID], judge_id: int
) -> tuple[list[Head], list[Blocking]]:
    """The sets that exist and are not deleted, by id, and what `blocking` says of them, both of one moment."""
    rows = [tuple(row) for row in await fetch(db, _HEADS_AND_BLOCKING, set_ids, judge_id)]
    return sorted({Head(*row[:3]) for row in rows}), [Blocking(*row[3:]) for row in rows if row[3] is not None]


# The planner does not see how many ids a sub-select holds, and keeps one plan for any number; else it plans every ask.
_LEASE = (
    "WITH leased AS (INSERT INTO assignments (id, set_id, item_id, first, second, why, judge_id, worker, expires_at) "
    "SELECT new.*, $7::bigint, $8::text, statement_timestamp() + $9::interval FROM unnest("
    "(SELECT $1::uuid[]), $2::uuid[], $3::int[], $4::int[], $5::int[], $6::text[]::jsonb[]) AS new "
    "RETURNING set_id, item_id, first, second, expires_at) "
    "SELECT o.set_id, o.item_id, o.candidate_id, o.text, leased.expires_at FROM leased JOIN outputs AS o "
    "ON o.set_id = leased.set_id AND o.item_id = leased.item_id AND o.candidate_id IN (leased.first, leased.second)"
)


async def lease(
    db: AsyncConnection, new: Sequence[NewLease], judge_id: int, worker: str, seconds: float
) -> tuple[datetime, dict[tuple[UUID, int, int], str | None]]:
    """Insert new leases; returns when they end, and their texts by set, item and candidate."""
    columns = zip(*new, strict=True)
    rows = await fetch(db, _LEASE, *columns, judge_id, worker, timedelta(seconds=seconds))
    return rows[0]["expires_at"], {(row[0], row[1], row[2]): row[3] for row in rows}


# What becomes of a lease is decided once it is locked, on the row and the clock of that moment: the snapshot of the
# statement and now() are older, by as long as it waited. `lock` takes the same order: no deadlock.
_LEASES = (
    "WITH locked AS (SELECT id, state, generation, expires_at FROM assignments WHERE id = ANY(:ids) ORDER BY id "
    "FOR UPDATE), leases AS MATERIALIZED "
    "(SELECT id, generation, expires_at > clock_timestamp() AS live FROM locked WHERE state = 'leased') "
)
_LONGER = "greatest(a.expires_at, clock_timestamp() + CAST(:lasting AS interval))"
_UPDATE = text(
    f"{_LEASES} UPDATE assignments AS a SET state = CASE WHEN live THEN 'leased' ELSE 'expired' END, "
    f"generation = a.generation + CAST(live AS int), expires_at = CASE WHEN live THEN {_LONGER} ELSE a.expires_at END "
    "FROM leases WHERE a.id = leases.id AND (a.id = ANY(:mine) OR NOT live) "
    "RETURNING a.id, a.state, a.generation, a.expires_at, CAST(a.why AS text) AS why"
)


async def expire_and_renew(
    db: AsyncConnection, ids: Sequence[UUID], mine: Sequence[UUID], seconds: float
) -> Sequence[Record]:
    """Expire those of the leases that are past their end, and hand those of `mine` that are not out again.

    Returns (id, state, generation, expires_at, why) of both; the others are as they were.
    """
    values = {"ids": ids, "mine": mine, "lasting": timedelta(seconds=seconds)}
    return (await db.execute(_UPDATE, values)).all()


_OF_HOLDER = (
    "FROM leases JOIN unnest(CAST(:ids AS uuid[]), CAST(:generations AS int[])) AS theirs (id, generation) USING (id) "
    "WHERE a.id = leases.id AND live AND coalesce(theirs.generation, leases.generation) = leases.generation "
    "RETURNING a.id, a.set_id, a.expires_at"
)
_EXTEND = text(f"{_LEASES} UPDATE assignments AS a SET expires_at = {_LONGER} {_OF_HOLDER}")
_RELEASE = text(f"{_LEASES} UPDATE assignments AS a SET state = 'released' {_OF_HOLDER}")


async def extend(db: AsyncConnection, generations: Mapping[UUID, int | None], seconds: float) -> Sequence[Record]:
    """Let live leases last longer, never shorter; returns (id, set_id, expires_at) of each.

    Those at another than the given generation are left as they are; None is whichever it is.
    """
    return (await db.execute(_EXTEND, _arrays(generations) | {"lasting": timedelta(seconds=seconds)})).all()


async def release(db: AsyncConnection, generations: Mapping[UUID, int | None]) -> Sequence[Record]:
    """Give live leases back; takes and returns the same as `extend`."""
    return (await db.execute(_RELEASE, _arrays(generations))).all()


def _arrays(generations: Mapping[UUID, int | None]) -> dict[str, list[Any]]:
    return {"ids": list(generations), "generations": list(generations.values())}


class LockedAssignment(NamedTuple):
    """An assignment that is held until the transaction ends, with the names around it."""

    id: UUID
    set_id: UUID
    item_id: int
    first: int
    second: int
    order_chance: float | None  # None where it was leased before chances were recorded
    criterion: str | None
    mean_difference: float | None
    sd_difference: float | None
    judge_id: int
    state: str
    failure: str | None
    generation: int
    expired: bool
    judge: str
    item: str
    first_key: str
    second_key: str
    deleted_at: datetime | None  # of the set


_LOCK = (
    "SELECT a.id, a.set_id, a.item_id, a.first, a.second, CAST(a.why ->> 'order_chance' AS float8), "
    "a.why ->> 'criterion', CAST(a.why ->> 'mean_difference' AS float8), "
    "CAST(a.why ->> 'sd_difference' AS float8), a.judge_id, "
    "a.state, a.failure, a.generation, "
    "a.expires_at <= clock_timestamp(), judges.name, items.key, one.key, other.key, sets.deleted_at "
    "FROM assignments AS a JOIN sets ON sets.id = a.set_id JOIN judges ON judges.id = a.judge_id "
    "JOIN items ON items.set_id = a.set_id AND items.id = a.item_id "
    "JOIN candidates AS one ON one.set_id = a.set_id AND one.id = a.first "
    "JOIN candidates AS other ON other.set_id = a.set_id AND other.id = a.second "
    "WHERE a.id = ANY($1) ORDER BY a.id FOR UPDATE OF a"
)


_SETS = select(a.set_id).distinct().where(a.id == func.any(bindparam("ids")))


async def sets_of(db: AsyncConnection, ids: Sequence[UUID]) -> set[UUID]:
    """The sets of these assignments."""
    return set((await db.execute(_SETS, {"ids": ids})).scalars())


async def lock(db: AsyncConnection, ids: Sequence[UUID]) -> dict[UUID, LockedAssignment]:
    """Existing ones of these assignments, by id. They are locked in id order: no deadlock."""
    return {row[0]: LockedAssignment(*row) for row in await fetch(db, _LOCK, ids)}


async def failures(db: AsyncConnection, set_id: UUID) -> dict[int, dict[str, int]]:
    """Counts of failures, by the judge's id and the kind of failure."""
    statement = select(a.judge_id, a.failure, func.count().label("times")).where(
        a.set_id == set_id, a.state == "failed"
    )
    counts: dict[int, dict[str, int]] = {}
    for row in await db.execute(statement.group_by(a.judge_id, a.failure).order_by(a.judge_id, a.failure)):
        counts.setdefault(row.judge_id, {})[row.failure] = row.times
    return counts


async def fail(db: AsyncConnection, assignment_id: UUID, values: dict[str, Any]) -> None:
    """`values` are those of the columns failure, reason, label_mass, latency_ms and raw."""
    values = {**values, "state": "failed"}
    await db.execute(update(assignments).where(a.id == assignment_id).values(values))
