"""Routes to send verdicts, comparisons made elsewhere and voids, to undo a void, and to read the log."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, BackgroundTasks, Depends, Path, Query
from fastapi.responses import StreamingResponse
from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.api.bodies import BodyRoute
from app.api.dependencies import After, ContextDep, Limit, ReadDep, SetId, WriteDep
from app.api.problems import documented, of_a_set, problem_of
from app.files.exports import MEDIA_TYPES, encode
from app.service import comparisons, posteriors
from app.service.errors import (
    AlreadyJudged,
    AlreadyRestored,
    AlreadyVoided,
    AmbiguousItem,
    ClientIdReused,
    ForeignAssignment,
    InvalidRequest,
    LeaseSuperseded,
    MissingOutput,
    NotVoided,
    SetDeleted,
    UnknownAssignment,
    UnknownCandidate,
    UnknownComparison,
    UnknownItem,
)

router = APIRouter(prefix="/v1", tags=["tell"], route_class=BodyRoute)
Entry = Annotated[schemas.Seq, Path(ge=1, description="Sequence number of the comparison.")]
Learn = Callable[[Sequence[comparisons.VerdictOutcome]], None]


async def get_learn(ctx: ContextDep, afterwards: BackgroundTasks) -> Learn:
    """Take the new comparisons in, once the transaction is done and the answer is sent."""

    def learn(told: Sequence[comparisons.VerdictOutcome]) -> None:
        afterwards.add_task(posteriors.learn, ctx, [each.entry for each in told if each.entry])

    return learn


LearnDep = Annotated[Learn, Depends(get_learn)]


@router.post(
    "/assignments/{assignment_id}/verdict",
    status_code=201,
    response_model=schemas.Comparison | schemas.FailureRecorded,
    responses=documented(
        UnknownAssignment, AlreadyJudged, ForeignAssignment, LeaseSuperseded, SetDeleted, InvalidRequest
    ),
)
async def send_verdict(
    assignment_id: Annotated[UUID, Path(description="Id of the assignment.")],
    body: schemas.VerdictIn,
    ctx: ContextDep,
    write: WriteDep,
    learn: LearnDep,
) -> object:
    """Send the verdict on an assignment. After the lease ends it still counts, marked late."""
    verdict = schemas.VerdictOf(assignment_id=assignment_id, **dict(body))
    sets = await comparisons.sets_of(ctx, [verdict])
    return await write(lambda db: _tell_one(db, verdict, learn), 201, sets=sets)


@router.post("/verdicts", response_model=schemas.VerdictResults, responses=documented(InvalidRequest))
async def send_verdicts(body: schemas.VerdictsIn, ctx: ContextDep, write: WriteDep, learn: LearnDep) -> object:
    """Send verdicts on many assignments. Each has its own result; a bad one does not affect the others."""
    sets = await comparisons.sets_of(ctx, body.verdicts)
    return await write(lambda db: _tell_many(db, body.verdicts, learn), sets=sets)


@router.post(
    "/sets/{set_id}/comparisons",
    status_code=201,
    response_model=schemas.ComparisonsAccepted,
    responses=of_a_set(UnknownCandidate, UnknownItem, AmbiguousItem, MissingOutput, ClientIdReused),
)
async def add_comparisons(set_id: SetId, body: schemas.ComparisonsIn, ctx: ContextDep, write: WriteDep) -> object:
    """Append comparisons that were judged elsewhere: all of them, or none."""
    return await write(lambda db: comparisons.add(ctx, db, set_id, body.comparisons), 201, sets={set_id})


@router.get("/sets/{set_id}/comparisons", response_model=schemas.ComparisonPage, responses=of_a_set())
async def list_comparisons(
    set_id: SetId,
    db: ReadDep,
    ctx: ContextDep,
    after: After = 0,
    limit: Limit = 100,
    judge: Annotated[str | None, Query(description="Only comparisons by this judge.")] = None,
    format: Annotated[  # noqa: A002  # the name is the contract's
        Literal["json", "jsonl", "csv", "parquet"],
        Query(description="`json` is one page. The others stream the whole log."),
    ] = "json",
) -> object:
    """List the comparisons of the log, oldest first."""
    if format == "json":
        return await comparisons.page(db, set_id, after=after, limit=limit, judge=judge)
    await comparisons.page(db, set_id, after=0, limit=1, judge=None)
    batches = comparisons.export(ctx, set_id, after=after, judge=judge)
    headers = {"Content-Disposition": f'attachment; filename="comparisons-{set_id}.{format}"'}
    content: AsyncIterator[bytes] = encode(batches, format)
    return StreamingResponse(content, media_type=MEDIA_TYPES[format], headers=headers)


@router.post(
    "/sets/{set_id}/comparisons/{seq}/void",
    status_code=201,
    response_model=schemas.Void,
    responses=of_a_set(UnknownComparison, AlreadyVoided),
)
async def void(set_id: SetId, seq: Entry, body: schemas.VoidIn, write: WriteDep) -> object:
    """Void a comparison. It stays in the log and no longer counts."""
    return await write(lambda db: comparisons.void(db, set_id, seq, body.reason), 201, sets={set_id})


@router.post(
    "/sets/{set_id}/comparisons/{seq}/restore",
    status_code=201,
    response_model=schemas.Comparison,
    responses=of_a_set(UnknownComparison, NotVoided, AlreadyRestored),
)
async def restore_comparison(set_id: SetId, seq: Entry, write: WriteDep) -> object:
    """Undo a void. The comparison enters the log once more, as it was, and counts again."""
    return await write(lambda db: comparisons.restore(db, set_id, seq), 201, sets={set_id})


async def _tell_one(
    db: AsyncConnection, verdict: schemas.VerdictOf, learn: Learn
) -> schemas.Comparison | schemas.FailureRecorded:
    (told,) = await comparisons.tell(db, [verdict])
    learn([told])
    if told.problem is not None:
        raise told.problem
    recorded = told.comparison or told.failure
    assert recorded is not None
    return recorded


async def _tell_many(db: AsyncConnection, verdicts: list[schemas.VerdictOf], learn: Learn) -> schemas.VerdictResults:
    outcomes = await comparisons.tell(db, verdicts)
    learn(outcomes)
    return schemas.VerdictResults(results=[_result(v, t) for v, t in zip(verdicts, outcomes, strict=True)])


def _result(verdict: schemas.VerdictOf, told: comparisons.VerdictOutcome) -> schemas.VerdictResult:
    return schemas.VerdictResult(
        assignment_id=verdict.assignment_id,
        status=201 if told.problem is None else told.problem.status,
        comparison=told.comparison,
        failure=told.failure,
        problem=None if told.problem is None else problem_of(told.problem),
    )
