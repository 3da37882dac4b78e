"""Activity of a set: its log as it grows, who is at work, and how to invite annotators."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from app.api.dependencies import ContextDep, ReadDep
from app.service import activity as service
from app.service import sets
from app.service.statuses import statuses
from app.web.set_page import set_page

router = APIRouter(prefix="/sets/{set_id}/activity", include_in_schema=False)


@router.get("")
async def activity(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    """Activity of the set; its script asks for the entries."""
    shown = await sets.get(db, set_id)
    now = await service.read(db, set_id, judge=None, before=None, limit=1)
    lines = {"judges": len(now.judges), "work": len(now.at_work)}  # to keep space for
    (status,) = await statuses(ctx, [shown])
    return set_page(request, "activity.html", shown, status=status, **lines)
