"""Looking up keys of a request: the ids of candidates and items that they stand for."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from app.live.catalogue import Catalogue
from app.service.errors import AmbiguousItem, FieldFault, MissingOutput, SameCandidate, UnknownCandidate, UnknownItem

MANY = 1000  # entries from which looking them up is no work for the event loop
R = TypeVar("R")


async def elsewhere_if_many(entries: Sequence[object], work: Callable[[], R]) -> R:
    """Do `work` on these entries of a request, in a thread where they are many. Raises what it raises."""
    return work() if len(entries) < MANY else await asyncio.to_thread(work)


def candidate_id(key: str, catalogue: Catalogue, pointer: str) -> int:
    """Raises UnknownCandidate."""
    if (candidate := catalogue.id_of(key)) is None:
        raise UnknownCandidate(
            f"The set has no candidate {key!r}; add it with POST candidates first.",
            FieldFault(pointer, f"unknown candidate {key!r}"),
        )
    return candidate


def pair_of(catalogue: Catalogue, first: str, second: str) -> tuple[int, int]:
    """Ids of two candidates. Raises SameCandidate, UnknownCandidate."""
    ids = known_candidate(first, catalogue), known_candidate(second, catalogue)
    refuse_same(*ids, first)
    return ids


def known_candidate(key: str, catalogue: Catalogue) -> int:
    """Raises UnknownCandidate."""
    if (candidate := catalogue.id_of(key)) is None:
        raise UnknownCandidate(f"The set has no candidate {key!r}; check its spelling, or add it.")
    return candidate


def refuse_same(first: int, second: int, key: str) -> None:
    """Raises SameCandidate."""
    if first == second:
        raise SameCandidate(f"first and second are both {key!r}; name two different candidates.")


def item_id(key: str | None, catalogue: Catalogue, pointer: str) -> int:
    """Raises AmbiguousItem, UnknownItem."""
    if key is None and len(catalogue.items) != 1:
        raise AmbiguousItem(
            f"The set has {len(catalogue.items)} items; send `item`, the one that was judged.",
            FieldFault(pointer, "missing"),
        )
    if key is not None and key not in catalogue.item_ids:
        raise UnknownItem(
            f"The set has no item {key!r}; check its spelling, or add it.", FieldFault(pointer, f"unknown item {key!r}")
        )
    return 0 if key is None else catalogue.item_ids[key]


def require_output(item: int, candidate: int, catalogue: Catalogue, pointer: str) -> None:
    """Raises MissingOutput where the candidate of this id has none on the item of this id."""
    if not catalogue.has[item, candidate]:
        raise MissingOutput(
            f"Candidate {catalogue.keys[candidate]!r} has no output for item {catalogue.items[item][0]!r}; add one.",
            FieldFault(pointer, "no output for this item"),
        )
