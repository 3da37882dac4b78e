"""Candidates, items and the output of each candidate on each item."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Text, and_, cast, exists, func, or_, select, text, true, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage import bulk, pages
from app.storage.pages import Page
from app.storage.schema import (
    Record,
    absolute_scores,
    assignments,
    candidates,
    comparisons,
    items,
    metadata,
    outputs,
    voids,
)

OUTPUTS_AT_ONCE = 10_000
Part = Literal["candidates", "items", "outputs"]  # of a set, by the name of its table
COLUMNS: dict[Part, tuple[str, ...]] = {  # of what is added, behind set_id
    "candidates": ("id", "key", "metadata"),
    "items": ("id", "key", "prompt", "tags"),
    "outputs": ("item_id", "candidate_id", "text"),
}


async def add(db: AsyncConnection, part: Part, set_id: UUID, rows: Iterable[tuple[Any, ...]]) -> None:
    """Rows of COLUMNS of this part of a set."""
    await bulk.copy(db, metadata.tables[part], ["set_id", *COLUMNS[part]], [(set_id, *row) for row in rows])


async def change(db: AsyncConnection, part: Part, set_id: UUID, ids: Sequence[int], **values: Any) -> None:
    """Change the candidate or the item of an id, or the output on an item of a candidate."""
    c = metadata.tables[part].c
    here = (c[name] == each for name, each in zip(COLUMNS[part], ids, strict=False))
    await db.execute(update(metadata.tables[part]).where(c.set_id == set_id, *here).values(values))


async def keys(db: AsyncConnection, set_ids: Sequence[UUID]) -> Sequence[Record]:
    """(set_id, key) of every candidate of these sets; within a set the position is its id."""
    statement = select(candidates.c.set_id, candidates.c.key).where(candidates.c.set_id == func.any(set_ids))
    return (await db.execute(statement.order_by(candidates.c.id))).all()


async def count_keys(db: AsyncConnection, set_ids: Sequence[UUID]) -> int:
    """Number of different keys in these sets."""
    statement = select(func.count(candidates.c.key.distinct())).where(candidates.c.set_id == func.any(set_ids))
    return int((await db.execute(statement)).scalar_one())


async def all_items(db: AsyncConnection, set_ids: Sequence[UUID]) -> Sequence[Record]:
    """(set_id, key, prompt, tags) of every item of these sets; within a set the position is its id."""
    i = items.c
    statement = select(i.set_id, i.key, i.prompt, i.tags).where(i.set_id == func.any(set_ids))
    return (await db.execute(statement.order_by(i.id))).all()


async def tag_names(db: AsyncConnection, set_id: UUID) -> Sequence[str]:
    """The tags that items of a set have, in alphabetical order."""
    names = select(func.jsonb_object_keys(items.c.tags)).where(items.c.set_id == set_id).distinct()
    return sorted((await db.execute(names)).scalars())


async def tag_values(db: AsyncConnection, set_id: UUID) -> Sequence[Record]:
    """(name, value) of every tag that items of a set have, in alphabetical order."""
    each = func.jsonb_each_text(items.c.tags).table_valued("key", "value").render_derived()
    statement = select(each.c.key, each.c.value).select_from(items.join(each, true())).where(items.c.set_id == set_id)
    return (await db.execute(statement.distinct().order_by(each.c.key, each.c.value))).all()


async def items_page(db: AsyncConnection, set_id: UUID, *, after: int, but: str, limit: int) -> Page:
    """(id, key, prompt, tags) of the items with ids above `after`, ascending, without the one whose key is `but`."""
    i = items.c
    statement = select(i.id, i.key, i.prompt, i.tags, pages.length(i.prompt, i.tags))
    statement = statement.where(i.set_id == set_id, i.id > after, i.key != but)
    return await pages.read(db, statement, [i.id], limit)


async def text_lengths(db: AsyncConnection, set_ids: Sequence[UUID]) -> Sequence[Record]:
    """(set_id, item_id, candidate_id, bytes of the text) of every output of these sets, without reading the texts."""
    o = outputs.c
    length = func.coalesce(func.octet_length(o.text), 0).label("length")
    statement = select(o.set_id, o.item_id, o.candidate_id, length).where(o.set_id == func.any(set_ids))
    return (await db.execute(statement)).all()


async def outputs_of(db: AsyncConnection, set_id: UUID, candidate_ids: Sequence[int]) -> Sequence[Record]:
    """(candidate id, item id, text) of every output of these candidates."""
    statement = select(outputs.c.candidate_id, outputs.c.item_id, outputs.c.text).where(
        outputs.c.set_id == set_id, outputs.c.candidate_id.in_(candidate_ids)
    )
    return (await db.execute(statement)).all()


async def outputs_page(db: AsyncConnection, set_id: UUID, candidate_id: int, *, after: int) -> Page:
    """(item id, text) of the outputs of one candidate on the items above `after`, ascending."""
    o = outputs.c
    statement = select(o.item_id, o.text, pages.length(o.text))
    statement = statement.where(o.set_id == set_id, o.candidate_id == candidate_id, o.item_id > after)
    return await pages.read(db, statement, [o.item_id], OUTPUTS_AT_ONCE)


async def lengths_of(db: AsyncConnection, set_id: UUID, candidate_ids: Sequence[int]) -> Sequence[Record]:
    """(candidate id, item id, bytes of the text) of every output of these candidates."""
    o = outputs.c
    statement = select(o.candidate_id, o.item_id, func.octet_length(o.text).label("length"))
    return (await db.execute(statement.where(o.set_id == set_id, o.candidate_id.in_(candidate_ids)))).all()


_TEXTS = text(
    "SELECT o.set_id, o.item_id, o.candidate_id, o.text FROM outputs AS o "
    "JOIN unnest(CAST(:set_ids AS uuid[]), CAST(:item_ids AS int[]), CAST(:candidate_ids AS int[])) "
    "AS at (set_id, item_id, candidate_id) USING (set_id, item_id, candidate_id)"
)


async def texts(
    db: AsyncConnection, places: Sequence[tuple[UUID, int, int]]
) -> dict[tuple[UUID, int, int], str | None]:
    """The text at each (set id, item id, candidate id)."""
    set_ids, item_ids, candidate_ids = zip(*places, strict=True) if places else ((), (), ())
    rows = await db.execute(_TEXTS, {"set_ids": set_ids, "item_ids": item_ids, "candidate_ids": candidate_ids})
    return {(row[0], row[1], row[2]): row[3] for row in rows}


async def page(db: AsyncConnection, set_id: UUID, *, after: int, limit: int) -> Page:
    """(id, key, metadata) of the candidates with ids above `after`, ascending."""
    c, o = candidates.c, outputs.c
    texts = select(func.sum(func.octet_length(o.text))).where(o.set_id == c.set_id, o.candidate_id == c.id)
    length = func.octet_length(cast(c.metadata, Text)) + func.coalesce(texts.scalar_subquery(), 0)
    statement = select(c.id, c.key, c.metadata, length.label("length")).where(c.set_id == set_id, c.id > after)
    return await pages.read(db, statement, [c.id], limit)


async def find(db: AsyncConnection, part: Literal["candidates", "items"], set_id: UUID, key: str) -> int | None:
    c = metadata.tables[part].c
    statement = select(c.id).where(c.set_id == set_id, c.key == key)
    return (await db.execute(statement)).scalar_one_or_none()


async def uncompared(db: AsyncConnection, set_id: UUID) -> Sequence[Record]:
    """(key of the item, key of the candidate) of outputs that no comparison that counts is about, and (None, key) of
    candidates without outputs."""
    c, o = comparisons.c, outputs.c
    is_void = exists().where(voids.c.set_id == set_id, voids.c.voids == c.seq)
    sides = [
        select(c.item_id, side.label("candidate_id")).where(c.set_id == set_id, ~is_void)
        for side in (c.first, c.second)
    ]
    judged = union(*sides).subquery()
    statement = (
        select(items.c.key.label("item"), candidates.c.key.label("candidate"))
        .outerjoin(outputs, and_(o.set_id == set_id, o.candidate_id == candidates.c.id))
        .outerjoin(items, and_(items.c.set_id == set_id, items.c.id == o.item_id))
        .outerjoin(judged, and_(judged.c.item_id == o.item_id, judged.c.candidate_id == candidates.c.id))
        .where(candidates.c.set_id == set_id, judged.c.item_id.is_(None))
    )
    return (await db.execute(statement.order_by(candidates.c.id, items.c.id))).all()


async def was_shown(db: AsyncConnection, set_id: UUID, item_id: int, candidate_id: int) -> bool:
    """True where the output was ever compared, scored or handed out."""
    places = [
        exists().where(
            t.c.set_id == set_id, t.c.item_id == item_id, or_(t.c.first == candidate_id, t.c.second == candidate_id)
        )
        for t in (comparisons, assignments)
    ]
    s = absolute_scores.c
    places.append(exists().where(s.set_id == set_id, s.item_id == item_id, s.candidate == candidate_id))
    return bool((await db.execute(select(or_(*places)))).scalar_one())
