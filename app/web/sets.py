"""The list of sets, and making a new one from a file or from typed lines."""

import asyncio
import io
import json
from collections.abc import Callable, Iterable
from functools import partial
from threading import Event
from typing import Annotated, NamedTuple, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from nextpair.schemas import SetIn, SetOut
from nextpair.words import CriterionName, OrderName, PageStatus, PositionBias

from app.api.dependencies import ContextDep
from app.files import candidates, reading
from app.files.candidates import CandidateColumns
from app.files.tables import Bounds, Fault, InputError, TooManyRows
from app.service import sets
from app.service.errors import InvalidRequest, SetTooLarge
from app.service.statuses import statuses
from app.settings import Settings
from app.web.pages import SECURITY, templates

PAGE = 50  # sets
FAULTS = 100  # that one report shows
LARGEST_FILE = 50_000_000  # bytes, unpacked
LARGEST_ANSWER = 50_000_000  # bytes
BYTES_OF_CHARACTER = 8  # that the longest line may take: JSON needs six for one that it escapes
MOST_COLUMNS = 1000  # of a file
POLL_SECONDS = 0.25  # between two looks whether the client has left
ONE_FILE = asyncio.Semaphore(1)  # at a time, so that many take no more memory than one
BYTES = "application/octet-stream"  # which a page of another site cannot send without asking
SEARCHABLE = SECURITY | {  # the search is a plain GET form
    "Content-Security-Policy": SECURITY["Content-Security-Policy"].replace("form-action 'none'", "form-action 'self'")
}
CRITERIA: dict[CriterionName, str] = {
    "reordering": "the pair whose order is least certain",
    "variance": "the pair whose difference in score is least certain",
    "determinant": "the pair that makes all scores together more certain",
    "exponent": "between the two first ones",
    "random": "any pair, by chance",
}
ORDERS: dict[OrderName, str] = {
    "balanced": "the one that has been first less often",
    "both": "every pair is asked in both orders",
    "as_selected": "the one that joined the set earlier",
}
POSITION_BIASES: dict[PositionBias, str] = {
    "none": "assume that there is none",
    "estimate": "estimate it for each judge, together with the scores",
}
CHOICES = {
    "criteria": [(name, CRITERIA[name]) for name in get_args(CriterionName)],
    "orders": [(name, ORDERS[name]) for name in get_args(OrderName)],
    "position_biases": [(name, POSITION_BIASES[name]) for name in get_args(PositionBias)],
}

router = APIRouter(include_in_schema=False)


class Listed(NamedTuple):
    """A set and how far it is."""

    set: SetOut
    goal: int  # comparisons; 0 where there is nothing to compare
    progress: str
    status: PageStatus


@router.get("/")
async def index(
    request: Request,
    ctx: ContextDep,
    q: str = "",
    project: str = "",
    page: Annotated[int, Query(ge=1, le=10**6)] = 1,
) -> Response:
    async with ctx.reading() as db:
        rows = await sets.find(db, name=q, project=project or None, offset=PAGE * (page - 1), limit=PAGE + 1)
        projects = await sets.projects(db)
    listed = zip(rows, await statuses(ctx, rows[:PAGE]), strict=False)
    shown = {
        "sets": [_listed(row, status) for row, status in listed],
        "projects": projects,
        "query": q,
        "project": project,
        "first": PAGE * (page - 1) + 1,
        "previous": _link(q, project, page - 1) if page > 1 else None,
        "next": _link(q, project, page + 1) if len(rows) > PAGE else None,
    }
    return templates.TemplateResponse(request, "sets.html", shown, headers=SEARCHABLE)


@router.get("/sets/new")
async def new(request: Request, ctx: ContextDep) -> Response:
    defaults = SetIn(name="-", question="-")
    shown = {"defaults": defaults, "max_bytes": ctx.settings.max_body_bytes, **CHOICES}
    return templates.TemplateResponse(request, "new-set.html", shown, headers=SECURITY)


