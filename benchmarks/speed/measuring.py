"""Sections: figures of ours, each beside a limit of the machine or a peer, in the same run."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

AT_A_TURN = 4


class Extent(NamedTuple):
    """Size of a measurement."""

    dense: tuple[int, ...]  # candidates, where there is a covariance
    sparse: tuple[int, ...]  # and where there is none
    seconds: float  # for each group of medians
    votes: int  # at each size, at most
    peers: bool  # whether those of peers.txt are run
    services: bool  # whether services are started


class Row(NamedTuple):
    """Cost of something of ours with N candidates, and a limit or a peer beside it; None where it cannot be done."""

    what: str
    n: int
    beside: str
    ours: float | None
    theirs: float | None
    note: str = ""
    unit: str = "ms"

    @property
    def name(self) -> str:
        return f"{self.what}, N = {self.n:,} / {self.beside}"

    @property
    def ratio(self) -> float | None:
        """Ours in units of theirs: less is better."""
        return self.ours / self.theirs if self.ours and self.theirs else None


def medians(*actions: Callable[[], object], seconds: float) -> list[float]:
    """Milliseconds of each action after a warm-up.

    They take turns, so that a machine that slows down slows all of them. The first run of a turn, which finds the cache
    as another left it, does not count.
    """
    start = time.perf_counter()
    for action in actions:
        action()
    at_a_turn = AT_A_TURN if time.perf_counter() - start < seconds else 1
    times: list[list[float]] = [[] for _ in actions]
    start = time.perf_counter()
    while not times[0] or time.perf_counter() - start < seconds:
        for action, own in zip(actions, times, strict=True):
            turn = [milliseconds(action) for _ in range(at_a_turn)]
            own += turn[1:] or turn
    return [float(np.median(own)) for own in times]


def milliseconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return 1e3 * (time.perf_counter() - start)
