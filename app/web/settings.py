"""Settings of a set."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from app.api.dependencies import ReadDep
from app.service import sets
from app.web.set_page import set_page

router = APIRouter(prefix="/sets/{set_id}/settings", include_in_schema=False)


@router.get("")
async def settings(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Settings of the set."""
    return set_page(request, "settings.html", await sets.get(db, set_id))
