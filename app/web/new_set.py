"""Making a set: the form, and what the candidates in a file or in typed lines look like before anything is created."""

import asyncio
from collections.abc import Callable
from functools import partial
from threading import Event

from fastapi import APIRouter, Request, Response
from nextpair.schemas import SetIn
from nextpair.words import CriterionName, InferenceTargetChoice, OrderName, PositionBiasChoice

from app.api.dependencies import ContextDep
from app.files.candidates import CandidateColumns
from app.files.formats import READERS
from app.service.errors import InvalidRequest
from app.web.candidate_preview import preview_json
from app.web.rendering import headers, templates

POLL_SECONDS = 0.25  # between two looks whether the client has left
ONE_FILE = asyncio.Semaphore(1)  # at a time, so that many take no more memory than one
BYTES = "application/octet-stream"  # which a page of another site cannot send without asking
CRITERIA: dict[CriterionName, str] = {  # the default first
    "knowledge": "the pair whose answer is expected to settle most of the order",
    "reordering": "the pair whose order is least certain",
    "variance": "the pair whose difference in score is least certain",
    "exponent": "between least certain order and least certain difference",
    "determinant": "the pair that makes all scores together more certain",
    "random": "any pair, by chance",
}
ORDERS: dict[OrderName, str] = {
    "balanced": "the one that has been first less often",
    "both": "every pair is asked in both orders, one after the other",
    "each": "both orders are asked, each when it tells most",
    "as_selected": "the one that joined the set earlier",
}
POSITION_BIASES: dict[PositionBiasChoice, str] = {
    "auto": "estimate it for judges who give probabilities",
    "none": "assume that there is none",
    "estimate": "estimate it for each judge, together with the scores",
    "closed-form": "read it off each judge's mean verdict, before any score",
}
INFERENCE_TARGETS: dict[InferenceTargetChoice, str] = {
    "auto": "decided by what is judged, and by whom",
    "all-pairs": "what these judges would say of all pairs",
    "new-items": "the order on other prompts like these",
    "people": "what people would say",
    "latent": "scores of which every verdict is a noisy reading",
}
CHOICES = {
    "kinds": ",".join([*READERS, ".gz"]),
    "criteria": list(CRITERIA.items()),
    "orders": list(ORDERS.items()),
    "inference_targets": list(INFERENCE_TARGETS.items()),
    "position_biases": list(POSITION_BIASES.items()),
}

router = APIRouter(include_in_schema=False)


@router.get("/sets/new")
async def form(request: Request, ctx: ContextDep) -> Response:
    """The form, with the defaults of the contract."""
    values = {"defaults": SetIn(name="-", question="-"), "max_bytes": ctx.settings.max_body_bytes, **CHOICES}
    return templates.TemplateResponse(request, "new-set.html", values, headers=headers())


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
        content = await _while_connected(request, partial(preview_json, ctx.settings, file, body, columns))
    return Response(content, media_type="application/json")


async def _while_connected(request: Request, work: Callable[[Callable[[], bool]], bytes]) -> bytes:
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
