"""Outages of the database: logged when they begin and when they are over, however many requests meet them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from app.service.context import Context
from app.service.errors import AppError, DiskFull
from app.service.failures import FAILURES
from app.storage import db
from app.storage.embedded.binaries import EmbeddedPostgresError

LOOK_SECONDS = 1.0

log = logging.getLogger("nextpair")


class Outages:
    """The outages of now. Args: `bring_back` brings a private database back, if it is away."""

    def __init__(self, ctx: Context, bring_back: Callable[[], Awaitable[None]]) -> None:
        self._ctx, self._bring_back = ctx, bring_back
        self._watches: dict[type[AppError], asyncio.Task[None]] = {}

    def __contains__(self, kind: type[AppError]) -> bool:
        return kind in self._watches

    def note(self, failure: AppError, error: BaseException) -> None:
        """Begin an outage of this kind, unless it is known."""
        kind = type(failure)
        if kind not in self._watches:
            log.warning("%s: %s", failure.title, " ".join(str(error).split()))
            self._watches[kind] = asyncio.create_task(self._watch(kind, failure.title))

    async def close(self) -> None:
        for watch in self._watches.values():
            watch.cancel()
        await asyncio.gather(*self._watches.values(), return_exceptions=True)

    async def _watch(self, kind: type[AppError], title: str) -> None:
        while not await self._is_over(kind):
            await asyncio.sleep(LOOK_SECONDS)
        del self._watches[kind]
        log.warning("%s: this is over", title)

    async def _is_over(self, kind: type[AppError]) -> bool:
        try:
            await self._bring_back()
            await (self._ctx.try_the_disk() if kind is DiskFull else db.migration(self._ctx.spare))
        except (*FAILURES, EmbeddedPostgresError):
            return False
        return True
