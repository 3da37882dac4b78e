"""Judges, known by name."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.tables import judges


async def identify(db: AsyncConnection, names: Iterable[str]) -> dict[str, int]:
    """Ids by name; a new name becomes a judge."""
    wanted = sorted(set(names))
    known = await _find(db, wanted)
    missing = [{"name": name} for name in wanted if name not in known]
    if missing:
        await db.execute(insert(judges).values(missing).on_conflict_do_nothing())
        known = await _find(db, wanted)
    return known


async def _find(db: AsyncConnection, names: list[str]) -> dict[str, int]:
    rows = await db.execute(select(judges.c.name, judges.c.id).where(judges.c.name.in_(names)))
    return {row.name: row.id for row in rows}
