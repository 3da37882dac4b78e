"""The route to rank-sets by a few verdicts of people and many of a judge."""

from typing import Annotated

from fastapi import APIRouter, Query
from nextpair import schemas
from nextpair.words import CovarianceName

from app.api.dependencies import ContextDep, SetId
from app.api.problems import documented
from app.service import rank_sets
from app.service.errors import InvalidRequest, SetDeleted, TooFewVerdicts, UnknownJudge, UnknownSet

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])


@router.get(
    "/rank-sets",
    response_model=schemas.RankSets,
    responses=documented(UnknownSet, SetDeleted, UnknownJudge, InvalidRequest, TooFewVerdicts),
)
async def get_rank_sets(
    set_id: SetId,
    ctx: ContextDep,
    judge: Annotated[str, Query(description="Whose many verdicts help.", examples=["gpt-4"])],
    reference: Annotated[
        list[str], Query(description="The people whose verdicts count; by default all judges of kind human.")
    ] = [],  # noqa: B006  # FastAPI copies it
    alpha: Annotated[float, Query(gt=0.0, le=0.5, description="Chance that any rank-set misses.")] = 0.05,
    covariance: Annotated[
        CovarianceName, Query(description="published is the paper's, which is too small; to reproduce it only.")
    ] = "sandwich",
) -> schemas.RankSets:
    """Systems ranked by people's verdicts, helped by a judge's: with probability 1 - alpha all rank-sets hold."""
    return await rank_sets.read(ctx, set_id, rank_sets.RankSetsQuery(judge, reference, alpha, covariance))
