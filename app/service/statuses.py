"""Statuses of many sets: the word that an ask for one more pair of each would be answered with."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from nextpair.schemas import SetOut
from nextpair.words import ORDERS_ASKED, PageStatus
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.asking import status
from app.service.context import Context
from app.service.errors import SetDeleted
from app.service.leases import NOBODY
from app.storage import assignments


async def statuses(ctx: Context, listed: Sequence[SetOut]) -> list[PageStatus]:
    """Posteriors are read only where counts alone do not tell."""
    if ctx.live.warm is None:
        return ["preparing" for _ in listed]
    async with ctx.reading() as db:
        leases = Counter(row.set_id for row in await assignments.blocking(db, [each.id for each in listed], NOBODY))
        return [
            "open" if _is_open_by_counts(each, leases[each.id]) else await _status(ctx, db, each.id) for each in listed
        ]


async def _status(ctx: Context, db: AsyncConnection, set_id: UUID) -> PageStatus:
    try:
        return await status(ctx, db, set_id)
    except SetDeleted:  # since it was listed
        return "paused"


def _is_open_by_counts(known: SetOut, leases: int) -> bool:
    """True for a set of texts without a rule to stop that has more pairs and budget than comparisons and leases."""
    if known.status != "open" or known.stop is not None or known.items:
        return False
    pairs = known.candidates * (known.candidates - 1) // 2 * ORDERS_ASKED[known.order]
    budget = known.budget.max_comparisons if known.budget else None
    return known.comparisons + leases < (pairs if budget is None else min(pairs, budget))
