"""The page of a project: its systems over its sets, and its sets."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from app.api.dependencies import ContextDep
from app.service import leaderboard
from app.web.home import WITH_SEARCH, PageNumber
from app.web.rendering import headers, templates
from app.web.set_list import Chosen, list_values

MOST_ROWS = 40  # of the leaderboard that keep their place before they are there

router = APIRouter(include_in_schema=False)


@router.get("/projects/{name:path}")
async def project(
    request: Request,
    name: Annotated[str, Path(min_length=1)],
    ctx: ContextDep,
    q: str = "",
    state: str = "",
    sort: str = "",
    page: PageNumber = 1,
) -> Response:
    """The leaderboard of the project, and one page of its sets."""
    values = await list_values(ctx, Chosen(q, name, state, sort, page), request.url.path)
    is_unknown = not values["sets"] and not values["is_filtered"]
    values |= {"name": name, "board": await leaderboard.extent(ctx, name), "most_rows": MOST_ROWS}
    status = 404 if is_unknown else 200
    return templates.TemplateResponse(request, "project.html", values, status, headers(WITH_SEARCH))
