"""Results about a set: computed beside the requests that ask for them, once for each version, and kept.

A log that grows faster than a result is computed has results too. A request that would wait long gets the last one,
which says its version, while the newer one is computed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from app.live.jobs import JobKey, Report, Underway
from app.service.basis import Basis, existing_version, read_basis
from app.service.context import Context, existing_set
from app.service.errors import StillComputing
from app.service.traits import traits_of
from app.storage import judges, summaries
from app.storage.schema import Record

FIRST = 20.0  # seconds that a request waits for the first result of its kind
ROW_BYTES = 2_000  # of a candidate in a ranking
C = TypeVar("C")
V = TypeVar("V")


class FoundSet(NamedTuple):
    """A set that a result is wanted of."""

    row: Record
    people: Sequence[int]  # ids of all judges of kind human
    repeats: Mapping[int, float]  # as of Traits, of its judges


class ResultConditions(NamedTuple):
    """All that a result depends on beside the log."""

    revision: int
    people: frozenset[int]
    repeats: Mapping[int, float]


class VersionedResult(NamedTuple, Generic[C]):
    version: int
    conditions: ResultConditions
    size_bytes: int
    content: C


class ServedResult(NamedTuple, Generic[C]):
    """A result for one reader."""

    content: C
    newer_version: int | None  # of the log, whose result is being computed


async def find(ctx: Context, set_id: UUID) -> FoundSet:
    """Raises UnknownSet, SetDeleted."""
    async with ctx.reading() as db:
        (one_set,) = await found_of(db, [await existing_set(db, set_id)])
    return one_set


async def found_of(db: AsyncConnection, rows: Sequence[Record]) -> list[FoundSet]:
    """These sets, with what their results depend on beside their logs."""
    judging: dict[UUID, list[int]] = {row.id: [] for row in rows}
    for judge in await summaries.judges_of(db, list(judging)):
        judging[judge.set_id].append(judge.id)
    people, traits = await judges.of_kind(db, "human"), await traits_of(db, judging)
    return [FoundSet(row, people, traits[row.id].repeats) for row in rows]


async def read(
    ctx: Context,
    found: FoundSet,
    name: str,
    compute: Callable[[Basis, Report], C],
    as_of: int | None = None,
    *,
    fresh: bool = False,
) -> ServedResult[C]:
    """The result of this name at the version that was found, or later; unless `fresh`, the last one if that takes long.

    Raises VersionUnknown, StillComputing, and what `compute` raises.
    """
    row, version = found.row, existing_version(found.row, as_of)

    async def prepare() -> Callable[[Report], VersionedResult[C]]:
        now = await find(ctx, row.id)
        async with ctx.reading() as db:
            basis = await read_basis(ctx, db, now.row, as_of)
        size = ROW_BYTES * (1 + basis.snapshot.model.n)
        return lambda report: VersionedResult(basis.snapshot.version, _conditions(now), size, compute(basis, report))

    key = JobKey(row.id, name if as_of is None else f"{name} at {as_of}")
    try:
        result: VersionedResult[C] = await ctx.jobs.result(
            key, version, _conditions(found), prepare, FIRST, accepts_earlier=not fresh
        )
    except Underway as underway:
        raise StillComputing(f"The result is being computed: {underway.progress}. Ask again.") from None
    return ServedResult(result.content, version if result.version < version else None)


async def beside(ctx: Context, compute: Callable[[], V]) -> V:
    """Compute what is not kept, beside the requests. Raises StillComputing."""
    try:
        return await ctx.jobs.compute_soon(compute)
    except Underway:
        raise StillComputing("Other computations come first, and this one has not begun. Ask again.") from None


def _conditions(found: FoundSet) -> ResultConditions:
    return ResultConditions(found.row.revision, frozenset(found.people), found.repeats)
