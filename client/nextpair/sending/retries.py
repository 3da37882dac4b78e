"""Retries: when the same request is worth another try, and after what pause."""

import re
from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

Reply = httpx.Response | httpx.RequestError
TRANSIENT = frozenset({425, 429, 502, 503, 504, 507})
FIRST_PAUSE, DOUBLINGS = 0.5, 6  # seconds, and how often the pause doubles: up to 32 seconds
LONGEST_RETRY_AFTER = 120.0  # seconds; a longer Retry-After is for the caller to decide about


@dataclass(frozen=True)
class Backoff:
    """Exponential, with full jitter: a random share of the pause, so that clients do not return together."""

    retries: int
    random: Callable[[], float]
    transient: Container[int] = TRANSIENT  # statuses
    patience: float = LONGEST_RETRY_AFTER

    def pause(self, reply: Reply, tried: int) -> float | None:
        """Seconds before the next try, never fewer than the server asks for; None when the reply stands."""
        least = retry_after(reply)
        if tried > self.retries or least > self.patience or not self._is_transient(reply):
            return None
        return least + self.random() * FIRST_PAUSE * 2.0 ** min(tried - 1, DOUBLINGS)

    def _is_transient(self, reply: Reply) -> bool:
        """True where the same request may fare better later. A write is safe too: it carries its key."""
        if isinstance(reply, httpx.Response):
            return reply.status_code in self.transient
        return not isinstance(reply, httpx.UnsupportedProtocol | httpx.LocalProtocolError)


def retry_after(reply: Reply) -> float:
    """Seconds, from either form of the header (RFC 9110, 10.2.3); 0 where there is none or it is neither."""
    header = reply.headers.get("Retry-After", "") if isinstance(reply, httpx.Response) else ""
    if re.fullmatch(r"\d+(\.\d+)?", header):  # some servers send fractions
        return float(header)
    with suppress(ValueError, OverflowError):
        return max(0.0, parsedate_to_datetime(header).timestamp() - datetime.now(UTC).timestamp())
    return 0.0
