"""What is known of judges beside the verdicts of a set: who are people, and whether they repeat themselves.

A judge that is not declared has its record: what it answered in other sets when it was asked again.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.fitting import Gains, gains_of, record_of
from app.storage import comparisons, judges
from app.storage.assignments import LockedAssignment
from app.storage.judges import Traits


async def traits_of(db: AsyncConnection, judges_of: Mapping[UUID, Collection[int]]) -> dict[UUID, Traits]:
    """Traits of the judges of each of these sets, by ids."""
    ids = sorted({judge for of_set in judges_of.values() for judge in of_set})
    known, records = await judges.traits(db, ids), defaultdict[int, dict[UUID | None, Gains]](dict)
    for row in await judges.records(db, ids, judges_of) if ids else ():
        records[row.judge_id][row.set_id] = Gains(row.moved, row.consistent)
    traits = dict[UUID, Traits]()
    for set_id, of_set in judges_of.items():
        elsewhere = {judge: [gains for of, gains in records[judge].items() if of != set_id] for judge in of_set}
        by_record = {judge: record_of(_together(gains)) for judge, gains in elsewhere.items() if gains}
        traits[set_id] = known.of(of_set).beside(by_record)
    return traits


def _together(gains: Sequence[Gains]) -> Gains:
    return Gains(*(sum(column) for column in zip(*gains, strict=True)))


async def add_to_record(db: AsyncConnection, row: LockedAssignment, seq: int, p: float) -> None:
    """Keep what an answer says of its judge, who was asked again."""
    earlier = await comparisons.earlier(db, row.set_id, seq, row.judge_id, row.item_id, row.first, row.second)
    if earlier is None or row.mean_difference is None or row.sd_difference is None:
        return
    expected = row.mean_difference, row.sd_difference
    gains = gains_of(p, earlier.p_first, *expected, turned=earlier.first != row.first)
    await judges.add_to_record(db, row.judge_id, row.set_id, *gains)
