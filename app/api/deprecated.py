"""Names of before 0.2 in addresses and queries: they answer in 0.2 and are removed in 0.3, with this module."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from nextpair import schemas
from nextpair.words import VerdictWeightName

from app.api.computed import computed
from app.api.dependencies import ContextDep, SetId
from app.api.problems import of_a_set
from app.service.checks import running
from app.service.errors import FieldFault, InvalidRequest, StillComputing

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])


@router.get(
    "/trust",
    operation_id="trust",
    deprecated=True,
    response_model=schemas.Checks,
    responses=of_a_set(StillComputing),
)
async def get_trust(request: Request, response: Response, set_id: SetId, ctx: ContextDep) -> object:
    """Old address of `GET /v1/sets/{set_id}/checks`; removed in 0.3."""
    return await computed(request, response, running.read(ctx, set_id))


async def verdict_weight_asked(
    verdict_weight: Annotated[
        VerdictWeightName | None,
        Query(description="How verdicts are weighted; by default as the set says."),
    ] = None,
    evidence: Annotated[
        VerdictWeightName | None, Query(description="Old name of `verdict_weight`; removed in 0.3.", deprecated=True)
    ] = None,
) -> VerdictWeightName | None:
    """Raises InvalidRequest for both."""
    if verdict_weight is not None and evidence is not None:
        message = "send verdict_weight or evidence, its old name, not both"
        raise InvalidRequest(f"/evidence: {message}.", FieldFault("/evidence", message))
    return verdict_weight or evidence


VerdictWeightParam = Annotated[VerdictWeightName | None, Depends(verdict_weight_asked)]
