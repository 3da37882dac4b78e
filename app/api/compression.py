"""Compress answers to reads. Asks and verdicts, which are many and small, stay as they are."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

SMALLEST = 2_000  # bytes of an answer that is compressed
LEVEL = 1  # a ranking of 1,000 candidates: 379 kB to 114 in 2 ms; the usual 9 takes 64 ms to 101


class Compression:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=SMALLEST, compresslevel=LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read = scope["type"] == "http" and scope["method"] == "GET"
        await (self._compressing if is_read else self._app)(scope, receive, send)
