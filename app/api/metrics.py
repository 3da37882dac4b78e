"""Prometheus metrics: requests by route, and what is kept in memory."""

import time

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUESTS = Counter("nextpair_requests", "Requests answered.", ["method", "route", "status"])
SECONDS = Histogram("nextpair_request_seconds", "Time to the first byte of the answer.", ["method", "route"])
LIVE_SETS = Gauge("nextpair_live_sets", "Candidate sets whose posterior is in memory.")
LIVE_BYTES = Gauge("nextpair_live_bytes", "Memory that these posteriors take.")


class Metrics:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        start = time.perf_counter()

        status = 500  # of an error that is answered further out

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                SECONDS.labels(scope["method"], _route(scope)).observe(time.perf_counter() - start)
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            REQUESTS.labels(scope["method"], _route(scope), status).inc()


def _route(scope: Scope) -> str:
    return getattr(scope.get("route"), "path", "none")


def exposition(live_sets: int, live_bytes: int) -> tuple[bytes, str]:
    """The metrics as Prometheus reads them, and their media type."""
    LIVE_SETS.set(live_sets)
    LIVE_BYTES.set(live_bytes)
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
