"""A client of one server gets what another server received, also after PostgreSQL was killed."""

import asyncio
import os
import signal
import time
from contextlib import aclosing

from nextpair.calls import next_pair, send_verdict
from nextpair.schemas import Comparison, VerdictIn

from tests.end_to_end.judges import Work, new_set
from tests.end_to_end.processes import Server, postmaster

SECONDS = 60.0
SOON = 5.0  # seconds; a stream that missed the notice would look again after fifteen


async def test_events_cross_servers_and_outlive_postgres(server: Server, other: Server) -> None:
    work = Work(await new_set(server.url))
    received: asyncio.Queue[Comparison] = asyncio.Queue()
    async with asyncio.timeout(SECONDS):
        listening = asyncio.create_task(listen(work, other, received))
        await tell_and_receive(work, server, received)
        before = await tell_and_receive(work, server, received)
        os.kill(postmaster(server.data_dir), signal.SIGKILL)
        outage = await tell_and_receive(work, server, received)
        await asyncio.sleep(2.0)  # until both servers listen again
        after = await tell_and_receive(work, server, received)
        listening.cancel()
    print(f"\nheard after {before:.3f} s, {outage:.3f} s over the outage, {after:.3f} s after it")
    work.report("events")
    assert before < SOON
    assert after < SOON


async def listen(work: Work, server: Server, received: "asyncio.Queue[Comparison]") -> None:
    async with work.client(server.url) as service, aclosing(service.events(work.set_id, after=0)) as events:
        async for event in events:
            if event.event == "comparison":
                received.put_nowait(Comparison.model_validate_json(event.data))


async def tell_and_receive(work: Work, server: Server, received: "asyncio.Queue[Comparison]") -> float:
    """Seconds from the answer to the event."""
    async with work.client(server.url) as service:
        (pair,) = (await service.send(next_pair(work.set_id, judge="anna"))).assignments
        told = await service.send(send_verdict(pair.id, VerdictIn(p_first=0.9)))
    answered = time.monotonic()
    assert await received.get() == told
    return time.monotonic() - answered
