"""Pairs as tournaments make them, without a model: what a criterion has to beat besides random pairs.

    round robin   every round pairs all candidates, by the circle method over lots: N - 1 rounds have every pair once
    swiss         every round pairs neighbours in the standings who have not met; lots decide between equals

Points are p - 1/2 for either side, so that sitting out costs nothing. Who is shown first, and the scores, come about
as under a criterion.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from app.inference.choosing.order import Order, present
from app.inference.types import Bools, Floats
from app.offline.cases import Case
from app.offline.replay import LocalLoop, Setup
from app.offline.simulation import Job, run

Pairs = Iterator[tuple[int, int]]
Pairing = Callable[[Bools, Floats, np.random.Generator], Pairs]  # of which pairs (N, N) exist, and of points (N,)


def round_robin(exists: Bools, points: Floats, rng: np.random.Generator) -> Pairs:
    nobody = len(points)
    fixed, *circle = rng.permutation(nobody + nobody % 2).tolist()
    for _ in range(len(circle)):
        seats = [fixed, *circle]
        for i, j in zip(seats[: len(seats) // 2], reversed(seats), strict=False):
            if nobody not in (i, j) and exists[i, j]:
                yield i, j
        circle = [circle[-1], *circle[:-1]]


def swiss(exists: Bools, points: Floats, rng: np.random.Generator) -> Pairs:
    """Reads `points` anew at the beginning of every round."""
    left = exists.copy()
    while left.any():
        waiting = np.lexsort((rng.random(len(points)), -points)).tolist()
        while waiting:
            i = waiting.pop(0)
            j = next((other for other in waiting if left[i, other]), None)
            if j is not None:
                waiting.remove(j)
                left[i, j] = left[j, i] = False
                yield i, j


PAIRINGS: Mapping[str, Pairing] = {"round robin": round_robin, "swiss": swiss}


class Tournament:
    """A `Loop` of app/offline/replay.py."""

    def __init__(self, pairing: Pairing, case: Case, setup: Setup) -> None:
        n, self._rng = len(case.keys), np.random.default_rng(setup.seed)
        self._learner, self._order = LocalLoop(case, setup), setup.order
        self._points, self._leads = np.zeros(n), np.zeros(n, np.int64)
        self._shown = self._orders(pairing(~np.isnan(case.answers), self._points, self._rng))

    def ask(self) -> tuple[int, int] | None:
        return next(self._shown, None)

    def tell(self, first: int, second: int, p: float) -> None:
        self._learner.tell(first, second, p)
        self._points[[first, second]] += [p - 0.5, 0.5 - p]
        self._leads[[first, second]] += [1, -1]

    def scores(self) -> Floats:
        return self._learner.scores()

    def _orders(self, pairs: Pairs) -> Pairs:
        for pair in pairs:
            first, second = present(min(pair), max(pair), self._leads, self._order, self._rng)
            yield first, second
            if self._order is Order.BOTH:
                yield second, first


def replayed(pairing: Pairing, jobs: Sequence[Job]) -> Iterable[Floats]:
    """A `Runner` of app/offline/simulation.py, whatever criterion the jobs name."""
    return [run(job, partial(Tournament, pairing)) for job in jobs]
