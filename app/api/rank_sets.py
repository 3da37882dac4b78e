"""Route to rank-sets, from few verdicts of people and many of judges."""

from typing import Annotated

from fastapi import APIRouter, Query
from nextpair import schemas
from nextpair.words import CovarianceName, SimultaneousName
from pydantic import Field

from app.api.dependencies import ContextDep, SetId
from app.api.problems import of_a_set
from app.service import rank_sets
from app.service.errors import InvalidRequest, TooFewVerdicts, UnknownJudge

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])


@router.get("/rank-sets", operation_id="rank_sets", responses=of_a_set(UnknownJudge, InvalidRequest, TooFewVerdicts))
async def get_rank_sets(
    set_id: SetId,
    ctx: ContextDep,
    judge: Annotated[
        list[str],
        Query(
            min_length=1,
            max_length=20,
            description="The judge whose many verdicts help; repeatable.",
            examples=[["gpt-4"]],
        ),
    ],
    reference: Annotated[
        list[str], Query(description="The people whose verdicts count; by default all judges of kind `human`.")
    ] = [],  # noqa: B006  # FastAPI copies it
    alpha: Annotated[float, Query(ge=1e-9, le=0.5, description="Probability that any rank-set is wrong.")] = 0.05,
    covariance: Annotated[
        CovarianceName,
        Query(description="`published` is the paper's, which is too small; use it only to reproduce the paper."),
    ] = "sandwich",
    simultaneous: Annotated[
        SimultaneousName | None,
        Query(
            description="What holds together. `contrasts`: all differences of two systems. `ellipsoid`: all of theta, "
            "which is wider; the default with `published`."
        ),
    ] = None,
    lam: Annotated[
        list[Annotated[float, Field(ge=0.0, le=1.0)]] | None,
        Query(
            alias="lambda",
            description="Weight of each judge, in their order; by default, the value of least variance.",
        ),
    ] = None,
) -> schemas.RankSets:
    """Rank systems by people's verdicts with the help of judges. All rank-sets hold with confidence 1 - alpha."""
    query = rank_sets.RankSetsRequest(judge, reference, alpha, covariance, simultaneous, lam)
    return await rank_sets.read(ctx, set_id, query)
