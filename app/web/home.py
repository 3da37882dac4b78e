"""The home page: all sets, each with who leads, how sure that is, and how far it is to its goal."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from app.api.dependencies import ContextDep
from app.service import sets
from app.web.rendering import POLICY, headers, templates
from app.web.set_list import Chosen, list_values

WITH_SEARCH = POLICY.replace("form-action 'none'", "form-action 'self'")  # the search is a plain GET form
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
) -> Response:
    """One page of the sets; `q` is a part of the name."""
    values = await list_values(ctx, Chosen(q, project, state, sort, page), "/")
    async with ctx.reading() as db:
        values["projects"] = await sets.projects(db)
    return templates.TemplateResponse(request, "home.html", values, headers=headers(WITH_SEARCH))
