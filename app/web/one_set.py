"""The pages of one set: its ranking, whether to trust it, its map, its judges, and judging its pairs."""

from typing import get_args
from uuid import UUID

from fastapi import APIRouter, Request, Response
from nextpair.schemas import SetOut
from nextpair.words import JOINT, AggregationName, BaselineName, ExpertName

from app.api.dependencies import ContextDep, ReadDep
from app.service import asking, candidates, sets
from app.service.statuses import statuses
from app.web.rendering import headers, templates

UPCOMING = 5  # pairs shown as coming next
TABS = {"": "Ranking", "/trust": "Trust", "/map": "Map", "/judges": "Judges"}  # by what follows the set's address
METHODS = [*get_args(ExpertName), *JOINT, *get_args(BaselineName)]

router = APIRouter(include_in_schema=False)


@router.get("/sets/{set_id}")
async def ranking(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """The ranking, live."""
    ranked = await sets.get(db, set_id)
    (status,) = await statuses(ctx, [ranked])
    tags = await candidates.tag_names(db, set_id)
    return _page(request, "ranking.html", ranked, status=status, methods=METHODS, tags=tags)


@router.get("/sets/{set_id}/trust")
async def trust(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Each check of trust, and the calibration of a judge."""
    return _page(request, "trust.html", await sets.get(db, set_id))


@router.get("/sets/{set_id}/map")
async def comparisons_map(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """Who beats whom, and the pairs that come next."""
    upcoming = await asking.preview(ctx, db, set_id, UPCOMING)
    return _page(request, "map.html", await sets.get(db, set_id), upcoming=upcoming)


@router.get("/sets/{set_id}/judges")
async def judges(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """A card for each judge, and who agrees with whom."""
    return _page(request, "judges.html", await sets.get(db, set_id), methods=get_args(AggregationName))


@router.get("/sets/{set_id}/annotate")
async def annotate(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Judging pairs. Leases none: the page's script asks for them."""
    return _page(request, "annotate.html", await sets.get(db, set_id))


def _page(request: Request, template: str, of_set: SetOut, **values: object) -> Response:
    """A template filled with the set and these values."""
    return templates.TemplateResponse(request, template, {**values, "set": of_set, "tabs": TABS}, headers=headers())
