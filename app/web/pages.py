"""One set's ranking that grows as verdicts come in."""

from pathlib import Path
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates

from app.api.dependencies import ContextDep, ReadDep
from app.service import assignments, sets

HERE = Path(__file__).parent
SECURITY = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
UPCOMING = 3  # pairs shown as coming next

templates = Jinja2Templates(HERE / "templates")
static = StaticFiles(directory=HERE / "static")
router = APIRouter(include_in_schema=False)


@router.get("/sets/{set_id}")
async def show(request: Request, set_id: UUID, db: ReadDep, ctx: ContextDep) -> Response:
    found = await sets.get(db, set_id)
    upcoming = await assignments.preview(ctx, db, set_id, UPCOMING)
    return templates.TemplateResponse(request, "set.html", {"set": found, "upcoming": upcoming}, headers=SECURITY)
