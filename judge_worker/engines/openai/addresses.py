"""Addresses of servers: as given, with /v1 where only a host was given."""

import httpx

CHAT = "/chat/completions"
COMPLETIONS = "/completions"


class Address:
    """An address with a path or a query is taken as it is. A host alone is asked under /v1, or else without it."""

    def __init__(self, base_url: str) -> None:
        self._base, _, self._query = base_url.partition("?")
        self._base = self._base.rstrip("/").removesuffix(CHAT)
        has_path = "/" in self._base.partition("://")[2] or self._query
        self._below = [""] if has_path else ["/v1", ""]
        self._others = len(self._below) if len(self._below) > 1 else 0

    def url(self, path: str) -> str:
        return f"{self._base}{self._below[0]}{path}" + (f"?{self._query}" if self._query else "")

    def try_another(self) -> bool:
        """Go on to the next place, at last to the first one again; tell whether there was one."""
        if not self._others:
            return False
        self._others -= 1
        self._below.append(self._below.pop(0))
        return True

    def __str__(self) -> str:
        """Address for people, without secrets: no password, no key in the query."""
        try:
            return str(httpx.URL(self._base + self._below[0]).copy_with(userinfo=b""))
        except httpx.InvalidURL:
            return self._base
