"""Rows that one query read of many sets, sorted into a list for each set."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol, TypeVar
from uuid import UUID

from app.storage.schema import Record


class _OfSet(Protocol):
    @property
    def set_id(self) -> UUID: ...


R = TypeVar("R", bound=Record | _OfSet)


def by_set(rows: Iterable[R]) -> defaultdict[UUID, list[R]]:
    """Rows grouped by `set_id`, in the order in which they come."""
    grouped: defaultdict[UUID, list[R]] = defaultdict(list)
    for row in rows:
        grouped[row.set_id].append(row)
    return grouped
