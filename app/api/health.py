"""Is the process alive, is it ready, and how is it doing."""

from fastapi import APIRouter, Request, Response
from nextpair import schemas

from app import __version__
from app.api.dependencies import ContextDep
from app.api.metrics import exposition
from app.api.problems import documented
from app.service.errors import DatabaseDown, DiskFull, Preparing
from app.storage import db

router = APIRouter(tags=["health"])


@router.get("/healthz", response_model=schemas.Alive)
async def healthz() -> schemas.Alive:
    """The process answers."""
    return schemas.Alive(status="ok", version=__version__)


@router.get("/readyz", response_model=schemas.Ready, responses=documented(DatabaseDown, Preparing, DiskFull))
async def readyz(request: Request, ctx: ContextDep) -> schemas.Ready:
    """The kernels are compiled, the database answers, its schema is the one needed, and its disk not known as full."""
    if ctx.live.warm is None:
        raise Preparing("The service compiles what small sets need: some seconds at its very first start. Ask again.")
    revision = await db.revision(ctx.spare)
    if revision != db.latest_revision():
        raise DatabaseDown(
            f"The database is at migration {revision or 'none'}, this program needs {db.latest_revision()}; "
            "run `nextpair migrate`."
        )
    if request.app.state.disk_full:
        await db.try_the_disk(ctx.spare)
        request.app.state.disk_full = False
    return schemas.Ready(status="ready", migration=revision)


@router.get("/metrics", response_class=Response)
async def metrics(ctx: ContextDep) -> Response:
    """Prometheus metrics."""
    content, media_type = exposition(ctx.live)
    return Response(content, media_type=media_type)
