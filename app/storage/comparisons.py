"""The log: comparisons and voids, append-only."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from nextpair.words import Winner
from sqlalchemy import Select, and_, func, insert, literal, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage import bulk, pages
from app.storage.driver import fetch
from app.storage.listening import CHANNEL
from app.storage.pages import Page
from app.storage.schema import Record, assignments, candidates, comparisons, items, judges, voids
from app.storage.spans import in_spans

c = comparisons.c
_READ = (c.set_id, c.seq, c.item_id, c.first, c.second, c.p_first, c.judge_id, c.weight, c.order_chance)
WITHIN = in_spans(select(*_READ), c).order_by(c.seq)
VOIDS_WITHIN = in_spans(select(voids.c.set_id, voids.c.voids), voids.c)  # the comparisons that were taken back
first, second = candidates.alias("first_candidate"), candidates.alias("second_candidate")


class NewComparison(NamedTuple):
    """A comparison that was judged elsewhere."""

    set_id: UUID
    item_id: int
    first: int
    second: int
    p_first: float
    winner: Winner | None
    weight: float
    order_chance: float | None
    judge_id: int
    client_id: str | None
    created_at: datetime
    late: bool
    label_mass: float | None
    latency_ms: float | None
    raw: Any


async def append(db: AsyncConnection, new: Sequence[NewComparison], seq: int) -> None:
    """Add these to the log of their set, from this place on."""
    if len(new) <= bulk.ROWS_TO_INSERT:
        rows = [{"seq": place, **each._asdict()} for place, each in enumerate(new, seq)]
        await db.execute(insert(comparisons), rows)
    else:
        records = ((place, *each) for place, each in enumerate(new, seq))
        await bulk.copy(db, comparisons, ("seq", *NewComparison._fields), records)


class NewVote(NamedTuple):
    """The comparison that a verdict becomes, and its place among those that enter its set's log together."""

    assignment_id: UUID
    set_id: UUID
    place: int  # from 1
    item_id: int
    first: int
    second: int
    p_first: float
    winner: Winner | None
    order_chance: float | None
    judge_id: int
    late: bool
    label_mass: float | None
    latency_ms: float | None
    raw: Any
    created_at: datetime


_RECORD = (
    "WITH votes AS (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::int[], $5::int[], $6::int[], "
    "$7::float8[], $8::text[], $9::float8[], $10::bigint[], $11::bool[], $12::float8[], $13::float8[], "
    "$14::text[]::jsonb[], $15::timestamptz[]) AS vote (assignment_id, set_id, place, item_id, first, second, p_first, "
    "winner, order_chance, judge_id, late, label_mass, latency_ms, raw, created_at)), "
    "advanced AS (UPDATE sets SET version = version + n "
    "FROM (SELECT set_id, count(*) AS n FROM votes GROUP BY set_id) AS counted "
    "WHERE id = set_id RETURNING id, version - n AS before), "
    "logged AS (INSERT INTO comparisons (assignment_id, set_id, seq, item_id, first, second, p_first, winner, "
    "order_chance, judge_id, late, label_mass, latency_ms, raw, created_at) SELECT assignment_id, set_id, "
    "before + place, item_id, first, second, p_first, winner, order_chance, judge_id, late, label_mass, latency_ms, "
    "raw, created_at FROM votes JOIN advanced ON id = set_id), "
    "done AS (UPDATE assignments SET state = 'done' FROM votes WHERE id = assignment_id) "
    "SELECT id, before, pg_notify($16::text, id::text) FROM advanced"
)


async def record(db: AsyncConnection, votes: Sequence[NewVote]) -> dict[UUID, int]:
    """Add these votes to the logs of their sets, end their assignments, which `lock` holds, and announce the sets.

    Returns the version that each set had before. One round trip.
    """
    as_json = (vote._replace(raw=None if vote.raw is None else json.dumps(vote.raw)) for vote in votes)
    rows = await fetch(db, _RECORD, *zip(*as_json, strict=True), CHANNEL)
    return {row["id"]: row["before"] for row in rows}


async def get(db: AsyncConnection, set_id: UUID, seq: int) -> Record | None:
    return (await db.execute(_entries(set_id).where(c.seq == seq))).one_or_none()


async def page(db: AsyncConnection, set_id: UUID, *, after: int, limit: int, judge: str | None = None) -> Page:
    """Comparisons with their names, oldest first, from behind sequence number `after` on."""
    statement = _entries(set_id).add_columns(pages.length(c.raw)).where(c.seq > after)
    if judge is not None:
        statement = statement.where(judges.c.name == judge)
    return await pages.read(db, statement, [c.seq], limit)


async def words_and_times(
    db: AsyncConnection, set_id: UUID, seqs: Sequence[int]
) -> dict[int, tuple[Winner | None, datetime]]:
    """The verdict as a word, if it came as one, and the time of these comparisons, by sequence number."""
    statement = select(c.seq, c.winner, c.created_at).where(c.set_id == set_id, c.seq == func.any(seqs))
    return {row.seq: (row.winner, row.created_at) for row in await db.execute(statement)}


