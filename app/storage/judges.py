"""Judges, known by name."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from nextpair.names import normal_name
from nextpair.words import JudgeKind
from sqlalchemy import and_, case, delete, func, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import Record, judge_records, judges

BLANKS = " \t\n\v\f\r\u0085\u00a0\u2000\u2001\u2002\u2003\u2009\u202f\u3000"


async def add(db: AsyncConnection, names: Iterable[str]) -> None:
    """Make judges of these names, unless there are."""
    await db.execute(insert(judges).on_conflict_do_nothing(), [{"name": name} for name in sorted(set(names))])


async def names(db: AsyncConnection, ids: Iterable[int]) -> dict[int, str]:
    """Names by id."""
    rows = await db.execute(select(judges.c.id, judges.c.name).where(judges.c.id == func.any(sorted(ids))))
    return {row.id: row.name for row in rows}


async def by_id(db: AsyncConnection, ids: Iterable[int]) -> dict[int, Record]:
    """Rows by id."""
    rows = await db.execute(select(judges).where(judges.c.id == func.any(sorted(ids))))
    return {row.id: row for row in rows}


async def get(db: AsyncConnection, name: str) -> Record | None:
    """The judge that `find` finds."""
    ids = await find(db, [name])
    return (await by_id(db, ids.values())).get(ids[name]) if ids else None


async def page(db: AsyncConnection, *, kind: JudgeKind | None, after: str, limit: int) -> Sequence[Record]:
    """Judges by name, from behind `after` on."""
    statement = select(judges).where(judges.c.name > after)
    if kind is not None:
        statement = statement.where(judges.c.kind == kind)
    return (await db.execute(statement.order_by(judges.c.name).limit(limit))).all()


async def describe(db: AsyncConnection, name: str, values: dict[str, Any]) -> Record:
    """Make the judge or replace what is said of it; returns its row. Another model or configuration ends its record."""
    j, answers_by = judges.c, [values["model"], values["configuration"]]
    differs = tuple_(j.model, j.configuration).is_distinct_from(tuple_(*answers_by))
    other = select(j.id).where(j.name == name, differs)
    await db.execute(delete(judge_records).where(judge_records.c.judge_id.in_(other)))
    statement = insert(judges).values(name=name, **values)
    row: Record = (
        await db.execute(statement.on_conflict_do_update(index_elements=["name"], set_=values).returning(judges))
    ).one()
    return row


async def prices(db: AsyncConnection) -> dict[int, float]:
    """Price of a verdict by judge id, of all judges that have one."""
    statement = select(judges.c.id, judges.c.cost_per_1000).where(judges.c.cost_per_1000.is_not(None))
    return {row.id: row.cost_per_1000 / 1000.0 for row in await db.execute(statement)}


async def of_kind(db: AsyncConnection, kind: JudgeKind) -> Sequence[int]:
    """Ids of all judges of this kind."""
    return (await db.execute(select(judges.c.id).where(judges.c.kind == kind))).scalars().all()


class Traits(NamedTuple):
    """What is known of judges, by id, beside their verdicts."""

    people: frozenset[int]
    repeats: Mapping[int, float]  # w1 of who are declared to repeat themselves, 1, or not to, 0, or have a record

    def of(self, ids: Collection[int]) -> "Traits":
        """Those of these judges alone."""
        return Traits(self.people.intersection(ids), {id_: self.repeats[id_] for id_ in ids if id_ in self.repeats})

    def beside(self, records: Mapping[int, float]) -> "Traits":
        """The same with records of those who are not declared."""
        return self._replace(repeats={**records, **self.repeats})


async def traits(db: AsyncConnection, ids: Sequence[int]) -> Traits:
    """Traits of those of `ids` who have any."""
    if not ids:
        return Traits(frozenset(), {})
    statement = select(judges.c.id, judges.c.kind, judges.c.repeats).where(judges.c.id == func.any(ids))
    rows = (await db.execute(statement)).all()
    people = frozenset(row.id for row in rows if row.kind == "human")
    return Traits(people, {row.id: float(row.repeats) for row in rows if row.repeats is not None})


async def records(db: AsyncConnection, ids: Sequence[int], sets: Collection[UUID]) -> Sequence[Record]:
    """(judge_id, set_id, moved, consistent): sums of each of these sets, and of all others, whose set_id is null.

    Judges whose model is not described have no record: their names may stand for anybody.
    """
    r, of_set = judge_records.c, case((judge_records.c.set_id == func.any(list(sets)), judge_records.c.set_id))
    statement = (
        select(r.judge_id, of_set.label("set_id"), func.sum(r.moved).label("moved"))
        .add_columns(func.sum(r.consistent).label("consistent"))
        .join(judges, and_(judges.c.id == r.judge_id, judges.c.model.is_not(None), judges.c.repeats.is_(None)))
        .where(r.judge_id == func.any(ids))
        .group_by(r.judge_id, of_set)
    )
    return (await db.execute(statement)).all()


async def add_to_record(db: AsyncConnection, judge_id: int, set_id: UUID, moved: float, consistent: float) -> None:
    """Add what another answer says to what the set has said so far."""
    new = insert(judge_records).values(judge_id=judge_id, set_id=set_id, moved=moved, consistent=consistent)
    sums = {name: judge_records.c[name] + new.excluded[name] for name in ("moved", "consistent")}
    await db.execute(new.on_conflict_do_update(index_elements=["judge_id", "set_id"], set_=sums))


async def people(db: AsyncConnection, ids: Sequence[int]) -> set[int]:
    """People among `ids`."""
    statement = select(judges.c.id).where(judges.c.id == func.any(ids), judges.c.kind == "human")
    return set((await db.execute(statement)).scalars())


async def described(db: AsyncConnection, ids: Sequence[int]) -> set[int]:
    """Those of `ids` whose model is known: a name alone may stand for anybody."""
    statement = select(judges.c.id).where(judges.c.id == func.any(ids), judges.c.model.is_not(None))
    return set((await db.execute(statement)).scalars())


async def find(db: AsyncConnection, names: Iterable[str]) -> dict[str, int]:
    """Ids of those that exist, by the names that are asked for: of that name, else of one with its normal form."""
    normal = {name: normal_name(name) for name in names}
    spelled = select(judges.c.name, judges.c.id).where(judges.c.name == func.any(sorted({*normal, *normal.values()})))
    ids = {row.name: row.id for row in await db.execute(spelled)}
    if missing := sorted({form for name, form in normal.items() if ids.keys().isdisjoint((name, form))}):
        old = func.normalize(func.btrim(judges.c.name, BLANKS))  # of names from before these were normalised
        is_missing = old.op("=")(func.any(missing))
        alike = select(old.label("name"), judges.c.id).where(is_missing).order_by(judges.c.id.desc())
        ids |= {row.name: row.id for row in await db.execute(alike)}
    return {name: ids[each] for name, form in normal.items() for each in (form, name) if each in ids}
