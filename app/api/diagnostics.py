"""Read: what to know before believing a ranking."""

from typing import Annotated

from fastapi import APIRouter, Query

from app import schemas
from app.api.dependencies import ContextDep, ReadDep, SetId
from app.api.problems import documented
from app.service import calibration, diagnostics
from app.service.errors import InvalidRequest, SetDeleted, UnknownJudge, UnknownSet
from app.words import ObjectiveName

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])


@router.get("/diagnostics", response_model=schemas.Diagnostics, responses=documented(UnknownSet, SetDeleted))
async def get_diagnostics(set_id: SetId, ctx: ContextDep) -> schemas.Diagnostics:
    """Components, cycles, repeats, agreement, order and bias of judges, failures, and the ranking's history."""
    return await diagnostics.read(ctx, set_id)


@router.get(
    "/calibration",
    response_model=schemas.Calibration,
    responses=documented(UnknownSet, SetDeleted, UnknownJudge, InvalidRequest),
)
async def get_calibration(
    set_id: SetId,
    ctx: ContextDep,
    db: ReadDep,
    judge: Annotated[str, Query(description="Whose probabilities.", examples=["gpt-4"])],
    reference: Annotated[
        list[str], Query(description="Whose verdicts on the same pairs are taken for true.", examples=[["alice"]])
    ],
    objective: Annotated[ObjectiveName, Query(description="What the temperature minimises.")] = "log-loss",
) -> schemas.Calibration:
    """How sure a judge may be: the temperature that fits its probabilities to others' verdicts."""
    return await calibration.read(ctx, db, set_id, judge, reference, objective)
