"""Removal of what belongs to sets that were deleted long ago. Triggers refuse it for every other set."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import (
    absolute_scores,
    assignments,
    candidates,
    comparisons,
    items,
    outputs,
    pooled_evidence,
    pools,
    sets,
    voids,
)
from app.storage.sets import IS_OVER

LOCK = 0x70757267  # "purg"
ROWS_AT_ONCE = 5000
SETS_AT_ONCE = 100
TABLES = (
    voids,
    comparisons,
    absolute_scores,
    pooled_evidence,
    assignments,
    outputs,
    candidates,
    items,
)  # who names whom


async def claim(db: AsyncConnection) -> bool:
    """False while another process removes rows; true keeps the others from it until the transaction ends."""
    return bool((await db.execute(select(func.pg_try_advisory_xact_lock(LOCK)))).scalar_one())


async def due(db: AsyncConnection) -> Sequence[UUID]:
    """Some of the sets whose grace is over."""
    return (await db.execute(select(sets.c.id).where(IS_OVER).limit(SETS_AT_ONCE))).scalars().all()


async def remove_some(db: AsyncConnection, set_id: UUID) -> int:
    """Remove rows of a set whose grace is over, a bounded number from one table; its own row goes last.

    Every statement names the set, so that it stays within one shard. Returns how many rows went.
    """
    is_over = select(sets.c.id).where(sets.c.id == set_id, IS_OVER).with_for_update()
    if (await db.execute(is_over)).one_or_none() is None:
        return 0
    for table in TABLES:
        keys = tuple_(*(column for column in table.primary_key if column.name != "set_id"))
        some = select(*keys.clauses).where(table.c.set_id == set_id).limit(ROWS_AT_ONCE)
        removed = await db.execute(delete(table).where(table.c.set_id == set_id, keys.in_(some)))
        if removed.rowcount:
            return removed.rowcount
    name = (await db.execute(delete(sets).where(sets.c.id == set_id).returning(sets.c.pool))).scalar_one()
    others = select(sets.c.id).where(sets.c.pool == pools.c.name)
    await db.execute(delete(pools).where(pools.c.name == name, ~others.exists()))
    return 1
