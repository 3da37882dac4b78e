"""Judges: what is said of them, and what their verdicts say."""

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
    kind: JudgeKind | None = None,
    after: Annotated[str | None, Query(description="Name to start behind.")] = None,
    limit: Limit = 100,
) -> schemas.JudgePage:
    """All judges by name: those that were described, and those that ever asked for a pair or sent a verdict."""
    return await judges.page(db, kind=kind, after=after, limit=limit)


@router.get("/judges/{name:path}", responses=documented(UnknownJudge))
async def get_judge(name: Name, db: ReadDep) -> schemas.JudgeOut:
    """The description of a judge: its kind, its model and its cost."""
    return await judges.get(db, name)


@router.put("/judges/{name:path}", response_model=schemas.JudgeOut)
async def describe_judge(name: Name, body: schemas.JudgeIn, write: WriteDep) -> object:
    """Say what kind of judge this is, which model and what it costs; replaces what was said before."""
    return await write(lambda db: judges.describe(db, name, body))


@router.get(
    "/sets/{set_id}/judges",
    operation_id="judges",
    responses=of_a_set(UnknownJudge, InvalidRequest, StillComputing),
)
async def get_judges(
    set_id: SetId,
    ctx: ContextDep,
    method: Annotated[AggregationName, Query(description="How the judges' verdicts on a pair become one.")] = (
        "dawid-skene"
    ),
    reference: Annotated[
        list[str], Query(description="Judges to be taken for people, beside those of kind human.")
    ] = [],  # noqa: B006  # FastAPI copies it
    debias: Annotated[
        bool,
        Query(
            description="Whether a judge's liking for a position is taken off, and its temperature fitted to people."
        ),
    ] = False,
    ties: Annotated[
        TiesName, Query(description="Whether a tie is half a vote for each of the two, or a class of its own.")
    ] = "half",
    verdicts: Annotated[bool, Query(description="Whether to list the group's verdict on every pair.")] = True,
) -> schemas.Judges:
    """A card for each judge: skill, bias, agreement, consistency, failures, cost, influence; and the group's verdicts.

    What takes long is computed beside the request. Until the newest version is weighed, the answer is an earlier one's;
    where there is none yet, 425 says how far the work is, and when to ask again.
    """
    return await judges.read(ctx, set_id, JudgesQuery(method, reference, debias, ties, with_verdicts=verdicts))
