"""Calls as requests of httpx, for both clients."""

from typing import Any

import httpx

from nextpair.calls.description import Call
from nextpair.errors import Unreachable


def build_request(http: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
    """Build the request. Its body holds only what was set: an older server need not know every field."""
    key = {"Idempotency-Key": call.idempotency_key} if call.idempotency_key else {}
    content, kind = _body(call)
    return http.build_request(
        call.method,
        call.path,
        params=call.params,
        headers={**call.headers, **key, **kind},
        content=content,
        timeout=_timeout(http.timeout, call.wait),
    )


def _body(call: Call[Any]) -> tuple[str | bytes | None, dict[str, str]]:
    """The content, and the header that names its type."""
    if call.body is None:
        return None, {}
    if isinstance(call.body, bytes):
        return call.body, {"Content-Type": "application/octet-stream"}
    return call.body.model_dump_json(exclude_unset=True), {"Content-Type": "application/json"}


def require_address(url: str) -> str:
    """The address itself. Raises Unreachable for what cannot be one."""
    if not url.startswith(("http://", "https://")):
        raise Unreachable(f"{url!r} is not the address of a server; write http://HOST:PORT")
    return url


def _timeout(usual: httpx.Timeout, wait: float) -> httpx.Timeout:
    read = None if usual.read is None else usual.read + wait
    return httpx.Timeout(connect=usual.connect, read=read, write=usual.write, pool=usual.pool)
