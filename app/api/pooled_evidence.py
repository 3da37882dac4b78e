"""Routes to shared priors (partial pooling): what the sets of a pool contribute to a set."""

from fastapi import APIRouter
from nextpair import schemas

from app.api.bodies import BodyRoute
from app.api.dependencies import After, ContextDep, Limit, ReadDep, SetId, WriteDep
from app.api.problems import of_a_set
from app.service import pooled_evidence

router = APIRouter(prefix="/v1/sets/{set_id}/pooled-evidence", tags=["tell"], route_class=BodyRoute)


@router.post("", status_code=201, response_model=schemas.PooledEvidence, responses=of_a_set())
async def add_pooled_evidence(
    set_id: SetId, body: schemas.PooledEvidenceIn, ctx: ContextDep, write: WriteDep
) -> object:
    """Append priors from elsewhere. They count until the set's own pool contributes some."""
    return await write(lambda db: pooled_evidence.add(ctx, db, set_id, body), 201, sets={set_id})


@router.get("", responses=of_a_set())
async def list_pooled_evidence(
    set_id: SetId, db: ReadDep, after: After = 0, limit: Limit = 100
) -> schemas.PooledEvidencePage:
    """List shared priors about judges and scores, oldest first. The last entry counts."""
    return await pooled_evidence.page(db, set_id, after=after, limit=limit)
