"""Bring the live snapshot of a set up to its log."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar
from uuid import UUID

import numpy as np
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference import state as snapshots
from app.inference.choosing import Batch, Criterion, Order, Plan, Policy, Stop
from app.inference.fitting import Method
from app.inference.state import Catalogue, Interpretation, Snapshot
from app.live.posteriors import Known, LiveSet, Terms, all_of
from app.service.context import Context
from app.storage import absolute_scores, candidates, comparisons, sets
from app.storage.schema import Record
from app.storage.spans import Span


class Entry(NamedTuple):
    """A comparison as it has entered the log."""

    set_id: UUID
    seq: int
    item_id: int
    first: int
    second: int
    p_first: float
    judge_id: int
    weight: float


class _OfSet(Protocol):
    @property
    def set_id(self) -> UUID: ...


R = TypeVar("R", bound=Record | _OfSet)


class Current(NamedTuple):
    """What is known of a set at one version."""

    id: UUID
    terms: Terms
    catalogue: Catalogue
    snapshot: Snapshot


async def catalogue_of(ctx: Context, db: AsyncConnection, row: Record) -> Catalogue:
    """Who is in the set; `row` has its id and revision."""
    (known,) = await _known(db, [ctx.live.get(row.id)], [row])
    return known.catalogue


async def current(ctx: Context, db: AsyncConnection, row: Record) -> tuple[Catalogue, Snapshot]:
    """The snapshot at `row.version` or later, with the catalogue that it was made for."""
    (found,) = await current_many(ctx, db, [row])
    return found.catalogue, found.snapshot


async def current_many(ctx: Context, db: AsyncConnection, rows: Sequence[Record]) -> list[Current]:
    """The same for many sets: rows of (id, revision, version), in the order of their ids: no deadlock."""
    lives = [ctx.live.get(row.id) for row in rows]
    async with all_of(live.updating for live in lives):
        known = await _known(db, lives, rows)
        usable = [_usable(live.snapshot, each) for live, each in zip(lives, known, strict=True)]
        advanced = await _advance(ctx, db, rows, usable)
        for live, snapshot in zip(lives, advanced, strict=True):
            live.snapshot = snapshot
    ctx.live.trim()
    found = zip(rows, known, advanced, strict=True)
    return [Current(row.id, each.terms, each.catalogue, snapshot) for row, each, snapshot in found]


async def learn(ctx: Context, entries: Sequence[Entry]) -> None:
    """Take in what was just told of sets that are in use, so that the next ask need not read and fit it first."""
    new = {set_id: said for set_id, said in by_set(entries).items() if ctx.live.holds(set_id)}
    lives = {set_id: ctx.live.get(set_id) for set_id in sorted(new)}
    async with all_of(live.updating for live in lives.values()):
        held = {
            set_id: live.snapshot
            for set_id, live in lives.items()
            if live.snapshot is not None and _goes_on(live.snapshot, new[set_id])
        }
        advanced = await ctx.live.compute_here_if(
            snapshots.are_quick(held.values(), len(entries)),
            lambda: [_advanced(snapshot, new[i][-1].seq, new[i], (), ()) for i, snapshot in held.items()],
        )
        for set_id, snapshot in zip(held, advanced, strict=True):
            lives[set_id].snapshot = snapshot


def _goes_on(held: Snapshot, said: Sequence[Entry]) -> bool:
    """Whether these are the next entries of the log, on candidates and items that the snapshot knows."""
    items, n, _ = held.shown.shape
    follow = [each.seq for each in said] == list(range(held.version + 1, held.version + 1 + len(said)))
    return follow and all(each.item_id < items and max(each.first, each.second) < n for each in said)


async def at_version(ctx: Context, db: AsyncConnection, row: Record, version: int) -> tuple[Catalogue, Snapshot]:
    """The same at an earlier version, folded from the log and not kept."""
    (known,) = await _known(db, [ctx.live.get(row.id)], [row])
    (snapshot,) = await _advance(ctx, db, [At(row.id, version)], [_fresh(known)])
    return known.catalogue, snapshot


class At(NamedTuple):
    id: UUID
    version: int


async def _advance(
    ctx: Context, db: AsyncConnection, rows: Sequence[Record | At], held: Sequence[Snapshot]
) -> list[Snapshot]:
    """Each snapshot brought to the version of its row, where it is behind that."""
    spans = [Span(r.id, s.version, r.version) for r, s in zip(rows, held, strict=True) if s.version < r.version]
    if not spans:
        return list(held)
    said = by_set(await comparisons.within(db, spans))
    rest = [span for span in spans if len(said[span.set_id]) < span.until - span.after]  # hold other entries too
    scores = by_set(await absolute_scores.within(db, rest) if rest else [])
    voids = by_set(await comparisons.voids_within(db, rest) if rest else [])
    return await ctx.live.compute_here_if(
        snapshots.are_quick(held, sum(span.until - span.after for span in spans)),
        lambda: [
            _advanced(snapshot, row.version, said[row.id], scores[row.id], voids[row.id])
            for row, snapshot in zip(rows, held, strict=True)
        ],
    )


def by_set(rows: Sequence[R]) -> defaultdict[UUID, list[R]]:
    """Rows of many sets, grouped by `set_id`, in the order in which they come."""
    grouped: defaultdict[UUID, list[R]] = defaultdict(list)
    for row in rows:
        grouped[row.set_id].append(row)
    return grouped


def _advanced(
    held: Snapshot, version: int, rows: Sequence[Record | Entry], scores: Sequence[Record], voids: Sequence[Record]
) -> Snapshot:
    if held.version >= version:
        return held
    new = snapshots.log_from_rows(
        ((row.seq, row.item_id, row.first, row.second, row.p_first, row.judge_id, row.weight) for row in rows),
        ((row.seq, row.item_id, row.candidate, row.judge_id, row.mean, row.variance) for row in scores),
    )
    return snapshots.advance(held, version, new, [row.voids for row in voids])


async def _known(db: AsyncConnection, lives: Sequence[LiveSet], rows: Sequence[Record]) -> list[Known]:
    """What is held of these sets, read again where they were changed since; rows of (id, revision)."""
    held = {
        row.id: live.known
        for live, row in zip(lives, rows, strict=True)
        if live.known is not None and live.known.revision >= row.revision
    }
    stale = {row.id: row.revision for row in rows if row.id not in held}
    if stale:
        held |= await _read(db, stale)
    for live, row in zip(lives, rows, strict=True):
        live.known = held[row.id]
    return [held[row.id] for row in rows]


async def _read(db: AsyncConnection, revisions: Mapping[UUID, int]) -> dict[UUID, Known]:
    """Of the sets with these ids, at these revisions or later."""
    ids = list(revisions)
    lengths = by_set(await candidates.text_lengths(db, ids))  # first: who joins meanwhile is in the keys, not here
    keys, items = by_set(await candidates.keys(db, ids)), by_set(await candidates.all_items(db, ids))
    known = {}
    for row in await sets.get_many(db, ids):
        catalogue = _catalogue(revisions[row.id], keys[row.id], items[row.id], lengths[row.id])
        known[row.id] = Known(revisions[row.id], _terms_of(row), catalogue)
    return known


def _terms_of(row: Record) -> Terms:
    policy = Policy(Criterion(row.criterion), row.epsilon, row.random_share, Batch(row.batch))
    return Terms(
        row.status, row.question, row.context, row.max_comparisons, _interpretation(row),
        Plan(policy, Order(row.order), row.seed), Stop(**row.stop) if row.stop else None,
    )  # fmt: skip


def _interpretation(row: Record) -> Interpretation:
    parameters = tuple(sorted(row.expert_parameters.items()))
    method = Method(row.expert, parameters, row.prior, row.prior_variance, row.position_bias)
    return Interpretation(method, dict(row.temperatures.values()))


def _usable(held: Snapshot | None, known: Known) -> Snapshot:
    """What is held, unless candidates have joined or the method has changed since."""
    items, n = known.catalogue.has.shape
    if held is None or held.interpretation != known.terms.interpretation or held.shown.shape != (items, n, n):
        return _fresh(known)
    return held


def _fresh(known: Known) -> Snapshot:
    items, n = known.catalogue.has.shape
    return snapshots.empty(known.terms.interpretation, n, items)


def _catalogue(revision: int, keys: Sequence[Record], items: Sequence[Record], rows: Sequence[Record]) -> Catalogue:
    lengths = np.full((len(items), len(keys)), -1)
    for row in rows:
        lengths[row.item_id, row.candidate_id] = row.length
    return snapshots.make_catalogue(
        revision, tuple(row.key for row in keys), tuple((row.key, row.prompt) for row in items), lengths
    )
