"""Notices that a set has changed, for those who wait for one: long polls, event streams, pools.

A notice only says "look again": whoever is woken reads the log from the version that it holds, so a lost notice delays
and never loses anything.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

RETRY_SECONDS = 1.0
L = TypeVar("L")


class Topic(Generic[L]):
    """Notices of one set, while anyone listens."""

    def __init__(self) -> None:
        self.notices = 0  # so far
        self._next = asyncio.Event()
        self._looking = asyncio.Lock()
        self._last: L | None = None  # look
        self._seen = 0  # notices when it began

    def hear(self) -> None:
        self.notices += 1
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, seen: int, seconds: float) -> bool:
        """Wait until there are more than `seen` notices, or the time; whether there are."""
        if self.notices <= seen:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._next.wait(), seconds)
        return self.notices > seen

    async def look(self, read: Callable[[L | None], Awaitable[L]], will_do: Callable[[L], bool]) -> L:
        """A look by `read`, going on from the last one. Whoever is first after a notice reads for all who listen.

        It is read again without a notice when the last look will not do.
        """
        before = self.notices
        async with self._looking:
            if self._last is None or self._seen < before or not will_do(self._last):
                seen = self.notices
                self._last = await read(self._last)
                self._seen = seen
            return self._last


class Changes:
    """Sets that changed since they were last taken; at first, and after a while of silence, that may be any."""

    def __init__(self) -> None:
        self._ids: set[UUID] | None = None
        self._any = asyncio.Event()

    def hear(self, ids: Iterable[UUID]) -> None:
        if self._ids is not None:
            self._ids.update(ids)
        self._any.set()

    def hear_all(self) -> None:
        self._ids = None
        self._any.set()

    async def wait(self) -> None:
        await self._any.wait()

    def take(self) -> list[UUID] | None:
        """Sets that changed, or None for all."""
        ids, self._ids = self._ids, set()
        self._any.clear()
        return None if ids is None else sorted(ids)


class Notices:
    """The topics of the sets that anyone listens to, and the sets that changed."""

    def __init__(self) -> None:
        self.closed = False  # then nobody waits any more
        self.changes = Changes()
        self._topics: WeakValueDictionary[str, Topic[Any]] = WeakValueDictionary()

    def about(self, set_id: UUID) -> Topic[Any]:
        """The set's topic; count its notices before looking at the set, and wait for more."""
        return self._topics.setdefault(str(set_id), Topic())

    def hear(self, payload: str) -> None:
        """`payload` holds the ids of the sets that changed."""
        self.changes.hear(map(UUID, payload.split()))
        for set_id in payload.split():
            if (topic := self._topics.get(set_id)) is not None:
                topic.hear()

    def hear_all(self) -> None:
        self.changes.hear_all()
        for topic in list(self._topics.values()):
            topic.hear()

    def close(self) -> None:
        self.closed = True
        self.hear_all()

    async def run(self, listen: Callable[[Callable[[str], None], Callable[[], None]], Awaitable[None]]) -> None:
        """Listen without end; on each start wake everyone, so that no earlier notice is missed."""
        while True:
            try:
                await listen(self.hear, self.hear_all)
            except OSError:
                await asyncio.sleep(RETRY_SECONDS)
