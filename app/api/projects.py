"""Routes to the sets of a project together."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from nextpair import schemas
from nextpair.words import ScaleName

from app.api.computed import while_connected
from app.api.dependencies import ContextDep
from app.api.problems import documented
from app.service import leaderboard
from app.service.errors import InvalidRequest, NotConverged, NothingJudged, StillComputing
from app.service.leaderboard import MOST_CRITERIA, LeaderboardQuery
from app.service.rankings import RankingQuery

router = APIRouter(prefix="/v1/projects", tags=["read"])


@router.get(
    "/{name:path}/leaderboard",
    operation_id="leaderboard",
    response_model=schemas.Leaderboard,
    responses=documented(NothingJudged, InvalidRequest, NotConverged, StillComputing),
)
async def get_leaderboard(
    request: Request,
    name: Annotated[str, Path(description="Name of the project.", examples=["demo"])],
    ctx: ContextDep,
    sets: Annotated[
        list[UUID] | None,
        Query(
            alias="set",
            max_length=MOST_CRITERIA,
            description="A set of the project; repeatable. By default all with comparisons, oldest first.",
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        Query(
            max_length=MOST_CRITERIA,
            examples=[["Clarity=2", "Accuracy=1"]],
            description="`NAME=NUMBER` with the name of a set; repeatable. Without weights, nothing is averaged.",
        ),
    ] = None,
    level: Annotated[float, Query(ge=0.001, le=0.9999, description="Level of the intervals.")] = 0.95,
    baseline: Annotated[
        str | None,
        Query(description="Key of a candidate of every set. `against` compares the others with it.", examples=["kelp"]),
    ] = None,
    scale: Annotated[ScaleName, Query(description="Unit of scores and their differences.")] = "logit",
) -> object:
    """Compare the sets of a project: each candidate's place in each set's own ranking.

    Rows are in the order of the first set, or of the weighted win rate.
    """
    query = LeaderboardQuery(name, sets or (), weight or (), RankingQuery(level=level, baseline=baseline, scale=scale))
    return await while_connected(request, leaderboard.read(ctx, query))
