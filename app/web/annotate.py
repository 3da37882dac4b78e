"""Judging pairs: the page for annotators, without navigation."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from app.api.dependencies import ReadDep
from app.service import sets
from app.web.set_page import set_page
from app.web.texts import WAITING, described

router = APIRouter(prefix="/sets/{set_id}/annotate", include_in_schema=False)


@router.get("")
async def annotate(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """Judging pairs. Leases none: the page's script asks for them."""
    reasons = {each: f"{described(each)}. {words}" for each, words in WAITING.items()}
    return set_page(request, "annotate.html", await sets.get(db, set_id), reasons=reasons)
