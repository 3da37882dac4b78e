"""Eight judges at once over two servers, while nothing fails, while a server is killed, and while PostgreSQL is."""

import asyncio
import os
import signal

from nextpair.calls import next_pair

from tests.end_to_end.judges import PAIRS, Work, new_set
from tests.end_to_end.processes import Server, postmaster

SECONDS = 60.0  # for one scenario


async def test_every_pair_is_judged_once(server: Server, other: Server) -> None:
    work = Work(await new_set(server.url))
    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group:
        hire(group, work, server, other)
    assert not work.retries
    await finish(work, server, other, title="two servers")


async def test_a_server_is_killed_and_comes_back(server: Server, other: Server) -> None:
    work = Work(await new_set(server.url))
    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group:
        hire(group, work, server, other)
        await work.reach(PAIRS // 4)
        await vanish_with_a_pair(work, other)
        await other.stop(signal.SIGKILL)
        await work.reach(PAIRS // 2)
        await other.start()
    assert work.retries
    await finish(work, server, other, title="one of two servers killed")


async def test_postgres_is_killed_and_comes_back(server: Server, other: Server) -> None:
    work = Work(await new_set(server.url))
    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group:
        hire(group, work, server, other)
        await work.reach(PAIRS // 3)
        os.kill(postmaster(server.data_dir), signal.SIGKILL)
    assert work.answers[503, "application/problem+json"]
    assert not any(status in (500, 502) for status, _ in work.answers)
    await finish(work, server, other, title="PostgreSQL killed")


def hire(group: asyncio.TaskGroup, work: Work, *servers: Server) -> None:
    """Eight judges, half of which take two pairs at a time."""
    for number in range(8):
        server, count = servers[number % len(servers)], 1 + number // 4
        group.create_task(work.judge(server.url, f"judge {number}", count=count))


async def vanish_with_a_pair(work: Work, server: Server) -> None:
    """The pair comes back when its lease expires; only then can all pairs have been judged."""
    async with work.client(server.url) as service:
        asked = await service.send(next_pair(work.set_id, judge="a ghost", lease_seconds=3.0))
    assert len(asked.assignments) == 1


async def finish(work: Work, *servers: Server, title: str) -> None:
    work.report(title)
    assert len(work.told) == PAIRS
    await work.check([server.url for server in servers])
