"""Answer HEAD as GET, without the body."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Heads:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            return await self._app(scope, receive, send)
        is_done = False

        async def send_head(message: Message) -> None:
            """Send the headers, and end the answer at the first part of its body: an event stream goes on."""
            nonlocal is_done
            if message["type"] == "http.response.start":
                await send(message)
            elif not is_done:
                is_done = True
                await send({"type": "http.response.body"})

        await self._app({**scope, "method": "GET"}, receive, send_head)
