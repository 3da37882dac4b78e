"""Clients of a service.

    with Client() as client:
        sky = client.sets.create(name="Sky", question="Which answer is clearer?")
        sky.add_candidates({"kelp": "Air scatters blue light the most.", "rowan": "The sky mirrors the sea."})
        while pair := sky.next_pair(judge="ada"):
            pair.tell(winner="first")
        print(sky.ranking().ranking)

`Client` blocks, `AsyncClient` is for asyncio. Everything else is the same.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Self, final

from nextpair.local import async_running, running
from nextpair.resources.judges import AsyncJudgeCollection, JudgeCollection
from nextpair.resources.pairs import AssignmentCollection, AsyncAssignmentCollection
from nextpair.resources.projects import AsyncProjectCollection, ProjectCollection
from nextpair.resources.sets import AsyncSetCollection, SetCollection
from nextpair.sending.senders import AsyncSender, Sender


@final
class Client(Sender):
    """A service: its sets, its judges, and pairs over many sets.

    Address and key are NEXTPAIR_URL and NEXTPAIR_API_KEY unless they are given. One client serves many threads.
    A request is sent again, `retries` times at the most, while the server is away or asks to wait; a write happens
    once. `transport`, `sleep` and `random` are for tests.
    """

    @classmethod
    @contextmanager
    def local(cls, data_dir: Path | str | None = None) -> Iterator[Self]:
        """A server of one's own while the block lasts: in `data_dir`, or in a folder that is deleted at the end.

        Needs nextpair-server. Raises NoServer where that is not installed, or does not start.
        """
        with running(data_dir) as url, cls(url, api_key="") as client:
            yield client

    @property
    def sets(self) -> SetCollection:
        return SetCollection(self)

    @property
    def projects(self) -> ProjectCollection:
        return ProjectCollection(self)

    @property
    def judges(self) -> JudgeCollection:
        return JudgeCollection(self)

    @property
    def assignments(self) -> AssignmentCollection:
        return AssignmentCollection(self)


@final
class AsyncClient(AsyncSender):
    """`Client` for asyncio."""

    @classmethod
    @asynccontextmanager
    async def local(cls, data_dir: Path | str | None = None) -> AsyncIterator[Self]:
        """See `Client.local`."""
        async with async_running(data_dir) as url, cls(url, api_key="") as client:
            yield client

    @property
    def sets(self) -> AsyncSetCollection:
        return AsyncSetCollection(self)

    @property
    def projects(self) -> AsyncProjectCollection:
        return AsyncProjectCollection(self)

    @property
    def judges(self) -> AsyncJudgeCollection:
        return AsyncJudgeCollection(self)

    @property
    def assignments(self) -> AsyncAssignmentCollection:
        return AsyncAssignmentCollection(self)
