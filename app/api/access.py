"""Access to the service: with a key for whoever knows it, without one for whoever is on this machine.

Without the key, a request learns only that the service is there.
"""

import base64
import binascii
import secrets
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.problems import response_of
from app.service.errors import KeyRequired, Misdirected, WrongKey

OPEN = ("/healthz", "/readyz")  # for whoever watches the process
CHALLENGE = ("WWW-Authenticate", 'Basic realm="nextpair", charset="UTF-8"')  # a browser then asks for the key

MISSING = (
    "Send the key of this service as `Authorization: Bearer KEY`. The command `nextpair` reads it from "
    "NEXTPAIR_API_KEY."
)
WRONG = "The key you sent is not the service's NEXTPAIR_API_KEY. Compare the two."


class WithKey:
    """ASGI middleware. A key comes as `Authorization: Bearer KEY`, or from a browser as the password of any name."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app, self._key = app, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN:
            return await self._app(scope, receive, send)
        key = _sent(Headers(scope=scope).get("Authorization", ""))
        if secrets.compare_digest(key.encode(), self._key.encode()):
            return await self._app(scope, receive, send)
        refusal = response_of(WrongKey(WRONG) if key else KeyRequired(MISSING))
        refusal.headers.append(*CHALLENGE)
        await refusal(scope, receive, send)


class LoopbackOnly:
    """ASGI middleware. Without a key a page of another site could reach the service under a name of its own that it
    points at loopback (DNS rebinding); the Host header tells.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN or is_loopback(_host(Headers(scope=scope))):
            return await self._app(scope, receive, send)
        refusal = Misdirected(
            "Without a key the service answers under localhost and loopback addresses only. Open it under one of "
            "these, have the proxy in front send such a Host header, or set NEXTPAIR_API_KEY."
        )
        await response_of(refusal)(scope, receive, send)


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _host(headers: Headers) -> str:
    """The Host header without the port, in lower case."""
    try:
        return urlsplit(f"//{headers.get('Host', '')}").hostname or ""
    except ValueError:
        return ""


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
