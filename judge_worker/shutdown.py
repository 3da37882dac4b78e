"""Work runs until it is done, or until it is stopped: then what is under way has a little time to finish."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any

GRACE = 45.0  # seconds


async def until_stopped(work: Sequence[Coroutine[Any, Any, None]], stopping: asyncio.Event) -> None:
    """Run all of `work` together; when one fails the others are cancelled before its error is raised."""
    tasks = [asyncio.create_task(each) for each in work]
    stop = asyncio.create_task(stopping.wait())
    try:
        while not stop.done() and not all(task.done() for task in tasks):
            running = [task for task in tasks if not task.done()]
            done, _ = await asyncio.wait([*running, stop], return_when=asyncio.FIRST_COMPLETED)
            _raise_first(done - {stop})
        await asyncio.wait(tasks, timeout=GRACE, return_when=asyncio.FIRST_EXCEPTION)
        _raise_first(task for task in tasks if task.done())
    finally:
        await cancel([*tasks, stop])


async def sleep_unless_stopped(seconds: float, stopping: asyncio.Event) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)


async def cancel(tasks: Sequence[asyncio.Future[Any]]) -> None:
    """Cancel all, and return once they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _raise_first(done: Any) -> None:
    for task in done:
        task.result()
