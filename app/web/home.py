"""The home page: all sets, each with who leads, how sure that is, and how far it is to its goal."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from nextpair.schemas import SetPage
from sqlalchemy.ext.asyncio import AsyncConnection

from app.api.dependencies import ContextDep
from app.service import sets
from app.service.context import Context
from app.web.rendering import POLICY, headers, templates
from app.web.set_list import Chosen, ago, list_values

WITH_SEARCH = POLICY.replace("form-action 'none'", "form-action 'self'")  # the search is a plain GET form
MOST_DELETED = 1_000  # that are shown
MOST_DELETED = 1_000  # that are shown
PageNumber = Annotated[int, Query(ge=1, le=10**6)]

router = APIRouter(include_in_schema=False)


@router.get("/")
async def index(
    request: Request,
    ctx: ContextDep,
    q: str = "",
    project: str = "",
    state: str = "",
    sort: str = "",
    page: PageNumber = 1,
    deleted: bool = False,
) -> Response:
    """One page of the sets; `q` is a part of the name. Or those that are deleted and can be restored."""
    if deleted:
        return await _deleted(request, ctx)
    values = await list_values(ctx, Chosen(q, project, state, sort, page), "/")
    async with ctx.reading() as db:
        values["projects"] = await sets.projects(db)
        values["are_deleted"] = bool((await _restorable(db, 1)).sets)
    return templates.TemplateResponse(request, "home.html", values, headers=headers(WITH_SEARCH))


async def _deleted(request: Request, ctx: Context) -> Response:
    async with ctx.reading() as db:
        values = {"sets": [*reversed((await _restorable(db, MOST_DELETED)).sets)], "ago": ago}
    return templates.TemplateResponse(request, "deleted.html", values, headers=headers())


async def _restorable(db: AsyncConnection, most: int) -> SetPage:
    return await sets.page(db, project=None, status=None, deleted=True, after=None, limit=most)
