"""The list of sets: found by name or project, each with how far it is."""

from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from nextpair.schemas import SetOut
from nextpair.words import PageStatus

from app.api.dependencies import ContextDep
from app.service import sets
from app.service.statuses import statuses
from app.web.rendering import POLICY, headers, templates
from app.web.texts import goal, progress

PAGE = 50  # sets
WITH_SEARCH = POLICY.replace("form-action 'none'", "form-action 'self'")  # the search is a plain GET form

router = APIRouter(include_in_schema=False)


class ListedSet(NamedTuple):
    """A set and how far it is."""

    set: SetOut
    goal: int  # comparisons; 0 where there is nothing to compare
    progress: str
    status: PageStatus


@router.get("/")
async def index(
    request: Request,
    ctx: ContextDep,
    q: str = "",
    project: str = "",
    page: Annotated[int, Query(ge=1, le=10**6)] = 1,
) -> Response:
    """One page of the list, newest first; `q` is a part of the name."""
    first = PAGE * (page - 1)
    async with ctx.reading() as db:
        rows = await sets.find(db, name=q, project=project or None, offset=first, limit=PAGE + 1)
        projects = await sets.projects(db)
    listed = [
        ListedSet(row, goal(row), progress(row), status)
        for row, status in zip(rows, await statuses(ctx, rows[:PAGE]), strict=False)
    ]
    values = {
        "sets": listed,
        "projects": projects,
        "query": q,
        "project": project,
        "first": first + 1,
        "previous": _link(q, project, page - 1) if page > 1 else None,
        "next": _link(q, project, page + 1) if len(rows) > PAGE else None,
    }
    return templates.TemplateResponse(request, "home.html", values, headers=headers(WITH_SEARCH))


def _link(query: str, project: str, page: int) -> str:
    return "/?" + urlencode({"q": query, "project": project, "page": page})
