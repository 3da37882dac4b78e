"""Judges: how they are described, and what their verdicts say of them."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from nextpair import schemas
from nextpair.words import AggregationName, JudgeKind, TiesName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.judges import Weighing
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.definitions import catalogue_of, overlap_of
from app.service.errors import UnknownJudge
from app.service.presenting.judges import present_judge, present_judges
from app.service.weighing import weigh
from app.storage import assignments, comparisons, judges


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
    return present_judge(await judges.describe(db, name, description.model_dump()))


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
        failures = await assignments.failures(db, set_id)
        rows = await judges.by_id(db, {*weighed.judges.tolist(), *failures})
        latencies = await comparisons.latencies(db, set_id)
    return await ctx.live.compute(
        present_judges, set_id, weighed, catalogue, overlap_of(row), rows, failures, latencies,
        with_verdicts=query.with_verdicts,
    )  # fmt: skip
