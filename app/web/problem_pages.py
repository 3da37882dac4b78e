"""Problems as pages, with a way home, for people who open an address in a browser."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from nextpair.schemas import Problem

from app.service.errors import SetDeleted
from app.web.rendering import headers, templates
from app.web.texts import no_page

PROBLEM_JSON = "application/problem+json"
OF_THE_BODY = ("content-length", "content-type")

Handler = Callable[[Request, Exception], Awaitable[Response]]


def install(app: FastAPI) -> None:
    """Wrap every handler of errors; call it when they are installed."""
    for kind, handler in list(app.exception_handlers.items()):
        app.add_exception_handler(kind, partial(_answer, cast("Handler", handler)))


async def _answer(handler: Handler, request: Request, error: Exception) -> Response:
    """The answer of the handler, as a page where a browser asks for one."""
    answer = await handler(request, error)
    if answer.media_type != PROBLEM_JSON or not _wants_a_page(request):
        return answer
    problem = Problem.model_validate_json(bytes(answer.body))
    is_no_id = isinstance(error, RequestValidationError) and any(each["loc"][0] == "path" for each in error.errors())
    if is_no_id or (problem.status == HTTPStatus.NOT_FOUND and problem.type == "about:blank"):
        title, detail = "Page not found", no_page(request.url.path)
        problem = Problem(type="about:blank", title=title, status=HTTPStatus.NOT_FOUND, detail=detail)
    kept = {name: value for name, value in answer.headers.items() if name not in OF_THE_BODY}
    values = {"problem": problem, "deleted": error if isinstance(error, SetDeleted) else None, "now": datetime.now(UTC)}
    template = "deleted-set.html" if isinstance(error, SetDeleted) else "problem.html"
    return templates.TemplateResponse(request, template, values, problem.status, {**kept, **headers()})


def _wants_a_page(request: Request) -> bool:
    is_of_the_api = request.url.path.startswith("/v1/")
    return request.method in ("GET", "HEAD") and not is_of_the_api and "text/html" in request.headers.get("Accept", "")
