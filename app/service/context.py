"""The context of every use case: the database, the live posteriors, the notices and the settings."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from nextpair.names import normal_name
from nextpair.words import AskStatus
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.live.jobs import Jobs
from app.live.posteriors import LivePosteriors
from app.live.spending import charged
from app.service.errors import SetDeleted, UnknownJudge, UnknownSet
from app.service.limits import refuse_unseen
from app.service.notices import Notices
from app.service.turns import Asks, Turns
from app.settings import Settings
from app.storage import judges, sets
from app.storage.db import try_the_disk
from app.storage.driver import transaction
from app.storage.embedded.server import require_space
from app.storage.schema import Record

if TYPE_CHECKING:
    from app.service.basis import Basis

SPACE = 4  # times the largest body


class ExhaustedSet(NamedTuple):
    """A set that has no pair, for anybody or for one judge, until its revision or its version changes."""

    revision: int
    version: int
    status: AskStatus
    reason: str | None


@dataclass(frozen=True)
class Context:
    """All that the use cases of one process share."""

    engine: AsyncEngine
    spare: AsyncEngine  # has one connection, which tells whether the database answers when the others are all in use
    live: LivePosteriors
    notices: Notices
    jobs: Jobs
    settings: Settings
    turns: Turns = field(default_factory=Turns)
    asks: Asks = field(default_factory=Asks)
    judge_ids: dict[str, int] = field(default_factory=dict)  # by name; an id never changes
    exhausted: dict[tuple[UUID, str | None], ExhaustedSet] = field(default_factory=dict)  # judge None: any
    bases: dict[UUID, "Basis"] = field(default_factory=dict)  # by set, of the latest results
    set_of: dict[UUID, UUID] = field(default_factory=dict)  # by assignment, of those last handed out here

    def reading(self) -> AsyncConnection:
        """A connection for statements that write nothing: without a transaction each takes one round trip."""
        return self._autocommit.connect()

    def writing(self, first: str = "") -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction, begun with the statement `first`; it is committed unless something is raised."""
        self._require_space()
        return transaction(self._autocommit, first)

    async def try_the_disk(self) -> None:
        """Raises what a write to a full disk raises."""
        self._require_space()
        await try_the_disk(self.spare)

    def _require_space(self) -> None:
        """Keep what a large write takes free, where the database is ours: its rows, indexes, log and full pages."""
        if self.settings.database_url is None:
            require_space(self.settings.data_dir, SPACE * self.settings.max_body_bytes)

    @cached_property
    def _autocommit(self) -> AsyncEngine:
        return self.engine.execution_options(isolation_level="AUTOCOMMIT")

    async def judge_id(self, db: AsyncConnection, name: str) -> int:
        return (await self.identify(db, {name}))[name]

    async def identify(self, db: AsyncConnection, names: set[str]) -> dict[str, int]:
        """Ids of judges by name; remembered only when they were there before this transaction.

        A new name becomes a judge. Raises InvalidRequest where it has something that nobody sees.
        """
        if names <= self.judge_ids.keys():
            return {name: self.judge_ids[name] for name in names}
        known = await judges.find(db, names)
        self.judge_ids.update(known)
        if new := names - known.keys():
            for name in new:
                refuse_unseen(name, "judge")
            await judges.add(db, map(normal_name, new))
            known |= await judges.find(db, new)
        return known


def charge(client: str) -> None:
    """Computations that begin from here on are at the cost of this client."""
    charged.set(client)


async def existing_set(db: AsyncConnection, set_id: UUID) -> Record:
    """Raises UnknownSet, SetDeleted."""
    return _checked(await sets.get(db, set_id), set_id)


async def existing_sets(db: AsyncConnection, ids: Sequence[UUID]) -> None:
    """Raises UnknownSet, SetDeleted for the first that is not there."""
    rows = {row.id: row for row in await sets.get_many(db, ids)} if ids else {}
    for set_id in ids:
        _checked(rows.get(set_id), set_id)


async def locked_set(db: AsyncConnection, set_id: UUID) -> Record:
    """Row of the set, locked for this transaction's writes. Raises UnknownSet, SetDeleted."""
    return _checked(await sets.lock(db, set_id), set_id)


async def existing_judges(db: AsyncConnection, names: Sequence[str]) -> dict[str, int]:
    """Ids by name. Raises UnknownJudge for the first that is not there."""
    ids = await judges.find(db, names)
    for name in names:
        if name not in ids:
            raise UnknownJudge(
                f"There is no judge {name!r}; check its spelling. A judge exists from its first verdict."
            )
    return ids


def _checked(row: Record | None, set_id: UUID) -> Record:
    if row is None:
        raise UnknownSet(f"There is no set {set_id}; check its id and the address of the service.")
    if row.deleted_at is not None:
        raise SetDeleted.at(set_id, row.deleted_at, row.name)
    return row
