"""Route to the report of a set, as a file."""

from typing import Any

from fastapi import APIRouter, Request, Response

from app.api.computed import while_connected
from app.api.dependencies import ContextDep, SetId
from app.api.problems import of_a_set
from app.files.reports import document
from app.service import reports, results
from app.service.errors import NotConverged, StillComputing

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])
HTML: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {}}, "description": "One HTML file, which loads nothing."}
}


@router.get(
    "/report",
    operation_id="report",
    response_class=Response,
    responses=of_a_set(NotConverged, StillComputing) | HTML,
)
async def get_report(request: Request, set_id: SetId, ctx: ContextDep) -> Response:
    """Read the report: one HTML file with the ranking, how it was made, and what it comes from.

    It opens without a network and prints on A4. `nextpair verify` checks it against the log.
    """
    parts = await while_connected(request, reports.read(ctx, set_id))
    if isinstance(parts, Response):
        return parts
    content = await results.beside(ctx, lambda: document.file(parts))
    headers = {
        "Content-Disposition": f'attachment; filename="report-{set_id}.html"',
        "Nextpair-Version": str(parts.version),
        "Content-Security-Policy": f"{document.NOTHING_LOADS}; sandbox",
    }
    return Response(content, media_type="text/html; charset=utf-8", headers=headers)
