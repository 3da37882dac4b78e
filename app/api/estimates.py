"""Route that estimates how many comparisons a set will take; it stores nothing."""

from typing import Annotated

from fastapi import APIRouter, Query
from nextpair import schemas
from nextpair.words import EstimatedGoal, JudgeKind

from app.service import estimates
from app.service.estimates import EstimateQuery

MOST = schemas.LONGEST_LIST

router = APIRouter(prefix="/v1", tags=["sets"])


@router.get("/estimate")
async def estimate(
    candidates: Annotated[int, Query(ge=2, le=MOST, description="Number of candidates.")],
    items: Annotated[int, Query(ge=0, le=MOST, description="Number of items (prompts); 0 for texts.")] = 0,
    judge: Annotated[
        JudgeKind, Query(description="`human`: votes. `llm`: a model that gives probabilities and repeats itself.")
    ] = "llm",
    goal: Annotated[EstimatedGoal, Query(description="What the set should find out.")] = "ranking",
    top_k: Annotated[int, Query(ge=1, le=MOST, description="The k of the goal `top_k`.")] = 1,
    concordance: Annotated[
        float | None,
        Query(
            gt=0.5,
            lt=1.0,
            description="Stop at this expected share of the goal's pairs in the right order. Without it, stop when the "
            "goal is known with 95% confidence; of the ranking, at a share of 0.95.",
        ),
    ] = None,
) -> schemas.Estimate:
    """Estimate the comparisons that a set takes, from simulated sets like it."""
    return estimates.read(EstimateQuery(candidates, items, judge, goal, top_k, concordance))
