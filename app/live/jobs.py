"""Long computations beside the requests that ask for them.

A request waits a little and is then told how far the work is; whoever asks again gets the result once it is there.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar, cast

R = TypeVar("R")
PATIENCE = 5.0  # seconds that a request waits
KEPT = 16  # results


class Underway(Exception):
    """The work goes on."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


class _Job(Generic[R]):
    def __init__(self, threads: ThreadPoolExecutor, work: Callable[[Callable[[str], None]], R]) -> None:
        self.said = "it has just begun"
        self.result = asyncio.get_running_loop().run_in_executor(threads, lambda: work(self._say))

    def _say(self, said: str) -> None:
        self.said = said


class Jobs:
    """One at a time, the latest results kept."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[Hashable, _Job[Any]] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jobs")

    async def result(self, key: Hashable, work: Callable[[Callable[[str], None]], R]) -> R:
        """What `work` returns; it is called once for each key, with a function that takes words on how far it is.

        Raises Underway, and what `work` raises.
        """
        if key not in self._jobs:
            self._jobs[key] = _Job(self._thread, work)
            self._trim()
        job = self._jobs[key]
        self._jobs.move_to_end(key)
        if not (await asyncio.wait({job.result}, timeout=PATIENCE))[0]:
            raise Underway(job.said)
        if job.result.exception() is not None:
            self._jobs.pop(key, None)
        return cast("R", job.result.result())

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _trim(self) -> None:
        done = [key for key, job in self._jobs.items() if job.result.done()]
        for key in done[: max(len(self._jobs) - KEPT, 0)]:
            del self._jobs[key]
