"""Do a write once, however often it is sent.

The record of what was answered is written in the transaction of the write itself, so either both are there or neither.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import Context
from app.service.errors import IdempotencyKeyReused
from app.storage import idempotency
from app.storage.failures import FAILURES

KEPT = timedelta(days=7)


class Attempt(NamedTuple):
    """A write that is sent, once or again."""

    key: str
    endpoint: str
    fingerprint: str  # of the request's content


class EarlierResponse(NamedTuple):
    """The answer to the first attempt."""

    status: int
    response: Any


async def once(
    db: AsyncConnection, attempt: Attempt, status: int, action: Callable[[AsyncConnection], Awaitable[BaseModel]]
) -> str | EarlierResponse:
    """The result of `action` as JSON, or what an earlier attempt with the same key was answered.

    A second attempt that comes while the first is under way waits for it. Raises IdempotencyKeyReused.
    """
    key, endpoint, fingerprint = attempt
    if not await idempotency.claim(db, key, endpoint, fingerprint):
        return await _recall(db, attempt)
    result = (await action(db)).model_dump_json()
    await idempotency.keep(db, key, endpoint, status, result)
    return result


async def _recall(db: AsyncConnection, attempt: Attempt) -> EarlierResponse:
    row = await idempotency.recall(db, attempt.key, attempt.endpoint)
    if row.fingerprint != attempt.fingerprint:
        raise IdempotencyKeyReused(
            f"The Idempotency-Key {attempt.key!r} was used for another request to {attempt.endpoint}; "
            "use a new key for every new request."
        )
    return EarlierResponse(row.status, row.response)


async def sweep(ctx: Context) -> None:
    """Forget requests that are too old to be repeated, once an hour."""
    while True:
        with suppress(*FAILURES):
            async with ctx.writing() as db:
                await idempotency.sweep(db, KEPT)
        await asyncio.sleep(3600)
