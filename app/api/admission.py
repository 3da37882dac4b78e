"""Turn asks away that the process cannot answer soon, before anything of them is read."""

from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.problems import response_of
from app.service.context import Context
from app.service.errors import Busy

ASKS = ("/next-pair", "/next-pairs")


class Admission:
    """ASGI middleware. Verdicts are always admitted: they are about pairs that were given."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith(ASKS):
            return await self._app(scope, receive, send)
        ctx: Context = scope["app"].state.context
        try:
            with ctx.asks.counted():
                await self._app(scope, receive, send)
        except Busy as busy:
            await response_of(busy)(scope, receive, send)
