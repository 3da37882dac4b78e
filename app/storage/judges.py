"""Judges, known by name."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.tables import judges


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


async def find(db: AsyncConnection, names: Sequence[str]) -> dict[str, int]:
    """Ids of those that exist, by name."""
    rows = await db.execute(select(judges.c.name, judges.c.id).where(judges.c.name == func.any(names)))
    return {row.name: row.id for row in rows}
