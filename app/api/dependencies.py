"""Dependencies of endpoints: the context, a connection to read from, and a write that is done once and committed."""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from collections.abc import Set as AbstractSet
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Path, Query, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import ParamTypes
from fastapi.responses import JSONResponse, Response
from nextpair.schemas import Seq
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import Context
from app.service.errors import InvalidRequest
from app.service.idempotency import Attempt, EarlierResponse, once


async def get_context(request: Request) -> Context:  # as all dependencies: FastAPI runs others in a thread
    context: Context = request.app.state.context
    return context


ContextDep = Annotated[Context, Depends(get_context)]


async def get_connection(ctx: ContextDep) -> AsyncIterator[AsyncConnection]:
    async with ctx.reading() as connection:
        yield connection


ReadDep = Annotated[AsyncConnection, Depends(get_connection, scope="function")]


class Write:
    """Runs one action in one transaction, when it is its turn at `sets`, and commits before the response is sent.

    With an Idempotency-Key the action runs at most once, and a repeated request gets the first answer again.
    """

    def __init__(self, ctx: Context, attempt: Attempt | None) -> None:
        self._ctx = ctx
        self._attempt = attempt

    async def __call__(
        self,
        action: Callable[[AsyncConnection], Awaitable[BaseModel]],
        status: int = 200,
        *,
        sets: AbstractSet[UUID] = frozenset(),
    ) -> Response:
        async with self._ctx.turns.of(sets), self._ctx.writing() as db:
            if self._attempt is None:
                return _json((await action(db)).model_dump_json(), status)
            result = await once(db, self._attempt, status, action)
        if isinstance(result, EarlierResponse):
            return JSONResponse(result.response, result.status, {"Idempotent-Replayed": "true"})
        return _json(result, status)


def _json(content: str, status: int) -> Response:
    return Response(content, status, media_type="application/json")


async def get_write(
    request: Request,
    ctx: ContextDep,
    idempotency_key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            min_length=1,
            max_length=200,
            description="Any unique string. Retries of the same request with it are idempotent for a week.",
        ),
    ] = None,
) -> Write:
    if idempotency_key is None:
        return Write(ctx, None)
    content = hashlib.sha256(await request.body()).hexdigest()
    return Write(ctx, Attempt(idempotency_key, f"{request.method} {request.url.path}", content))


WriteDep = Annotated[Write, Depends(get_write)]
SetId = Annotated[UUID, Path(description="Id of the set.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Number of entries per page.")]
After = Annotated[Seq, Query(description="Start after this sequence number; `next_after` of the previous page.")]


async def refuse_unknown_parameters(request: Request) -> None:
    """A misspelt parameter is an error: `as_off=1` must not answer with the present."""
    if not request.query_params:
        return
    parameters = get_flat_params(request.scope["route"].dependant)
    known = {each.alias for each in parameters if getattr(each.field_info, "in_", None) is ParamTypes.query}
    if unknown := sorted(set(request.query_params) - known):
        there = f"use one of {', '.join(sorted(known))}" if known else "this endpoint takes none"
        raise InvalidRequest(f"Unknown query parameter {unknown[0]!r}; {there}.")
