"""A covariance that many rank-one updates share: Sigma = base - columns^T columns.

One comparison of weight w on the row r of the design changes the precision to H + w r r^T, hence (Sherman-Morrison,
PoE eq. 55, minus sign)

    Sigma' = Sigma - w (Sigma r)(Sigma r)^T / (1 + w r^T Sigma r)
    ln det Sigma' = ln det Sigma - ln(1 + w r^T Sigma r)

so an update is one more column and never touches `base`: O(P M) for M columns, and every earlier covariance stays
valid. That is what makes fantasies (pairs asked but not answered) free to take back. A row is r = e_i - e_j, or
e_i - e_j + e_b where the judge's bias is a parameter too; b is its place among the parameters. Columns are kept lying
down, one in a row, so that they grow without being copied.

    Sigma        DenseCovariance, base - columns^T columns      (P, P); (P, P), (M, P)
    R            core.design.Design                             (L, P), one r each
    v_ij         variance_of_difference
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from app.inference.core.design import Design
from app.inference.gaussian.lapack import factor_in_place, invert_in_place
from app.inference.growing import appended
from app.inference.types import Floats, Ints

BLOCK = 64  # rows


class DenseCovariance(NamedTuple):
    base: Floats  # (P, P), symmetric
    columns: Floats  # (M, P)
    diagonal: Floats  # (P,)
    log_det: float

    @property
    def has_matrix(self) -> bool:
        return True

    @property
    def size_bytes(self) -> int:
        return self.base.nbytes + self.columns.nbytes + self.diagonal.nbytes

    def matrix(self) -> Floats:
        if not len(self.columns):
            return self.base
        shared: Floats = self.columns.T @ self.columns
        return self.base - shared

    def times(self, x: Floats) -> Floats:
        correction: Floats = self.columns.T @ (self.columns @ x)
        return np.asarray(self.base @ x) - correction

    def times_rows(self, rows: Design) -> Floats:
        """R Sigma, shape (L, P)."""
        return rows.times(self.base) - rows.times(self.columns.T) @ self.columns

    def variance_of_difference(self, i: int, j: int) -> float:
        base, columns = self.base, self.columns
        v = float(base[i, i] + base[j, j] - 2.0 * base[i, j])
        return v - float(np.square(columns[:, i] - columns[:, j]).sum()) if len(columns) else v

    def variances(self, first: Ints, second: Ints) -> Floats:
        base, columns = self.base, self.columns
        v = base[first, first] + base[second, second] - 2.0 * base[first, second]
        return np.asarray(v - np.square(columns[:, first] - columns[:, second]).sum(axis=0))

    def condition(self, rows: Design, weights: Floats) -> "DenseCovariance":
        """Condition by one Cholesky factor of size L.

        With S = diag(sqrt w) R Sigma, (L, P), and K K^T = I + S R^T diag(sqrt w):
        Sigma' = Sigma - (K^-1 S)^T (K^-1 S).
        """
        if not len(weights):
            return self
        root = np.sqrt(weights)
        spread = self.times_rows(rows) * root[:, None]
        inner = rows.times(spread.T) * root[:, None]
        new, shrink = _factored(spread, inner)
        columns, diagonal = appended(self.columns, new), self.diagonal - np.square(new).sum(axis=0)
        result = DenseCovariance(self.base, columns, diagonal, self.log_det - shrink)
        return result.compact() if columns.size > self.base.size // 2 else result

    def compact(self) -> "DenseCovariance":
        """The covariance as one base, without columns."""
        return plain(self.matrix(), self.log_det) if len(self.columns) else self

    def block(self, n: int, log_det: float) -> "DenseCovariance":
        return DenseCovariance(self.base[:n, :n], self.columns[:, :n], self.diagonal[:n], log_det)


def plain(base: Floats, log_det: float | None = None) -> DenseCovariance:
    """A covariance without columns; its log det is worked out where it is not known."""
    log_det = float(np.linalg.slogdet(base)[1]) if log_det is None else log_det
    return DenseCovariance(base, np.empty((0, len(base))), base.diagonal().copy(), log_det)


def from_precision(precision: Floats) -> DenseCovariance:
    """Sigma = precision^-1 by Cholesky, for (N, N) symmetric positive definite input, which is overwritten.

    Conceptually: np.linalg.inv(precision). Raises numpy.linalg.LinAlgError where it is not positive definite.
    """
    matrix = precision if precision.flags.carray else precision.T
    factor_in_place(matrix)
    log_det = -2.0 * float(np.log(matrix.diagonal()).sum())
    invert_in_place(matrix)
    return plain(mirrored(matrix), log_det)


def mirrored(upper: Floats) -> Floats:
    """The symmetric matrix with this upper triangle, in place; block by block, since one of a row is far from the next.

    Conceptually: np.triu(upper) + np.triu(upper, 1).T.
    """
    for start in range(0, len(upper), BLOCK):
        end = start + BLOCK
        upper[end:, start:end] = upper[start:end, end:].T
        block = np.triu(upper[start:end, start:end])
        upper[start:end, start:end] = block + np.triu(block, 1).T
    return upper


def _factored(spread: Floats, inner: Floats) -> tuple[Floats, float]:
    """K^-1 spread, (L, P), and ln det K K^T, where K K^T = I + inner, (L, L)."""
    if len(inner) == 1:
        return spread / np.sqrt(1.0 + inner), float(np.log1p(inner[0, 0]))
    factor = cholesky(np.eye(len(inner)) + inner, lower=True)
    new = np.ascontiguousarray(solve_triangular(factor, spread, lower=True))
    return new, 2.0 * float(np.log(factor.diagonal()).sum())
