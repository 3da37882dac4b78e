"""Bring the live snapshot of a set up to its log."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.asking import Plan
from app.inference.model import Method
from app.inference.order import Order
from app.inference.selection import Batch, Criterion, Policy
from app.inference.stopping import Stop
from app.live import snapshot as snapshots
from app.live.posteriors import LiveSet, Terms
from app.live.snapshot import Catalogue, Reading, Snapshot
from app.service.context import Context
from app.storage import absolute_scores, candidates, comparisons, sets
from app.storage.spans import Span
from app.storage.tables import Record


class Current(NamedTuple):
    """What is known of a set at one version."""

    id: UUID
    terms: Terms
    catalogue: Catalogue
    snapshot: Snapshot


async def catalogue_of(ctx: Context, db: AsyncConnection, row: Record) -> Catalogue:
    """Who is in the set; `row` has its id and revision."""
    live = ctx.live.get(row.id)
    if live.catalogue is None or live.catalogue.revision < row.revision:
        live.catalogue = await _read_catalogue(db, row.id, row.revision)
    return live.catalogue


async def current(ctx: Context, db: AsyncConnection, row: Record) -> tuple[Catalogue, Snapshot]:
    """The snapshot at `row.version` or later, with the catalogue that it was made for."""
    (found,) = await current_many(ctx, db, [row])
    return found.catalogue, found.snapshot


async def current_many(ctx: Context, db: AsyncConnection, rows: Sequence[Record]) -> list[Current]:
    """The same for many sets: rows of (id, revision, version), in the order of their ids: no deadlock."""
    async with AsyncExitStack() as updating:
        for row in rows:
            await updating.enter_async_context(ctx.live.get(row.id).updating)
        terms = await _terms(ctx, db, rows)
        catalogues = {row.id: await catalogue_of(ctx, db, row) for row in rows}
        held = {row.id: _usable(ctx.live.get(row.id), catalogues[row.id], terms[row.id]) for row in rows}
        behind = {row.id: (held[row.id], row.version) for row in rows if held[row.id].version < row.version}
        held |= await _advance(ctx, db, behind)
        for set_id, snapshot in held.items():
            ctx.live.get(set_id).snapshot = snapshot
    ctx.live.trim()
    return [Current(row.id, terms[row.id], catalogues[row.id], held[row.id]) for row in rows]


async def at_version(ctx: Context, db: AsyncConnection, row: Record, version: int) -> tuple[Catalogue, Snapshot]:
    """The same at an earlier version, folded from the log and not kept; `row` is the set's."""
    catalogue = await catalogue_of(ctx, db, row)
    return catalogue, (await _advance(ctx, db, {row.id: (_fresh(catalogue, _terms_of(row)), version)}))[row.id]


async def _advance(
    ctx: Context, db: AsyncConnection, held: Mapping[UUID, tuple[Snapshot, int]]
) -> dict[UUID, Snapshot]:
    """Each snapshot brought to its version."""
    if not held:
        return {}
    spans = [Span(set_id, snapshot.version, version) for set_id, (snapshot, version) in held.items()]
    rows = by_set(await comparisons.within(db, spans))
    rest = [span for span in spans if len(rows[span.set_id]) < span.until - span.after]  # hold other entries too
    scores = by_set(await absolute_scores.within(db, rest) if rest else [])
    voids = by_set(await comparisons.voids_within(db, rest) if rest else [])
    return await ctx.live.compute(
        lambda: {
            set_id: _advanced(snapshot, version, rows[set_id], scores[set_id], voids[set_id])
            for set_id, (snapshot, version) in held.items()
        }
    )


def by_set(rows: Sequence[Record]) -> defaultdict[UUID, list[Record]]:
    """Rows of many sets, grouped by `set_id`, in the order in which they come."""
    grouped: defaultdict[UUID, list[Record]] = defaultdict(list)
    for row in rows:
        grouped[row.set_id].append(row)
    return grouped


def _advanced(
    held: Snapshot, version: int, rows: Sequence[Record], scores: Sequence[Record], voids: Sequence[Record]
) -> Snapshot:
    new = snapshots.log(
        ((row.seq, row.item_id, row.first, row.second, row.p_first, row.judge_id) for row in rows),
        ((row.seq, row.item_id, row.candidate, row.judge_id, row.mean, row.variance) for row in scores),
    )
    return snapshots.advance(held, version, new, [row.voids for row in voids])


async def _terms(ctx: Context, db: AsyncConnection, rows: Sequence[Record]) -> dict[UUID, Terms]:
    """Read again only where the set was changed since."""
    held = {row.id: ctx.live.get(row.id).terms for row in rows}
    known = {row.id: terms for row in rows if (terms := held[row.id]) and terms.revision >= row.revision}
    stale = [row.id for row in rows if row.id not in known]
    for row in await sets.get_many(db, stale) if stale else ():
        known[row.id] = ctx.live.get(row.id).terms = _terms_of(row)
    return known


def _terms_of(row: Record) -> Terms:
    policy = Policy(Criterion(row.criterion), row.epsilon, row.random_share, Batch(row.batch))
    return Terms(
        row.revision, row.status, row.question, row.context, row.max_comparisons, _reading(row),
        Plan(policy, Order(row.order), row.seed), Stop(**row.stop) if row.stop else None,
    )  # fmt: skip


def _reading(row: Record) -> Reading:
    parameters = tuple(sorted(row.expert_parameters.items()))
    method = Method(row.expert, parameters, row.prior, row.prior_variance, row.position_bias)
    return Reading(method, dict(row.temperatures.values()))


def _usable(live: LiveSet, catalogue: Catalogue, terms: Terms) -> Snapshot:
    """What is held, unless candidates have joined or the method has changed since."""
    held, shape = live.snapshot, (len(catalogue.items), *2 * (len(catalogue.keys),))
    if held is None or held.reading != terms.reading or held.asked.shape != shape:
        return _fresh(catalogue, terms)
    return held


def _fresh(catalogue: Catalogue, terms: Terms) -> Snapshot:
    return snapshots.empty(terms.reading, len(catalogue.keys), len(catalogue.items))


async def _read_catalogue(db: AsyncConnection, set_id: UUID, revision: int) -> Catalogue:
    places = await candidates.output_places(db, set_id)  # first: whoever joins meanwhile is among the keys, not here
    keys = tuple(await candidates.keys(db, set_id))
    items = tuple((row.key, row.prompt) for row in await candidates.all_items(db, set_id))
    has = np.zeros((len(items), len(keys)), np.bool_)
    for row in places:
        has[row.item_id, row.candidate_id] = True
    return snapshots.catalogue(revision, keys, items, has)
