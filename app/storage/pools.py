"""Pools of sets, each with its latest estimate."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Text, cast, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import Record, pools, sets
from app.storage.sets import COMPARISONS

GROWTH = 1.25  # of a pool's comparisons, from one estimate to the next
TELLING, ENOUGH = 2, 3  # so many sets, with so many comparisons each, at least
TO_ESTIMATE = text("interval '5 minutes'")  # then another process may do it

s, p = sets.c, pools.c
_total = func.sum(COMPARISONS)
_of_pool = (s.pool.is_not(None), s.deleted_at.is_(None), s.evidence == literal("learnt", JSONB))


class PoolEstimate(NamedTuple):
    """Priors that a pool has learnt, for its sets."""

    estimate: UUID  # its id
    sets: int  # that contributed
    value: dict[str, Any]


async def of_sets(db: AsyncConnection, ids: Sequence[UUID] | None) -> Sequence[str]:
    """Names of the pools of these sets, or all."""
    statement = select(s.pool).distinct().where(*_of_pool)
    if ids is not None:
        statement = statement.where(s.id == func.any(ids))
    rows = await db.execute(statement.order_by(s.pool))
    return [row.pool for row in rows]


async def claim(db: AsyncConnection, names: Sequence[str]) -> Sequence[str]:
    """Pools, of these, that are due and that no other process estimates now; for a while they are this process's."""
    rows = select(func.unnest(cast(names, ARRAY(Text))), func.now())
    await db.execute(insert(pools).from_select(["name", "claimed_until"], rows).on_conflict_do_nothing())
    in_pool = (
        select(s.pool, _total.label("comparisons"))
        .where(*_of_pool, s.pool == func.any(names))
        .group_by(s.pool)
        .having(func.count().filter(COMPARISONS >= ENOUGH) >= TELLING)
        .subquery()
    )
    has_grown = in_pool.c.comparisons >= GROWTH * p.comparisons
    due = (p.name == in_pool.c.pool, p.claimed_until <= func.now(), has_grown)
    statement = update(pools).where(*due).values(claimed_until=func.now() + TO_ESTIMATE).returning(p.name)
    return [row.name for row in await db.execute(statement)]


async def members(db: AsyncConnection, name: str, limit: int) -> Sequence[Record]:
    """Sets of a pool with ENOUGH comparisons, those with most first; `in_pool` is how many the pool has."""
    in_pool = select(_total).where(*_of_pool, s.pool == name).scalar_subquery()
    statement = select(sets, in_pool.label("in_pool")).where(*_of_pool, s.pool == name, COMPARISONS >= ENOUGH)
    return (await db.execute(statement.order_by(COMPARISONS.desc(), s.id).limit(limit))).all()


async def record(db: AsyncConnection, name: str, comparisons: int, estimate: PoolEstimate | None) -> None:
    """Let go of a pool that was claimed, with what it has learnt of so many comparisons, if anything."""
    values = {"comparisons": comparisons, "claimed_until": func.now()} | (estimate._asdict() if estimate else {})
    await db.execute(update(pools).where(p.name == name).values(values))


_is_new = (p.estimate.is_not(None), s.estimate.is_distinct_from(p.estimate))
_lacking = (*_of_pool, s.status == "open", COMPARISONS > 0, *_is_new)
_joined = sets.join(pools, p.name == s.pool)


async def lock_lacking(db: AsyncConnection, name: str, limit: int) -> Sequence[Record]:
    """(id, pool, estimate, sets, value) of open sets with comparisons that lack their pool's estimate, locked, by id.

    Those that others write to are passed over.
    """
    statement = (
        select(s.id, p.name.label("pool"), p.estimate, p.sets, p.value)
        .select_from(_joined)
        .where(*_lacking, s.pool == name)
        .order_by(s.id)
        .limit(limit)
        .with_for_update(key_share=True, of=sets, skip_locked=True)
    )
    return (await db.execute(statement)).all()


async def lacking(db: AsyncConnection, names: Sequence[str]) -> Sequence[str]:
    """Pools, of these, that have such sets."""
    statement = select(s.pool).distinct().select_from(_joined).where(*_lacking, s.pool == func.any(names))
    return [row.pool for row in await db.execute(statement.order_by(s.pool))]
