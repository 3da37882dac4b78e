"""The arrays and small tuples that every numerical module shares, and arrays that grow without being copied.

What grows is the beginning of a buffer. Arrays stay values: what is appended lies behind all that older arrays can see,
and where two go on from the same one, the second gets a copy. No array that came from `appended` may be written to.
"""

from enum import Enum, auto
from math import isfinite
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Number = TypeVar("Number", np.float64, np.int64)

LONG = 10_000  # entries: shorter arrays are copied sooner than their buffer is looked up
SPARE = 0.25  # behind a copy, of its length
_claim = Lock()


class Comparisons(NamedTuple):
    """K comparisons among N candidates, oldest first."""

    first: Ints  # (K,) candidate shown first
    second: Ints  # (K,) candidate shown second
    p: Floats  # (K,) probability that the first one is better, raw
    judge: Ints  # (K,) who said so, numbered from 0
    weight: Floats  # (K,) how many answers alike each one stands for

    @property
    def size(self) -> int:
        """K."""
        return len(self.p)


class Outcome(Enum):
    """The end of a solver."""

    CONVERGED = auto()
    UNLEARNT = auto()  # converged with one vote for each verdict, as it did not with the weights that were learnt
    MAX_ITERATIONS = auto()
    NOT_FINITE = auto()
    SINGULAR = auto()


class Convergence(NamedTuple):
    outcome: Outcome
    iterations: int
    gradient_norm: float  # largest absolute entry before the last step; of MM iterations, that step

    @classmethod
    def of(cls, gradient_norm: float, iterations: int, tolerance: float) -> "Convergence":
        """The end of a solver that stops below `tolerance`, or at its iteration limit."""
        if not isfinite(gradient_norm):
            return cls(Outcome.NOT_FINITE, iterations, gradient_norm)
        outcome = Outcome.CONVERGED if gradient_norm <= tolerance else Outcome.MAX_ITERATIONS
        return cls(outcome, iterations, gradient_norm)

    @property
    def converged(self) -> bool:
        return self.outcome in (Outcome.CONVERGED, Outcome.UNLEARNT)


def once_each(first: Ints, second: Ints, p: Floats, judge: Ints) -> Comparisons:
    """Comparisons that stand for one answer each."""
    return Comparisons(first, second, p, judge, np.ones(len(p)))


def by_one_judge(first: Ints, second: Ints, p: Floats) -> Comparisons:
    """Comparisons of a judge who is number 0."""
    return once_each(first, second, p, np.zeros(len(p), np.int64))


def no_comparisons() -> Comparisons:
    return by_one_judge(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


def take(comparisons: Comparisons, index: slice | Bools | Ints) -> Comparisons:
    """The rows at `index`."""
    first, second, p, judge, weight = comparisons
    return Comparisons(first[index], second[index], p[index], judge[index], weight[index])


def join(old: Comparisons, new: Comparisons) -> Comparisons:
    """The rows of both, `new` last."""
    return Comparisons(
        appended(old.first, new.first),
        appended(old.second, new.second),
        appended(old.p, new.p),
        appended(old.judge, new.judge),
        appended(old.weight, new.weight),
    )


class _Buffer(np.ndarray):
    """Memory that arrays begin with."""

    used: int  # by the longest of them


def appended(old: NDArray[Number], new: NDArray[Number]) -> NDArray[Number]:
    """Equivalent to np.concatenate([old, new]), which takes time for the old ones, too."""
    size, many = len(old), len(old) + len(new)
    if old.size < LONG:
        return np.concatenate([old, new])
    buffer = old.base if isinstance(old.base, _Buffer) else None
    with _claim:
        if buffer is not None and buffer.used == size and many <= len(buffer):
            buffer.used = many
        else:
            buffer = None
    if buffer is None:
        buffer = _Buffer((many + int(SPARE * many), *old.shape[1:]), old.dtype)
        buffer.used = many
        buffer[:size] = old
    buffer[size:many] = new
    return np.ndarray((many, *old.shape[1:]), old.dtype, buffer)
