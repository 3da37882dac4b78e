"""Processor time that the computations of each client take: a budget, which comes back as time passes."""

from collections.abc import Callable
from contextvars import ContextVar
from threading import Lock
from time import monotonic, thread_time
from typing import TypeVar

WINDOW = 600.0  # seconds in which a whole budget comes back
charged: ContextVar[str] = ContextVar("charged", default="")  # the client whose request this is; the service itself

V = TypeVar("V")


class Spent(Exception):
    """The client has no budget left."""

    def __init__(self, client: str, wait: float) -> None:
        super().__init__(client)
        self.client, self.wait = client, wait  # in seconds


class Spending:
    """What clients have spent; the service itself has no limit."""

    def __init__(self, budget: float, clock: Callable[[], float] = monotonic) -> None:
        self._budget, self._clock, self._lock = budget, clock, Lock()
        self._free_at: dict[str, float] = {}  # when each client has its whole budget back

    def require(self) -> None:
        """Raises Spent where the present client has to wait until it may begin a computation."""
        client = charged.get()
        wait = self._free_at.get(client, 0.0) - self._clock() - WINDOW
        if wait >= 0.0:
            raise Spent(client, wait)

    def charging(self, compute: Callable[[], V]) -> Callable[[], V]:
        """The same for a thread, at the cost of the present client."""
        client = charged.get()

        def computed() -> V:
            began = thread_time()
            try:
                return compute()
            finally:
                self._charge(client, thread_time() - began)

        return computed if client else compute

    def _charge(self, client: str, seconds: float) -> None:
        with self._lock:
            now = self._clock()
            self._free_at = {each: at for each, at in self._free_at.items() if at > now}
            self._free_at[client] = self._free_at.get(client, now) + seconds / self._budget * WINDOW
