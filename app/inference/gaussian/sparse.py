"""The covariance of very many scores: H in rows, variances by the first terms of a series (graphs/variances.py).

H            SparseCovariance.precision    (N, N) in rows
Sigma_ii     .diagonal                     (N,)
"""

from typing import NamedTuple

import numpy as np

from app.inference.gaussian.rows import DesignRows, TooMany
from app.inference.graphs import variances
from app.inference.graphs.comparison_graph import Precision, answered
from app.inference.graphs.conjugate_gradients import solve
from app.inference.regimes import DENSE
from app.inference.types import Floats, Ints

SOLVED, ITERATIONS = 1e-8, 2_000


class SparseCovariance(NamedTuple):
    precision: Precision
    diagonal: Floats  # (N,)

    @property
    def log_det(self) -> float:
        return np.nan

    @property
    def has_matrix(self) -> bool:
        return False

    @property
    def size_bytes(self) -> int:
        return sum(each.nbytes for each in (*self.precision, self.diagonal))

    def matrix(self) -> Floats:
        """Raises TooMany."""
        raise TooMany(f"a matrix of all pairs of {len(self.diagonal):,} candidates; there is one of up to {DENSE:,}")

    def times(self, x: Floats) -> Floats:
        return np.asarray(solve(self.precision, x[:, None], SOLVED, ITERATIONS)[0][:, 0])

    def variance_of_difference(self, i: int, j: int) -> float:
        return float(self.variances(np.array([i]), np.array([j]))[0])

    def variances(self, first: Ints, second: Ints) -> Floats:
        return variances.variances(self.precision, first, second)

    def condition(self, rows: DesignRows, weights: Floats) -> "SparseCovariance":
        return from_rows(answered(self.precision, rows.first, rows.second, weights)) if len(weights) else self

    def compact(self) -> "SparseCovariance":
        return self

    def block(self, n: int, log_det: float) -> "SparseCovariance":
        """All of it: no bias is a parameter."""
        assert n == len(self.diagonal)
        return self


def from_rows(precision: Precision) -> SparseCovariance:
    return SparseCovariance(precision, variances.diagonal(precision))
