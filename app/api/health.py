"""Health of the process: alive, ready, and its metrics."""

from fastapi import APIRouter, Request, Response
from nextpair import schemas

from app import __version__
from app.api.dependencies import ContextDep
from app.api.metrics import exposition
from app.api.problems import documented
from app.service import health
from app.service.errors import DatabaseDown, DiskFull, Preparing

router = APIRouter(tags=["health"])


@router.get("/healthz", operation_id="alive")
async def healthz() -> schemas.Alive:
    """Check that the process answers."""
    return schemas.Alive(status="ok", version=__version__)


@router.get("/readyz", operation_id="ready", responses=documented(DatabaseDown, Preparing, DiskFull))
async def readyz(request: Request, ctx: ContextDep) -> schemas.Ready:
    """Check that the service is ready: compiled, with a database that answers, fits and has space."""
    migration = await health.migration(ctx, is_disk_in_doubt=DiskFull in request.app.state.outages)
    return schemas.Ready(status="ready", migration=migration)


@router.get("/metrics", response_class=Response)
async def metrics(ctx: ContextDep) -> Response:
    """Read Prometheus metrics."""
    content, media_type = exposition(len(ctx.live), ctx.live.size_bytes)
    return Response(content, media_type=media_type)
