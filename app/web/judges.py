"""The judges of a set, compared."""

from typing import get_args
from uuid import UUID

from fastapi import APIRouter, Request, Response
from nextpair.words import AggregationName

from app.api.dependencies import ReadDep
from app.service import sets
from app.web.set_page import set_page

router = APIRouter(prefix="/sets/{set_id}/judges", include_in_schema=False)


@router.get("")
async def judges(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """A card for each judge, their agreement, and the disputed pairs."""
    return set_page(request, "judges.html", await sets.get(db, set_id), methods=get_args(AggregationName))
