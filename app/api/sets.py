"""Routes to create, list, read, change, delete and restore sets."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from nextpair import schemas
from nextpair.words import SetStatus

from app.api.bodies import BodyRoute
from app.api.dependencies import ContextDep, Limit, ReadDep, SetId, WriteDep
from app.api.problems import documented, of_a_set
from app.service import sets
from app.service.errors import DuplicateKey, InvalidRequest, SetTooLarge, TextsOrSystems, TextTooLarge, UnknownItem

router = APIRouter(prefix="/v1/sets", tags=["sets"], route_class=BodyRoute)
HERE = of_a_set(InvalidRequest)


@router.post(
    "",
    status_code=201,
    response_model=schemas.SetOut,
    responses=documented(InvalidRequest, DuplicateKey, TextTooLarge, SetTooLarge, UnknownItem, TextsOrSystems),
)
async def create_set(body: schemas.SetIn, ctx: ContextDep, write: WriteDep) -> object:
    """Create a set, with or without candidates."""
    return await write(lambda db: sets.create(ctx, db, body), 201)


@router.get("")
async def list_sets(
    db: ReadDep,
    project: Annotated[str | None, Query(description="Only sets of this project.")] = None,
    status: Annotated[SetStatus | None, Query(description="Only sets with this status.")] = None,
    deleted: Annotated[
        bool, Query(description="Only deleted sets that you can restore, instead of the others.")
    ] = False,
    after: Annotated[UUID | None, Query(description="`next_after` of the previous page.")] = None,
    limit: Limit = 100,
) -> schemas.SetPage:
    """List sets, oldest first."""
    return await sets.page(db, project=project, status=status, deleted=deleted, after=after, limit=limit)


@router.get("/{set_id}", responses=HERE)
async def get_set(set_id: SetId, db: ReadDep) -> schemas.SetOut:
    """Read one set, with its version and status."""
    return await sets.get(db, set_id)


@router.patch("/{set_id}", response_model=schemas.SetOut, responses=HERE)
async def patch_set(set_id: SetId, body: schemas.SetPatch, ctx: ContextDep, write: WriteDep) -> object:
    """Rename, pause or reopen a set, or change its settings."""
    return await write(lambda db: sets.change(ctx, db, set_id, body), sets={set_id})


@router.delete("/{set_id}", status_code=204, responses=HERE)
async def delete_set(set_id: SetId, ctx: ContextDep, write: WriteDep) -> Response:
    """Delete a set. Later requests for it answer 410; for 30 days you can restore it, then all of it is removed."""
    await write(lambda db: sets.delete(db, set_id), 204, sets={set_id})
    ctx.live.forget(set_id)
    return Response(status_code=204)


@router.post("/{set_id}/restore", response_model=schemas.SetOut, responses=HERE)
async def restore_set(set_id: SetId, write: WriteDep) -> object:
    """Restore a set within 30 days of its deletion, as it was. Restoring a set that is not deleted changes nothing."""
    return await write(lambda db: sets.restore(db, set_id), sets={set_id})
