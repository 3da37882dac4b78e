"""Absolute scores: entries of the log, append-only."""

from typing import Any
from uuid import UUID

from sqlalchemy import and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage import bulk, pages
from app.storage.pages import Page
from app.storage.schema import absolute_scores, candidates, items, judges
from app.storage.spans import in_spans

s = absolute_scores.c
WITHIN = in_spans(select(s.set_id, s.seq, s.item_id, s.candidate, s.judge_id, s.mean, s.variance), s).order_by(s.seq)


async def append(db: AsyncConnection, rows: list[dict[str, Any]]) -> None:
    """Add rows that carry their seq already. All rows have the same columns."""
    await bulk.append(db, absolute_scores, rows)


async def page(db: AsyncConnection, set_id: UUID, *, after: int, limit: int) -> Page:
    """Scores with their names, oldest first, from behind sequence number `after` on."""
    statement = (
        select(
            s.seq, s.set_id, items.c.key.label("item"), candidates.c.key.label("candidate"),
            judges.c.name.label("judge"), s.mean, s.variance, s.probabilities, s.created_at,
            pages.length(s.probabilities),
        )
        .join(judges, judges.c.id == s.judge_id)
        .join(items, and_(items.c.set_id == s.set_id, items.c.id == s.item_id))
        .join(candidates, and_(candidates.c.set_id == s.set_id, candidates.c.id == s.candidate))
        .where(s.set_id == set_id, s.seq > after)
    )  # fmt: skip
    return await pages.read(db, statement, [s.seq], limit)
