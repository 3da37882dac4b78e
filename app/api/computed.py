"""Results about a set as answers: dropped where nobody waits, and with headers that say what they come from."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from fastapi import Request, Response
from nextpair.schemas import Computed, Ranking

from app.api.problems import CLIENT_LEFT
from app.files import plots

DRAWN = "default-src 'none'; style-src 'unsafe-inline'; sandbox"  # a policy for SVG, which may hold scripts
R = TypeVar("R")
C = TypeVar("C", bound=Computed)


async def while_connected(request: Request, work: Coroutine[Any, Any, R]) -> R | Response:
    """The result of work, which is cancelled where the client goes away first."""
    working, leaving = asyncio.create_task(work), asyncio.create_task(_left(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else Response(status_code=CLIENT_LEFT)
    finally:
        working.cancel()
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def origin(result: Computed) -> dict[str, str]:
    """Headers: the version of the result, the newer one that is being computed, and the method of a ranking."""
    headers = {"Nextpair-Version": str(result.version)}
    if result.newer_version is not None:
        headers["Nextpair-Newer-Version"] = str(result.newer_version)
    return headers | ({"Nextpair-Method": result.method.name} if isinstance(result, Ranking) else {})


async def computed(request: Request, response: Response, work: Coroutine[Any, Any, C]) -> C | Response:
    """The result of `while_connected`, with the headers of its `origin` in the response."""
    result = await while_connected(request, work)
    if isinstance(result, Computed):
        response.headers.update(origin(result))
    return result


def picture(drawn: bytes, form: plots.Form, headers: Mapping[str, str]) -> Response:
    policy = {"Content-Security-Policy": DRAWN} if form == "svg" else {}
    return Response(drawn, media_type=plots.MEDIA_TYPES[form], headers={**headers, **policy})
