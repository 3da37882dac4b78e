"""Route that reads a table and shows the set it would make; it stores nothing."""

import asyncio
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Request, Response
from nextpair import schemas

from app.api.dependencies import ContextDep
from app.api.problems import documented
from app.files.candidates import CandidateColumns
from app.files.comparisons import ComparisonColumns
from app.files.outputs import OutputColumns
from app.service import tables
from app.service.errors import BodyTooLarge, InvalidRequest, SetTooLarge

POLL_SECONDS = 0.25  # between two looks whether the client has left
ONE_FILE = asyncio.Semaphore(1)  # at a time, so that many take no more memory than one
BYTES = "application/octet-stream"  # which a page of another site cannot send without asking
BODY = {"required": True, "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}}

T = TypeVar("T")

router = APIRouter(prefix="/v1", tags=["sets"])


@router.post(
    "/tables",
    response_model=schemas.TableRead,
    responses=documented(InvalidRequest, SetTooLarge, BodyTooLarge),
    openapi_extra={"requestBody": BODY},
)
async def read_table(
    request: Request,
    ctx: ContextDep,
    file: Annotated[
        str | None,
        Query(description="Name of the file; its ending gives the format. Without it, lines of `key: text`."),
    ] = None,
    key: Annotated[str | None, Query(description="Column of the keys of texts. Send it empty to number them.")] = None,
    text: Annotated[str | None, Query(description="Column of texts. Send it empty for keys alone.")] = None,
    system: Annotated[
        str | None, Query(description="Column of systems, in a table with a row for each output.")
    ] = None,
    systems: Annotated[
        list[str] | None,
        Query(description="Columns of outputs, one for each system, in a table with a row for each prompt."),
    ] = None,
    prompt: Annotated[str | None, Query(description="Column of prompts, or of their ids.")] = None,
    output: Annotated[
        str | None, Query(description="Column of outputs, in a table with a row for each output.")
    ] = None,
    first: Annotated[str | None, Query(description="Column of the candidate shown first, in battles.")] = None,
    second: Annotated[str | None, Query(description="Column of the candidate shown second.")] = None,
    winner: Annotated[str | None, Query(description="Column of who won, in words or by key.")] = None,
    p_first: Annotated[
        str | None, Query(description="Instead of `winner`: column of the probability that the first won.")
    ] = None,
    judge: Annotated[str | None, Query(description="Column of who judged.")] = None,
    item: Annotated[str | None, Query(description="Column of what was judged, such as the prompt.")] = None,
) -> Response:
    """Read a table into the candidates and items of a set, and list rows that cannot be used.

    The body is the file itself. It holds rival texts, the outputs of several systems for several prompts, or battles:
    verdicts on two systems. Columns that are not named are recognised. Nothing is created.
    """
    columns = tables.NamedColumns(
        CandidateColumns(key, text),
        OutputColumns(system, prompt, None, output, tuple(systems or ())),
        ComparisonColumns(first, second, winner, p_first, judge, None, item),
    )
    body = await _body(request)
    async with ONE_FILE:
        content = await _while_connected(request, partial(tables.read_json, ctx.settings, file, body, columns))
    return Response(content, media_type="application/json")


@router.post(
    "/tables/preview",
    response_model=schemas.TablePreview,
    responses=documented(InvalidRequest, SetTooLarge, BodyTooLarge),
    openapi_extra={"requestBody": BODY},
)
async def preview_table(
    request: Request,
    ctx: ContextDep,
    file: Annotated[str, Query(description="Name of the file; its ending gives the format.")],
) -> object:
    """Read the columns and first rows of a table, to see what they mean. Nothing is created."""
    body = await _body(request)
    async with ONE_FILE:
        return await _while_connected(request, partial(tables.preview, ctx.settings, file, body))


async def _body(request: Request) -> bytes:
    """Raises InvalidRequest."""
    if request.headers.get("Content-Type") != BYTES:
        raise InvalidRequest(f"Send the contents of the file, with Content-Type: {BYTES}.")
    return await request.body()


async def _while_connected(request: Request, work: Callable[[Callable[[], bool]], T]) -> T:
    """Do work in a thread and tell it, when it asks, whether the client still waits for it."""
    has_left = Event()
    task = asyncio.create_task(asyncio.to_thread(work, lambda: not has_left.is_set()))
    try:
        while not (await asyncio.wait({task}, timeout=POLL_SECONDS))[0]:
            if await request.is_disconnected():
                has_left.set()
        return await task
    finally:
        has_left.set()
