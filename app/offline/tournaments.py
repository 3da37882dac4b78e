"""Pairs as tournaments make them, without a model: what a criterion has to beat besides random pairs.

    round-robin   every round pairs all candidates, by the circle method over lots: N - 1 rounds have every pair once
    swiss         every round pairs neighbours in the standings who have not met; lots decide between equals

Points are p - 1/2 for either side, so that sitting out costs nothing. Who is shown first, and the scores, come about
as under a criterion.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

import numpy as np

from app.inference.types import Bools, Floats

Pairs = Iterator[tuple[int, int]]
Pairing = Callable[[Bools, Floats, np.random.Generator], Pairs]  # of which pairs (N, N) exist, and of points (N,)


class Tournament(StrEnum):
    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"


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
    """Reads `points` again at the beginning of every round."""
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


PAIRINGS: Mapping[Tournament, Pairing] = {
    Tournament.ROUND_ROBIN: round_robin,
    Tournament.SWISS: swiss,
}
