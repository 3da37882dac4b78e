"""A covariance that many rank-one updates share: Sigma = base - columns columns^T.

One comparison of weight w on the row r of the design changes the precision to H + w r r^T, hence (Sherman-Morrison,
PoE eq. 55, minus sign)

    Sigma' = Sigma - w (Sigma r)(Sigma r)^T / (1 + w r^T Sigma r)
    ln det Sigma' = ln det Sigma - ln(1 + w r^T Sigma r)

so an update is one more column and never touches `base`: O(P M) for M columns, and every earlier covariance stays
valid. That is what makes fantasies (pairs asked but not answered) free to take back. A row is r = e_i - e_j, or
e_i - e_j + e_b where the judge's bias is a parameter too; b is its place among the parameters.

    Sigma        Covariance, base - columns columns^T      (P, P); (P, P), (P, M)
    R^T          Rows                                      (L, P), one r each
    v_ij         variance_of_difference
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, lapack, solve_triangular

from app.inference.types import Floats, Ints


class Covariance(NamedTuple):
    base: Floats  # (P, P), symmetric
    columns: Floats  # (P, M)
    log_det: float  # ln det Sigma


class Rows(NamedTuple):
    """L rows of the design."""

    first: Ints  # (L,)
    second: Ints  # (L,)
    bias: Ints | None = None  # (L,) where biases are parameters


def from_precision(precision: Floats) -> Covariance:
    """Sigma = precision^-1 by Cholesky, for (N, N) symmetric positive definite input, which is overwritten.

    Conceptually: np.linalg.inv(precision). Raises numpy.linalg.LinAlgError where it is not positive definite.
    """
    factor, failed = lapack.dpotrf(precision, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("the precision matrix is not positive definite")
    log_det = -2.0 * float(np.log(factor.diagonal()).sum())
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    lower = np.tril(inverse, -1)
    base = np.ascontiguousarray(lower + lower.T)
    np.fill_diagonal(base, inverse.diagonal())
    return plain(base, log_det)


def plain(base: Floats, log_det: float) -> Covariance:
    """A covariance without columns."""
    return Covariance(base, np.empty((len(base), 0)), log_det)


def mean_variance(sigma: Covariance) -> float:
    """The mean of Sigma_ii."""
    return float(sigma.base.trace() - np.vdot(sigma.columns, sigma.columns)) / len(sigma.base)


def diagonal(sigma: Covariance) -> Floats:
    """Sigma_ii, shape (N,)."""
    reduction: Floats = np.einsum("nm,nm->n", sigma.columns, sigma.columns)
    return np.asarray(sigma.base.diagonal()) - reduction


def times(sigma: Covariance, x: Floats) -> Floats:
    """Sigma x, shape (N,)."""
    correction: Floats = sigma.columns @ (sigma.columns.T @ x)
    return np.asarray(sigma.base @ x) - correction


def variance_of_difference(sigma: Covariance, i: int, j: int) -> float:
    """v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij."""
    base, columns = sigma.base, sigma.columns
    v = float(base[i, i] + base[j, j] - 2.0 * base[i, j])
    return v - float(np.square(columns[i] - columns[j]).sum()) if columns.shape[1] else v


def condition(sigma: Covariance, i: int, j: int, weight: float) -> Covariance:
    """Sigma after one comparison of `weight` between i and j.

    Conceptually: inv(inv(Sigma) + weight * outer(r, r)) with r = e_i - e_j.
    """
    return condition_all(sigma, Rows(np.array([i]), np.array([j])), np.array([weight]))


def condition_all(sigma: Covariance, rows: Rows, weights: Floats) -> Covariance:
    """Sigma after L comparisons of these (L,) weights at once, by one Cholesky factor of size L.

    With S = Sigma R diag(sqrt w), (P, L), and K K^T = I + diag(sqrt w) R^T S:  Sigma' = Sigma - (S K^-T)(S K^-T)^T.
    Conceptually: `condition` for each of them in turn.
    """
    if not len(weights):
        return sigma
    root = np.sqrt(weights)
    spread = times_rows(sigma, rows) * root
    inner = _rows_of(spread, rows) * root[:, None]
    inner[np.diag_indices_from(inner)] += 1.0
    factor = cholesky(inner, lower=True)
    columns = np.hstack([sigma.columns, solve_triangular(factor, spread.T, lower=True).T])
    shrink = 2.0 * float(np.log(factor.diagonal()).sum())
    result = Covariance(sigma.base, columns, sigma.log_det - shrink)
    return compact(result) if columns.size > sigma.base.size // 2 else result


def compact(sigma: Covariance) -> Covariance:
    """The covariance as one dense base, without columns."""
    return plain(dense(sigma), sigma.log_det)


def block(sigma: Covariance, n: int, log_det: float) -> Covariance:
    """The covariance of the first n parameters alone, whose ln det the caller knows."""
    return Covariance(sigma.base[:n, :n], sigma.columns[:n], log_det)


def times_rows(sigma: Covariance, rows: Rows) -> Floats:
    """Sigma R, shape (P, L)."""
    correction: Floats = sigma.columns @ _rows_of(sigma.columns, rows).T
    return np.asarray(_rows_of(sigma.base, rows).T) - correction


def _rows_of(matrix: Floats, rows: Rows) -> Floats:
    """R^T matrix, shape (L, ...)."""
    result: Floats = matrix[rows.first] - matrix[rows.second]
    return result if rows.bias is None else result + matrix[rows.bias]


def dense(sigma: Covariance) -> Floats:
    """Sigma as one (N, N) array; not to be written to, since it may be the base itself."""
    if not sigma.columns.shape[1]:
        return sigma.base
    shared: Floats = sigma.columns @ sigma.columns.T
    return sigma.base - shared


def size_bytes(sigma: Covariance) -> int:
    return sigma.base.nbytes + sigma.columns.nbytes
