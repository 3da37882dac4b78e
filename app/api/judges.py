"""Routes to judges: their descriptions, and their diagnostics in a set."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from nextpair import schemas
from nextpair.words import AggregationName, JudgeKind, TiesName

from app.api.bodies import BodyRoute
from app.api.dependencies import ContextDep, Limit, ReadDep, SetId, WriteDep
from app.api.problems import documented, of_a_set
from app.service import judges
from app.service.errors import InvalidRequest, StillComputing, UnknownJudge
from app.service.judges import JudgesQuery

router = APIRouter(prefix="/v1", tags=["judges"], route_class=BodyRoute)
Name = Annotated[str, Path(min_length=1, max_length=200, description="Name of the judge.", examples=["gpt-4"])]


@router.get("/judges")
async def list_judges(
    db: ReadDep,
    kind: Annotated[JudgeKind | None, Query(description="Only judges of this kind.")] = None,
    after: Annotated[str | None, Query(description="Start after this name.")] = None,
    limit: Limit = 100,
) -> schemas.JudgePage:
    """List judges by name: those you described, and those that asked for a pair or sent a verdict."""
    return await judges.page(db, kind=kind, after=after, limit=limit)


@router.get("/judges/{name:path}", responses=documented(UnknownJudge))
async def get_judge(name: Name, db: ReadDep) -> schemas.JudgeOut:
    """Read the description of a judge: its kind, model and cost."""
    return await judges.get(db, name)


@router.put("/judges/{name:path}", response_model=schemas.JudgeOut)
async def describe_judge(name: Name, body: schemas.JudgeIn, write: WriteDep) -> object:
    """Describe a judge: its kind, model and cost. This replaces an earlier description."""
    return await write(lambda db: judges.describe(db, name, body))


@router.get(
    "/sets/{set_id}/judges",
    operation_id="judges",
    responses=of_a_set(UnknownJudge, InvalidRequest, StillComputing),
)
async def get_judges(
    set_id: SetId,
    ctx: ContextDep,
    method: Annotated[AggregationName, Query(description="How the judges' verdicts on a pair are combined.")] = (
        "dawid-skene"
    ),
    reference: Annotated[list[str], Query(description="Judges to treat as people, beside those of kind `human`.")] = [],  # noqa: B006  # FastAPI copies it
    debias: Annotated[
        bool,
        Query(
            description="Whether to remove each judge's position bias, and fit its temperature to people's verdicts."
        ),
    ] = False,
    ties: Annotated[
        TiesName, Query(description="Whether a tie is half a vote for each side, or a class of its own.")
    ] = "half",
    verdicts: Annotated[bool, Query(description="Whether to list the combined verdict on every pair.")] = True,
) -> schemas.Judges:
    """A card for each judge: skill, bias, agreement, failures, cost and influence; and the combined verdicts.

    Long computations run in the background. Until the newest version is ready, you get an earlier one. Before the
    first is ready, 425 reports the progress and when to ask again.
    """
    return await judges.read(ctx, set_id, JudgesQuery(method, reference, debias, ties, with_verdicts=verdicts))


@router.get(
    "/sets/{set_id}/judges/{name:path}",
    operation_id="judge",
    responses=of_a_set(UnknownJudge, InvalidRequest, StillComputing),
)
async def get_judge_of_set(set_id: SetId, name: Name, ctx: ContextDep) -> schemas.JudgeDetail:
    """One judge in one set: its card, its agreement over time, its pace, and its latest verdicts.

    It waits for the same computation as the judges of the set.
    """
    return await judges.read_one(ctx, set_id, name)
