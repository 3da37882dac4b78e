"""Routes to add candidates and items to a set, and to list them."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from nextpair import schemas

from app.api.bodies import BodyRoute
from app.api.dependencies import ContextDep, Limit, ReadDep, SetId, WriteDep
from app.api.problems import of_a_set
from app.service import candidates
from app.service.errors import (
    DuplicateKey,
    SetTooLarge,
    TextInUse,
    TextsOrSystems,
    TextTooLarge,
    UnknownCandidate,
    UnknownItem,
)

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["sets"], route_class=BodyRoute)


@router.post(
    "/candidates",
    status_code=201,
    response_model=schemas.CandidatesAdded,
    responses=of_a_set(DuplicateKey, TextTooLarge, SetTooLarge, UnknownItem, TextsOrSystems, TextInUse),
)
async def add_candidates(set_id: SetId, body: schemas.CandidatesIn, ctx: ContextDep, write: WriteDep) -> object:
    """Add candidates, or update those with an existing key. You may add them while judging goes on."""
    return await write(lambda db: candidates.add(ctx, db, set_id, body), 201, sets={set_id})


@router.get("/candidates", response_model=schemas.CandidatePage, responses=of_a_set(UnknownCandidate))
async def list_candidates(
    set_id: SetId,
    db: ReadDep,
    ctx: ContextDep,
    key: Annotated[str | None, Query(description="This candidate alone.")] = None,
    after: Annotated[str | None, Query(description="`next_after` of the previous page.")] = None,
    limit: Limit = 100,
) -> object:
    """List candidates in the order you added them."""
    page = await candidates.page(ctx, db, set_id, key=key, after=after, limit=limit)
    return page if isinstance(page, schemas.CandidatePage) else StreamingResponse(page, media_type="application/json")


@router.get("/items", response_model=schemas.ItemPage, responses=of_a_set(UnknownItem))
async def list_items(
    set_id: SetId,
    db: ReadDep,
    after: Annotated[str | None, Query(description="`next_after` of the previous page.")] = None,
    limit: Limit = 100,
) -> object:
    """List items with their prompts, in the order you added them; none in a set of texts."""
    return await candidates.items_page(db, set_id, after=after, limit=limit)
