"""Weighing the judges of a set: long work, done beside the requests that ask for it, and kept."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair.words import AggregationName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.fitting import build
from app.inference.judges import Findings, ItemContext, examine_judges, hashed_ngrams, needs_context
from app.inference.reporting import Bias
from app.inference.state import Interpretation, Snapshot, biases, pair_votes_of, raw
from app.inference.types import Ints
from app.live.jobs import JobKey, Report, Underway
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.errors import InvalidRequest, StillComputing
from app.storage import candidates

SEED = 0  # of the splits of a training
MOST_CELLS = 50_000_000  # of a matrix of judges by judges and pairs


class WeighedJudges(NamedTuple):
    """The judges of a set, as its verdicts show them."""

    version: int
    conditions: tuple[Interpretation, tuple[int, ...]]
    judges: Ints  # (J,) ids
    comparisons: Ints  # (J,) how many of each
    biases: Mapping[int, Bias]  # by number, as the set's own method has them
    findings: Findings

    @property
    def size_bytes(self) -> int:
        return sum(each.nbytes for each in (*self.findings.pair_votes, self.findings.p_low, *self.findings.agreements))


async def weigh(ctx: Context, set_id: UUID, snapshot: Snapshot, method: AggregationName) -> WeighedJudges:
    """The judges at the snapshot's version or a later one, else as they were last weighed on these conditions.

    Raises InvalidRequest, StillComputing.
    """
    key, work = JobKey(set_id, method), partial(_prepare, ctx, set_id, method)
    try:
        return await ctx.jobs.result(key, snapshot.version, _conditions(snapshot), work)
    except Underway as underway:
        raise StillComputing(f"The judges of this set are being weighed: {underway.progress}. Ask again.") from None


async def _prepare(ctx: Context, set_id: UUID, method: AggregationName) -> Callable[[Report], WeighedJudges]:
    """Raises UnknownSet, SetDeleted, InvalidRequest."""
    async with ctx.engine.connect() as db:
        row = await existing_set(db, set_id)
        _, snapshot = await posteriors.current(ctx, db, row)
        _refuse_many(len(snapshot.evidence.judges), int(np.count_nonzero(snapshot.shown)))
        context = await _context(db, set_id, snapshot) if needs_context(method) else None
    return partial(_weigh, snapshot, method, context)


def _refuse_many(judges: int, pairs: int) -> None:
    """Raises InvalidRequest: every judge is held against every other and every pair, in matrices."""
    if judges * (judges + pairs) > MOST_CELLS:
        raise InvalidRequest(
            f"{judges:,} judges of {pairs:,} pairs are too many to be weighed together; give those whose verdicts are "
            "alike in kind one name, or split the set."
        )


def _conditions(snapshot: Snapshot) -> tuple[Interpretation, tuple[int, ...]]:
    """All that findings depend on beside the log: how it is read, and how many candidates and items there are."""
    return snapshot.interpretation, snapshot.shown.shape


async def _context(db: AsyncConnection, set_id: UUID, snapshot: Snapshot) -> ItemContext:
    """Words that speak for low against words that speak for high; whole items stay together. Raises InvalidRequest."""
    votes = pair_votes_of(snapshot)
    places = {(set_id, int(item), int(who)) for item, *sides in zip(*votes[:3], strict=True) for who in sides}
    texts = await candidates.texts(db, sorted(places)) if places else {}
    if not any(texts.values()):
        raise InvalidRequest("method: it reads the candidates' texts, and this set has none; choose dawid-skene.")
    low, high = (
        hashed_ngrams(
            [{"text": texts[set_id, int(item), int(who)] or ""} for item, who in zip(votes.item, side, strict=True)]
        )
        for side in (votes.low, votes.high)
    )
    one_item = len(np.unique(votes.item)) == 1
    return ItemContext((low - high) / np.sqrt(2.0), np.arange(votes.size) if one_item else votes.item)


def _weigh(snapshot: Snapshot, method: AggregationName, context: ItemContext | None, report: Report) -> WeighedJudges:
    own, tempered = snapshot.interpretation.method, snapshot.comparisons
    model = build(own._replace(expert="soft-bt", parameters=(), position_bias="none"), snapshot.model.n)
    item, many, rng = snapshot.log.entries.item, len(snapshot.evidence.judges), np.random.default_rng(SEED)
    findings = examine_judges(raw(snapshot), tempered, item, model, many, method, context, rng, report)
    counts = np.bincount(tempered.judge, minlength=many)
    by_number = {bias.judge: bias for bias in biases(snapshot)}
    return WeighedJudges(snapshot.version, _conditions(snapshot), snapshot.evidence.judges, counts, by_number, findings)
