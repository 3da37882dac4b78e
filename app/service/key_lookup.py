"""From the keys in a request to the ids of candidates and items."""

import asyncio
from collections.abc import Callable
from typing import Any

from app.inference.state import Catalogue
from app.service.errors import AmbiguousItem, At, MissingOutput, UnknownCandidate, UnknownItem

MANY = 1000  # entries from which placing them is no work for the event loop


async def rows(count: int, row: Callable[[int], dict[str, Any]]) -> list[dict[str, Any]]:
    """What is to be stored of each entry of a request, by its number. Raises what `row` raises."""

    def every() -> list[dict[str, Any]]:
        return [row(n) for n in range(count)]

    return every() if count < MANY else await asyncio.to_thread(every)


def candidate(key: str, catalogue: Catalogue, pointer: str) -> int:
    """Raises UnknownCandidate."""
    if key not in catalogue.ids:
        raise UnknownCandidate(
            f"The set has no candidate {key!r}; add it with POST candidates first.",
            At(pointer, f"unknown candidate {key!r}"),
        )
    return catalogue.ids[key]


def item(key: str | None, catalogue: Catalogue, pointer: str) -> int:
    """Raises AmbiguousItem, UnknownItem."""
    if key is None and len(catalogue.items) != 1:
        raise AmbiguousItem(
            f"The set has {len(catalogue.items)} items; say which one was judged.", At(pointer, "missing")
        )
    if key is not None and key not in catalogue.item_ids:
        raise UnknownItem(f"The set has no item {key!r}.", At(pointer, f"unknown item {key!r}"))
    return 0 if key is None else catalogue.item_ids[key]


def require_output(item_id: int, candidate_id: int, catalogue: Catalogue, pointer: str) -> None:
    """Raises MissingOutput."""
    if not catalogue.has[item_id, candidate_id]:
        raise MissingOutput(
            f"Candidate {catalogue.keys[candidate_id]!r} has no output for item {catalogue.items[item_id][0]!r}.",
            At(pointer, "no output for this item"),
        )
