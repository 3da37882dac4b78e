"""Judges, known by name."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from nextpair.words import JudgeKind
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import Record, judges


class Identified(NamedTuple):
    ids: dict[str, int]  # all that were asked for
    known: dict[str, int]  # those committed before: safe to remember even if this transaction fails


async def identify(db: AsyncConnection, names: Iterable[str]) -> Identified:
    """Ids by name; a new name becomes a judge."""
    wanted = sorted(set(names))
    known = await find(db, wanted)
    missing = [{"name": name} for name in wanted if name not in known]
    if not missing:
        return Identified(known, known)
    await db.execute(insert(judges).on_conflict_do_nothing(), missing)
    return Identified(await find(db, wanted), known)


async def names(db: AsyncConnection, ids: Iterable[int]) -> dict[int, str]:
    """Names by id."""
    rows = await db.execute(select(judges.c.id, judges.c.name).where(judges.c.id == func.any(sorted(ids))))
    return {row.id: row.name for row in rows}


async def by_id(db: AsyncConnection, ids: Iterable[int]) -> dict[int, Record]:
    """Rows by id."""
    rows = await db.execute(select(judges).where(judges.c.id == func.any(sorted(ids))))
    return {row.id: row for row in rows}


async def get(db: AsyncConnection, name: str) -> Record | None:
    return (await db.execute(select(judges).where(judges.c.name == name))).one_or_none()


async def page(db: AsyncConnection, *, kind: JudgeKind | None, after: str, limit: int) -> Sequence[Record]:
    """Judges by name, from behind `after` on."""
    statement = select(judges).where(judges.c.name > after)
    if kind is not None:
        statement = statement.where(judges.c.kind == kind)
    return (await db.execute(statement.order_by(judges.c.name).limit(limit))).all()


async def describe(db: AsyncConnection, name: str, values: dict[str, Any]) -> Record:
    """Make the judge or replace what is said of it; returns its row."""
    statement = insert(judges).values(name=name, **values)
    row: Record = (
        await db.execute(statement.on_conflict_do_update(index_elements=["name"], set_=values).returning(judges))
    ).one()
    return row


async def prices(db: AsyncConnection) -> dict[int, float]:
    """Price of a verdict by judge id, of all judges that have one."""
    statement = select(judges.c.id, judges.c.cost_per_1000).where(judges.c.cost_per_1000.is_not(None))
    return {row.id: row.cost_per_1000 / 1000.0 for row in await db.execute(statement)}


async def of_kind(db: AsyncConnection, kind: JudgeKind) -> Sequence[int]:
    """Ids of all judges of this kind."""
    return (await db.execute(select(judges.c.id).where(judges.c.kind == kind))).scalars().all()


async def people(db: AsyncConnection, ids: Sequence[int]) -> set[int]:
    """People among `ids`."""
    statement = select(judges.c.id).where(judges.c.id == func.any(ids), judges.c.kind == "human")
    return set((await db.execute(statement)).scalars())


async def find(db: AsyncConnection, names: Sequence[str]) -> dict[str, int]:
    """Ids of those that exist, by name."""
    rows = await db.execute(select(judges.c.name, judges.c.id).where(judges.c.name == func.any(names)))
    return {row.name: row.id for row in rows}
