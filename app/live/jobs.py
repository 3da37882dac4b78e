"""Long computations beside the requests that ask for them: one for each question about a set.

A request waits a little. Then it gets the last result, which says its version, or the progress of the work. A later
request gets the new result once it is ready. So a log that grows faster than it can be computed has results too. Once
every request that waited has gone, work is dropped before it begins and between reading and computing. A computation
that has begun is finished and kept. It is at the cost of the client whose request began it (spending.py).
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast
from uuid import UUID
from weakref import WeakValueDictionary

from app.live.spending import Spending

PATIENCE = 3.0  # seconds that a request waits
AT_ONCE = 2  # computations, each of another set
WAITING, OF_ONE_SET = 64, 4  # computations that may have begun or wait for it
KEPT, KEPT_BYTES = 1_000, 256 * 2**20  # results


MANY = "many others come first, and it has not begun"


class Result(Protocol):
    """The outcome of a job."""

    @property
    def version(self) -> int: ...
    @property
    def conditions(self) -> object:
        """All that it depends on beside the log: under other conditions it says nothing."""

    @property
    def size_bytes(self) -> int: ...


R = TypeVar("R", bound=Result)
V = TypeVar("V")
Report = Callable[[str], None]  # says how far a job is


class JobKey(NamedTuple):
    """A question about a set."""

    set_id: UUID
    name: str


class Underway(Exception):
    """The work goes on."""

    def __init__(self, progress: str) -> None:
        super().__init__(progress)
        self.progress = progress


class _Job(Generic[R]):
    def __init__(self) -> None:
        self.progress = ""
        self.last: R | None = None
        self.running: asyncio.Task[R] | None = None  # or done, until somebody asks
        self.has_begun = False
        self.readers = 0
        self.abandoned = False  # by the last reader, who will not come back

    def report(self, progress: str) -> None:
        self.progress = progress

    @property
    def busy(self) -> bool:
        return self.running is not None and not self.running.done()

    @property
    def size_bytes(self) -> int:
        return 0 if self.last is None else self.last.size_bytes


class Jobs:
    """One at a time for each set, so that no set waits for the long work of another; the last results are kept."""

    def __init__(self, budget: float = inf) -> None:
        """Args: `budget` is the processor time of a client in a WINDOW, in seconds."""
        self._spending = Spending(budget)
        self._jobs: OrderedDict[JobKey, _Job[Any]] = OrderedDict()
        self._turns: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()
        self._places = asyncio.Semaphore(AT_ONCE)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="jobs")

    async def result(
        self,
        key: JobKey,
        version: int,
        conditions: object,
        prepare: Callable[[], Awaitable[Callable[[Report], R]]],
        patience_for_a_first: float | None = None,
        *,
        accepts_earlier: bool = True,
    ) -> R:
        """The result at `version` or later if it comes soon, else an earlier one under these conditions if accepted.

        Once it is the job's turn, `prepare` reads what is to be computed and returns the computation, which runs
        in a thread and may report how far it is. Raises Underway, Spent, and what these raise.

        Args: `patience_for_a_first`, seconds, where no earlier result will do; PATIENCE by default.
        """
        with self._reader_of(key) as job:
            clock, earlier = asyncio.get_running_loop().time, job.running
            has_earlier = accepts_earlier and job.last is not None and job.last.conditions == conditions
            patience = PATIENCE if has_earlier or patience_for_a_first is None else patience_for_a_first
            until = clock() + patience
            while job.last is None or job.last.version < version or job.last.conditions != conditions:
                task = job.running
                if task is None and not self._is_full(key.set_id):
                    self._spending.require()
                    task = job.running = asyncio.create_task(self._run(job, key.set_id, prepare))
                if task is None or not (await asyncio.wait({task}, timeout=until - clock()))[0]:
                    if accepts_earlier and job.last is not None and job.last.conditions == conditions:
                        break
                    raise Underway(MANY if task is None else job.progress)
                if job.running is task:
                    job.running = None
                if task is not earlier:
                    return cast("R", task.result())
                task.result()
            return cast("R", job.last)

    @contextmanager
    def _reader_of(self, key: JobKey) -> Iterator[_Job[Any]]:
        """A job that somebody waits for, and leaves when cancelled."""
        job = self._job(key)
        job.readers += 1
        job.abandoned = False
        try:
            yield job
        except asyncio.CancelledError:
            self._leave(job)
            raise
        finally:
            job.readers -= 1
            if not job.readers and job.running is None and job.last is None and self._jobs.get(key) is job:
                del self._jobs[key]

    def _leave(self, job: _Job[Any]) -> None:
        """Drop what has not begun where this reader was the last one."""
        if job.readers > 1 or not job.busy:
            return
        job.abandoned = True
        if job.has_begun:
            return
        assert job.running is not None
        job.running.cancel()
        job.running = None

    async def compute(self, function: Callable[[], V]) -> V:
        """Run what may take long, once there is a place among the computations."""
        async with self._places:
            return await self.compute_in_place(function)

    async def compute_in_place(self, function: Callable[[], V]) -> V:
        """Run what a job needs while it prepares, or who else has a place among the computations."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)

    async def compute_soon(self, function: Callable[[], V]) -> V:
        """Run what somebody waits for. Raises Spent; Underway where no place among the computations is free soon."""
        self._spending.require()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._places.acquire()
        except TimeoutError:
            raise Underway("others come first, and it has not begun") from None
        try:
            return await self.compute_in_place(self._spending.charging(function))
        finally:
            self._places.release()

    async def close(self) -> None:
        running = [job.running for job in self._jobs.values() if job.running is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _job(self, key: JobKey) -> _Job[Any]:
        if key not in self._jobs:
            if self._is_full(key.set_id):
                raise Underway(MANY)
            self._jobs[key] = _Job()
        self._jobs.move_to_end(key)
        self._trim()
        return self._jobs[key]

    def _is_full(self, set_id: UUID) -> bool:
        busy = [key.set_id for key, job in self._jobs.items() if job.busy]
        return len(busy) >= WAITING or busy.count(set_id) >= OF_ONE_SET

    async def _run(self, job: _Job[R], set_id: UUID, prepare: Callable[[], Awaitable[Callable[[Report], R]]]) -> R:
        job.report("it waits for its turn")
        job.has_begun = False
        async with self._turns.setdefault(set_id, asyncio.Lock()), self._places:
            job.report("it has just begun")
            job.has_begun = True
            compute = await prepare()
            if job.abandoned:
                job.running = None
                raise asyncio.CancelledError
            job.last = await self.compute_in_place(self._spending.charging(partial(compute, job.report)))
            return job.last

    def _trim(self) -> None:
        """Forget the least recently wanted results until the rest fits; the last one stays."""
        size = sum(job.size_bytes for job in self._jobs.values())
        for key, job in list(self._jobs.items())[:-1]:
            if len(self._jobs) <= KEPT and size <= KEPT_BYTES:
                return
            if not job.busy:
                size -= job.size_bytes
                del self._jobs[key]
