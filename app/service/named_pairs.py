"""One pair by the keys of its candidates and item, as an annotator sees it."""

from typing import NamedTuple
from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import Context, existing_set
from app.service.definitions import catalogue_of
from app.service.key_lookup import candidate_id, item_id, require_output
from app.service.presenting.candidates import present_item
from app.storage import candidates


class NamedPair(NamedTuple):
    item: schemas.ItemOut | None
    first: schemas.Shown
    second: schemas.Shown


async def read(ctx: Context, db: AsyncConnection, set_id: UUID, first: str, second: str, item: str | None) -> NamedPair:
    """Raises UnknownSet, SetDeleted, UnknownCandidate, AmbiguousItem, UnknownItem, MissingOutput."""
    catalogue = await catalogue_of(ctx, db, await existing_set(db, set_id))
    place = item_id(item, catalogue, "/item")
    ids = [candidate_id(key, catalogue, "/pair") for key in (first, second)]
    for each in ids:
        require_output(place, each, catalogue, "/pair")
    texts = await candidates.texts(db, [(set_id, place, each) for each in ids])
    shown = [schemas.Shown(key=catalogue.keys[each], text=texts[set_id, place, each]) for each in ids]
    return NamedPair(present_item(catalogue, place), *shown)
