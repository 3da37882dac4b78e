"""Writes to one set and asks of all, a few at a time: the others wait here, without a connection to the database.

A set's log is written by one transaction after the other. Did all of them wait for the set's row in PostgreSQL, one set
that somebody does not let go of would take every connection. An ask that would wait longer than PATIENCE_OF_ASKS is
turned away at once; verdicts on pairs that were given are not.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from collections.abc import Set as AbstractSet
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from time import monotonic
from uuid import UUID

from app.service.errors import Busy

AT_ONCE = 3  # one that writes, and two that have come as far as the set's row
# Asks of all sets that are worked on at a time: enough to keep one core busy, and fewer than there are connections to
# the database, so that a tell finds one free and has few in front of it.
ASKS_AT_ONCE = 8
PATIENCE_OF_ASKS, PATIENCE_OF_OTHERS = 2.0, 10.0  # seconds
USUAL_PACE = 0.005  # seconds from one answer to the next, before any was measured
SLOWEST_PACE = PATIENCE_OF_ASKS / ASKS_AT_ONCE  # with which as many are admitted as are worked on
REMEMBERED = 16  # answers, of which the pace is the mean


class Asks:
    """Asks of all sets: some are worked on, some wait, and those that would wait too long are turned away at once."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(ASKS_AT_ONCE)
        self._here = 0
        self._pace = USUAL_PACE  # seconds from one answer to the next while others wait
        self._since = 0.0  # when the last one was given, or others began to wait

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count an ask from its arrival to its answer. Raises Busy."""
        if self._here * self._pace > PATIENCE_OF_ASKS:
            raise Busy(
                f"{self._here} requests for pairs are before this one, which takes over {PATIENCE_OF_ASKS:g} seconds. "
                "Send the request again."
            )
        if self._here <= 1:
            self._since = monotonic()
        self._here += 1
        try:
            yield
        finally:
            self._here -= 1

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """A place among those that are worked on."""
        async with self._places:
            yield
            earlier, self._since = self._since, monotonic()
            if self._here > 1:
                self._pace += (min(self._since - earlier, SLOWEST_PACE) - self._pace) / REMEMBERED

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
        """Wait until somebody gives back a turn of this set."""
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
