"""The report of a set, to be read, printed and downloaded."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from app.api.dependencies import ContextDep
from app.files.reports import document
from app.service import reports, results
from app.service.errors import StillComputing
from app.web.rendering import POLICY, headers, templates

AGAIN = 2  # seconds until a page that waits is loaded again

router = APIRouter(prefix="/sets/{set_id}/report", include_in_schema=False)


@router.get("")
async def report(request: Request, set_id: UUID, ctx: ContextDep) -> Response:
    """The report under a bar, which is not printed; or a page that waits for it."""
    try:
        parts = await reports.read(ctx, set_id)
    except StillComputing as error:
        values = {"set_id": set_id, "detail": error.detail}
        more = headers() | {"Refresh": str(AGAIN)}
        return templates.TemplateResponse(request, "report-waiting.html", values, headers=more)
    bar = templates.get_template("report-bar.html").render(set_id=set_id, tagged=[each.tag for each in parts.tags])
    content, style = await results.beside(ctx, lambda: document.page(parts, bar))
    policy = POLICY.replace("style-src 'self'", f"style-src {style}")
    return Response(content, media_type="text/html; charset=utf-8", headers=headers(policy))
