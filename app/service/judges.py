"""Judges: how they are described, and what their verdicts say of them."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from nextpair import schemas
from nextpair.names import normal_name
from nextpair.words import AggregationName, JudgeKind, TiesName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.judges import Weighing
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.definitions import catalogue_of, overlap_of
from app.service.errors import UnknownJudge
from app.service.limits import refuse_unseen
from app.service.presenting.judges import JudgeRecords, history_of, present_judge, present_judge_detail, present_judges
from app.service.weighing import WeighedJudges, weigh
from app.storage import assignments, comparisons, judges, paces

LATEST = 50  # verdicts of one judge that are listed


class JudgesQuery(NamedTuple):
    """Query of how the judges of a set are weighed and shown."""

    method: AggregationName
    reference: Sequence[str]  # taken for people, beside judges of kind human
    debias: bool
    ties: TiesName
    with_verdicts: bool


async def page(db: AsyncConnection, *, kind: JudgeKind | None, after: str | None, limit: int) -> schemas.JudgePage:
    rows = await judges.page(db, kind=kind, after=after or "", limit=limit + 1)
    more = rows[limit - 1].name if len(rows) > limit else None
    return schemas.JudgePage(judges=[present_judge(row) for row in rows[:limit]], next_after=more)


async def get(db: AsyncConnection, name: str) -> schemas.JudgeOut:
    """Raises UnknownJudge."""
    row = await judges.get(db, name)
    if row is None:
        raise UnknownJudge(
            f"There is no judge {name!r}; check its spelling. A judge exists once it has a verdict or a description."
        )
    return present_judge(row)


async def describe(db: AsyncConnection, name: str, description: schemas.JudgeIn) -> schemas.JudgeOut:
    """Raises InvalidRequest for a new name that has something that nobody sees."""
    if (known := await judges.get(db, name)) is None:
        refuse_unseen(name, "judge")
    return present_judge(
        await judges.describe(db, known.name if known else normal_name(name), description.model_dump())
    )


async def read(ctx: Context, set_id: UUID, query: JudgesQuery) -> schemas.Judges:
    """The judges of a set at the latest version that was weighed.

    Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest, StillComputing.
    """
    async with ctx.reading() as db:
        row = await existing_set(db, set_id)
        _, snapshot = await posteriors.current(ctx, db, row)
    weighed = await weigh(ctx, set_id, snapshot, Weighing(query.method, query.debias, query.ties), query.reference)
    async with ctx.reading() as db:
        catalogue = await catalogue_of(ctx, db, row)
        records = await _records(db, set_id, weighed)
    return await ctx.live.compute(
        present_judges, set_id, weighed, catalogue, overlap_of(row), records, with_verdicts=query.with_verdicts
    )


async def read_one(ctx: Context, set_id: UUID, name: str) -> schemas.JudgeDetail:
    """One judge of a set, at the latest version that was weighed.

    Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest, StillComputing.
    """
    async with ctx.reading() as db:
        row = await existing_set(db, set_id)
        _, snapshot = await posteriors.current(ctx, db, row)
    weighed = await weigh(ctx, set_id, snapshot, Weighing("dawid-skene"), ())
    async with ctx.reading() as db:
        catalogue = await catalogue_of(ctx, db, row)
        records = await _records(db, set_id, weighed)
        judge = next((each for each in records.rows.values() if each.name in (name, normal_name(name))), None)
        if judge is None:
            raise UnknownJudge(f"Judge {name!r} has no verdict in this set; check its spelling.")
        hours = await paces.hours(db, set_id, judge.id)
        latest = await comparisons.latest(db, set_id, judge.id, LATEST)
    history = await ctx.live.compute(history_of, snapshot, weighed, judge.id)
    async with ctx.reading() as db:
        times = await paces.times(db, set_id, [moment.seq for moment in history.moments])
    return present_judge_detail(set_id, judge, weighed, catalogue.keys, records, history, times, hours, latest)


async def _records(db: AsyncConnection, set_id: UUID, weighed: WeighedJudges) -> JudgeRecords:
    """Of all judges that were weighed, or failed."""
    failures = await assignments.failures(db, set_id)
    rows = await judges.by_id(db, {*weighed.judges.tolist(), *failures})
    return JudgeRecords(rows, failures, await comparisons.latencies(db, set_id), await paces.paces(db, set_id))
