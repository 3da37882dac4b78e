"""Telling: verdicts on assignments, comparisons that a harness made by itself, voids, and reading the log.

Locks are taken in one order, assignments by id and then sets by id, so two batches never wait for each other.
"""

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import P_OF_WINNER
from sqlalchemy.ext.asyncio import AsyncConnection

from app.files.exports import Line, Uncompared
from app.live.catalogue import Catalogue
from app.service.context import Context, existing_set, locked_set
from app.service.definitions import catalogue_of
from app.service.errors import (
    AlreadyJudged,
    AlreadyRestored,
    AlreadyVoided,
    AppError,
    ClientIdReused,
    FieldFault,
    NotVoided,
    UnknownAssignment,
    UnknownComparison,
)
from app.service.key_lookup import candidate_id, elsewhere_if_many, item_id, refuse_same, require_output
from app.service.leases import obstacle
from app.service.posteriors import LogEntry
from app.service.presenting.comparisons import present_comparison, present_verdict
from app.service.traits import add_to_record
from app.storage import assignments, candidates, comparisons, sets
from app.storage.assignments import LockedAssignment
from app.storage.comparisons import NewComparison, NewVote
from app.storage.schema import Record

EXPORT_BATCH = 5000
UNKNOWN = -1  # as the id of a candidate or an item
OF_AN_ENTRY = re.compile("[1-9][0-9]{0,17}")
SAME = ("item_id", "first", "second", "p_first", "judge_id", "weight")  # what a client_id stands for


class VerdictOutcome(NamedTuple):
    """The record of one verdict: exactly one of the first three."""

    comparison: schemas.Comparison | None = None
    failure: schemas.FailureRecorded | None = None
    problem: AppError | None = None
    entry: LogEntry | None = None  # of the comparison


def probability(answer: schemas.Answer | schemas.VerdictIn) -> float:
    """p that the first is better (methods 1): as sent, from the word, or the labels' softmax with half the tie."""
    if answer.p_first is not None:
        return answer.p_first
    if answer.winner is not None:
        return P_OF_WINNER[answer.winner]
    if answer.logprobs is None:
        raise ValueError("a failure has no probability")
    return answer.logprobs.p_first


async def sets_of(ctx: Context, verdicts: Sequence[schemas.VerdictOf]) -> AbstractSet[UUID]:
    """The sets that these verdicts are about."""
    ids = {verdict.assignment_id for verdict in verdicts}
    known = {each: ctx.set_of[each] for each in ids if each in ctx.set_of}
    if len(known) == len(ids):
        return set(known.values())
    async with ctx.reading() as db:
        return {*known.values(), *await assignments.sets_of(db, list(ids - known.keys()))}


async def tell(db: AsyncConnection, verdicts: Sequence[schemas.VerdictOf]) -> list[VerdictOutcome]:
    """Record each verdict, or say what is wrong with it; the others are recorded all the same.

    A verdict on a lease that has ended is kept and marked late; one of a superseded generation is not kept. A failure
    ends its assignment and never enters the log.
    """
    rows = await assignments.lock(db, [verdict.assignment_id for verdict in verdicts])
    problems: dict[int, AppError] = {}
    accepted: dict[int, LockedAssignment] = {}
    taken: set[UUID] = set()
    for n, verdict in enumerate(verdicts):
        problem = _problem(verdict, rows.get(verdict.assignment_id), taken)
        if problem is not None:
            problems[n] = problem
        else:
            accepted[n] = rows[verdict.assignment_id]
            taken.add(verdict.assignment_id)
    failures = {
        n: await _fail(db, verdicts[n], failure, row)
        for n, row in accepted.items()
        if (failure := verdicts[n].failure) is not None
    }
    votes = await _record(db, verdicts, {n: row for n, row in accepted.items() if n not in failures})
    if failures:
        await sets.announce(db, {accepted[n].set_id for n in failures})
    return [
        votes.get(n) or VerdictOutcome(failure=failures.get(n), problem=problems.get(n)) for n in range(len(verdicts))
    ]


