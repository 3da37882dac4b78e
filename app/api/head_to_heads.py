"""Route to the comparison of two candidates."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from nextpair import schemas

from app.api.computed import computed
from app.api.dependencies import ContextDep, SetId
from app.api.problems import of_a_set
from app.api.rankings import InferenceTargetParam
from app.service import head_to_heads
from app.service.errors import InvalidRequest, NotConverged, SameCandidate, StillComputing, UnknownCandidate
from app.service.head_to_heads import HeadToHeadQuery

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])


@router.get(
    "/head-to-head",
    operation_id="head_to_head",
    response_model=schemas.HeadToHead,
    responses=of_a_set(UnknownCandidate, SameCandidate, InvalidRequest, NotConverged, StillComputing),
)
async def get_head_to_head(
    request: Request,
    response: Response,
    set_id: SetId,
    ctx: ContextDep,
    first: Annotated[str, Query(description="Key of a candidate.", examples=["kelp"])],
    second: Annotated[str, Query(description="Key of another candidate.", examples=["rowan"])],
    inference_target: InferenceTargetParam = None,
    level: Annotated[float, Query(ge=0.001, le=0.9999, description="Level of intervals.")] = 0.95,
) -> object:
    """Compare two candidates: the win rate with its interval, verdicts by judge and tag, and what would decide it."""
    query = HeadToHeadQuery(first, second, inference_target, level)
    return await computed(request, response, head_to_heads.read(ctx, set_id, query))
