"""Pairs on a lease, and what became of them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, and_, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.tables import Record, assignments, candidates, items, judges, sets

a = assignments.c
first, second = candidates.alias("first_candidate"), candidates.alias("second_candidate")


async def blocking(db: AsyncConnection, set_ids: Sequence[UUID], judge_id: int) -> Sequence[Record]:
    """Assignments that keep a pair from this judge, oldest first: everyone's leases and the judge's own failures.

    A timeout says nothing about the pair, so it does so only until its lease would have ended.
    """
    expired = a.expires_at <= func.clock_timestamp()
    failed = and_(a.state == "failed", a.judge_id == judge_id, or_(a.failure != "timeout", ~expired))
    statement = select(
        a.id, a.set_id, a.item_id, a.first, a.second, a.judge_id, a.worker, a.state, a.why, a.expires_at,
        expired.label("expired"),
    ).where(a.set_id == func.any(set_ids), or_(a.state == "leased", failed))  # fmt: skip
    return (await db.execute(statement.order_by(a.created_at, a.id))).all()


async def lease(db: AsyncConnection, rows: list[dict[str, Any]], seconds: float) -> Sequence[Record]:
    """Insert new leases; returns (id, expires_at) in the order given."""
    expires = func.clock_timestamp() + timedelta(seconds=seconds)
    statement = insert(assignments).returning(a.id, a.expires_at, sort_by_parameter_order=True)
    return (await db.execute(statement.values(expires_at=expires), rows)).all()


async def expire(db: AsyncConnection, ids: Sequence[UUID]) -> None:
    await db.execute(update(assignments).where(a.id.in_(_in_order(ids)), a.state == "leased").values(state="expired"))


async def extend(db: AsyncConnection, ids: Sequence[UUID], seconds: float) -> dict[UUID, datetime]:
    """Let these leases last longer, never shorter; returns when each of those that still stand ends."""
    expires = func.greatest(a.expires_at, func.clock_timestamp() + timedelta(seconds=seconds))
    statement = update(assignments).where(a.id.in_(_in_order(ids)), a.state == "leased").values(expires_at=expires)
    return {row.id: row.expires_at for row in await db.execute(statement.returning(a.id, a.expires_at))}


async def lock(db: AsyncConnection, ids: Sequence[UUID]) -> dict[UUID, Record]:
    """These assignments with the names around them, held until the transaction ends. In id order: no deadlock."""
    statement = (
        select(
            a.id, a.set_id, a.item_id, a.first, a.second, a.judge_id, a.state, a.failure, a.expires_at,
            (a.expires_at <= func.clock_timestamp()).label("expired"),
            judges.c.name.label("judge"), items.c.key.label("item"),
            first.c.key.label("first_key"), second.c.key.label("second_key"), sets.c.deleted_at,
        )
        .join(sets, sets.c.id == a.set_id)
        .join(judges, judges.c.id == a.judge_id)
        .join(items, and_(items.c.set_id == a.set_id, items.c.id == a.item_id))
        .join(first, and_(first.c.set_id == a.set_id, first.c.id == a.first))
        .join(second, and_(second.c.set_id == a.set_id, second.c.id == a.second))
        .where(a.id.in_(ids))
        .order_by(a.id)
        .with_for_update(of=assignments)
    )  # fmt: skip
    return {row.id: row for row in await db.execute(statement)}


async def failures(db: AsyncConnection, set_id: UUID) -> dict[int, dict[str, int]]:
    """How often each judge failed, by its id and the kind of failure."""
    statement = select(a.judge_id, a.failure, func.count().label("times")).where(
        a.set_id == set_id, a.state == "failed"
    )
    counts: dict[int, dict[str, int]] = {}
    for row in await db.execute(statement.group_by(a.judge_id, a.failure).order_by(a.judge_id, a.failure)):
        counts.setdefault(row.judge_id, {})[row.failure] = row.times
    return counts


async def finish(db: AsyncConnection, ids: Sequence[UUID]) -> None:
    await db.execute(update(assignments).where(a.id.in_(ids)).values(state="done"))


async def fail(db: AsyncConnection, assignment_id: UUID, values: dict[str, Any]) -> None:
    """`values` are those of the columns failure, reason, label_mass, latency_ms and raw."""
    values = {**values, "state": "failed"}
    await db.execute(update(assignments).where(a.id == assignment_id).values(values))


async def release(db: AsyncConnection, ids: Sequence[UUID]) -> None:
    await db.execute(update(assignments).where(a.id.in_(ids)).values(state="released"))


def _in_order(ids: Sequence[UUID]) -> Select[*tuple[Any, ...]]:
    """The ids, their rows locked in the order in which `lock` takes them: no deadlock."""
    return select(a.id).where(a.id.in_(ids)).order_by(a.id).with_for_update()
