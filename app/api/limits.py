"""Limits of requests: the size of a body, and the client that pays for the computations.

A body is refused before it is read when its length is announced, and while it is read when not.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.problems import response_of
from app.service.context import charge
from app.service.errors import BodyTooLarge


class ChargeClient:
    """ASGI middleware. A client is an address: the key is the same for all."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if client := scope.get("client"):
            charge(client[0])
        await self._app(scope, receive, send)


class BodyLimit:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if _announced(scope) > self._max_bytes:
            return await response_of(self._error())(scope, receive, send)
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._max_bytes:
                raise self._error()
            return message

        await self._app(scope, counted, send)

    def _error(self) -> BodyTooLarge:
        return BodyTooLarge(
            f"The body has more than {self._max_bytes:,} bytes (NEXTPAIR_MAX_BODY_BYTES); send it in smaller parts."
        )


def _announced(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0
