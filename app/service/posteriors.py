"""Bring the live snapshot of a set up to its log."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.model import Method
from app.live import snapshot as snapshots
from app.live.posteriors import LiveSet
from app.live.snapshot import Catalogue, Reading, Snapshot
from app.service.context import Context
from app.storage import absolute_scores, candidates, comparisons
from app.storage.tables import Record


async def catalogue_of(ctx: Context, db: AsyncConnection, row: Record) -> Catalogue:
    """Who is in the set; `row` is the set's."""
    live = ctx.live.get(row.id)
    if live.catalogue is None or live.catalogue.revision < row.revision:
        live.catalogue = await _read_catalogue(db, row.id, row.revision)
    return live.catalogue


async def current(ctx: Context, db: AsyncConnection, row: Record) -> tuple[Catalogue, Snapshot]:
    """The snapshot at `row.version` or later, with the catalogue that it was made for."""
    live = ctx.live.get(row.id)
    async with live.updating:
        catalogue = await catalogue_of(ctx, db, row)
        held = _usable(live, catalogue, row)
        if held.version < row.version:
            held = await _advance(ctx, db, row.id, held, row.version)
        live.snapshot = held
    ctx.live.trim()
    return catalogue, held


async def at_version(ctx: Context, db: AsyncConnection, row: Record, version: int) -> tuple[Catalogue, Snapshot]:
    """The same at an earlier version, folded from the log and not kept."""
    catalogue = await catalogue_of(ctx, db, row)
    return catalogue, await _advance(ctx, db, row.id, _fresh(catalogue, row), version)


async def _advance(ctx: Context, db: AsyncConnection, set_id: UUID, held: Snapshot, version: int) -> Snapshot:
    rows = await comparisons.since(db, set_id, held.version, version)
    scores = await absolute_scores.since(db, set_id, held.version, version)
    voided = await comparisons.voids_since(db, set_id, held.version, version)
    return await ctx.live.compute(_advanced, held, version, rows, scores, voided)


def _advanced(
    held: Snapshot, version: int, rows: Sequence[Record], scores: Sequence[Record], voided: Sequence[int]
) -> Snapshot:
    new = snapshots.log(
        ((row.seq, row.item_id, row.first, row.second, row.p_first, row.judge_id) for row in rows),
        ((row.seq, row.item_id, row.candidate, row.judge_id, row.mean, row.variance) for row in scores),
    )
    return snapshots.advance(held, version, new, voided)


def _usable(live: LiveSet, catalogue: Catalogue, row: Record) -> Snapshot:
    """What is held, unless candidates have joined or the method has changed since."""
    held, shape = live.snapshot, (len(catalogue.items), *2 * (len(catalogue.keys),))
    if held is None or held.reading != _reading(row) or held.asked.shape != shape:
        return _fresh(catalogue, row)
    return held


def _fresh(catalogue: Catalogue, row: Record) -> Snapshot:
    return snapshots.empty(_reading(row), len(catalogue.keys), len(catalogue.items))


def _reading(row: Record) -> Reading:
    parameters = tuple(sorted(row.expert_parameters.items()))
    method = Method(row.expert, parameters, row.prior, row.prior_variance, row.position_bias)
    return Reading(method, dict(row.temperatures.values()))


async def _read_catalogue(db: AsyncConnection, set_id: UUID, revision: int) -> Catalogue:
    places = await candidates.output_places(db, set_id)  # first: whoever joins meanwhile is among the keys, not here
    keys = tuple(await candidates.keys(db, set_id))
    items = tuple((row.key, row.prompt) for row in await candidates.all_items(db, set_id))
    has = np.zeros((len(items), len(keys)), np.bool_)
    for row in places:
        has[row.item_id, row.candidate_id] = True
    return snapshots.catalogue(revision, keys, items, has)
