"""The results of a set: its ranking, and the checks of it."""

from typing import get_args
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from nextpair.words import JOINT, BaselineName, ExpertName

from app.api.dependencies import ContextDep, ReadDep
from app.service import candidates, sets
from app.service.statuses import statuses
from app.web.set_page import set_page
from app.web.texts import CONTROLS

METHODS = [*get_args(ExpertName), *JOINT, *get_args(BaselineName)]

router = APIRouter(prefix="/sets/{set_id}", include_in_schema=False)


@router.get("")
async def results(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """The ranking, live."""
    ranked = await sets.get(db, set_id)
    (status,) = await statuses(ctx, [ranked])
    tags = await candidates.tag_names(db, set_id)
    values = {"status": status, "methods": METHODS, "tags": tags, "controls": CONTROLS}
    return set_page(request, "results.html", ranked, **values)


@router.get("/diagnostics")
@router.get("/trust")
async def earlier_diagnostics(set_id: UUID) -> Response:
    """The addresses that the checks had in earlier versions."""
    return RedirectResponse(f"/sets/{set_id}?panel=checks", 308)
