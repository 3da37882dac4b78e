"""Definitions of sets: their terms and who is in them, held in memory until a set's revision changes."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.choosing import RANKING, Batch, Criterion, Goal, Order, Overlap, Plan, Policy, Stop
from app.inference.fitting import Method
from app.inference.regimes import DENSE
from app.inference.state import Interpretation
from app.live.catalogue import Catalogue
from app.live.posteriors import Definition, LiveSet, Terms
from app.service.context import Context
from app.service.grouping import by_set
from app.storage import candidates, sets
from app.storage.schema import Record
from app.storage.sets import Head


async def catalogue_of(ctx: Context, db: AsyncConnection, row: Record) -> Catalogue:
    """Catalogue of who is in the set; `row` has its id and revision."""
    (definition,) = await define(db, [ctx.live.get(row.id)], [row])
    return definition.catalogue


async def define(db: AsyncConnection, lives: Sequence[LiveSet], rows: Sequence[Record | Head]) -> list[Definition]:
    """The definitions held of these sets, read again where they were changed since; rows of (id, revision)."""
    definitions = {
        row.id: live.definition
        for live, row in zip(lives, rows, strict=True)
        if live.definition is not None and live.definition.revision >= row.revision
    }
    stale = {row.id: row.revision for row in rows if row.id not in definitions}
    if stale:
        definitions |= await _read(db, stale)
    for live, row in zip(lives, rows, strict=True):
        live.definition = definitions[row.id]
    return [definitions[row.id] for row in rows]


async def _read(db: AsyncConnection, revisions: Mapping[UUID, int]) -> dict[UUID, Definition]:
    """Definitions of the sets with these ids, at these revisions or later."""
    ids = list(revisions)
    lengths = by_set(await candidates.text_lengths(db, ids))  # first: who joins meanwhile is in the keys, not here
    keys, items = by_set(await candidates.keys(db, ids)), by_set(await candidates.all_items(db, ids))
    definitions = {}
    for row in await sets.get_many(db, ids):
        catalogue = _catalogue(revisions[row.id], keys[row.id], items[row.id], lengths[row.id])
        definitions[row.id] = Definition(revisions[row.id], _terms(row, catalogue.ids), catalogue)
    return definitions


def _catalogue(revision: int, keys: Sequence[Record], items: Sequence[Record], outputs: Sequence[Record]) -> Catalogue:
    lengths = np.full((len(items), len(keys)), -1)
    for output in outputs:
        lengths[output.item_id, output.candidate_id] = output.length
    texts = tuple((row.key, row.prompt) for row in items)
    return Catalogue(revision, tuple(row.key for row in keys), texts, lengths, tuple(row.tags for row in items))


def interpretation_of(row: Record) -> Interpretation:
    """A set's way of reading its log; `row` is that of the set."""
    parameters = tuple(sorted(row.expert_parameters.items()))
    word, votes = (row.evidence, {}) if isinstance(row.evidence, str) else ("one-vote", dict(row.evidence.values()))
    way = row.prior, row.prior_variance, row.position_bias, word, row.absolute_scale
    return Interpretation(Method(row.expert, parameters, *way), dict(row.temperatures.values()), votes)


def _for_so_many(interpretation: Interpretation, candidates: int) -> Interpretation:
    """Learning verdict weights takes matrices of all pairs: with very many candidates each verdict is one vote."""
    if candidates <= DENSE:
        return interpretation
    return interpretation._replace(method=interpretation.method._replace(verdict_weight="one-vote"))


def goal_of(row: Record, ids: Mapping[str, int]) -> Goal:
    """The goal of a set by the numbers of its candidates; the ranking while one of them has not joined yet."""
    return numbered(schemas.Goal.model_validate(row.goal), ids)


def numbered(goal: schemas.Goal, ids: Mapping[str, int]) -> Goal:
    """The goal by the numbers of its candidates; the ranking while one of them has not joined yet."""
    if not set(goal.candidates) <= set(ids):
        return RANKING
    pair = None if goal.pair is None else (ids[goal.pair[0]], ids[goal.pair[1]])
    return Goal(goal.top_k, None if goal.against is None else ids[goal.against], pair)


def stop_of(row: Record) -> Stop | None:
    """The stop rule of a set, if it has one."""
    if not row.stop:
        return None
    rule = schemas.Stop.model_validate(row.stop)
    return Stop(
        top_k=rule.top_k, rank_width=rule.rank_width, entropy_change=rule.entropy_change,
        concordance=rule.concordance, goal=rule.goal, error_level=rule.error_level,
    )  # fmt: skip


def overlap_of(row: Record) -> Overlap | None:
    """The set's overlap, with a seed of its own; `row` is that of the set."""
    if row.overlap is None:
        return None
    wanted = schemas.Overlap.model_validate(row.overlap)
    return Overlap(wanted.share, wanted.judges, seed=row.id.int % 2**64)


def _terms(row: Record, ids: Mapping[str, int]) -> Terms:
    policy = Policy(Criterion(row.criterion), row.epsilon, row.random_share, Batch(row.batch), row.equal)
    plan = Plan(policy, Order(row.order), row.seed, goal_of(row, ids), overlap_of(row))
    return Terms(
        row.status, row.question, row.context, row.max_comparisons,
        _for_so_many(interpretation_of(row), len(ids)), plan, stop_of(row),
        row.inference_target,
    )  # fmt: skip
