"""Snapshots of sets, brought up to their logs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.fitting import Hyperprior, Normal
from app.inference.state import (
    ComparisonRow,
    ScoreRow,
    SharedPriors,
    Snapshot,
    advance,
    compute_due,
    empty,
    log_from_rows,
    with_computed,
)
from app.live.catalogue import Catalogue
from app.live.posteriors import Definition, LiveSet, Terms, all_of
from app.live.speed import are_quick
from app.service.context import Context
from app.service.definitions import define
from app.service.grouping import by_set
from app.storage import absolute_scores, comparisons, pooled_evidence
from app.storage.pooled_evidence import BY_JUDGE as POOLED_BY_JUDGE
from app.storage.schema import Record
from app.storage.sets import Head
from app.storage.spans import Span, read


class LogEntry(NamedTuple):
    """A comparison as it has entered the log."""

    set_id: UUID
    seq: int
    item_id: int
    first: int
    second: int
    p_first: float
    judge_id: int
    weight: float
    order_chance: float | None


def comparison_rows(entries: Iterable[Record | LogEntry]) -> Iterator[ComparisonRow]:
    """Rows for a log, all of one set. They are unpacked: their columns by name take several times as long."""
    return (ComparisonRow(*row) for _, *row in entries)


class CatchingUp(NamedTuple):
    """The work that takes some snapshots to the versions of their sets."""

    is_quick: bool
    compute: Callable[[], list[Snapshot]]


class CurrentSet(NamedTuple):
    """A set at one version, and its definition."""

    id: UUID
    terms: Terms
    catalogue: Catalogue
    snapshot: Snapshot


async def current(ctx: Context, db: AsyncConnection, row: Record) -> tuple[Catalogue, Snapshot]:
    """The snapshot at `row.version` or later, with the catalogue that it was made for."""
    ((_, _, catalogue, snapshot),) = await current_many(ctx, db, [row])
    return catalogue, snapshot


async def current_many(ctx: Context, db: AsyncConnection, rows: Sequence[Record | Head]) -> list[CurrentSet]:
    """Sets at these versions or later; rows in the order of their ids: no deadlock."""
    lives = [ctx.live.get(row.id) for row in rows]
    async with all_of(live.updating for live in lives):
        definitions = await define(db, lives, rows)
        usable = [_usable(live.snapshot, definition) for live, definition in zip(lives, definitions, strict=True)]
        catching_up = await _catch_up(db, {row.id: row.version for row in rows}, usable)
        snapshots = await ctx.live.compute_here_if(catching_up.is_quick, catching_up.compute)
        for live, snapshot in zip(lives, snapshots, strict=True):
            live.snapshot = snapshot
    ctx.live.weigh(row.id for row in rows)
    return [
        CurrentSet(row.id, definition.terms, definition.catalogue, snapshot)
        for row, definition, snapshot in zip(rows, definitions, snapshots, strict=True)
    ]


async def at_version(ctx: Context, db: AsyncConnection, row: Record, version: int) -> tuple[Catalogue, Snapshot]:
    """The snapshot at an earlier version, with its catalogue, folded from the log within a job and not kept."""
    (definition,) = await define(db, [ctx.live.get(row.id)], [row])
    catching_up = await _catch_up(db, {row.id: version}, [_fresh(definition)])
    (snapshot,) = await ctx.jobs.compute_in_place(catching_up.compute)
    return definition.catalogue, snapshot


async def learn(ctx: Context, entries: Sequence[LogEntry]) -> None:
    """Take in the new verdicts on sets that are in use, so that the next ask need not read and fit it first."""
    lives = await _take_in(ctx, entries)
    try:
        for live in lives.values():
            await _compute_ahead(ctx, live)
    finally:
        ctx.live.weigh(lives)


async def _take_in(ctx: Context, entries: Sequence[LogEntry]) -> dict[UUID, LiveSet]:
    """The sets in use among them, brought up to these entries where they are the next ones of their logs."""
    new = {set_id: theirs for set_id, theirs in by_set(entries).items() if set_id in ctx.live}
    lives = {set_id: ctx.live.get(set_id) for set_id in sorted(new)}
    async with all_of(live.updating for live in lives.values()):
        snapshots = {
            set_id: live.snapshot
            for set_id, live in lives.items()
            if live.snapshot is not None and _goes_on(live.snapshot, new[set_id])
        }
        advanced = await ctx.live.compute_here_if(
            are_quick(snapshots.values(), len(entries)),
            lambda: [_advanced(snapshot, new[i][-1].seq, new[i], (), (), ()) for i, snapshot in snapshots.items()],
        )
        for set_id, snapshot in zip(snapshots, advanced, strict=True):
            lives[set_id].snapshot = snapshot
    return lives


async def _compute_ahead(ctx: Context, live: LiveSet) -> None:
    """Compute what the set will need next between requests, so that no request waits for it."""
    if live.looking_ahead:
        return
    live.looking_ahead = True
    try:
        while live.snapshot is not None and live.snapshot.due:
            computed = await ctx.jobs.compute(partial(compute_due, live.snapshot))
            async with live.updating:
                live.snapshot = await ctx.live.compute(with_computed, live.snapshot, computed)
    finally:
        live.looking_ahead = False


def _goes_on(snapshot: Snapshot, entries: Sequence[LogEntry]) -> bool:
    """True where these are the next entries of the log, on candidates and items that the snapshot knows."""
    items, n = snapshot.shown.items, snapshot.shown.n
    next_seqs = range(snapshot.version + 1, snapshot.version + 1 + len(entries))
    follow = [entry.seq for entry in entries] == list(next_seqs)
    return follow and all(entry.item_id < items and max(entry.first, entry.second) < n for entry in entries)


def _usable(snapshot: Snapshot | None, definition: Definition) -> Snapshot:
    """The snapshot that is held, unless candidates have joined or the method has changed since."""
    items, n = definition.catalogue.has.shape
    if snapshot is None or (snapshot.shown.items, snapshot.shown.n) != (items, n):
        return _fresh(definition)
    return snapshot if snapshot.interpretation == definition.terms.interpretation else _fresh(definition)


def _fresh(definition: Definition) -> Snapshot:
    items, n = definition.catalogue.has.shape
    return empty(definition.terms.interpretation, n, items)


async def _catch_up(db: AsyncConnection, versions: Mapping[UUID, int], snapshots: Sequence[Snapshot]) -> CatchingUp:
    """Read what brings each snapshot to the version of its set, where it is behind that."""
    pairs = list(zip(versions.items(), snapshots, strict=True))
    spans = [Span(i, each.version, version) for (i, version), each in pairs if each.version < version]
    if not spans:
        return CatchingUp(True, lambda: list(snapshots))
    entries = by_set(await read(db, comparisons.WITHIN, spans))
    rest = [span for span in spans if len(entries[span.set_id]) < span.until - span.after]  # hold other entries too
    others = (absolute_scores.WITHIN, comparisons.VOIDS_WITHIN, pooled_evidence.WITHIN)
    scores, voids, pooled = [by_set(await read(db, part, rest)) for part in others]
    return CatchingUp(
        are_quick(snapshots, sum(span.until - span.after for span in spans)),
        lambda: [_advanced(each, version, entries[i], scores[i], voids[i], pooled[i]) for (i, version), each in pairs],
    )


def _advanced(
    snapshot: Snapshot,
    version: int,
    entries: Sequence[Record | LogEntry],
    scores: Sequence[Record],
    voids: Sequence[Record],
    pooled: Sequence[Record],
) -> Snapshot:
    if snapshot.version >= version:
        return snapshot
    scored = (
        ScoreRow(seq=seq, item=item, candidate=candidate, judge=judge, mean=mean, variance=variance)
        for _, seq, item, candidate, judge, mean, variance in scores
    )
    new = log_from_rows(comparison_rows(entries), scored, _latest(pooled))
    return advance(snapshot, version, new, [row.voids for row in voids])


def _latest(pooled: Sequence[Record]) -> SharedPriors | None:
    if not pooled:
        return None
    seq, value = pooled[-1].seq, pooled[-1].value
    log_noise, log_effects = (
        {int(judge): Normal(*pair) for judge, pair in value.get(name, {}).items()} for name in POOLED_BY_JUDGE
    )
    return SharedPriors(seq, Hyperprior(Normal(*value["log_scale"]), log_noise, log_effects))
