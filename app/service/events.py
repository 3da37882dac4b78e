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
from app.service.sets import comparisons_of
from app.storage import comparisons as log
from app.storage.tables import Record

HEARTBEAT_SECONDS = 15.0
BATCH = 500


class Event(NamedTuple):
    name: Literal["comparison", "ranking", "status"]
    data: BaseModel
    version: int  # an event stream that resumes from here misses nothing


async def follow(ctx: Context, set_id: UUID, after: int | None) -> AsyncIterator[Event | None]:
    """Comparisons after version `after` (from now on by default), followed by the set's new state.

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
            if previous is None or _ranked(previous) != _ranked(state):
                yield Event("ranking", state, after)
            previous = state
            if len(entries) < BATCH:
                await wait(changed, HEARTBEAT_SECONDS)
                yield None


def _ranked(state: schemas.SetProgress) -> tuple[int, int]:
    """What a ranking depends on."""
    return state.version, state.candidates


def _progress(row: Record) -> schemas.SetProgress:
    return schemas.SetProgress(
        version=row.version, comparisons=comparisons_of(row), candidates=row.candidates, status=row.status
    )


async def _look(
    ctx: Context, set_id: UUID, after: int | None
) -> tuple[schemas.SetProgress | None, list[schemas.Comparison]]:
    async with ctx.engine.connect() as db:
        try:
            row = await existing_set(db, set_id)
        except SetDeleted:
            return None, []
        state = _progress(row)
        if after is None or after >= row.version:
            return state, []
        rows = await log.page(db, set_id, after=after, limit=BATCH)
        return state, [comparisons.present(r) for r in rows if r.seq <= row.version]
