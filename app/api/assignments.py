"""Routes to ask for pairs of one set or of many, to preview them, and to renew and release their leases."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query
from nextpair import schemas
from nextpair.words import in_words
from pydantic import ValidationError

from app.api.bodies import BodyRoute
from app.api.dependencies import ContextDep, ReadDep, SetId, WriteDep
from app.api.problems import documented, of_a_set
from app.service import asking, leases
from app.service.errors import InvalidRequest, LeaseEnded, LeaseSuperseded, SetDeleted, UnknownAssignment, UnknownJudge

router = APIRouter(prefix="/v1", tags=["ask"], route_class=BodyRoute)
OF_A_LEASE = documented(UnknownAssignment, SetDeleted, LeaseSuperseded, LeaseEnded)


async def get_goal(
    top_k: Annotated[
        int | None, Query(ge=1, description="Choose for the best k, instead of the set's own goal.")
    ] = None,
    against: Annotated[
        str | None, Query(min_length=1, description="Choose for the candidates better than this key.")
    ] = None,
    pair: Annotated[
        list[str] | None, Query(description="Choose for the order of two candidates: send it twice, once per key.")
    ] = None,
) -> schemas.Goal | None:
    """The goal of a preview, if it has one. Raises InvalidRequest."""
    if top_k is None and against is None and pair is None:
        return None
    named = {"top_k": top_k, "against": against, "pair": pair}
    try:
        return schemas.Goal.model_validate(named)
    except ValidationError as error:
        raise InvalidRequest(f"goal: {in_words(error.errors()[0])}") from None


GoalDep = Annotated[schemas.Goal | None, Depends(get_goal)]
AssignmentId = Annotated[UUID, Path(description="Id of the assignment.")]


@router.post("/sets/{set_id}/next-pair", responses=of_a_set(UnknownJudge, InvalidRequest))
async def next_pair(set_id: SetId, body: schemas.Ask, ctx: ContextDep) -> schemas.Assignments:
    """Lease the most informative pairs. A judge that asks again gets its leased pairs back first.

    They then have a new `generation`; requests with an older one are refused.
    """
    return await asking.ask(ctx, set_id, body)


@router.get("/sets/{set_id}/next-pair", responses=of_a_set(InvalidRequest))
async def preview_pairs(
    set_id: SetId,
    db: ReadDep,
    ctx: ContextDep,
    goal: GoalDep,
    count: Annotated[int, Query(ge=1, le=1000, description="Largest number of pairs.")] = 1,
) -> schemas.Preview:
    """Preview the pairs that would be leased next, without leasing them."""
    return await asking.preview(ctx, db, set_id, count, goal)


@router.post("/next-pairs")
async def next_pairs(body: schemas.AskMany, ctx: ContextDep) -> schemas.Assignments:
    """Lease pairs over many sets, those with the least progress first."""
    return await asking.ask_many(ctx, body)


@router.post("/assignments/renew", response_model=schemas.Held)
async def renew_many(body: schemas.RenewMany, write: WriteDep) -> object:
    """Renew many leases. Those that ended, or were handed out again, are missing from the answer."""
    return await write(lambda db: leases.renew_many(db, body))


@router.post("/assignments/release", response_model=schemas.Released)
async def release_many(body: schemas.ReleaseMany, write: WriteDep) -> object:
    """Release many pairs without a verdict. Leases that ended, or were handed out again, stay as they are."""
    return await write(lambda db: leases.release_many(db, body))


@router.post("/assignments/{assignment_id}/renew", response_model=schemas.Lease, responses=OF_A_LEASE)
async def renew(assignment_id: AssignmentId, write: WriteDep, body: schemas.Renewal | None = None) -> object:
    """Renew the lease of a pair, by default for 600 seconds."""
    return await write(lambda db: leases.renew(db, assignment_id, body or schemas.Renewal()))


@router.post("/assignments/{assignment_id}/release", response_model=schemas.Lease, responses=OF_A_LEASE)
async def release(assignment_id: AssignmentId, write: WriteDep, body: schemas.Release | None = None) -> object:
    """Release a pair without a verdict."""
    return await write(lambda db: leases.release(db, assignment_id, body.generation if body else None))
