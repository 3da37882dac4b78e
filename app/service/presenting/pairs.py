"""Pairs that were judged, with their texts, and how many of them one answer holds."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, NamedTuple
from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.verdicts import TIE
from app.live.catalogue import Catalogue
from app.service.leases import Texts
from app.service.presenting.assignments import LARGEST_ANSWER
from app.storage import candidates


class OutputPair(NamedTuple):
    """Two outputs on one item, the lower number first: that of the candidate who joined first."""

    item: int
    low: int
    high: int


def fitting(pairs: Sequence[OutputPair], catalogue: Catalogue) -> int:
    """How many of the first of them have texts that fit in one answer; one at the least, where there is one."""
    prompts = (len((catalogue.items[each.item][1] or "").encode()) for each in pairs)
    outputs = (int(catalogue.lengths[each.item, [each.low, each.high]].sum()) for each in pairs)
    fit = sum(size <= LARGEST_ANSWER for size in accumulate(map(int.__add__, prompts, outputs)))
    return max(fit, min(len(pairs), 1))


async def texts_of(db: AsyncConnection, set_id: UUID, pairs: Sequence[OutputPair]) -> Texts:
    """Their texts."""
    places = {(set_id, each.item, side) for each in pairs for side in (each.low, each.high)}
    return await candidates.texts(db, sorted(places))


def present_sides(pair: OutputPair, set_id: UUID, catalogue: Catalogue, texts: Texts) -> list[schemas.Shown]:
    """Low and high."""
    return [
        schemas.Shown(key=catalogue.keys[side], text=texts[set_id, pair.item, side]) for side in (pair.low, pair.high)
    ]


def winner_of(p_first: float) -> Literal["first", "second", "tie"]:
    if abs(p_first - 0.5) <= TIE:
        return "tie"
    return "first" if p_first > 0.5 else "second"
