"""Leases: pairs that are a judge's for a while. They come back to their holder, last longer, and are given back."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from nextpair import schemas
from nextpair.names import normal_name
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.state import HumanCheck
from app.service.errors import AppError, ForeignAssignment, LeaseEnded, LeaseSuperseded, SetDeleted, UnknownAssignment
from app.service.grouping import by_set
from app.storage import assignments, sets
from app.storage.assignments import Blocking, LockedAssignment, NewLease
from app.storage.schema import Record

Place = tuple[UUID, int, int]  # of a text: set, item and candidate
Texts = Mapping[Place, str | None]
NOBODY = -1  # as a judge: everybody's leases keep a pair from it, and no failure does
LATE = "Ask for a pair again. You may still send a verdict on this one; it counts, marked late."


class Asker(NamedTuple):
    """A judge, or one of its workers."""

    judge: str
    judge_id: int
    worker: str
    lease_seconds: float
    checks: HumanCheck | None  # a judge whose verdicts it checks, with other people


class PairLease(NamedTuple):
    """A pair that the asker holds."""

    id: UUID
    set_id: UUID
    item_id: int
    first: int
    second: int
    why: str  # JSON
    expires_at: datetime
    generation: int


def own_rows(rows: Sequence[Blocking], counts: Mapping[UUID, int], most: int, asker: Asker) -> list[Blocking]:
    """The asker's live leases among `rows`, no more of each set and of all than were asked for."""
    holder = (asker.judge_id, asker.worker, "leased", False)
    theirs = by_set([row for row in rows if (row.judge_id, row.worker, row.state, row.expired) == holder])
    return list(islice((row for set_id in counts for row in theirs[set_id][: counts[set_id]]), most))


async def hand_out_again(
    db: AsyncConnection, rows: Sequence[Blocking], own_rows: Sequence[Blocking], asker: Asker
) -> tuple[list[PairLease], list[Blocking]]:
    """The leases of `own_rows` in a new generation, and those of `rows` that still keep a pair from the asker.

    Leases that are past their end end here.
    """
    ids = [row.id for row in own_rows]
    ended = [row.id for row in rows if row.state == "leased" and row.expired]
    if not ids and not ended:
        return [], list(rows)
    updated = {row.id: row for row in await assignments.expire_and_renew(db, [*ids, *ended], ids, asker.lease_seconds)}
    expired = {row.id for row in updated.values() if row.state == "expired"}
    again = [(row, updated[row.id]) for row in own_rows if row.id in updated and row.id not in expired]
    leases = [PairLease(*row[:5], new.why, new.expires_at, new.generation) for row, new in again]
    return leases, [row for row in rows if row.id not in expired]


async def lease(db: AsyncConnection, pairs: Sequence[NewLease], asker: Asker) -> tuple[list[PairLease], Texts]:
    """New leases of these pairs, which all end together, and their texts."""
    if not pairs:
        return [], {}
    ends, texts = await assignments.lease(db, pairs, asker.judge_id, asker.worker, asker.lease_seconds)
    return [PairLease(*pair, ends, 1) for pair in pairs], texts


async def renew(db: AsyncConnection, assignment_id: UUID, renewal: schemas.Renewal) -> schemas.Lease:
    """Raises UnknownAssignment, SetDeleted, LeaseSuperseded, LeaseEnded."""
    row = await _locked(db, assignment_id, renewal.generation)
    renewed = _only(row, await assignments.extend(db, {row.id: renewal.generation}, renewal.lease_seconds))
    return schemas.Lease(id=row.id, status="leased", expires_at=renewed.expires_at)


async def release(db: AsyncConnection, assignment_id: UUID, generation: int | None) -> schemas.Lease:
    """Give the pair back. Raises UnknownAssignment, SetDeleted, LeaseSuperseded, LeaseEnded."""
    row = await _locked(db, assignment_id, generation)
    released = _only(row, await assignments.release(db, {row.id: generation}))
    await sets.announce(db, [row.set_id])
    return schemas.Lease(id=row.id, status="released", expires_at=released.expires_at)


async def renew_many(db: AsyncConnection, request: schemas.RenewMany) -> schemas.Held:
    """Keep those that are still leased for longer; the others are left out of the answer."""
    rows = await assignments.extend(db, _generations(request), request.lease_seconds)
    return schemas.Held(held=[schemas.Lease(id=row.id, status="leased", expires_at=row.expires_at) for row in rows])


async def release_many(db: AsyncConnection, request: schemas.ReleaseMany) -> schemas.Released:
    """Give the pairs back that are still leased; the others are left as they are."""
    rows = await assignments.release(db, _generations(request))
    await sets.announce(db, {row.set_id for row in rows})
    return schemas.Released(released=len(rows))


def obstacle(row: LockedAssignment, generation: int | None, judge: str | None = None) -> AppError | None:
    """Problem of a request that claims to be by the judge and to hold this generation of an assignment."""
    if row.deleted_at is not None:
        return SetDeleted.at(row.set_id, row.deleted_at)
    if judge is not None and normal_name(judge) != normal_name(row.judge):
        return ForeignAssignment(f"Assignment {row.id} belongs to judge {row.judge!r}, not to {judge!r}.")
    if generation in (None, row.generation):
        return None
    return LeaseSuperseded(
        f"Assignment {row.id} was handed out again: it is at generation {row.generation}, not {generation}, and "
        "whoever got that one judges the pair. Ask for pairs again; with a `worker` name of its own each process gets "
        "only its own back."
    )


def _generations(request: schemas.ReleaseMany) -> dict[UUID, int | None]:
    known = request.generations or {}
    return {assignment_id: known.get(assignment_id) for assignment_id in request.assignments}


async def _locked(db: AsyncConnection, assignment_id: UUID, generation: int | None) -> LockedAssignment:
    row = (await assignments.lock(db, [assignment_id])).get(assignment_id)
    if row is None:
        raise UnknownAssignment(f"There is no assignment {assignment_id}; ask for a pair again.")
    if problem := obstacle(row, generation):
        raise problem
    return row


def _only(row: LockedAssignment, changed: Sequence[Record]) -> Record:
    """The lease of assignment `row`, the only one that can have changed. Raises LeaseEnded."""
    if not changed:
        raise LeaseEnded(
            f"The lease of assignment {row.id} has ended ({row.state if row.state != 'leased' else 'expired'}). "
            + ("Ask for another pair." if row.state in ("done", "failed") else LATE)
        )
    return changed[0]
