"""The pages of one set: its ranking, whether to trust it, its map, its judges, and judging its pairs."""

from typing import get_args
from uuid import UUID

from fastapi import APIRouter, Request, Response
from nextpair.words import JUDGE_AWARE, AggregationName, BaselineName, ExpertName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.api.dependencies import ContextDep, ReadDep
from app.service import asking, sets
from app.service.statuses import statuses
from app.web.rendering import headers, templates

UPCOMING = 5  # pairs shown as coming next
METHODS = [*get_args(ExpertName), JUDGE_AWARE, *get_args(BaselineName)]

router = APIRouter(include_in_schema=False)


@router.get("/sets/{set_id}")
async def ranking(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """The ranking, live."""
    (status,) = await statuses(ctx, [await sets.get(db, set_id)])
    return await _page(request, "ranking.html", set_id, db, here="Ranking", status=status, methods=METHODS)


@router.get("/sets/{set_id}/trust")
async def trust(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Each check of trust, and the calibration of a judge."""
    return await _page(request, "trust.html", set_id, db, here="Trust")


@router.get("/sets/{set_id}/map")
async def comparisons_map(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """Who beats whom, and the pairs that come next."""
    upcoming = await asking.preview(ctx, db, set_id, UPCOMING)
    return await _page(request, "map.html", set_id, db, here="Map", upcoming=upcoming)


@router.get("/sets/{set_id}/judges")
async def judges(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """A card for each judge, and who agrees with whom."""
    return await _page(request, "judges.html", set_id, db, here="Judges", methods=get_args(AggregationName))


@router.get("/sets/{set_id}/annotate")
async def annotate(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Judging pairs. Leases none: the page's script asks for them."""
    return await _page(request, "annotate.html", set_id, db)


async def _page(request: Request, template: str, set_id: UUID, db: AsyncConnection, **values: object) -> Response:
    """A template filled with the set and these values. Raises UnknownSet, SetDeleted."""
    values["set"] = await sets.get(db, set_id)
    return templates.TemplateResponse(request, template, values, headers=headers())
