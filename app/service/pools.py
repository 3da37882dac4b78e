"""Pools: sets that share priors of verdict weights and of the spread of scores (decision 41).

A pool is estimated again whenever its comparisons have grown by a quarter, by one process. The estimate is kept with
the pool, and from there enters the log of each of its open sets that has comparisons, once and in batches. What a
killed process leaves undone, the next look does.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from app.inference.regimes import DENSE
from app.inference.state import LogContribution, contribution_of, log_from_rows, pooled
from app.service.context import Context
from app.service.definitions import interpretation_of
from app.service.failures import FAILURES
from app.service.posteriors import comparison_rows
from app.storage import comparisons, judges, pooled_evidence, pools, sets
from app.storage.pools import PoolEstimate
from app.storage.schema import Record
from app.storage.spans import Span, read

MOST_SETS = 500  # that an estimate reads: those with most comparisons
SENT_AT_ONCE = 100  # sets
LOOK_SECONDS = 2.0  # from the first change to a look

log = logging.getLogger("nextpair")


async def keep_up(ctx: Context) -> None:
    """Look at the pools of the sets that change, without end; at all pools first."""
    while True:
        await ctx.notices.changes.wait()
        await asyncio.sleep(LOOK_SECONDS)
        try:
            await look(ctx, ctx.notices.changes.take())
        except FAILURES:
            ctx.notices.changes.hear_all()
        except Exception:
            log.exception("cannot learn from the pools of sets; each learns from itself meanwhile")


async def look(ctx: Context, ids: Sequence[UUID] | None) -> None:
    """Estimate the pools of these sets, or all, that are due, and share each estimate with the sets that lack it."""
    async with ctx.writing() as db:
        names = await pools.of_sets(db, ids)
        due = await pools.claim(db, names) if names else []
    for name in due:
        await _estimate(ctx, name)
    for name in await _lacking(ctx, names):
        await _tell(ctx, name)
    if await _lacking(ctx, names):  # somebody writes to them
        ctx.notices.changes.hear_all()


async def _lacking(ctx: Context, names: Sequence[str]) -> Sequence[str]:
    if not names:
        return []
    async with ctx.reading() as db:
        return await pools.lacking(db, names)


async def _estimate(ctx: Context, name: str) -> None:
    async with ctx.reading() as db:
        members = await pools.members(db, name, MOST_SETS)
    contributions = [each for each in [await _contribution_of(ctx, row) for row in members] if each.evidence]
    value = await ctx.jobs.compute(partial(_stored, contributions)) if contributions else None
    estimate = PoolEstimate(uuid4(), len(contributions), value) if value else None
    async with ctx.writing() as db:
        await pools.record(db, name, max((int(row.in_pool) for row in members), default=0), estimate)


async def _contribution_of(ctx: Context, row: Record) -> LogContribution:
    """Contribution of the set at this version; nothing of very many candidates, which takes matrices.

    Where nobody put the set beside others, judges whose model is described are all that it has in common with them.
    """
    if row.candidates > DENSE:
        return LogContribution([])
    span = [Span(row.id, 0, row.version)]
    async with ctx.reading() as db:
        entries, voids = [await read(db, part, span) for part in (comparisons.WITHIN, comparisons.VOIDS_WITHIN)]
        who = sorted({entry.judge_id for entry in entries})
        people = await judges.people(db, who)
        known = await judges.described(db, who) if row.pool_by == "project" and row.project is None else who
    entries = [entry for entry in entries if entry.judge_id in known]
    compared = log_from_rows(comparison_rows(entries))
    voided, interpretation = [row.voids for row in voids], interpretation_of(row)
    return await ctx.jobs.compute(partial(contribution_of, compared, voided, interpretation, row.candidates, people))


def _stored(contributions: Sequence[LogContribution]) -> dict[str, Any]:
    log_scale, *by_judge = pooled(contributions)
    stored = [{str(judge): log_normal for judge, log_normal in of.items()} for of in by_judge]
    return {"log_scale": log_scale, **dict(zip(pooled_evidence.BY_JUDGE, stored, strict=True))}


async def _tell(ctx: Context, name: str) -> None:
    """Write the pool's estimate into the logs that lack it, except for sets that others write to."""
    while True:
        async with ctx.writing() as db:
            lacking = await pools.lock_lacking(db, name, SENT_AT_ONCE)
            if not lacking:
                return
            ids, (estimate, *_) = [row.id for row in lacking], (row.estimate for row in lacking)
            seqs = await sets.advance_by_estimate(db, ids, estimate)
            estimated = {"pool": name, "sets": lacking[0].sets, "value": lacking[0].value}
            await pooled_evidence.append(db, [{"set_id": i, "seq": seqs[i], **estimated} for i in ids])
            await sets.announce(db, ids)
