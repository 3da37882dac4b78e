"""Pooled evidence: what a set was told by the others of its pool."""

from fastapi import APIRouter
from nextpair import schemas

from app.api.bodies import BodyRoute
from app.api.dependencies import After, Limit, ReadDep, SetId
from app.api.problems import documented
from app.service import pooled_evidence
from app.service.errors import SetDeleted, UnknownSet

router = APIRouter(prefix="/v1/sets/{set_id}/pooled-evidence", tags=["tell"], route_class=BodyRoute)


@router.get("", response_model=schemas.PooledEvidencePage, responses=documented(UnknownSet, SetDeleted))
async def list_pooled_evidence(
    set_id: SetId, db: ReadDep, after: After = 0, limit: Limit = 100
) -> schemas.PooledEvidencePage:
    """What the other sets of the pool said of this one's judges and scores, whenever it was learnt anew."""
    return await pooled_evidence.page(db, set_id, after=after, limit=limit)
