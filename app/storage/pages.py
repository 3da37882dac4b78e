"""Pages of rows that may hold long texts."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, Text, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.storage.schema import Record

LARGEST_PAGE = 7_000_000  # bytes of long texts: JSON may need six for one


class Page(NamedTuple):
    rows: Sequence[Record]
    has_more: bool


async def read(db: AsyncConnection, statement: Select[Any], order: Sequence[ColumnElement[Any]], limit: int) -> Page:
    """The first `limit` rows in this order, or fewer where their long texts, whose bytes a row has in `length`, take
    more than LARGEST_PAGE; one at least.
    """
    page = statement.order_by(*order).limit(limit + 1).subquery()
    names = [column.name for column in order]
    until = func.sum(page.c.length).over(order_by=[page.c[name] for name in names], rows=(None, 0))
    place = func.row_number().over(order_by=[page.c[name] for name in names])
    read = select(page, until.label("until"), place.label("place"), func.count().over().label("rows")).subquery()
    fits = (read.c.place == 1) | (read.c.until <= LARGEST_PAGE)
    rows = (await db.execute(select(read).where(fits, read.c.place <= limit).order_by(read.c.place))).all()
    return Page(rows, bool(rows) and rows[0].rows > len(rows))


def length(*columns: ColumnElement[Any]) -> ColumnElement[int]:
    """Bytes of these columns of one row, which are text or JSON."""
    each = (func.coalesce(func.octet_length(cast(column, Text)), 0) for column in columns)
    return reduce(add, each).label("length")
