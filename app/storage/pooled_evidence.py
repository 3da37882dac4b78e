"""Shared priors, from the other sets of a pool: entries of the log, append-only."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage import bulk, pages
from app.storage.pages import Page
from app.storage.schema import Record, pooled_evidence
from app.storage.spans import in_spans

BY_JUDGE = ("log_noise", "log_effects")  # of a value; entries from before effects were pooled lack them

e = pooled_evidence.c
WITHIN = in_spans(select(e.set_id, e.seq, e.value), e).order_by(e.seq)


async def append(db: AsyncConnection, rows: Sequence[dict[str, Any]]) -> None:
    """Add rows that carry their seq already. All rows have the same columns."""
    await bulk.append(db, pooled_evidence, rows)


async def latest(db: AsyncConnection, set_id: UUID, version: int) -> Record | None:
    """The entry that counts at this version, if any."""
    statement = select(pooled_evidence).where(e.set_id == set_id, e.seq <= version).order_by(e.seq.desc()).limit(1)
    return (await db.execute(statement)).one_or_none()


async def page(db: AsyncConnection, set_id: UUID, *, after: int, limit: int) -> Page:
    """Entries, oldest first, from behind sequence number `after` on."""
    statement = select(pooled_evidence, pages.length(e.value)).where(e.set_id == set_id, e.seq > after)
    return await pages.read(db, statement, [e.seq], limit)
