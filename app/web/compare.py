"""Two candidates of a set compared, and the win matrix of all."""

from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from app.api.dependencies import ContextDep, ReadDep
from app.service import asking, sets
from app.web.set_page import set_page

UPCOMING = 5  # pairs shown as coming next

router = APIRouter(prefix="/sets/{set_id}", include_in_schema=False)


@router.get("/compare")
async def compare(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """The share of wins of each candidate against each other one, and the next pairs."""
    upcoming = await asking.preview(ctx, db, set_id, UPCOMING)
    return set_page(request, "compare.html", await sets.get(db, set_id), upcoming=upcoming)


@router.get("/map")
async def earlier_compare(set_id: UUID) -> Response:
    """The address that the win matrix had in earlier versions."""
    return RedirectResponse(f"/sets/{set_id}/compare", 308)
