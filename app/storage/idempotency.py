"""What was answered to each Idempotency-Key, written in the transaction of the write itself."""

from datetime import timedelta
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.tables import Record, idempotency

i = idempotency.c


async def claim(db: AsyncConnection, key: str, endpoint: str, fingerprint: str) -> bool:
    """True for the first to come; whoever comes meanwhile waits here until the first has committed or gone."""
    values = {"key": key, "endpoint": endpoint, "fingerprint": fingerprint}
    statement = insert(idempotency).values(values).on_conflict_do_nothing().returning(i.key)
    return (await db.execute(statement)).one_or_none() is not None


async def keep(db: AsyncConnection, key: str, endpoint: str, status: int, response: Any) -> None:
    here = (i.key == key, i.endpoint == endpoint)
    await db.execute(update(idempotency).where(*here).values(status=status, response=response))


async def recall(db: AsyncConnection, key: str, endpoint: str) -> Record:
    """(fingerprint, status, response)."""
    statement = select(i.fingerprint, i.status, i.response).where(i.key == key, i.endpoint == endpoint)
    return (await db.execute(statement)).one()


async def sweep(db: AsyncConnection, keep: timedelta) -> None:
    """Forget records older than `keep`."""
    await db.execute(delete(idempotency).where(i.created_at < func.now() - keep))
