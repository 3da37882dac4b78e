"""Route to disputes: pairs on which judges name different winners."""

from fastapi import APIRouter
from nextpair import schemas

from app.api.bodies import BodyRoute
from app.api.dependencies import After, ContextDep, Limit, SetId
from app.api.problems import of_a_set
from app.service import disputes

router = APIRouter(prefix="/v1", tags=["judges"], route_class=BodyRoute)


@router.get("/sets/{set_id}/disputes", responses=of_a_set())
async def list_disputes(set_id: SetId, ctx: ContextDep, after: After = 0, limit: Limit = 100) -> schemas.DisputePage:
    """List pairs on which judges name different winners, with both texts and each judge's verdicts.

    They come in the order of their last verdicts, so a dispute with a new verdict is listed again.
    """
    return await disputes.page(ctx, set_id, after=after, limit=limit)
