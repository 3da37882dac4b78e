"""Sets that were deleted go for good when their days of grace are over: at the start of the service and once a day."""

import asyncio
import logging
from uuid import UUID

from nextpair.words import GRACE_DAYS

from app.service.context import Context
from app.service.failures import FAILURES
from app.storage import purge

DAY_SECONDS = 86_400.0

log = logging.getLogger("nextpair")


async def keep_purging(ctx: Context) -> None:
    """Purge without end; what a failure or another process leaves undone, the next day does."""
    while True:
        try:
            await purge_all(ctx)
        except FAILURES as error:
            log.warning("cannot remove deleted sets whose grace is over; trying again in a day: %s", error)
        await asyncio.sleep(DAY_SECONDS)


async def purge_all(ctx: Context) -> None:
    """Remove every set whose grace is over, in short transactions."""
    is_under_way = True
    while is_under_way:
        async with ctx.reading() as db:
            due = await purge.due(db)
        is_under_way = any([await _remove(ctx, set_id) for set_id in due])


async def _remove(ctx: Context, set_id: UUID) -> int:
    """Remove the set, unless another process is at it; returns how many rows went."""
    rows, some = 0, 1
    while some:
        async with ctx.writing() as db:
            some = await purge.remove_some(db, set_id) if await purge.claim(db) else 0
        rows += some
    if rows:
        ctx.live.forget(set_id)
        log.warning("removed %d rows of set %s, which was deleted more than %d days ago", rows, set_id, GRACE_DAYS)
    return rows