async def add(
    ctx: Context, db: AsyncConnection, set_id: UUID, new: Sequence[schemas.ComparisonIn]
) -> schemas.ComparisonsAccepted:
    """Append all of `new`, or nothing; those whose client_id is in the log already count as duplicates.

    Raises UnknownSet, SetDeleted, UnknownCandidate, UnknownItem, AmbiguousItem, MissingOutput, ClientIdReused.
    """
    row = await locked_set(db, set_id)
    catalogue = await catalogue_of(ctx, db, row)
    judge_ids = await ctx.identify(db, {c.judge for c in new})
    entries = await elsewhere_if_many(new, lambda: _entries(new, set_id, catalogue, judge_ids))
    fresh = await _without_duplicates(db, set_id, entries)
    version = int(row.version)
    if fresh:
        version = await sets.advance(db, set_id, len(fresh))
        await comparisons.append(db, fresh, version - len(fresh) + 1)
        await sets.announce(db, [set_id])
    return schemas.ComparisonsAccepted(accepted=len(fresh), duplicates=len(new) - len(fresh), version=version)


async def void(db: AsyncConnection, set_id: UUID, seq: int, reason: str) -> schemas.Void:
    """Take a comparison back; it stays in the log and no longer counts.

    Raises UnknownSet, SetDeleted, UnknownComparison, AlreadyVoided.
    """
    await locked_set(db, set_id)
    entry = await _entry(db, set_id, seq)
    if entry.voided_by is not None:
        raise AlreadyVoided(f"Comparison {seq} was voided by entry {entry.voided_by} of the log.")
    version = await sets.advance(db, set_id, 1, voids=1)
    row = await comparisons.void(db, set_id, version, seq, reason)
    await sets.announce(db, [set_id])
    return schemas.Void(seq=row.seq, set_id=row.set_id, voids=row.voids, reason=row.reason, created_at=row.created_at)


async def restore(db: AsyncConnection, set_id: UUID, seq: int) -> schemas.Comparison:
    """Undo a void: the comparison enters the log once more, as it was, and counts again.

    Raises UnknownSet, SetDeleted, UnknownComparison, NotVoided, AlreadyRestored.
    """
    await locked_set(db, set_id)
    entry = await _entry(db, set_id, seq)
    if entry.voided_by is None:
        raise NotVoided(f"Comparison {seq} is not void, so it counts already.")
    if (again := await comparisons.restored_by(db, set_id, seq)) is not None:
        raise AlreadyRestored(f"Comparison {seq} was restored as entry {again} of the log.")
    version = await sets.advance(db, set_id, 1)
    await comparisons.restore(db, set_id, version, seq)
    await sets.announce(db, [set_id])
    return present_comparison(await _entry(db, set_id, version))


async def page(
    db: AsyncConnection, set_id: UUID, *, after: int, limit: int, judge: str | None
) -> schemas.ComparisonPage:
    """Raises UnknownSet, SetDeleted."""
    await existing_set(db, set_id)
    rows, has_more = await comparisons.page(db, set_id, after=after, limit=limit, judge=judge)
    shown = [present_comparison(row) for row in rows]
    return schemas.ComparisonPage(comparisons=shown, next_after=shown[-1].seq if has_more else None)


async def export(ctx: Context, set_id: UUID, *, after: int, judge: str | None) -> AsyncIterator[Sequence[Line]]:
    """The log in batches; all of it ends with the outputs that nobody compared.

    A slow reader holds no connection while it reads.
    """
    more: int | None = after
    while more is not None:
        async with ctx.reading() as db:
            batch = await page(db, set_id, after=more, limit=EXPORT_BATCH, judge=judge)
        more = batch.next_after
        yield batch.comparisons
    if not after and judge is None:
        async with ctx.reading() as db:
            rows = await candidates.uncompared(db, set_id)
        yield [Uncompared(seq=None, set_id=set_id, item=row.item or None, first=row.candidate) for row in rows]


