"""Parts of many logs in one query."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, Select, Uuid, and_, bindparam, cast, column, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from app.storage.schema import Record


class Span(NamedTuple):
    """The entries of one set's log after `after`, to `until` and no further."""

    set_id: UUID
    after: int
    until: int


_unnested = func.unnest(
    cast(bindparam("of_set"), ARRAY(Uuid)), cast(bindparam("after"), ARRAY(BigInteger)),
    cast(bindparam("until"), ARRAY(BigInteger)),
)  # fmt: skip
_span = _unnested.table_valued(
    column("set_id", Uuid), column("after", BigInteger), column("until", BigInteger)
).render_derived(name="span")


def in_spans(
    statement: Select[*tuple[Any, ...]], entry: ReadOnlyColumnCollection[str, Any]
) -> Select[*tuple[Any, ...]]:
    """Rows whose (set_id, seq) lie in one of the spans that it is `read` with.

    `entry` holds the columns of a part of the log.
    """
    inside = and_(entry.set_id == _span.c.set_id, entry.seq > _span.c.after, entry.seq <= _span.c.until)
    return statement.join(_span, inside)


async def read(db: AsyncConnection, part: Select[*tuple[Any, ...]], spans: Sequence[Span]) -> Sequence[Record]:
    """The rows of a statement that is `in_spans`; none are looked for where there is no span."""
    ids, after, until = zip(*spans, strict=True) if spans else ((), (), ())
    return (await db.execute(part, {"of_set": ids, "after": after, "until": until})).all() if spans else []
