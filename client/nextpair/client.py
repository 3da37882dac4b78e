"""Clients of a service: `Client` blocks, `AsyncClient` is for asyncio. Everything else is the same."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Self, final

from nextpair.local import async_running, running
from nextpair.resources.judges import AsyncJudgeCollection, AsyncProjectCollection, JudgeCollection, ProjectCollection
from nextpair.resources.pairs import AssignmentCollection, AsyncAssignmentCollection
from nextpair.resources.sets import AsyncSetCollection, SetCollection
from nextpair.sending.senders import AsyncSender, Sender


@final
class Client(Sender):
    """A client of a service: its sets, its judges, and pairs over many sets.

    For example:

        with nextpair.Client() as client:
            print(client.url)

    Address and key are NEXTPAIR_URL and NEXTPAIR_API_KEY unless you give them. One client serves many threads.
    A request is sent again, up to `retries` times, while the server is away or asks to wait; a write happens
    once. `transport`, `sleep` and `random` are for tests. Close a client that you use without `with`:

        client = nextpair.Client(timeout=60)
        client.close()
    """

    @classmethod
    @contextmanager
    def local(cls, data_dir: Path | str | None = None) -> Iterator[Self]:
        """Start a private server, and stop it when the block ends.

        For example:

            with nextpair.Client.local() as client:
                print([each.record.name for each in client.sets.list()])

        Its data are in `data_dir`, or in a folder that is deleted at the end. Needs nextpair-server. Raises NoServer
        where that is not installed, or does not start.
        """
        with running(data_dir) as url, cls(url, api_key="") as client:
            yield client

    sets = cached_property(SetCollection)
    projects = cached_property(ProjectCollection)
    judges = cached_property(JudgeCollection)
    assignments = cached_property(AssignmentCollection)


@final
class AsyncClient(AsyncSender):
    """`Client` for asyncio: await what sends, and read what lists with `async for`.

    For example:

        import asyncio

        async def main():
            async with nextpair.AsyncClient() as client:
                sky = await client.sets.create(name="Sky, async", question="Which answer is clearer?")
                await sky.add_candidates({"kelp": "Air scatters blue light the most.", "rowan": "It mirrors the sea."})
                while pair := await sky.next_pair(judge="ada"):
                    await pair.tell(p_first=0.7)
                async for comparison in sky.comparisons():
                    print(comparison.first, comparison.second)

        asyncio.run(main())
    """

    @classmethod
    @asynccontextmanager
    async def local(cls, data_dir: Path | str | None = None) -> AsyncIterator[Self]:
        """See `Client.local`."""
        async with async_running(data_dir) as url, cls(url, api_key="") as client:
            yield client

    sets = cached_property(AsyncSetCollection)
    projects = cached_property(AsyncProjectCollection)
    judges = cached_property(AsyncJudgeCollection)
    assignments = cached_property(AsyncAssignmentCollection)
