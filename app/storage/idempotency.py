"""Answers to each Idempotency-Key, written in the transaction of the write itself."""

from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.driver import fetch
from app.storage.schema import Record, idempotency

i = idempotency.c


_CLAIM = "INSERT INTO idempotency (key, endpoint, fingerprint) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING key"


async def claim(db: AsyncConnection, key: str, endpoint: str, fingerprint: str) -> bool:
    """True for the first to come; whoever comes meanwhile waits here until the first has committed or gone."""
    return bool(await fetch(db, _CLAIM, key, endpoint, fingerprint))


_KEEP = "UPDATE idempotency SET status = $3, response = $4::text::jsonb WHERE key = $1 AND endpoint = $2"


async def keep(db: AsyncConnection, key: str, endpoint: str, status: int, response: str) -> None:
    """`response` is JSON."""
    await fetch(db, _KEEP, key, endpoint, status, response)


async def recall(db: AsyncConnection, key: str, endpoint: str) -> Record:
    """(fingerprint, status, response)."""
    statement = select(i.fingerprint, i.status, i.response).where(i.key == key, i.endpoint == endpoint)
    return (await db.execute(statement)).one()


async def sweep(db: AsyncConnection, keep: timedelta) -> None:
    """Forget records older than `keep`."""
    await db.execute(delete(idempotency).where(i.created_at < func.now() - keep))
