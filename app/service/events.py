"""Events of a set, as they happen."""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Literal, NamedTuple
from uuid import UUID

from nextpair import schemas
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import Context, existing_set
from app.service.errors import SetDeleted
from app.service.notices import Topic
from app.service.presenting.comparisons import present_comparison
from app.service.presenting.sets import present_progress
from app.storage import comparisons

HEARTBEAT_SECONDS = 15.0
BATCH = 500
KEPT, KEPT_CHARACTERS = 1000, 7_000_000  # comparisons of a set that is followed, and what `raw` may take of them


class SetEvent(NamedTuple):
    name: Literal["comparison", "ranking", "status"]
    content: BaseModel
    version: int  # an event stream that resumes from here misses nothing


class _Look(NamedTuple):
    """State of a set at one moment, and the newest of its comparisons."""

    at: float  # seconds, by the loop's clock
    state: schemas.SetProgress | None  # None once the set is deleted
    voids: int
    after: int
    until: int
    entries: tuple[schemas.Comparison, ...]  # all behind version `after`, up to `until`


async def follow(ctx: Context, set_id: UUID, after: int) -> AsyncIterator[SetEvent | None]:
    """Comparisons after version `after`, followed by the set's new state.

    All who follow a set share what is read of it. Yields None as a heartbeat. Ends with the set or the service.
    """
    topic: Topic[_Look] = ctx.notices.about(set_id)
    previous: schemas.SetProgress | None = None
    while not ctx.notices.closed:
        seen = topic.notices
        look = await topic.look(partial(_look, ctx, set_id), partial(_will_do, previous, after))
        if (state := look.state) is None:
            return
        entries, reached = await _entries(ctx, set_id, look, after)
        for entry in entries:
            yield SetEvent("comparison", entry, entry.seq)
        after = max(after, reached)
        if previous is None or previous.status != state.status:
            yield SetEvent("status", state, after)
        if previous is None or _ranked(previous) != _ranked(state):
            yield SetEvent("ranking", state, after)
        previous = state
        if after >= state.version and not await topic.wait(seen, HEARTBEAT_SECONDS):
            yield None


def _will_do(previous: schemas.SetProgress | None, after: int, look: _Look) -> bool:
    """True where a look holds more than this listener has sent, or is new enough to say that there is no more."""
    if look.state is None or previous is None:
        return look.state is None
    is_new = asyncio.get_running_loop().time() - look.at < HEARTBEAT_SECONDS
    return look.until > after or (look.until >= look.state.version and is_new)


def _ranked(state: schemas.SetProgress) -> tuple[int, int]:
    """All that a ranking depends on."""
    return state.version, state.candidates


async def _look(ctx: Context, set_id: UUID, last: _Look | None) -> _Look:
    """Goes on from the last look, by `BATCH` comparisons at the most; a void may have changed what that holds."""
    now = asyncio.get_running_loop().time()
    async with ctx.reading() as db:
        try:
            row = await existing_set(db, set_id)
        except SetDeleted:
            return _Look(now, None, 0, 0, 0, ())
        state, version = present_progress(row), int(row.version)
        if last is None:
            return _Look(now, state, row.voids, version, version, ())
        entries, until = await _page(db, set_id, last.until, version)
    after, earlier = (last.after, last.entries) if row.voids == last.voids else (last.until, ())
    after, entries = _newest(after, (*earlier, *entries))
    return _Look(now, state, row.voids, after, until, entries)


def _newest(after: int, entries: tuple[schemas.Comparison, ...]) -> tuple[int, tuple[schemas.Comparison, ...]]:
    """The last entries, as many as may be kept, and the version that they are behind."""
    size = 0
    for place in reversed(range(len(entries))):
        size += 0 if entries[place].raw is None else len(str(entries[place].raw))
        if len(entries) - place > KEPT or size > KEPT_CHARACTERS:
            return entries[place].seq, entries[place + 1 :]
    return after, entries


async def _page(
    db: AsyncConnection, set_id: UUID, after: int, version: int
) -> tuple[tuple[schemas.Comparison, ...], int]:
    """The comparisons behind `after`, and the version, `version` at the most, up to which these are all."""
    if after >= version:
        return (), version
    page = await comparisons.page(db, set_id, after=after, limit=BATCH)
    rows = [row for row in page.rows if row.seq <= version]
    return tuple(present_comparison(row) for row in rows), rows[-1].seq if rows and page.has_more else version


async def _entries(ctx: Context, set_id: UUID, look: _Look, after: int) -> tuple[Sequence[schemas.Comparison], int]:
    """Comparisons behind `after`, and up to which version these are all; only who is far behind reads the log."""
    if after >= look.after:
        return look.entries[bisect_right(look.entries, after, key=attrgetter("seq")) :], look.until
    assert look.state is not None
    async with ctx.reading() as db:
        return await _page(db, set_id, after, look.state.version)
