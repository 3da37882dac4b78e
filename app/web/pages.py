"""The pages of one set: its ranking, whether to trust it, its map, its judges, judging its pairs; and the contract."""

from pathlib import Path
from typing import get_args
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates
from nextpair.words import JUDGE_AWARE, STATUSES, AggregationName, BaselineName, ExpertName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.api.dependencies import ContextDep, ReadDep
from app.service import asking, sets
from app.service.statuses import statuses

HERE = Path(__file__).parent
SECURITY = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
WITH_DRAWINGS = SECURITY | {  # Swagger UI's style sheet holds its icons
    "Content-Security-Policy": SECURITY["Content-Security-Policy"].replace("img-src 'self'", "img-src 'self' data:")
}
UPCOMING = 5  # pairs shown as coming next

templates = Jinja2Templates(HERE / "templates")
templates.env.globals["statuses"] = STATUSES
static = StaticFiles(directory=HERE / "static")
swagger = StaticFiles(packages=[("fastapi_swagger", "resources")])
router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def docs(request: Request) -> Response:
    """The HTTP contract."""
    return templates.TemplateResponse(request, "docs.html", headers=WITH_DRAWINGS)


@router.get("/sets/{set_id}")
async def show(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """The ranking, live."""
    (status,) = await statuses(ctx, [await sets.get(db, set_id)])
    known = {"methods": [*get_args(ExpertName), JUDGE_AWARE, *get_args(BaselineName)]}
    return await _page(request, "set.html", set_id, db, here="Ranking", status=status, **known)


@router.get("/sets/{set_id}/trust")
async def trust(request: Request, set_id: UUID, db: ReadDep) -> Response:
    return await _page(request, "trust.html", set_id, db, here="Trust")


@router.get("/sets/{set_id}/map")
async def comparisons_map(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    upcoming = await asking.preview(ctx, db, set_id, UPCOMING)
    return await _page(request, "map.html", set_id, db, here="Map", upcoming=upcoming)


@router.get("/sets/{set_id}/judges")
async def judges(request: Request, set_id: UUID, db: ReadDep) -> Response:
    return await _page(request, "judges.html", set_id, db, here="Judges", methods=get_args(AggregationName))


@router.get("/sets/{set_id}/annotate")
async def annotate(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Leases nothing: the page itself asks for pairs."""
    return await _page(request, "annotate.html", set_id, db)


async def _page(request: Request, template: str, set_id: UUID, db: AsyncConnection, **known: object) -> Response:
    """One of the pages of a set. Raises UnknownSet, SetDeleted."""
    known["set"] = await sets.get(db, set_id)
    return templates.TemplateResponse(request, template, known, headers=SECURITY)
