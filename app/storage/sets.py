"""Candidate sets and their version counters."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from nextpair.words import GRACE_DAYS
from sqlalchemy import Double, Select, bindparam, cast, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage import pages
from app.storage.listening import CHANNEL
from app.storage.pages import Page
from app.storage.schema import Record, assignments, judges, sets

COMPARISONS = sets.c.version - sets.c.absolute_scores - 2 * sets.c.voids - sets.c.pooled_evidence  # that count

GRACE = timedelta(days=GRACE_DAYS)  # the triggers that keep the log know it too
IS_OVER = sets.c.deleted_at <= func.clock_timestamp() - GRACE  # the time in which a deleted set can be restored


class Head(NamedTuple):
    """A set at one moment."""

    id: UUID
    revision: int
    version: int


async def add(db: AsyncConnection, values: dict[str, Any]) -> None:
    await db.execute(insert(sets).values(values))


async def get(db: AsyncConnection, set_id: UUID) -> Record | None:
    return (await db.execute(select(sets).where(sets.c.id == set_id))).one_or_none()


async def lock(db: AsyncConnection, set_id: UUID) -> Record | None:
    """The row, held until the transaction ends: whoever writes to the log or the candidates goes one at a time."""
    statement = select(sets).where(sets.c.id == set_id).with_for_update(key_share=True)
    return (await db.execute(statement)).one_or_none()


IDS_IN_A_NOTICE = 200  # PostgreSQL takes 8,000 bytes

_MANY = sets.c.id == func.any(bindparam("ids"))


async def get_many(db: AsyncConnection, ids: Sequence[UUID]) -> Sequence[Record]:
    """Rows of the sets that exist, deleted or not."""
    return (await db.execute(select(sets).where(_MANY), {"ids": ids})).all()


def lock_of_asking(ids: Iterable[UUID]) -> str:
    """The statement that holds all other asks on these sets until its transaction ends. In id order: no deadlock."""
    keys = ", ".join(f"'{set_id}'" for set_id in sorted(ids))
    return f"SELECT pg_advisory_xact_lock(hashtextextended(id, 0)) FROM unnest(ARRAY[{keys}]) AS id"


async def lock_asking(db: AsyncConnection, ids: Sequence[UUID]) -> None:
    """Hold all other asks on these sets, and nothing else, until the transaction ends."""
    await db.exec_driver_sql(lock_of_asking(ids))


async def page(
    db: AsyncConnection, *, project: str | None, status: str | None, deleted: bool, after: UUID | None, limit: int
) -> Page:
    """Sets that are not deleted, or those that are and can be restored, oldest first, from behind `after` on."""
    long = (sets.c[name] for name in ("question", "attribute", "context", "metadata", "temperatures"))
    statement = select(sets, pages.length(*long)).where(~IS_OVER if deleted else sets.c.deleted_at.is_(None))
    if project is not None:
        statement = statement.where(sets.c.project == project)
    if status is not None:
        statement = statement.where(sets.c.status == status)
    if after is not None:
        before = select(sets.c.created_at, sets.c.id).where(sets.c.id == after).subquery()
        statement = statement.join(before, text("true")).where(
            func.row(sets.c.created_at, sets.c.id) > func.row(before.c.created_at, before.c.id)
        )
    return await pages.read(db, statement, [sets.c.created_at, sets.c.id], limit)


async def projects(db: AsyncConnection) -> Sequence[str]:
    """Projects that have sets, in alphabetical order."""
    statement = select(sets.c.project).distinct().where(sets.c.deleted_at.is_(None), sets.c.project.is_not(None))
    return (await db.execute(statement.order_by(sets.c.project))).scalars().all()


async def judged(db: AsyncConnection, project: str, limit: int) -> Sequence[Record]:
    """Sets of the project that are not deleted and have comparisons that count, oldest first."""
    statement = select(sets).where(sets.c.deleted_at.is_(None), sets.c.project == project, COMPARISONS > 0)
    return (await db.execute(statement.order_by(sets.c.created_at, sets.c.id).limit(limit))).all()


@cache
def _queue_of(by_id: bool, by_project: bool) -> Select[*tuple[Any, ...]]:
    a = assignments.c
    mine = select(func.count()).where(
        a.set_id == sets.c.id,
        a.state == "leased",
        a.worker == bindparam("worker"),
        a.judge_id == select(judges.c.id).where(judges.c.name == bindparam("judge")).scalar_subquery(),
    )
    leases, progress = mine.scalar_subquery(), cast(sets.c.version, Double) / func.greatest(sets.c.candidates, 1)
    which = sets.c.id == func.any(bindparam("ids")) if by_id else sets.c.status == "open"
    statement = select(sets.c.id, sets.c.revision, sets.c.version, leases.label("leases")).where(
        sets.c.deleted_at.is_(None), which
    )
    if by_project:
        statement = statement.where(sets.c.project == bindparam("project"))
    return statement.order_by(leases.desc(), progress, sets.c.created_at, sets.c.id)


async def queue(
    db: AsyncConnection, *, judge: str, worker: str, project: str | None, ids: Sequence[UUID] | None
) -> Sequence[Record]:
    """(id, revision, version, leases) of the sets in which a judge is to be served; `leases` are its worker's.

    Those with leases come first, then those with the fewest log entries per candidate. Without `ids`, only open sets.
    """
    values = {"judge": judge, "worker": worker, "project": project, "ids": ids}
    return (await db.execute(_queue_of(ids is not None, project is not None), values)).all()


async def change(db: AsyncConnection, set_id: UUID, values: dict[str, Any]) -> None:
    await db.execute(update(sets).where(sets.c.id == set_id).values(values))


async def delete(db: AsyncConnection, set_id: UUID) -> None:
    await change(db, set_id, {"deleted_at": func.now()})


async def restore(db: AsyncConnection, set_id: UUID) -> bool:
    """Take the deletion of a set, which is locked, back; false where its grace is over."""
    statement = update(sets).where(sets.c.id == set_id, ~IS_OVER).values(deleted_at=None).returning(sets.c.id)
    return (await db.execute(statement)).one_or_none() is not None


async def advance(
    db: AsyncConnection, set_id: UUID, entries: int, voids: int = 0, absolute_scores: int = 0, pooled_evidence: int = 0
) -> int:
    """Claim the next `entries` sequence numbers, so many of them for what is no comparison; returns the last."""
    statement = (
        update(sets)
        .where(sets.c.id == set_id)
        .values(
            version=sets.c.version + entries,
            voids=sets.c.voids + voids,
            absolute_scores=sets.c.absolute_scores + absolute_scores,
            pooled_evidence=sets.c.pooled_evidence + pooled_evidence,
        )
        .returning(sets.c.version)
    )
    return int((await db.execute(statement)).scalar_one())


_BRIEFLY = text("SET LOCAL lock_timeout = '1s'")
_LOCK_MANY = select(sets.c.id).where(_MANY).order_by(sets.c.id).with_for_update(key_share=True)


async def lock_many(db: AsyncConnection, ids: Iterable[UUID]) -> None:
    """Hold the rows of several sets before a statement that writes to all of them. In id order: no deadlock.

    One that locked and updated at once would update from a snapshot older than its locks, and wait for whoever waits
    for them. Each is waited for briefly, as the writes to the others wait meanwhile.
    """
    await db.execute(_BRIEFLY)
    await db.execute(_LOCK_MANY, {"ids": sorted(ids)})


async def advance_by_estimate(db: AsyncConnection, ids: Sequence[UUID], estimate: UUID) -> dict[UUID, int]:
    """Claim a sequence number in each of these sets, which are locked, for this estimate of their pool."""
    values = {"version": sets.c.version + 1, "pooled_evidence": sets.c.pooled_evidence + 1, "estimate": estimate}
    statement = update(sets).where(_MANY).values(values).returning(sets.c.id, sets.c.version)
    return {row.id: row.version for row in await db.execute(statement, {"ids": ids})}


_ANNOUNCE = text("SELECT pg_notify(:channel, payload) FROM unnest(CAST(:payloads AS text[])) AS payload")


async def announce(db: AsyncConnection, ids: Iterable[UUID]) -> None:
    """Tell every listening process that these sets have changed, when the transaction commits."""
    named = [str(set_id) for set_id in ids]
    parts = [named[start : start + IDS_IN_A_NOTICE] for start in range(0, len(named), IDS_IN_A_NOTICE)]
    payloads = [" ".join(part) for part in parts]
    await db.execute(_ANNOUNCE, {"channel": CHANNEL, "payloads": payloads})


def next_revision() -> Any:
    return sets.c.revision + 1
