"""Route that combines several judges' verdicts on any items; it stores nothing."""

import asyncio

from fastapi import APIRouter, Response
from nextpair import schemas

from app.api.bodies import BodyRoute
from app.api.dependencies import ContextDep
from app.api.problems import documented
from app.service import aggregations
from app.service.errors import Busy, DuplicateKey, InvalidRequest, TextTooLarge

router = APIRouter(prefix="/v1", tags=["judges"], route_class=BodyRoute)


@router.post(
    "/aggregations",
    response_model=schemas.Aggregation,
    responses=documented(DuplicateKey, InvalidRequest, TextTooLarge, Busy),
)
async def aggregate(body: schemas.AggregationIn, ctx: ContextDep) -> Response:
    """Combine several judges' answers into one verdict for each item, with the accuracy of each judge.

    Items are anything with labels or probabilities of yes. They belong to no set, and nothing is stored.
    The answer has the same numbers as `nextpair aggregate` of the same answers and seed.
    """
    aggregation = await aggregations.aggregate(ctx, body)
    return Response(await asyncio.to_thread(aggregation.model_dump_json), media_type="application/json")
