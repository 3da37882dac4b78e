"""Every error as application/problem+json (RFC 9457)."""

import logging
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from anyio import BrokenResourceError
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from nextpair.schemas import FieldError, Problem
from nextpair.words import in_words
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from app.files.plots import CannotDraw
from app.service.errors import (
    AppError,
    BudgetSpent,
    DatabaseDown,
    DiskFull,
    FieldFault,
    InvalidRequest,
    NotInstalled,
    SetDeleted,
    StillComputing,
    UnknownSet,
)
from app.service.failures import EXPLAINED, explained, hide_values, itself

log = logging.getLogger("nextpair")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
CLIENT_LEFT = 499  # in logs and metrics, as nginx has it: nobody reads the answer
SHOWN = 100  # faults of one request


def install(app: FastAPI) -> None:
    app.add_exception_handler(AppError, _app_error)
    app.add_exception_handler(CannotDraw, _app_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    for kind in (*EXPLAINED, Exception):
        app.add_exception_handler(kind, _unexpected)


def problem_of(error: AppError) -> Problem:
    fields = [FieldError(**fault._asdict()) for fault in error.faults]
    return Problem(
        type=f"urn:nextpair:problem:{error.code}",
        title=error.title,
        status=error.status,
        detail=error.detail,
        errors=fields or None,
    )


def response_of(error: AppError) -> JSONResponse:
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after else None
    return _respond(problem_of(error), headers)


def documented(*errors: type[AppError]) -> dict[int | str, dict[str, Any]]:
    """`responses=` of an endpoint that may answer with these errors."""
    titles: dict[int, list[str]] = {}
    if StillComputing in errors:  # what is computed beside the requests has a budget
        errors = (*errors, BudgetSpent)
    for error in errors:
        titles.setdefault(error.status, []).append((error.__doc__ or "").rstrip("."))
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": "; ".join(names), "content": content} for status, names in titles.items()}


def of_a_set(*errors: type[AppError]) -> dict[int | str, dict[str, Any]]:
    """`documented` of an endpoint whose set may be unknown or deleted too."""
    return documented(UnknownSet, SetDeleted, *errors)


async def _app_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, AppError | CannotDraw)
    return response_of(NotInstalled(str(error)) if isinstance(error, CannotDraw) else error)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    first, *others = (FieldFault(_pointer(e), _in_words(e)) for e in errors[:SHOWN])
    detail = f"{first.pointer or 'body'}: {first.detail}{_more(len(errors))}"
    return response_of(InvalidRequest(detail, first, *others))


def _more(count: int) -> str:
    if count == 1:
        return ""
    rest = f"; the first {SHOWN} are in `errors`" if count > SHOWN else " in `errors`"
    return f" ({count - 1:,} more{rest})"


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, AppError):  # raised while FastAPI read the body
        return response_of(error.__cause__)
    if isinstance(error.__cause__, RequestValidationError):
        return await _invalid(request, error.__cause__)
    path, headers = request.url.path, dict(error.headers or {})
    if error.status_code == HTTPStatus.NOT_FOUND and path.endswith("/") and _methods(request, path[:-1]):
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"../{quote(path[:-1].rpartition('/')[2], safe='')}{query}")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_methods(request, path) or ("GET", "HEAD"))  # the latter of files
    detail = f"{request.method} {path}: {error.detail}. The contract is at /docs."
    return _respond(
        Problem(type="about:blank", title=str(error.detail), status=error.status_code, detail=detail), headers
    )


def _methods(request: Request, path: str) -> list[str]:
    """The methods of all routes to a path, which Starlette has of the first alone."""
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]
    scopes = [{**request.scope, "path": path, "method": method} for method in METHODS]
    allowed = [scope["method"] for scope in scopes if any(route.matches(scope)[0] is Match.FULL for route in routes)]
    return [*allowed, "HEAD"] if "GET" in allowed else allowed


async def _unexpected(request: Request, error: Exception) -> Response:
    error = itself(error)
    if isinstance(error, BrokenResourceError):  # FastAPI's event stream has an event for a client that left
        return Response(status_code=CLIENT_LEFT)
    if (failure := explained(error)) is not None:
        _note(request, failure, error)
        return response_of(failure)
    hide_values(error)
    log.exception("unexpected error", exc_info=error)
    detail = "An unexpected error occurred and was logged. With the same Idempotency-Key it is safe to send the "
    "request again."
    return _respond(Problem(type="about:blank", title="Internal server error", status=500, detail=detail))


def _note(request: Request, failure: AppError, error: Exception) -> None:
    """Log what is wrong with the database."""
    if isinstance(failure, DatabaseDown | DiskFull):
        request.app.state.outages.note(failure, error)
    elif not isinstance(failure, InvalidRequest):
        log.warning("%s: %s", failure.title, error)


def _respond(problem: Problem, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(
        problem.model_dump(exclude_none=True), problem.status, headers, media_type="application/problem+json"
    )


def pointer(path: Iterable[str | int]) -> str:
    """RFC 6901."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _pointer(error: dict[str, Any]) -> str:
    """A pointer into the body; for other places the name of the parameter."""
    location = error["loc"][:1] if error["type"] == "json_invalid" else error["loc"]
    location = location[:-1] if location[-1] == "[key]" else location  # Pydantic's word for the name of a member
    where, *path = location
    return pointer(path) if where == "body" else f"{where} {'/'.join(map(str, path))}"


def _in_words(error: dict[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return "unknown field; remove it or check its spelling"
    if error["type"] == "json_invalid":
        return f"not JSON at character {error['loc'][-1]}: {error['ctx']['error']}"
    if error["loc"] == ("body",) and error["type"] in ("missing", "model_type", "model_attributes_type"):
        return "send a JSON object, with Content-Type: application/json"
    return in_words(error)
