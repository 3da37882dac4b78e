"""One key for everything: who does not know it learns only that the service is there."""

import base64
import binascii
import secrets

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.problems import response_of
from app.service.errors import KeyRequired

OPEN = ("/healthz", "/readyz")  # for whoever watches the process
CHALLENGE = ("WWW-Authenticate", 'Basic realm="nextpair", charset="UTF-8"')  # a browser then asks for the key


class Access:
    """ASGI middleware. A key comes as `Authorization: Bearer KEY`, or from a browser as the password of any name."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app, self._key = app, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN or self._knows(Headers(scope=scope)):
            return await self._app(scope, receive, send)
        refusal = response_of(KeyRequired("Send the key of this service as `Authorization: Bearer KEY`."))
        refusal.headers.append(*CHALLENGE)
        await refusal(scope, receive, send)

    def _knows(self, headers: Headers) -> bool:
        return secrets.compare_digest(_sent(headers.get("Authorization", "")).encode(), self._key.encode())


def _sent(authorization: str) -> str:
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""
