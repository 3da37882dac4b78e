"""Sets as a list shows them: their newest log entries and their judges, found by indexes and not by reading the log."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from nextpair.words import SetStatus
from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import Record, absolute_scores, comparisons, judges, sets, voids

SortName = Literal["activity", "-activity", "name", "-name"]  # a minus is for the last first
MOST_JUDGES = 100  # of a set that are looked up


def _newest(table: object) -> ColumnElement[object]:
    """Time of the table's last entry in the log of a set."""
    c = table.c  # type: ignore[attr-defined]
    return select(c.created_at).where(c.set_id == sets.c.id).order_by(c.seq.desc()).limit(1).scalar_subquery()


_ACTIVITY = func.greatest(sets.c.created_at, *map(_newest, (comparisons, voids, absolute_scores)))  # NULL is ignored
_ORDERS: dict[SortName, ColumnElement[object]] = {
    "activity": _ACTIVITY.asc(),
    "-activity": _ACTIVITY.desc(),
    "name": func.lower(sets.c.name).asc(),
    "-name": func.lower(sets.c.name).desc(),
}


class SetFilter(NamedTuple):
    """The sets of a list, and their order."""

    name: str  # a part of it, in upper or lower case
    project: str | None
    status: SetStatus | None
    sort: SortName


async def find(db: AsyncConnection, wanted: SetFilter, offset: int, limit: int) -> Sequence[Record]:
    """Sets that are not deleted, with the time of their `last_activity`."""
    statement = select(sets, _ACTIVITY.label("last_activity")).where(
        sets.c.deleted_at.is_(None), sets.c.name.icontains(wanted.name, autoescape=True)
    )
    if wanted.project is not None:
        statement = statement.where(sets.c.project == wanted.project)
    if wanted.status is not None:
        statement = statement.where(sets.c.status == wanted.status)
    in_order = statement.order_by(_ORDERS[wanted.sort], sets.c.created_at.desc(), sets.c.id)
    return (await db.execute(in_order.offset(offset).limit(limit))).all()


async def last_activity(db: AsyncConnection, set_id: UUID) -> datetime:
    """Time of the set's newest log entry, or of its creation."""
    last: datetime = (await db.execute(select(_ACTIVITY).where(sets.c.id == set_id))).scalar_one()
    return last


# One step for each judge, by ix_comparisons_set_id_judge_id.
_JUDGES = text(
    "WITH RECURSIVE judged AS ("
    "SELECT id AS set_id, 1 AS place, (SELECT min(c.judge_id) FROM comparisons AS c WHERE c.set_id = id) AS judge_id "
    "FROM unnest(CAST(:ids AS uuid[])) AS listed (id) UNION ALL "
    "SELECT set_id, place + 1, "
    "(SELECT min(c.judge_id) FROM comparisons AS c WHERE c.set_id = judged.set_id AND c.judge_id > judged.judge_id) "
    f"FROM judged WHERE judge_id IS NOT NULL AND place < {MOST_JUDGES}) "
    "SELECT judged.set_id, judges.id, judges.kind, judges.cost_per_1000 FROM judged "
    "JOIN judges ON judges.id = judged.judge_id ORDER BY judged.set_id, judged.place"
)


async def judges_of(db: AsyncConnection, ids: Sequence[UUID]) -> Sequence[Record]:
    """(set_id, id, kind, cost_per_1000) of the judges of these sets, MOST_JUDGES of each at most."""
    return (await db.execute(_JUDGES, {"ids": ids})).all()


async def verdicts_by_judge(db: AsyncConnection, set_id: UUID) -> Sequence[Record]:
    """(verdicts, imported, kind, cost_per_1000) of every judge of the set; voided verdicts were made too.

    `imported` are those that no assignment asked for.
    """
    c = comparisons.c
    imported = func.count().filter(c.assignment_id.is_(None)).label("imported")
    by_judge = select(c.judge_id, func.count().label("verdicts"), imported).where(c.set_id == set_id)
    counts = by_judge.group_by(c.judge_id).subquery()
    statement = select(counts.c.verdicts, counts.c.imported, judges.c.kind, judges.c.cost_per_1000)
    return (await db.execute(statement.join(judges, judges.c.id == counts.c.judge_id))).all()
