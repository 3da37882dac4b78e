"""Routes to diagnostics, checks, the win matrix and calibrations."""

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from nextpair import schemas
from nextpair.words import MatrixName, ObjectiveName

from app.api.computed import computed, origin, picture
from app.api.dependencies import ContextDep, SetId
from app.api.problems import of_a_set
from app.files.pictures import draw_history, draw_reliability
from app.service import calibration, diagnostics, matrix, results
from app.service.checks import running
from app.service.errors import InvalidRequest, NotConverged, NotInstalled, StillComputing, UnknownJudge

Form = Annotated[Literal["json", "svg", "png"], Query(description="`json` for everything, or a picture.")]
router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])


@router.get(
    "/diagnostics",
    operation_id="diagnostics",
    response_model=schemas.Diagnostics,
    responses=of_a_set(StillComputing, NotInstalled),
)
async def get_diagnostics(
    request: Request,
    response: Response,
    set_id: SetId,
    ctx: ContextDep,
    format: Form = "json",  # noqa: A002  # the name is the contract's
) -> object:
    """Read diagnostics: components, cycles, repeats, agreement, position bias, failures, and the ranking's history.

    The picture shows the history only.
    """
    facts = await computed(request, response, diagnostics.read(ctx, set_id))
    if format == "json" or isinstance(facts, Response):
        return facts
    return picture(await results.beside(ctx, partial(draw_history, facts, format)), format, origin(facts))


@router.get("/checks", operation_id="checks", response_model=schemas.Checks, responses=of_a_set(StillComputing))
async def get_checks(request: Request, response: Response, set_id: SetId, ctx: ContextDep) -> object:
    """Check the ranking: what holds and what does not, in words, each with its figure."""
    return await computed(request, response, running.read(ctx, set_id))


@router.get("/matrix", operation_id="matrix", response_model=schemas.Matrix, responses=of_a_set(NotConverged))
async def get_matrix(
    set_id: SetId,
    ctx: ContextDep,
    of: Annotated[
        MatrixName,
        Query(
            description="`observed`: mean verdicts. `expected`: the probability that the row is better, as in "
            "`predict`. "
            "`win-rate`: the expected share of verdicts the row wins. The last two are about the set's inference "
            "target."
        ),
    ] = "observed",
    format: Annotated[  # noqa: A002  # the name is the contract's
        Literal["json", "csv"], Query(description="CSV has a row and a column per key, and empty cells where unknown.")
    ] = "json",
) -> object:
    """Read the win matrix: how often each candidate beats each other."""
    if format == "json":
        return await matrix.read(ctx, set_id, of)
    return Response(await matrix.read_csv(ctx, set_id, of), media_type="text/csv; charset=utf-8")


@router.get(
    "/calibration",
    operation_id="calibration",
    response_model=schemas.Calibration,
    responses=of_a_set(UnknownJudge, InvalidRequest, NotInstalled),
)
async def get_calibration(
    set_id: SetId,
    ctx: ContextDep,
    judge: Annotated[str, Query(description="The judge to calibrate.", examples=["gpt-4"])],
    reference: Annotated[
        list[str],
        Query(
            description="Judges whose verdicts on the same pairs are the reference; repeatable.", examples=[["alice"]]
        ),
    ],
    objective: Annotated[ObjectiveName, Query(description="What the temperature minimises.")] = "log-loss",
    format: Form = "json",  # noqa: A002  # the name is the contract's
) -> object:
    """Calibrate a judge: the temperature that fits its probabilities to the reference's verdicts.

    The picture shows the reliability diagram and the accuracy-rejection curve.
    """
    fit = await calibration.read(ctx, set_id, judge, reference, objective)
    return fit if format == "json" else picture(await ctx.live.compute(draw_reliability, fit, format), format, {})
