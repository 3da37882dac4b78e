"""Items of a set."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from app.api.dependencies import ReadDep
from app.service import candidates, sets
from app.web.set_page import set_page

router = APIRouter(prefix="/sets/{set_id}/items", include_in_schema=False)


@router.get("")
async def items(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Items of the set, or its judged pairs where it is one of texts."""
    return set_page(request, "items.html", await sets.get(db, set_id), tags=await candidates.tag_values(db, set_id))
