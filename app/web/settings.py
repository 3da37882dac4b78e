"""Settings of a set: what it wants, in words, its judges, its files, and its deletion."""

from uuid import UUID

from fastapi import APIRouter, Request, Response
from nextpair.words import GRACE_DAYS

from app.api.dependencies import ReadDep
from app.service import candidates, sets
from app.web.set_page import set_page

MOST_OFFERED = 500  # candidates that a form lists

router = APIRouter(prefix="/sets/{set_id}/settings", include_in_schema=False)


@router.get("")
async def settings(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Settings of the set; its script changes them by the API."""
    shown = await sets.get(db, set_id)
    keys = await candidates.all_keys(db, set_id) if shown.candidates <= MOST_OFFERED else []
    values = {
        "record": shown.model_dump_json(exclude={"context", "metadata"}),
        "keys": keys,
        "origin": str(request.base_url).rstrip("/"),
        "grace": GRACE_DAYS,
    }
    return set_page(request, "settings.html", shown, **values)
