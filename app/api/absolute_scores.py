"""Absolute scores: what a judge said of one candidate alone."""

from fastapi import APIRouter
from nextpair import schemas

from app.api.bodies import BodyRoute
from app.api.dependencies import After, ContextDep, Limit, ReadDep, SetId, WriteDep
from app.api.problems import of_a_set
from app.service import absolute_scores
from app.service.errors import AmbiguousItem, MissingOutput, UnknownCandidate, UnknownItem

router = APIRouter(prefix="/v1/sets/{set_id}/absolute-scores", tags=["tell"], route_class=BodyRoute)


@router.post(
    "",
    status_code=201,
    response_model=schemas.AbsoluteScoresAccepted,
    responses=of_a_set(UnknownCandidate, UnknownItem, AmbiguousItem, MissingOutput),
)
async def add_absolute_scores(
    set_id: SetId, body: schemas.AbsoluteScoresIn, ctx: ContextDep, write: WriteDep
) -> object:
    """Append scores of single candidates: all of them, or none. Scores and comparisons share one posterior."""
    return await write(lambda db: absolute_scores.add(ctx, db, set_id, body.scores), 201, sets={set_id})


@router.get("", responses=of_a_set())
async def list_absolute_scores(
    set_id: SetId,
    db: ReadDep,
    after: After = 0,
    limit: Limit = 100,
) -> schemas.AbsoluteScorePage:
    """List the absolute scores of the log, oldest first."""
    return await absolute_scores.page(db, set_id, after=after, limit=limit)
