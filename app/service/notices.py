"""Who wants to hear that a set has changed: long polls and event streams.

A notice only says "look again": whoever is woken reads the log from the version that it holds, so a lost notice delays
and never loses anything.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from uuid import UUID

RETRY_SECONDS = 1.0


class Notices:
    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @asynccontextmanager
    async def about(self, set_id: UUID) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever the set changes; clear it before looking."""
        event = asyncio.Event()
        self._waiting[str(set_id)].add(event)
        try:
            yield event
        finally:
            self._waiting[str(set_id)].discard(event)
            if not self._waiting[str(set_id)]:
                del self._waiting[str(set_id)]

    def hear(self, payload: str) -> None:
        """`payload` holds the ids of the sets that changed."""
        for set_id in payload.split():
            for event in self._waiting.get(set_id, ()):
                event.set()

    def hear_all(self) -> None:
        for set_id in self._waiting:
            self.hear(set_id)

    async def run(self, listen: Callable[[Callable[[str], None], Callable[[], None]], Awaitable[None]]) -> None:
        """Listen for ever; whenever that begins, wake everyone, so that nothing said before is missed."""
        while True:
            try:
                await listen(self.hear, self.hear_all)
            except OSError:
                await asyncio.sleep(RETRY_SECONDS)


async def wait(event: asyncio.Event, seconds: float) -> None:
    """Until the event or the time."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