async def _entry(db: AsyncConnection, set_id: UUID, seq: int) -> Record:
    """Raises UnknownComparison."""
    entry = await comparisons.get(db, set_id, seq)
    if entry is None:
        raise UnknownComparison(f"Set {set_id} has no comparison with seq {seq}; find it with GET comparisons.")
    return entry


def _problem(verdict: schemas.VerdictOf, row: LockedAssignment | None, taken: set[UUID]) -> AppError | None:
    if row is None:
        return UnknownAssignment(f"There is no assignment {verdict.assignment_id}.")
    if problem := obstacle(row, verdict.generation, verdict.judge):
        return problem
    if row.state in ("done", "failed") or row.id in taken:
        if row.state == "failed":
            return AlreadyJudged(f"Assignment {row.id} ended with the failure {row.failure!r}; ask for another pair.")
        return AlreadyJudged(
            f"Assignment {row.id} already has its verdict. To repeat a request safely send the same Idempotency-Key; "
            "to change a verdict, void its comparison."
        )
    return None


async def _fail(
    db: AsyncConnection, verdict: schemas.VerdictOf, failure: schemas.Failure, row: LockedAssignment
) -> schemas.FailureRecorded:
    kept = verdict.model_dump(include={"failure", "reason", "label_mass", "latency_ms", "raw"})
    await assignments.fail(db, row.id, kept)
    return schemas.FailureRecorded(
        assignment_id=row.id, set_id=row.set_id, failure=failure, reason=verdict.reason,
        label_mass=verdict.label_mass, latency_ms=verdict.latency_ms, raw=verdict.raw,
    )  # fmt: skip


async def _record(
    db: AsyncConnection, verdicts: Sequence[schemas.VerdictOf], accepted: dict[int, LockedAssignment]
) -> dict[int, VerdictOutcome]:
    """Give each vote its place in its set's log."""
    if not accepted:
        return {}
    now, places = datetime.now(UTC), defaultdict[UUID, Iterator[int]](partial(count, 1))
    votes = {n: _vote_of(verdicts[n], row, next(places[row.set_id]), now) for n, row in accepted.items()}
    if len(places) > 1:
        await sets.lock_many(db, places)
    before = await comparisons.record(db, list(votes.values()))
    for n, vote in votes.items():
        if accepted[n].criterion == "repeat":
            await add_to_record(db, accepted[n], before[vote.set_id] + vote.place, vote.p_first)
    return {n: _outcome(vote, before[vote.set_id] + vote.place, accepted[n]) for n, vote in votes.items()}


def _vote_of(verdict: schemas.VerdictOf, row: LockedAssignment, place: int, now: datetime) -> NewVote:
    return NewVote(
        assignment_id=row.id, set_id=row.set_id, place=place, item_id=row.item_id, first=row.first, second=row.second,
        p_first=probability(verdict), winner=verdict.winner, order_chance=row.order_chance, judge_id=row.judge_id,
        late=row.state != "leased" or row.expired, label_mass=verdict.label_mass, latency_ms=verdict.latency_ms,
        raw=verdict.raw, created_at=now,
    )  # fmt: skip


def _outcome(vote: NewVote, seq: int, row: LockedAssignment) -> VerdictOutcome:
    of_pair = vote.item_id, vote.first, vote.second, vote.p_first
    entry = LogEntry(vote.set_id, seq, *of_pair, vote.judge_id, weight=1.0, order_chance=vote.order_chance)
    return VerdictOutcome(present_verdict(vote, seq, row), entry=entry)


