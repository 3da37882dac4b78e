"""The arrays and small tuples that every numerical module shares."""

from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Comparisons(NamedTuple):
    """K comparisons among N candidates, oldest first."""

    first: Ints  # (K,) candidate shown first
    second: Ints  # (K,) candidate shown second
    p: Floats  # (K,) probability that the first one is better, raw

    @property
    def size(self) -> int:
        """K."""
        return len(self.p)


class Outcome(Enum):
    """How a solver ended; the value is what a person reads."""

    CONVERGED = "The fit converged."
    MAX_ITERATIONS = "The fit stopped at its iteration limit; the scores are not final."
    NOT_FINITE = "The fit met a value that is not finite; check the comparisons."


class Convergence(NamedTuple):
    outcome: Outcome
    iterations: int
    gradient_norm: float  # largest absolute entry at the returned scores; of MM iterations, their last step

    @property
    def converged(self) -> bool:
        return self.outcome is Outcome.CONVERGED


def no_comparisons() -> Comparisons:
    return Comparisons(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


def take(comparisons: Comparisons, index: slice) -> Comparisons:
    return Comparisons(comparisons.first[index], comparisons.second[index], comparisons.p[index])


def differences(scores: Floats, comparisons: Comparisons) -> Floats:
    """d_k = s_first - s_second, shape (K,)."""
    return scores[comparisons.first] - scores[comparisons.second]


def scatter_differences(values: Floats, comparisons: Comparisons, n: int) -> Floats:
    """R^T values, shape (N,): the transpose of `differences`."""
    first, second, _ = comparisons
    return np.asarray(np.bincount(first, values, n) - np.bincount(second, values, n), dtype=np.float64)
