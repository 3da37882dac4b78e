"""A covariance that many rank-one updates share: Sigma = base - columns columns^T.

One comparison of weight w on r = e_i - e_j changes the precision to H + w r r^T, hence (Sherman-Morrison,
PoE eq. 55, minus sign)

    Sigma' = Sigma - w (Sigma r)(Sigma r)^T / (1 + w r^T Sigma r)
    ln det Sigma' = ln det Sigma - ln(1 + w r^T Sigma r)

so an update is one more column and never touches `base`: O(N M) for M columns, and every earlier
covariance stays valid. That is what makes fantasies (pairs asked but not answered) free to take back.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, lapack, solve_triangular

from app.inference.types import Floats, Ints


class Covariance(NamedTuple):
    base: Floats  # (N, N), symmetric
    columns: Floats  # (N, M)
    log_det: float  # ln det Sigma


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
    return Covariance(base, np.empty((len(base), 0)), log_det)


def isotropic(n: int, variance: float) -> Covariance:
    return Covariance(variance * np.eye(n), np.empty((n, 0)), n * float(np.log(variance)))


def diagonal(sigma: Covariance) -> Floats:
    """Sigma_ii, shape (N,)."""
    reduction: Floats = np.einsum("nm,nm->n", sigma.columns, sigma.columns)
    return np.asarray(sigma.base.diagonal()) - reduction


def times(sigma: Covariance, x: Floats) -> Floats:
    """Sigma x, shape (N,)."""
    correction: Floats = sigma.columns @ (sigma.columns.T @ x)
    return np.asarray(sigma.base @ x) - correction


def times_difference(sigma: Covariance, i: int, j: int) -> Floats:
    """Sigma (e_i - e_j), shape (N,)."""
    correction: Floats = sigma.columns @ (sigma.columns[i] - sigma.columns[j])
    return np.asarray(sigma.base[i] - sigma.base[j]) - correction


def variance_of_difference(sigma: Covariance, i: int, j: int) -> float:
    """v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij."""
    column = times_difference(sigma, i, j)
    return float(column[i] - column[j])


def condition(sigma: Covariance, i: int, j: int, weight: float) -> Covariance:
    """Sigma after one comparison of `weight` between i and j.

    Conceptually: inv(inv(Sigma) + weight * outer(r, r)) with r = e_i - e_j.
    """
    column = times_difference(sigma, i, j)
    gain = 1.0 + weight * float(column[i] - column[j])
    columns = np.column_stack([sigma.columns, np.sqrt(weight / gain) * column])
    return Covariance(sigma.base, columns, sigma.log_det - float(np.log(gain)))


def condition_all(sigma: Covariance, first: Ints, second: Ints, weights: Floats) -> Covariance:
    """Sigma after L comparisons at once, by one Cholesky factor of size L.

    With S = Sigma R, (N, L), and K K^T = diag(1/w) + R^T S:  Sigma' = Sigma - (S K^-T)(S K^-T)^T.
    Conceptually: `condition` for each of them in turn.
    """
    if not len(weights):
        return sigma
    spread = _times_differences(sigma, first, second)
    inner = spread[first] - spread[second]
    inner[np.diag_indices_from(inner)] += 1.0 / weights
    factor = cholesky(inner, lower=True)
    columns = np.hstack([sigma.columns, solve_triangular(factor, spread.T, lower=True).T])
    shrink = 2.0 * float(np.log(factor.diagonal()).sum()) + float(np.log(weights).sum())
    result = Covariance(sigma.base, columns, sigma.log_det - shrink)
    return Covariance(dense(result), columns[:, :0], result.log_det) if columns.size > sigma.base.size // 2 else result


def _times_differences(sigma: Covariance, first: Ints, second: Ints) -> Floats:
    """Sigma R, shape (N, L), for R = [e_first - e_second]."""
    correction: Floats = sigma.columns @ (sigma.columns[first] - sigma.columns[second]).T
    return np.asarray((sigma.base[first] - sigma.base[second]).T) - correction


def dense(sigma: Covariance) -> Floats:
    """Sigma as one (N, N) array."""
    shared: Floats = sigma.columns @ sigma.columns.T
    return sigma.base - shared


def size_bytes(sigma: Covariance) -> int:
    return sigma.base.nbytes + sigma.columns.nbytes