def _entries(
    new: Sequence[schemas.ComparisonIn], set_id: UUID, catalogue: Catalogue, judge_ids: Mapping[str, int]
) -> list[NewComparison]:
    """Raises what `_require_place` raises."""
    now = datetime.now(UTC)
    return [
        NewComparison(
            set_id=set_id, item_id=item, first=first, second=second, p_first=probability(each), winner=each.winner,
            weight=each.weight, order_chance=each.order_chance, judge_id=judge_ids[each.judge],
            client_id=each.client_id, created_at=each.created_at or now, late=each.late, label_mass=each.label_mass,
            latency_ms=each.latency_ms, raw=each.raw,
        )
        for each, (item, first, second) in zip(new, _places(new, catalogue), strict=True)
    ]  # fmt: skip


def _places(new: Sequence[schemas.ComparisonIn], catalogue: Catalogue) -> list[tuple[int, int, int]]:
    """Ids of the item and both candidates of each. Raises what `_require_place` raises."""
    items = catalogue.item_ids
    candidates = {key: catalogue.id_of(key) for each in new for key in (each.first, each.second)}
    unnamed = 0 if len(catalogue.items) == 1 else UNKNOWN
    places = [
        (
            unnamed if each.item is None else items.get(each.item, UNKNOWN),
            UNKNOWN if (first := candidates[each.first]) is None else first,
            UNKNOWN if (second := candidates[each.second]) is None else second,
        )
        for each in new
    ]
    item, first, second = np.array(places).T
    is_known = min(item.min(), first.min(), second.min()) > UNKNOWN
    if not is_known or (first == second).any() or not catalogue.has[[item, item], [first, second]].all():
        for n, each in enumerate(new):
            _require_place(n, each, catalogue)
    return places


def _require_place(n: int, new: schemas.ComparisonIn, catalogue: Catalogue) -> None:
    """Hold the names in entry `n` of the request against the set.

    Raises UnknownCandidate, UnknownItem, AmbiguousItem, MissingOutput.
    """
    pointer = f"/comparisons/{n}"
    first = candidate_id(new.first, catalogue, f"{pointer}/first")
    second = candidate_id(new.second, catalogue, f"{pointer}/second")
    refuse_same(first, second, new.first)
    item = item_id(new.item, catalogue, f"{pointer}/item")
    require_output(item, first, catalogue, f"{pointer}/first")
    require_output(item, second, catalogue, f"{pointer}/second")


async def _without_duplicates(
    db: AsyncConnection, set_id: UUID, entries: Sequence[NewComparison]
) -> Sequence[NewComparison]:
    """Comparisons whose client_id is new; `SET_ID/SEQ` is that of every entry of the set itself, as exports have it.

    Raises ClientIdReused where it stands for something else.
    """
    named = [entry.client_id for entry in entries if entry.client_id is not None]
    if not named:
        return entries
    places = (OF_AN_ENTRY.fullmatch(name.removeprefix(f"{set_id}/")) for name in named)
    rows = await comparisons.by_client_id(db, set_id, named, [int(place[0]) for place in places if place])
    seen: dict[str, NewComparison | Record] = {f"{set_id}/{row.seq}": row for row in rows}
    seen |= {row.client_id: row for row in rows if row.client_id is not None}
    return await elsewhere_if_many(entries, lambda: _fresh(entries, seen))


def _fresh(entries: Sequence[NewComparison], seen: dict[str, NewComparison | Record]) -> list[NewComparison]:
    """Comparisons whose client_id is not `seen`, nor that of an earlier one. Raises ClientIdReused."""
    fresh = []
    for n, entry in enumerate(entries):
        earlier = None if entry.client_id is None else seen.setdefault(entry.client_id, entry)
        if earlier is None or earlier is entry:
            fresh.append(entry)
        elif any(getattr(earlier, name) != getattr(entry, name) for name in SAME):
            raise ClientIdReused(
                f"client_id {entry.client_id!r} belongs to another comparison of this set; use a new one.",
                FieldFault(f"/comparisons/{n}/client_id", "in use"),
            )
    return fresh
