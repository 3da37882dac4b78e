"""Reading by an engine: prompts are prepared, and what it reads of them arrives bit by bit."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from judge_worker.engine import Arrival, Away, BadLabels, Engine, Outcome, Unread
from judge_worker.progress import Stats
from judge_worker.prompts import BadTemplate, Fields, Template, render

GATHER = 0.2  # seconds: what an engine reads meanwhile arrives together


def prepare(engine: Engine, template: Template, fields: Fields) -> Any:
    """Prepare a prompt; a text that the template or the tokenizer cannot take is one that cannot be judged."""
    try:
        return engine.prepare(render(template, fields))
    except (BadTemplate, BadLabels) as error:
        return Unread("skipped", str(error))


def read(engine: Engine, prepared: Sequence[Any]) -> Iterator[Arrival]:
    """Yield an outcome for each, as they come; what could not be prepared never reaches the engine.

    Raises EngineDown, after all that was answered.
    """
    yield from ((n, each) for n, each in enumerate(prepared) if isinstance(each, Unread))
    readable = [n for n, each in enumerate(prepared) if not isinstance(each, Unread)]
    if readable:
        for n, outcome in engine.read([prepared[n] for n in readable]):
            yield readable[n], outcome


def read_all(engine: Engine, prepared: Sequence[Any]) -> list[Outcome | Away]:
    """An outcome for each, in order. Raises EngineDown."""
    outcomes = dict(read(engine, prepared))
    return [outcomes[n] for n in range(len(prepared))]


class Arrivals(NamedTuple):
    """Readings since the last time."""

    outcomes: list[Arrival]
    seconds: float  # since the batch was begun


@dataclass
class _BatchReading:
    prepared: Sequence[Any]
    arrived: list[Arrival] = field(default_factory=list)
    begun: float = 0.0


class EngineTurns:
    """Batches of several tasks at one engine: no more at a time than it reads."""

    def __init__(self, engine: Engine, stats: Stats, may_begin: Callable[[], bool]) -> None:
        """Args: may_begin is asked when it is a batch's turn; if it may not, nothing of it is read."""
        self._engine, self._stats, self._may_begin = engine, stats, may_begin
        self._free = asyncio.Semaphore(engine.batches)

    async def read(self, prepared: Sequence[Any]) -> AsyncGenerator[Arrivals, None]:
        """Yield what is read, now and then, until all is. Raises EngineDown, after all that was answered."""
        batch = _BatchReading(prepared)
        reading = asyncio.create_task(self._in_turn(batch))
        try:
            while batch.arrived or not reading.done():
                await asyncio.wait([reading], timeout=GATHER)
                if outcomes := batch.arrived[:]:
                    del batch.arrived[: len(outcomes)]
                    yield Arrivals(outcomes, time.monotonic() - batch.begun)
            await reading
        finally:
            reading.cancel()

    async def _in_turn(self, batch: _BatchReading) -> None:
        async with self._free:
            if self._may_begin():
                batch.begun = time.monotonic()
                with self._stats.at_work():
                    await asyncio.to_thread(self._read, batch)

    def _read(self, batch: _BatchReading) -> None:
        for arrival in read(self._engine, batch.prepared):
            batch.arrived.append(arrival)  # of which the other thread takes the first ones away
