"""Route to the activity of a set."""

from typing import Annotated

from fastapi import APIRouter, Query
from nextpair import schemas

from app.api.bodies import BodyRoute
from app.api.dependencies import Limit, ReadDep, SetId
from app.api.problems import of_a_set
from app.service import activity

router = APIRouter(prefix="/v1", tags=["tell"], route_class=BodyRoute)


@router.get("/sets/{set_id}/activity", operation_id="activity", responses=of_a_set())
async def get_activity(
    set_id: SetId,
    db: ReadDep,
    judge: Annotated[str | None, Query(description="Only entries of this judge, and voids of its comparisons.")] = None,
    before: Annotated[
        schemas.Seq | None, Query(ge=1, description="Only entries before this one; `next_before` of the previous page.")
    ] = None,
    limit: Limit = 50,
) -> schemas.Activity:
    """Read who judges now, how far each judge is, and the newest comparisons and voids."""
    return await activity.read(db, set_id, judge=judge, before=before, limit=limit)
