"""The pages of one set: its ranking, win matrix, judges and diagnostics, and judging its pairs."""

from typing import get_args
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from nextpair.schemas import SetOut
from nextpair.words import JOINT, AggregationName, BaselineName, ExpertName

from app.api.dependencies import ContextDep, ReadDep
from app.service import asking, candidates, sets
from app.service.statuses import statuses
from app.web.rendering import headers, templates
from app.web.texts import COLUMNS, CONTROLS, TAB_TIPS, TABS, WAITING, described

UPCOMING = 5  # pairs shown as coming next
METHODS = [*get_args(ExpertName), *JOINT, *get_args(BaselineName)]

router = APIRouter(include_in_schema=False)


@router.get("/sets/{set_id}")
async def ranking(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """The ranking, live."""
    ranked = await sets.get(db, set_id)
    (status,) = await statuses(ctx, [ranked])
    tags = await candidates.tag_names(db, set_id)
    words = {"columns": COLUMNS, "controls": CONTROLS}
    return _page(request, "ranking.html", ranked, status=status, methods=METHODS, tags=tags, **words)


@router.get("/sets/{set_id}/diagnostics")
async def diagnostics(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Each check of the ranking, and the calibration of a judge."""
    return _page(request, "diagnostics.html", await sets.get(db, set_id))


@router.get("/sets/{set_id}/trust")
async def earlier_diagnostics(set_id: UUID) -> Response:
    """The address that the diagnostics had in earlier versions."""
    return RedirectResponse(f"/sets/{set_id}/diagnostics", 308)


@router.get("/sets/{set_id}/map")
async def win_matrix(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """The share of wins of each candidate against each other one, and the next pairs."""
    upcoming = await asking.preview(ctx, db, set_id, UPCOMING)
    return _page(request, "map.html", await sets.get(db, set_id), upcoming=upcoming)


@router.get("/sets/{set_id}/judges")
async def judges(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """A card for each judge, their agreement, and the disputed pairs."""
    return _page(request, "judges.html", await sets.get(db, set_id), methods=get_args(AggregationName))


@router.get("/sets/{set_id}/annotate")
async def annotate(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Judging pairs. Leases none: the page's script asks for them."""
    reasons = {each: f"{described(each)}. {words}" for each, words in WAITING.items()}
    return _page(request, "annotate.html", await sets.get(db, set_id), reasons=reasons)


def _page(request: Request, template: str, of_set: SetOut, **values: object) -> Response:
    """A template filled with the set and these values."""
    tab = TABS.get(request.url.path.removeprefix(f"/sets/{of_set.id}"))
    values |= {"set": of_set, "tab": tab, "tabs": TABS, "tab_tips": TAB_TIPS}
    return templates.TemplateResponse(request, template, values, headers=headers())
