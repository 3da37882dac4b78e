"""Who judges a set now, how many verdicts each judge has sent, and the newest entries of the log."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Text, and_, cast, func, null, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import Record, assignments, candidates, comparisons, items, judges, voids

a, c, v = assignments.c, comparisons.c, voids.c
copy = comparisons.alias("copy")
its_void = voids.alias("its_void")
first, second = candidates.alias("first_candidate"), candidates.alias("second_candidate")
HOUR = text("interval '1 hour'")


async def at_work(db: AsyncConnection, set_id: UUID) -> Sequence[Record]:
    """(judge, kind, worker, pairs, since, until) of everyone who holds live leases, by judge."""
    statement = (
        select(
            judges.c.name.label("judge"), judges.c.kind, a.worker, func.count().label("pairs"),
            func.min(a.created_at).label("since"), func.max(a.expires_at).label("until"),
        )
        .join(judges, judges.c.id == a.judge_id)
        .where(a.set_id == set_id, a.state == "leased", a.expires_at > func.clock_timestamp())
        .group_by(judges.c.name, judges.c.kind, a.worker)
        .order_by(judges.c.name, a.worker)
    )  # fmt: skip
    return (await db.execute(statement)).all()


async def progress(db: AsyncConnection, set_id: UUID) -> dict[int, Record]:
    """(verdicts, last_hour, last_at) of the comparisons that count, by the judge's id; one pass over the set's log."""
    taken_back = select(v.seq).where(v.set_id == c.set_id, v.voids == c.seq)
    statement = (
        select(
            c.judge_id,
            func.count().label("verdicts"),
            func.count().filter(c.created_at > func.now() - HOUR).label("last_hour"),
            func.max(c.created_at).label("last_at"),
        )
        .where(c.set_id == set_id, ~taken_back.exists())
        .group_by(c.judge_id)
    )
    return {row.judge_id: row for row in await db.execute(statement)}


async def entries(
    db: AsyncConnection, set_id: UUID, *, judge: str | None, before: int | None, limit: int
) -> Sequence[Record]:
    """Comparisons and voids, newest first, from before sequence number `before` back; their names, without `raw`."""
    of_judge = select(judges.c.id).where(judges.c.name == judge).scalar_subquery()
    compared = select(c.seq.label("entry"), c.seq.label("compared"), cast(null(), Text).label("reason"), c.created_at)
    compared = compared.where(c.set_id == set_id)
    voided = select(v.seq, v.voids, v.reason, v.created_at).where(v.set_id == set_id)
    if judge is not None:
        compared = compared.where(c.judge_id == of_judge)
        voided = voided.join(comparisons, and_(c.set_id == v.set_id, c.seq == v.voids)).where(c.judge_id == of_judge)
    if before is not None:
        compared, voided = compared.where(c.seq < before), voided.where(v.seq < before)
    parts = [part.order_by(seq.desc()).limit(limit).subquery() for part, seq in ((compared, c.seq), (voided, v.seq))]
    newest = _union(parts).subquery("newest")
    statement = (
        select(
            newest.c.entry.label("seq"), newest.c.compared, newest.c.reason, newest.c.created_at,
            items.c.key.label("item"), first.c.key.label("first"), second.c.key.label("second"), c.p_first, c.winner,
            c.weight, judges.c.name.label("judge"), judges.c.kind.label("judge_kind"), c.late, c.restores,
            its_void.c.seq.label("voided_by"), copy.c.seq.label("restored_by"),
        )
        .join(comparisons, and_(c.set_id == set_id, c.seq == newest.c.compared))
        .join(judges, judges.c.id == c.judge_id)
        .join(items, and_(items.c.set_id == set_id, items.c.id == c.item_id))
        .join(first, and_(first.c.set_id == set_id, first.c.id == c.first))
        .join(second, and_(second.c.set_id == set_id, second.c.id == c.second))
        .outerjoin(its_void, and_(its_void.c.set_id == set_id, its_void.c.voids == c.seq))
        .outerjoin(copy, and_(copy.c.set_id == set_id, copy.c.restores == c.seq))
        .order_by(newest.c.entry.desc())
        .limit(limit)
    )  # fmt: skip
    return (await db.execute(statement)).all()


def _union(parts: Sequence[Any]) -> Any:
    one, other = (select(part) for part in parts)
    return one.union_all(other)
