"""A covariance that many rank-one updates share: Sigma = base - columns^T columns.

One comparison of weight w on the row r of the design changes the precision to H + w r r^T, hence (Sherman-Morrison,
PoE eq. 55, minus sign)

    Sigma' = Sigma - w (Sigma r)(Sigma r)^T / (1 + w r^T Sigma r)
    ln det Sigma' = ln det Sigma - ln(1 + w r^T Sigma r)

so an update is one more column and never touches `base`: O(P M) for M columns, and every earlier covariance stays
valid. That is what makes fantasies (pairs asked but not answered) free to take back. A row is r = e_i - e_j, or
e_i - e_j + e_b where the judge's bias is a parameter too; b is its place among the parameters. Columns are kept lying
down, one in a row, so that they grow without being copied.

Of more than DENSE candidates Sigma is no array: H is held in rows, Sigma_ii in certified intervals, and other entries
are found when they are asked for (intervals.py).

    Sigma        Covariance, base - columns^T columns      (P, P); (P, P), (M, P)
    H            Intervals.held                            (N, N) in rows
    R^T          Rows                                      (L, P), one r each
    v_ij         variance_of_difference
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from app.inference.growing import appended
from app.inference.intervals import Intervals, answered, followed, measured, unmeasured
from app.inference.kernels.push import Precision, differences
from app.inference.kernels.solving import solve
from app.inference.lapack import factor_in_place, invert_in_place
from app.inference.regimes import DENSE, MOST_DENSE
from app.inference.types import Floats, Ints

BLOCK = 64  # rows
NARROW, EFFORT = 1e-3, 100_000  # relative width of an interval of v_ij, and neighbours that are visited for it
SOLVED, ITERATIONS = 1e-8, 2_000


class TooMany(ValueError):
    """A matrix of all pairs is asked for, of more than DENSE candidates."""


def require_matrix(size: int) -> None:
    """Raises TooMany where so many parameters would have a matrix too large for most machines."""
    if size > MOST_DENSE:
        raise TooMany(f"a matrix of {size:,} scores and biases, which this method needs; {MOST_DENSE:,} are the most")


class Covariance(NamedTuple):
    base: Floats  # (P, P), symmetric
    columns: Floats  # (M, P)
    diagonal: Floats  # (P,) Sigma_ii; with bounds, the middles of their intervals
    log_det: float  # ln det Sigma; NaN with bounds
    bounds: Intervals | None = None  # of more than DENSE candidates, whose base has no entry


class Rows(NamedTuple):
    """L rows of the design."""

    first: Ints  # (L,)
    second: Ints  # (L,)
    bias: Ints | None = None  # (L,) where biases are parameters


def from_precision(precision: Floats) -> Covariance:
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


def plain(base: Floats, log_det: float) -> Covariance:
    """A covariance without columns."""
    return Covariance(base, np.empty((0, len(base))), base.diagonal().copy(), log_det)


def bounded(precision: Precision, mean: Floats, before: Covariance | None = None) -> Covariance:
    """The covariance of very many scores of these (N,) means.

    Args: `before` is of the same candidates, and each row of `precision` begins with the comparisons that it had then.
    """
    if before is None or before.bounds is None:
        return _of_intervals(measured(precision, mean))
    return _of_intervals(followed(before.bounds, precision, mean))


def in_rows(precision: Precision) -> Covariance:
    """The covariance of very many scores, of which nothing is worked out before it is asked for."""
    return _of_intervals(unmeasured(precision))


def _of_intervals(intervals: Intervals) -> Covariance:
    middle = 0.5 * (intervals.lower + intervals.upper)
    return Covariance(np.empty((0, 0)), np.empty((0, len(middle))), middle, np.nan, intervals)


def times(sigma: Covariance, x: Floats) -> Floats:
    """Sigma x, shape (N,)."""
    if sigma.bounds:
        return np.asarray(solve(sigma.bounds.held, x[:, None], SOLVED, ITERATIONS)[0][:, 0])
    correction: Floats = sigma.columns.T @ (sigma.columns @ x)
    return np.asarray(sigma.base @ x) - correction


def variance_of_difference(sigma: Covariance, i: int, j: int) -> float:
    """v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij."""
    if sigma.bounds:
        return float(variances(sigma, np.array([i]), np.array([j]))[0])
    base, columns = sigma.base, sigma.columns
    v = float(base[i, i] + base[j, j] - 2.0 * base[i, j])
    return v - float(np.square(columns[:, i] - columns[:, j]).sum()) if len(columns) else v


def variances(sigma: Covariance, first: Ints, second: Ints, width: float = NARROW) -> Floats:
    """(L,) v_ij of these pairs; with bounds the middles of intervals of that relative width."""
    if sigma.bounds:
        lower, upper = differences(sigma.bounds.held, first, second, width, EFFORT)
        return np.asarray(0.5 * (lower + upper))
    base, columns = sigma.base, sigma.columns
    v = base[first, first] + base[second, second] - 2.0 * base[first, second]
    return np.asarray(v - np.square(columns[:, first] - columns[:, second]).sum(axis=0))


def condition(sigma: Covariance, i: int, j: int, weight: float) -> Covariance:
    """Sigma after one comparison of `weight` between i and j.

    Conceptually: inv(inv(Sigma) + weight * outer(r, r)) with r = e_i - e_j.
    """
    return condition_all(sigma, Rows(np.array([i]), np.array([j])), np.array([weight]))


def condition_all(sigma: Covariance, rows: Rows, weights: Floats) -> Covariance:
    """Sigma after L comparisons of these (L,) weights at once, by one Cholesky factor of size L.

    With S = diag(sqrt w) R^T Sigma, (L, P), and K K^T = I + S R diag(sqrt w):  Sigma' = Sigma - (K^-1 S)^T (K^-1 S).
    Conceptually: `condition` for each of them in turn.
    """
    if not len(weights):
        return sigma
    if sigma.bounds:
        return _of_intervals(answered(sigma.bounds, rows.first, rows.second, weights))
    root = np.sqrt(weights)
    spread = times_rows(sigma, rows) * root[:, None]
    inner = _rows_of(spread.T, rows) * root[:, None]
    new, shrink = _factored(spread, inner)
    columns, diagonal = appended(sigma.columns, new), sigma.diagonal - np.square(new).sum(axis=0)
    result = Covariance(sigma.base, columns, diagonal, sigma.log_det - shrink)
    return compact(result) if columns.size > sigma.base.size // 2 else result


def _factored(spread: Floats, inner: Floats) -> tuple[Floats, float]:
    """K^-1 spread, (L, P), and ln det K K^T, where K K^T = I + inner, (L, L)."""
    if len(inner) == 1:
        return spread / np.sqrt(1.0 + inner), float(np.log1p(inner[0, 0]))
    factor = cholesky(np.eye(len(inner)) + inner, lower=True)
    return solve_triangular(factor, spread, lower=True), 2.0 * float(np.log(factor.diagonal()).sum())


def compact(sigma: Covariance) -> Covariance:
    """The covariance as one dense base, without columns."""
    return plain(dense(sigma), sigma.log_det)


def block(sigma: Covariance, n: int, log_det: float) -> Covariance:
    """The covariance of the first n parameters alone, whose ln det the caller knows."""
    return Covariance(sigma.base[:n, :n], sigma.columns[:, :n], sigma.diagonal[:n], log_det)


def times_rows(sigma: Covariance, rows: Rows) -> Floats:
    """R^T Sigma, shape (L, P)."""
    return _rows_of(sigma.base, rows) - _rows_of(sigma.columns.T, rows) @ sigma.columns


def _rows_of(matrix: Floats, rows: Rows) -> Floats:
    """R^T matrix, shape (L, ...)."""
    result: Floats = matrix[rows.first] - matrix[rows.second]
    return result if rows.bias is None else result + matrix[rows.bias]


def dense(sigma: Covariance) -> Floats:
    """Sigma as one (N, N) array; not to be written to, since it may be the base itself. Raises TooMany."""
    if sigma.bounds:
        raise TooMany(f"a matrix of all pairs of {len(sigma.diagonal):,} candidates; there is one of up to {DENSE:,}")
    if not len(sigma.columns):
        return sigma.base
    shared: Floats = sigma.columns.T @ sigma.columns
    return sigma.base - shared


def size_bytes(sigma: Covariance) -> int:
    of_bounds = sum(each.nbytes for each in (*sigma.bounds.held, *sigma.bounds[1:])) if sigma.bounds else 0
    return sigma.base.nbytes + sigma.columns.nbytes + sigma.diagonal.nbytes + of_bounds
