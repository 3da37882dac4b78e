"""Judges, known by name."""

from collections.abc import Iterable
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
    known = await _find(db, wanted)
    missing = [{"name": name} for name in wanted if name not in known]
    if not missing:
        return Identified(known, known)
    await db.execute(insert(judges).on_conflict_do_nothing(), missing)
    return Identified(await _find(db, wanted), known)


async def _find(db: AsyncConnection, names: list[str]) -> dict[str, int]:
    rows = await db.execute(select(judges.c.name, judges.c.id).where(judges.c.name == func.any(names)))
    return {row.name: row.id for row in rows}