async def earlier(
    db: AsyncConnection, set_id: UUID, before: int, judge_id: int, item_id: int, first: int, second: int
) -> Record | None:
    """(first, p_first) of the judge's earliest verdict on a pair before this place in the log, in this order if any."""
    statement = (
        select(c.first, c.p_first)
        .where(c.set_id == set_id, c.seq < before, c.judge_id == judge_id, c.item_id == item_id)
        .where(tuple_(c.first, c.second).in_([(first, second), (second, first)]))
    )
    return (await db.execute(statement.order_by(c.first != first, c.seq).limit(1))).first()


async def random_ones(db: AsyncConnection, set_id: UUID, version: int) -> Sequence[Record]:
    """(p_first, mean_difference, sd_difference) of the pairs that were drawn at random, as predicted when drawn."""
    why = assignments.c.why
    statement = (
        select(
            c.p_first,
            why["mean_difference"].as_float().label("mean_difference"),
            why["sd_difference"].as_float().label("sd_difference"),
        )
        .join(assignments, assignments.c.id == c.assignment_id)
        .outerjoin(voids, and_(voids.c.set_id == c.set_id, voids.c.voids == c.seq, voids.c.seq <= version))
        .where(assignments.c.set_id == set_id, why["random"].astext == "true")
        .where(c.set_id == set_id, c.seq <= version, voids.c.seq.is_(None))
    )
    return (await db.execute(statement.order_by(c.seq))).all()


async def latencies(db: AsyncConnection, set_id: UUID) -> dict[int, float]:
    """Median milliseconds of each judge that says how long it took, by its id."""
    median = func.percentile_cont(0.5).within_group(c.latency_ms).label("median")
    statement = select(c.judge_id, median).where(c.set_id == set_id, c.latency_ms.is_not(None))
    return {row.judge_id: row.median for row in await db.execute(statement.group_by(c.judge_id))}


async def latest(db: AsyncConnection, set_id: UUID, judge_id: int, limit: int) -> Sequence[Record]:
    """The last comparisons of one judge with their names, newest first."""
    entries = _entries(set_id).where(c.judge_id == judge_id).order_by(c.seq.desc()).limit(limit)
    columns = [column for column in entries.selected_columns if column is not c.raw]
    return (await db.execute(entries.with_only_columns(*columns, maintain_column_froms=True))).all()


async def by_client_id(
    db: AsyncConnection, set_id: UUID, client_ids: Sequence[str], seqs: Sequence[int]
) -> Sequence[Record]:
    """(seq, client_id and content) of the entries that have one of these ids, or one of these places in the log."""
    columns = (c.seq, c.client_id, c.item_id, c.first, c.second, c.p_first, c.judge_id, c.weight)
    is_named = or_(c.client_id == func.any(client_ids), c.seq == func.any(seqs))
    return (await db.execute(select(*columns).where(c.set_id == set_id, is_named))).all()


async def void(db: AsyncConnection, set_id: UUID, seq: int, voided: int, reason: str) -> Record:
    """Add the void; returns its row."""
    values = {"set_id": set_id, "seq": seq, "voids": voided, "reason": reason}
    row: Record = (await db.execute(insert(voids).values(values).returning(voids))).one()
    return row


# All of a comparison, whichever columns a later version adds.
_COPIED = [column for column in c if column.name not in ("seq", "restores")]


async def restored_by(db: AsyncConnection, set_id: UUID, seq: int) -> int | None:
    """The entry that restores this one, if any."""
    return (await db.execute(select(c.seq).where(c.set_id == set_id, c.restores == seq))).scalar_one_or_none()


async def restore(db: AsyncConnection, set_id: UUID, seq: int, voided: int) -> None:
    """Add a copy of the voided comparison."""
    copy = select(literal(seq), literal(voided), *_COPIED).where(c.set_id == set_id, c.seq == voided)
    await db.execute(insert(comparisons).from_select([c.seq, c.restores, *_COPIED], copy))


def _entries(set_id: UUID) -> Select[*tuple[Any, ...]]:
    return (
        select(
            c.seq, c.set_id, items.c.key.label("item"), first.c.key.label("first"), second.c.key.label("second"),
            c.p_first, c.winner, c.weight, judges.c.name.label("judge"), c.client_id, c.assignment_id, c.late,
            c.label_mass, c.latency_ms, c.raw, c.created_at, voids.c.seq.label("voided_by"), c.restores,
            voids.c.reason.label("void_reason"), c.order_chance,
        )
        .join(judges, judges.c.id == c.judge_id)
        .join(items, and_(items.c.set_id == c.set_id, items.c.id == c.item_id))
        .join(first, and_(first.c.set_id == c.set_id, first.c.id == c.first))
        .join(second, and_(second.c.set_id == c.set_id, second.c.id == c.second))
        .outerjoin(voids, and_(voids.c.set_id == c.set_id, voids.c.voids == c.seq))
        .where(c.set_id == set_id)
    )  # fmt: skip
