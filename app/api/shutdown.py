"""Answer what cannot be finished before the process ends."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.problems import response_of
from app.service.errors import StoppingError
from app.service.failures import AGAIN


class AnswerWhenStopped:
    """ASGI middleware. A request that is cancelled, as uvicorn does after the time for draining, answers 503."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def watch(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except asyncio.CancelledError:
            if scope["type"] != "http" or begun:
                raise
            await response_of(StoppingError(f"This process is stopping. {AGAIN}"))(scope, receive, send)
