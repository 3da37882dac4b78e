"""Weighing the judges of a set: long work, done beside the requests that ask for it, and kept."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy.ext.asyncio import AsyncConnection

from app.analysis.item_contexts import hashed_ngrams
from app.analysis.judged import Impossible
from app.inference.fitting import TooMany, build
from app.inference.judges import Findings, FitRound, ItemContext, Step, Weighing, examine_judges, needs_context
from app.inference.reporting import Bias
from app.inference.state import Interpretation, Snapshot, in_model, pair_votes_of, raw
from app.inference.types import Floats, Ints
from app.live.jobs import JobKey, Report, Underway
from app.sentences.judges import progress
from app.service.basis import Basis, read_basis
from app.service.context import Context, existing_judges, existing_set
from app.service.errors import InvalidRequest, StillComputing
from app.storage import candidates, judges

SEED = 0  # of the splits of a training
MOST_CELLS = 50_000_000  # of a matrix of judges by judges and pairs


class Conditions(NamedTuple):
    """All that findings depend on beside the log."""

    interpretation: Interpretation
    shape: tuple[int, ...]  # items, candidates
    people: frozenset[int]  # ids
    way: Weighing


class WeighedJudges(NamedTuple):
    """The judges of a set, as its verdicts show them."""

    version: int
    conditions: Conditions
    judges: Ints  # (J,) ids
    comparisons: Ints  # (J,) how many of each
    biases: Mapping[int, Bias]  # by number, as the set's own method has them
    votes: Floats  # (J,) how many one verdict counts as
    findings: Findings

    @property
    def size_bytes(self) -> int:
        return sum(each.nbytes for each in (*self.findings.pair_votes[:-1], self.findings.p_low))


async def weigh(
    ctx: Context, set_id: UUID, snapshot: Snapshot, way: Weighing, reference: Sequence[str]
) -> WeighedJudges:
    """The judges at the snapshot's version or a later one, else as they were last weighed on these conditions.

    Raises InvalidRequest, UnknownJudge, StillComputing.

    Args: `reference` names judges who are taken for people, beside those of kind human.
    """
    async with ctx.reading() as db:
        known = await existing_judges(db, reference)
        conditions = await _conditions(db, snapshot, known.values(), way)
    key, work = JobKey(set_id, way.method), partial(_prepare, ctx, set_id, way, frozenset(known.values()))
    try:
        return await ctx.jobs.result(key, snapshot.version, conditions, work)
    except Underway as underway:
        raise StillComputing(f"The judges of this set are being compared: {underway.progress}. Ask again.") from None


async def _prepare(
    ctx: Context, set_id: UUID, way: Weighing, reference: Collection[int]
) -> Callable[[Report], WeighedJudges]:
    """Raises UnknownSet, SetDeleted, InvalidRequest."""
    async with ctx.reading() as db:
        basis = await read_basis(ctx, db, await existing_set(db, set_id))
        snapshot = basis.snapshot
        _refuse_many(len(snapshot.evidence.judges), len(snapshot.shown.code))
        context = await _context(db, set_id, snapshot) if needs_context(way.method) else None
        conditions = await _conditions(db, snapshot, reference, way)
    return partial(_weigh, basis, conditions, context)


def _refuse_many(judges: int, pairs: int) -> None:
    """Raises InvalidRequest: every judge is compared with every other on every pair, in matrices."""
    if judges * (judges + pairs) > MOST_CELLS:
        raise InvalidRequest(
            f"{judges:,} judges of {pairs:,} pairs are too many to weight together. Give similar judges one name, or "
            "split the set."
        )


async def _conditions(db: AsyncConnection, snapshot: Snapshot, reference: Collection[int], way: Weighing) -> Conditions:
    present = snapshot.evidence.judges.tolist()
    people = await judges.people(db, present) | (set(reference) & set(present))
    return Conditions(snapshot.interpretation, snapshot.shown[:2], frozenset(people), way)


async def _context(db: AsyncConnection, set_id: UUID, snapshot: Snapshot) -> ItemContext:
    """Words that speak for low against words that speak for high; whole items stay together. Raises InvalidRequest."""
    votes = pair_votes_of(snapshot)
    places = {(set_id, int(item), int(who)) for item, *sides in zip(*votes[:3], strict=True) for who in sides}
    texts = await candidates.texts(db, sorted(places)) if places else {}
    if not any(texts.values()):
        raise InvalidRequest(
            "method: this one reads the candidates' texts, and the set stores none; choose dawid-skene."
        )
    low, high = (
        hashed_ngrams(
            [{"text": texts[set_id, int(item), int(who)] or ""} for item, who in zip(votes.item, side, strict=True)]
        )
        for side in (votes.low, votes.high)
    )
    one_item = len(np.unique(votes.item)) == 1
    return ItemContext((low - high) / np.sqrt(2.0), np.arange(votes.size) if one_item else votes.item)


def _weigh(basis: Basis, conditions: Conditions, context: ItemContext | None, report: Report) -> WeighedJudges:
    snapshot = basis.snapshot
    own, tempered = snapshot.interpretation.method, in_model(snapshot)
    model = build(own._replace(expert="soft-bt", parameters=(), position_bias="none"), snapshot.model.n)
    item, ids, rng = snapshot.log.entries.item, snapshot.evidence.judges, np.random.default_rng(SEED)
    people = np.isin(ids, list(conditions.people))

    def say(done: Step | FitRound) -> None:
        report(progress(done))

    findings = examine_judges(raw(snapshot), tempered, item, model, people, conditions.way, context, rng, say)
    counts = np.bincount(tempered.judge, minlength=len(ids))
    by_number = {bias.judge: bias for bias in basis.biases}
    return WeighedJudges(snapshot.version, conditions, ids, counts, by_number, _votes(basis), findings)


def _votes(basis: Basis) -> Floats:
    """(J,) as the set's ranking learns them, else as the set fixes them; NaN where it cannot be ranked."""
    fixed = basis.snapshot.interpretation.votes
    votes = np.array([fixed.get(judge, 1.0) for judge in basis.snapshot.evidence.judges.tolist()], np.float64)
    if basis.snapshot.learnt is None:
        return votes
    try:
        learnt = basis.published_in_rows(basis.target().name).learnt
    except (Impossible, TooMany):
        return np.full_like(votes, np.nan)
    return votes if learnt is None else learnt.votes
