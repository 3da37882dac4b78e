"""Pairs on a lease, and what became of them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Interval, Text, and_, bindparam, cast, func, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.tables import Record, assignments, candidates, items, judges, sets

a = assignments.c
first, second = candidates.alias("first_candidate"), candidates.alias("second_candidate")


class NewLease(NamedTuple):
    id: UUID
    set_id: UUID
    item_id: int
    first: int
    second: int
    why: str  # JSON


_EXPIRED = a.expires_at <= func.clock_timestamp()
_MINE = and_(a.judge_id == bindparam("judge_id"), or_(a.failure != "timeout", ~_EXPIRED))
_BLOCKING = (
    select(
        a.id, a.set_id, a.item_id, a.first, a.second, a.judge_id, a.worker, a.state, _EXPIRED.label("expired"),
    )
    .where(a.set_id == func.any(bindparam("set_ids")), or_(a.state == "leased", and_(a.state == "failed", _MINE)))
    .order_by(a.created_at, a.id)
)  # fmt: skip


async def blocking(db: AsyncConnection, set_ids: Sequence[UUID], judge_id: int) -> Sequence[Record]:
    """Assignments that keep a pair from this judge, oldest first: everyone's leases and the judge's own failures.

    A timeout says nothing about the pair, so it does so only until its lease would have ended.
    """
    return (await db.execute(_BLOCKING, {"set_ids": set_ids, "judge_id": judge_id})).all()


_LEASE = text(
    "WITH leased AS (INSERT INTO assignments (id, set_id, item_id, first, second, why, judge_id, worker, expires_at) "
    "SELECT new.*, :judge_id, :worker, statement_timestamp() + CAST(:lasting AS interval) FROM unnest("
    "CAST(:ids AS uuid[]), CAST(:set_ids AS uuid[]), CAST(:item_ids AS int[]), CAST(:first AS int[]), "
    "CAST(:second AS int[]), CAST(:why AS jsonb[])) AS new RETURNING expires_at) SELECT max(expires_at) FROM leased"
)


async def lease(db: AsyncConnection, new: Sequence[NewLease], judge_id: int, worker: str, seconds: float) -> datetime:
    """Insert new leases; returns when they end."""
    rows = dict(zip(("ids", "set_ids", "item_ids", "first", "second", "why"), zip(*new, strict=True), strict=True))
    asker = {"judge_id": judge_id, "worker": worker, "lasting": timedelta(seconds=seconds)}
    ends: datetime = (await db.execute(_LEASE, rows | asker)).scalar_one()
    return ends


# Rows are locked in the order in which `lock` takes them: no deadlock.
_IN_ORDER = select(a.id).where(a.id == func.any(bindparam("ids"))).order_by(a.id).with_for_update()
_EXPIRE = update(assignments).where(a.id.in_(_IN_ORDER), a.state == "leased").values(state="expired")


async def expire(db: AsyncConnection, ids: Sequence[UUID]) -> None:
    await db.execute(_EXPIRE, {"ids": ids})


_EXTEND = (
    update(assignments)
    .where(a.id.in_(_IN_ORDER), a.state == "leased")
    .values(expires_at=func.greatest(a.expires_at, func.clock_timestamp() + bindparam("lasting", type_=Interval)))
    .returning(a.id, a.expires_at, cast(a.why, Text).label("why"))
)


async def extend(db: AsyncConnection, ids: Sequence[UUID], seconds: float) -> dict[UUID, Record]:
    """Let these leases last longer, never shorter; returns (id, expires_at, why) of each of those that still stand."""
    return {row.id: row for row in await db.execute(_EXTEND, {"ids": ids, "lasting": timedelta(seconds=seconds)})}


_LOCK = (
    select(
        a.id, a.set_id, a.item_id, a.first, a.second, a.judge_id, a.state, a.failure, a.expires_at,
        _EXPIRED.label("expired"), judges.c.name.label("judge"), items.c.key.label("item"),
        first.c.key.label("first_key"), second.c.key.label("second_key"), sets.c.deleted_at,
    )
    .join(sets, sets.c.id == a.set_id)
    .join(judges, judges.c.id == a.judge_id)
    .join(items, and_(items.c.set_id == a.set_id, items.c.id == a.item_id))
    .join(first, and_(first.c.set_id == a.set_id, first.c.id == a.first))
    .join(second, and_(second.c.set_id == a.set_id, second.c.id == a.second))
    .where(a.id == func.any(bindparam("ids")))
    .order_by(a.id)
    .with_for_update(of=assignments)
)  # fmt: skip


async def lock(db: AsyncConnection, ids: Sequence[UUID]) -> dict[UUID, Record]:
    """These assignments with the names around them, held until the transaction ends. In id order: no deadlock."""
    return {row.id: row for row in await db.execute(_LOCK, {"ids": ids})}


async def failures(db: AsyncConnection, set_id: UUID) -> dict[int, dict[str, int]]:
    """How often each judge failed, by its id and the kind of failure."""
    statement = select(a.judge_id, a.failure, func.count().label("times")).where(
        a.set_id == set_id, a.state == "failed"
    )
    counts: dict[int, dict[str, int]] = {}
    for row in await db.execute(statement.group_by(a.judge_id, a.failure).order_by(a.judge_id, a.failure)):
        counts.setdefault(row.judge_id, {})[row.failure] = row.times
    return counts


_END = update(assignments).where(a.id == func.any(bindparam("ids"))).values(state=bindparam("ended"))


async def finish(db: AsyncConnection, ids: Sequence[UUID]) -> None:
    await db.execute(_END, {"ids": ids, "ended": "done"})


async def release(db: AsyncConnection, ids: Sequence[UUID]) -> None:
    await db.execute(_END, {"ids": ids, "ended": "released"})


async def fail(db: AsyncConnection, assignment_id: UUID, values: dict[str, Any]) -> None:
    """`values` are those of the columns failure, reason, label_mass, latency_ms and raw."""
    values = {**values, "state": "failed"}
    await db.execute(update(assignments).where(a.id == assignment_id).values(values))
