"""Answers to each Idempotency-Key, written in the transaction of the write itself."""

from datetime import timedelta

from sqlalchemy import bindparam, delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import Record, idempotency

i = idempotency.c


_CLAIM = (
    insert(idempotency)
    .values({name: bindparam(name) for name in ("key", "endpoint", "fingerprint")})
    .on_conflict_do_nothing()
    .returning(i.key)
)


async def claim(db: AsyncConnection, key: str, endpoint: str, fingerprint: str) -> bool:
    """True for the first to come; whoever comes meanwhile waits here until the first has committed or gone."""
    values = {"key": key, "endpoint": endpoint, "fingerprint": fingerprint}
    return (await db.execute(_CLAIM, values)).one_or_none() is not None


_KEEP = text(
    "UPDATE idempotency SET status = :status, response = CAST(:response AS jsonb) "
    "WHERE key = :key AND endpoint = :endpoint"
)


async def keep(db: AsyncConnection, key: str, endpoint: str, status: int, response: str) -> None:
    """`response` is JSON."""
    await db.execute(_KEEP, {"key": key, "endpoint": endpoint, "status": status, "response": response})


async def recall(db: AsyncConnection, key: str, endpoint: str) -> Record:
    """(fingerprint, status, response)."""
    statement = select(i.fingerprint, i.status, i.response).where(i.key == key, i.endpoint == endpoint)
    return (await db.execute(statement)).one()


async def sweep(db: AsyncConnection, keep: timedelta) -> None:
    """Forget records older than `keep`."""
    await db.execute(delete(idempotency).where(i.created_at < func.now() - keep))
