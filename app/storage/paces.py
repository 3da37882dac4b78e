"""The pace of judges: when they sent their verdicts."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import comparisons

c = comparisons.c
IS_ORIGINAL = c.restores.is_(None)  # no copy of a comparison whose void was undone
PAUSE = timedelta(minutes=10)  # without a verdict: the judge was not at work


class Pace(NamedTuple):
    """When a judge sent its verdicts."""

    last: datetime
    gaps: int  # between two verdicts on pairs that it asked for, shorter than PAUSE
    seconds: float  # of all of them


async def paces(db: AsyncConnection, set_id: UUID) -> dict[int, Pace]:
    """Pace of each judge, by its id."""
    was_asked = c.assignment_id.is_not(None)
    before = func.lag(c.created_at).over(partition_by=[c.judge_id, was_asked], order_by=[c.created_at, c.seq])
    gaps = select(c.judge_id, c.created_at, was_asked.label("asked"), (c.created_at - before).label("gap"))
    g = gaps.where(c.set_id == set_id, IS_ORIGINAL).subquery().c
    is_short = and_(g.asked, g.gap < PAUSE)
    seconds = func.coalesce(func.sum(func.extract("epoch", g.gap)).filter(is_short), 0.0)
    columns = func.max(g.created_at), func.count(g.gap).filter(is_short), seconds
    rows = await db.execute(select(g.judge_id, *columns).group_by(g.judge_id))
    return {judge: Pace(last, gaps, float(total)) for judge, last, gaps, total in rows}


async def hours(db: AsyncConnection, set_id: UUID, judge_id: int) -> dict[datetime, int]:
    """Number of verdicts of one judge in each hour in which it sent any, oldest first, in UTC."""
    hour = func.date_trunc("hour", c.created_at, "UTC").label("hour")
    statement = select(hour, func.count().label("verdicts")).where(
        c.set_id == set_id, c.judge_id == judge_id, IS_ORIGINAL
    )
    return {row.hour: row.verdicts for row in await db.execute(statement.group_by(hour).order_by(hour))}


async def times(db: AsyncConnection, set_id: UUID, seqs: Sequence[int]) -> dict[int, datetime]:
    """Times of these comparisons, by their sequence numbers."""
    rows = await db.execute(select(c.seq, c.created_at).where(c.set_id == set_id, c.seq == func.any(seqs)))
    return {row.seq: row.created_at for row in rows}
