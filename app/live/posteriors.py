"""The snapshots held in memory, one per set that is in use, bounded in number and bytes."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import NamedTuple, ParamSpec, TypeVar
from uuid import UUID

from nextpair.words import InferenceTargetChoice

from app.inference.choosing import Plan, Stop
from app.inference.state import Checked, Interpretation, Snapshot
from app.live.catalogue import Catalogue

P = ParamSpec("P")
R = TypeVar("R")


class Terms(NamedTuple):
    """A set's wishes: how it is to be asked and read."""

    status: str
    question: str
    context: str | None
    max_comparisons: int | None
    interpretation: Interpretation
    plan: Plan
    stop: Stop | None
    inference_target: InferenceTargetChoice


class Definition(NamedTuple):
    """All of a set that changes only with its revision."""

    revision: int
    terms: Terms
    catalogue: Catalogue


class Decision(NamedTuple):
    """What a set is about and whether it is to stop: true of this snapshot, under these terms, of such judges."""

    snapshot: Snapshot
    of_terms: Terms
    traits: tuple[frozenset[int], Mapping[int, float]]  # of its judges: people, and declared to repeat themselves
    terms: Terms  # with the target that it has
    checked: Checked


class LiveSet:
    """One set's latest snapshot. Whoever replaces it holds `updating`; whoever leases pairs holds `asking`."""

    def __init__(self) -> None:
        self.updating = asyncio.Lock()
        self.asking = asyncio.Lock()
        self.definition: Definition | None = None
        self.snapshot: Snapshot | None = None
        self.decision: Decision | None = None
        self.looking_ahead = False  # at what the snapshot will take next

    @property
    def busy(self) -> bool:
        return self.updating.locked() or self.asking.locked()

    @property
    def size_bytes(self) -> int:
        catalogue = self.definition.catalogue.size_bytes if self.definition else 0
        return catalogue + (self.snapshot.size_bytes if self.snapshot else 0)


@asynccontextmanager
async def all_of(locks: Iterable[asyncio.Lock]) -> AsyncIterator[None]:
    """Hold them all, taken in the order given."""
    acquired: list[asyncio.Lock] = []
    try:
        for lock in locks:
            await lock.acquire()
            acquired.append(lock)
        yield
    finally:
        for lock in acquired:
            lock.release()


class LivePosteriors:
    """A least-recently-used cache of live sets, and the threads their numerics run on."""

    def __init__(self, *, max_sets: int, max_bytes: int, threads: int = 2) -> None:
        self._sets: OrderedDict[UUID, LiveSet] = OrderedDict()
        self._sizes: dict[UUID, int] = {}  # of each set when it was last weighed
        self._max_sets, self._max_bytes, self.size_bytes = max_sets, max_bytes, 0
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="numerics")
        self.warm: bool | None = None  # whether the kernels are compiled; None while that is under way

    def get(self, set_id: UUID) -> LiveSet:
        if set_id not in self._sets:
            self._trim()
            self._sets[set_id] = LiveSet()
        self._sets.move_to_end(set_id)
        return self._sets[set_id]

    def __contains__(self, set_id: UUID) -> bool:
        """True where somebody has asked for the set's posterior lately."""
        return set_id in self._sets

    async def compute(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run numerics off the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: function(*args, **kwargs))

    async def compute_here_if(self, quick: bool, function: Callable[[], R]) -> R:
        """Run what is quick in the event loop, once its kernels are compiled: a thread costs more than it saves."""
        return function() if quick and self.warm else await self.compute(function)

    async def warm_up(self, compile_kernels: Callable[[], object]) -> None:
        """Raises what `compile_kernels` raises; all numerics then stay in the threads."""
        try:
            await self.compute(compile_kernels)
        except BaseException:
            self.warm = False
            raise
        self.warm = True

    def weigh(self, set_ids: Iterable[UUID]) -> None:
        """Take note of how large these sets are now, and forget others where they leave them no space."""
        for set_id in set_ids:
            if set_id in self._sets:
                self._note_size(set_id, self._sets[set_id].size_bytes)
        self._trim()

    def _trim(self) -> None:
        """Forget the least recently used sets until the rest fits; a set in use stays."""
        if self._fits():
            return
        for set_id in [each for each, live in self._sets.items() if not live.busy]:
            self.forget(set_id)
            if self._fits():
                return

    def _fits(self) -> bool:
        return len(self._sets) <= self._max_sets and self.size_bytes <= self._max_bytes

    def forget(self, set_id: UUID) -> None:
        self._sets.pop(set_id, None)
        self._note_size(set_id, 0)

    def _note_size(self, set_id: UUID, size: int) -> None:
        self.size_bytes += size - self._sizes.pop(set_id, 0)
        if size:
            self._sizes[set_id] = size

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def __len__(self) -> int:
        return len(self._sets)
