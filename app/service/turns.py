"""Writes to one set and asks of all, a few at a time: the others wait here, without a connection to the database.

A set's log is written by one transaction after the other. Did all of them wait for the set's row in PostgreSQL, one set
that somebody does not let go of would take every connection. Asks are turned away soon when there are more than the
process can answer; verdicts on pairs that were given are not.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from collections.abc import Set as AbstractSet
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from uuid import UUID

from app.service.errors import Busy

AT_ONCE = 3  # one that writes, and two that have come as far as the set's row
WAITING = 100  # for one set
# Asks of all sets that are worked on at a time: enough to keep one core busy, and fewer than there are connections to
# the database, so that a tell finds one free and has few in front of it.
ASKS_AT_ONCE = 8
ASKS_WAITING = 32
PATIENCE_OF_ASKS, PATIENCE_OF_OTHERS = 1.5, 10.0  # seconds


class Asks:
    """Asks of all sets: some are worked on, some wait, and those beyond are turned away at once."""

    def __init__(self) -> None:
        self.at_work = asyncio.Semaphore(ASKS_AT_ONCE)
        self._here = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count an ask from its arrival to its answer. Raises Busy."""
        if self._here >= ASKS_AT_ONCE + ASKS_WAITING:
            raise Busy("This process chooses pairs for too many requests at once. Send the request again.")
        self._here += 1
        try:
            yield
        finally:
            self._here -= 1

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Leave an ask out that waits for others to give a pair back."""
        self._here -= 1
        try:
            yield
        finally:
            self._here += 1


class Turns:
    """The turns that are taken and waited for, by set."""

    def __init__(self) -> None:
        self._taken: Counter[UUID] = Counter()
        self._waiting: defaultdict[UUID, list[asyncio.Event]] = defaultdict(list)

    def of(self, set_ids: AbstractSet[UUID]) -> AbstractAsyncContextManager[None]:
        """A turn of each of these sets. Raises Busy."""
        return patiently(self._all(set_ids))

    @asynccontextmanager
    async def _all(self, set_ids: AbstractSet[UUID]) -> AsyncIterator[None]:
        """All are taken at the same moment: who waits for one set keeps nobody from another."""
        while (full := next((each for each in set_ids if self._taken[each] >= AT_ONCE), None)) is not None:
            await self._change(full)
        self._taken.update(set_ids)
        try:
            yield
        finally:
            self._taken -= Counter(set_ids)
            for event in (event for set_id in set_ids for event in self._waiting.get(set_id, ())):
                event.set()

    async def _change(self, set_id: UUID) -> None:
        """Wait until somebody gives back a turn of this set. Raises Busy."""
        if len(self._waiting[set_id]) >= WAITING:
            raise Busy(f"Set {set_id} is busy: {WAITING} writes wait for it. Send the request again later.")
        event = asyncio.Event()
        self._waiting[set_id].append(event)
        try:
            await event.wait()
        finally:
            self._waiting[set_id].remove(event)
            if not self._waiting[set_id]:
                del self._waiting[set_id]


@asynccontextmanager
async def patiently(*turns: AbstractAsyncContextManager[None], patience: float | None = None) -> AsyncIterator[None]:
    """Wait for these turns, one after the other, and no longer than PATIENCE_OF_OTHERS in all. Raises Busy."""
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(PATIENCE_OF_OTHERS if patience is None else patience):
                for turn in turns:
                    await stack.enter_async_context(turn)
        except TimeoutError:
            raise Busy("The set is busy, and nothing was written. Send the request again.") from None
        yield
