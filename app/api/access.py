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
from app.service.errors import AppError, CrossSite, KeyRequired, Misdirected, Unauthorized, WrongKey

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")  # methods that change nothing
OPEN = ("/healthz", "/readyz")  # for whoever watches the process
CHALLENGE = ("WWW-Authenticate", 'Basic realm="nextpair", charset="UTF-8"')  # a browser then asks for the key

MISSING = (
    "Send the key of this service as `Authorization: Bearer KEY`. The command `nextpair` reads it from "
    "NEXTPAIR_API_KEY."
)
NO_NAME = (
    "Without a key the service answers under localhost and loopback addresses only. Open it under one of these, have "
    "the proxy in front send such a Host header, or set NEXTPAIR_API_KEY."
)
FOREIGN = "A page of another site sent this request. Send it from a page of this service, or from a program."
WRONG = "The key you sent is not the service's NEXTPAIR_API_KEY. Compare the two."


class Access:
    """ASGI middleware. A key comes as `Authorization: Bearer KEY`, or from a browser as the password of any name.

    Without a key a page of another site could reach the service under a name of its own that it points at loopback (DNS
    rebinding); the Host header tells. With one, a browser would send the key along with what such a page requests.
    """

    def __init__(self, app: ASGIApp, key: str | None) -> None:
        self._app, self._key = app, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if scope["type"] == "http" and scope["path"] not in OPEN:
                self._check(scope["method"], Headers(scope=scope))
        except AppError as refusal:
            response = response_of(refusal)
            if isinstance(refusal, Unauthorized):
                response.headers.append(*CHALLENGE)
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _check(self, method: str, headers: Headers) -> None:
        """Raises KeyRequired, WrongKey, Misdirected, CrossSite."""
        if self._key is None:
            if not is_loopback(_host(headers)):
                raise Misdirected(NO_NAME)
        elif not secrets.compare_digest((sent := _sent(headers.get("Authorization", ""))).encode(), self._key.encode()):
            raise WrongKey(WRONG) if sent else KeyRequired(MISSING)
        if method not in SAFE and headers.get("Sec-Fetch-Site") == "cross-site":
            raise CrossSite(FOREIGN)


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
