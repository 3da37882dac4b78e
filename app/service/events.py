"""What happens to a set, as it happens."""

from collections.abc import AsyncIterator
from typing import Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel

from app import schemas
from app.service import comparisons
from app.service.context import Context, existing_set
from app.service.errors import SetDeleted
from app.service.notices import wait
from app.storage import comparisons as log

HEARTBEAT_SECONDS = 15.0
BATCH = 500


class Event(NamedTuple):
    name: Literal["comparison", "ranking", "status"]
    data: BaseModel
    version: int  # an event stream that resumes from here misses nothing


async def follow(ctx: Context, set_id: UUID, after: int | None) -> AsyncIterator[Event | None]:
    """Comparisons after version `after` (from now on by default), each batch followed by the set's new state.

    Yields None as a heartbeat. Ends when the set is deleted.
    """
    async with ctx.notices.about(set_id) as changed:
        previous: schemas.SetProgress | None = None
        while True:
            changed.clear()
            state, entries = await _look(ctx, set_id, after)
            if state is None:
                return
            for entry in entries:
                yield Event("comparison", entry, entry.seq)
            after = entries[-1].seq if len(entries) == BATCH else state.version
            if previous is None or previous.status != state.status:
                yield Event("status", state, after)
            if previous is None or previous.version != state.version:
                yield Event("ranking", state, after)
            previous = state
            if len(entries) < BATCH:
                await wait(changed, HEARTBEAT_SECONDS)
                yield None


async def _look(
    ctx: Context, set_id: UUID, after: int | None
) -> tuple[schemas.SetProgress | None, list[schemas.Comparison]]:
    async with ctx.engine.connect() as db:
        try:
            row = await existing_set(db, set_id)
        except SetDeleted:
            return None, []
        state = schemas.SetProgress(version=row.version, comparisons=row.version - 2 * row.voids, status=row.status)
        if after is None or after >= row.version:
            return state, []
        rows = await log.page(db, set_id, after=after, limit=BATCH)
        return state, [comparisons.present(r) for r in rows if r.seq <= row.version]