@router.post("/sets/new/candidates")
async def preview(
    request: Request, ctx: ContextDep, file: str | None = None, key: str | None = None, text: str | None = None
) -> Response:
    """The candidates in the body, a file of that name or else typed lines; nothing is created.

    Raises InvalidRequest, SetTooLarge.
    """
    if request.headers.get("Content-Type") != BYTES:
        raise InvalidRequest(f"Send the contents of the file, with Content-Type: {BYTES}.")
    body, columns = await request.body(), CandidateColumns(key, text)
    async with ONE_FILE:
        content = await _while_connected(request, partial(_preview, ctx.settings, file, body, columns))
    return Response(content, media_type="application/json")


async def _while_connected(request: Request, work: Callable[[Callable[[], bool]], bytes]) -> bytes:
    """Do work in a thread and tell it, when it asks, whether the client still waits for it."""
    left = Event()
    task = asyncio.create_task(asyncio.to_thread(work, lambda: not left.is_set()))
    try:
        while not (await asyncio.wait({task}, timeout=POLL_SECONDS))[0]:
            if await request.is_disconnected():
                left.set()
        return await task
    finally:
        left.set()


def _preview(
    settings: Settings,
    file: str | None,
    body: bytes,
    columns: CandidateColumns,
    is_awaited: Callable[[], bool],
) -> bytes:
    size, line = min(settings.max_body_bytes, LARGEST_FILE), BYTES_OF_CHARACTER * settings.max_text_chars
    bounds = Bounds(size, settings.max_candidates, MOST_COLUMNS, line, is_awaited)
    try:
        table = reading.parse(file, body, bounds) if file else candidates.typed(_lines(body), bounds)
        found = candidates.read(table, columns, settings.max_text_chars)
    except TooManyRows:
        raise SetTooLarge(
            f"There are more than {settings.max_candidates:,} candidates, which is what this server allows "
            "(NEXTPAIR_MAX_CANDIDATES). Leave some out."
        ) from None
    except InputError as error:
        raise InvalidRequest(str(error)) from None
    shown = {
        "columns": table.columns if file else [],
        "key": found.columns.key,
        "text": found.columns.text,
        "faults": [_shown(fault) for fault in found.faults[:FAULTS]],
        "fault_count": len(found.faults),
    }
    rows = b",".join(each.model_dump_json(include={"key", "text"}).encode() for each in found.candidates)
    answer = b'%s, "candidates": [%s]}' % (json.dumps(shown).encode()[:-1], rows)
    if len(answer) > LARGEST_ANSWER:
        raise InvalidRequest(f"What is to be shown takes more than {LARGEST_ANSWER:,} bytes; send it in smaller parts.")
    return answer


def _lines(body: bytes) -> Iterable[str]:
    return io.TextIOWrapper(io.BytesIO(body), "utf-8", "replace")


def _shown(fault: Fault) -> dict[str, str | None]:
    return {"place": fault.place, "column": fault.column, "wrong": fault.wrong, "remedy": fault.remedy}


def _listed(found: SetOut, status: PageStatus) -> Listed:
    return Listed(found, _goal(found), _progress(found), status)


def _goal(found: SetOut) -> int:
    """The budget, or every comparison there can be."""
    if budget := _budget(found):
        return budget
    orders = 2 if found.order == "both" else 1
    return found.candidates * (found.candidates - 1) // 2 * max(found.items, 1) * orders


def _budget(found: SetOut) -> int | None:
    return found.budget.max_comparisons if found.budget else None


def _progress(found: SetOut) -> str:
    done, goal = found.comparisons, _goal(found)
    made = f"{done:,} comparison{'' if done == 1 else 's'}"
    if not goal:
        return made
    pairs = f"all {goal:,} {'ordered ' if found.order == 'both' else ''}pair{'' if goal == 1 else 's'}"
    whole = f"the budget of {goal:,}" if _budget(found) else pairs
    return f"{made}, {min(100 * done // goal, 100)}% of {whole}"


def _link(query: str, project: str, page: int) -> str:
    return "/?" + urlencode({"q": query, "project": project, "page": page})
