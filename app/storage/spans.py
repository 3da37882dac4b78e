"""Parts of many logs in one query."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, Select, Uuid, and_, cast, column, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.base import ReadOnlyColumnCollection


class Span(NamedTuple):
    """The entries of one set's log after `after`, to `until` and no further."""

    set_id: UUID
    after: int
    until: int


def in_spans(
    statement: Select[*tuple[Any, ...]], entry: ReadOnlyColumnCollection[str, Any], spans: Sequence[Span]
) -> Select[*tuple[Any, ...]]:
    """Only the rows whose (set_id, seq) lie in one of the spans; `entry` holds the columns of a part of the log."""
    of_set, after, until = (list(column) for column in zip(*spans, strict=True))
    unnested = func.unnest(cast(of_set, ARRAY(Uuid)), cast(after, ARRAY(BigInteger)), cast(until, ARRAY(BigInteger)))
    span = unnested.table_valued(column("set_id", Uuid), column("after", BigInteger), column("until", BigInteger))
    span = span.render_derived(name="span")
    inside = and_(entry.set_id == span.c.set_id, entry.seq > span.c.after, entry.seq <= span.c.until)
    return statement.join(span, inside)
