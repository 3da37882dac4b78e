"""Two candidates, items, versions or judges of a set compared, and the win matrix of all candidates."""

from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from app.api.dependencies import ReadDep
from app.service import candidates, sets
from app.web.set_page import set_page

MOST_OFFERED = 1000  # keys that a picker suggests; others can be typed
MODES = {"": "Candidates", "items": "Items", "versions": "Versions", "judges": "Judges"}

router = APIRouter(prefix="/sets/{set_id}", include_in_schema=False)


@router.get("/compare")
async def compare(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """A against B, once both are chosen; before that, the win matrix."""
    of_set, keys = await sets.get(db, set_id), await candidates.keys(db, set_id)
    modes = {mode: name for mode, name in MODES.items() if mode != "items" or of_set.items}
    return set_page(request, "compare.html", of_set, keys=keys[:MOST_OFFERED], modes=modes)


@router.get("/map")
async def earlier_compare(set_id: UUID) -> Response:
    """The address that the win matrix had in earlier versions."""
    return RedirectResponse(f"/sets/{set_id}/compare", 308)
