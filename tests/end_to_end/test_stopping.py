"""Stopping keeps everything, and the last server out takes PostgreSQL with it."""

import asyncio
import signal
import time
from uuid import UUID

import pytest
from nextpair import AsyncClient
from nextpair.calls import next_pair

from tests.end_to_end.judges import PAIRS, Work, exported, new_set
from tests.end_to_end.processes import Server, postgres_processes

SECONDS = 60.0
SOON = 10.0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_a_stop_keeps_everything_and_does_not_wait_for_those_who_wait(
    server: Server, how: signal.Signals
) -> None:
    async with asyncio.timeout(SECONDS):
        work = await judged_for_a_while(server)
        log = await exported(server.url, work.set_id)
        awaited = await new_set(server.url)
        waiting = [asyncio.create_task(watch(server, awaited)), asyncio.create_task(wait_for_a_pair(server, awaited))]
        await asyncio.sleep(1.0)
        begun = time.monotonic()
        await server.stop(how)
        seconds = time.monotonic() - begun
        await asyncio.gather(*waiting, return_exceptions=True)
        assert postgres_processes(server.data_dir) == []
        await server.start()
        assert await exported(server.url, work.set_id) == log
        await work.check([server.url])
    work.report(f"stopped by {how.name} in {seconds:.1f} s under an event stream and a long poll")
    assert seconds < SOON


async def test_the_last_server_stops_postgres(server: Server, other: Server) -> None:
    async with asyncio.timeout(SECONDS):
        work = await judged_for_a_while(server)
        await server.stop(signal.SIGTERM)
        await work.check([other.url])
        await other.stop(signal.SIGTERM)
        assert postgres_processes(server.data_dir) == []


async def judged_for_a_while(server: Server) -> Work:
    work = Work(await new_set(server.url))
    await asyncio.gather(*(work.judge(server.url, f"judge {number}", until=50) for number in range(4)))
    return work


async def watch(server: Server, set_id: UUID) -> None:
    async with AsyncClient(server.url, retries=0) as service:
        async for _ in service.events(set_id, after=0):
            pass


async def wait_for_a_pair(server: Server, set_id: UUID) -> None:
    async with AsyncClient(server.url, retries=0) as service:
        await service.send(next_pair(set_id, judge="greedy", count=PAIRS))
        await service.send(next_pair(set_id, judge="patient", wait_seconds=60.0))
