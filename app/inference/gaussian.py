"""The covariance Sigma of P scores and biases, the inverse of H: an array, or H in rows behind the same interface.

One comparison of weight w on the row r of the design changes the precision to H + w r r^T, hence (Sherman-Morrison,
PoE eq. 55, minus sign)

    Sigma' = Sigma - w (Sigma r)(Sigma r)^T / (1 + w r^T Sigma r)
    ln det Sigma' = ln det Sigma - ln(1 + w r^T Sigma r)

DenseCovariance: an update is one more column of Sigma = base - columns^T columns and never touches `base`: O(P M) for M
columns, and every earlier covariance stays valid, so that fantasies (pairs asked but not answered) are free to take
back. Columns are kept lying down, one in a row, so that they grow without being copied.

SparseCovariance, of very many scores: the first terms of Neumann's series where no (N, N) array fits.

    H = D - W        D its diagonal, W >= 0 what each pair weighs; H is an M-matrix
    Sigma = sum_k (D^-1 W)^k D^-1

    b^T Sigma b ~ y^T D y + y^T W y + (W y)^T D^-1 (W y),    y = D^-1 b        b = e_i, or e_i - e_j

What is left out of Sigma_ii is positive: about 1% under a prior of variance 1, and a tenth under one of 16 where
candidates were compared six times (decision 99). Draws need no factor of H: noise with the covariance H is solved for
(Papandreou and Yuille 2010).

    z = H^-1 (sqrt(q) e + R^T sqrt(w) f)        e, f standard normal:   cov z = H^-1 H H^-1 = H^-1

    W, q, D      Precision.links, .prior, .diagonal     (N, N), (N,), (N,)
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array, triu

from app.inference.core.edges import Design, TooMany
from app.inference.core.maximum import conjugate_gradients
from app.inference.regimes import DENSE
from app.inference.types import Floats, Ints, appended

BLOCK = 64  # parameters whose covariance is by a Cholesky factor
SOLVED = 1e-8
TOGETHER = 8  # draws that are solved for at once
ACCURACY = 1e-3  # of the least posterior sd there can be
MOST_ITERATIONS = 2_000


class DenseCovariance(NamedTuple):
    base: Floats  # (P, P), symmetric
    columns: Floats  # (M, P)
    diagonal: Floats  # (P,)
    log_det: float

    @property
    def has_matrix(self) -> bool:
        """Whether `matrix` gives one, not to be written to."""
        return True

    @property
    def size_bytes(self) -> int:
        return self.base.nbytes + self.columns.nbytes + self.diagonal.nbytes

    def matrix(self) -> Floats:
        return np.asarray(self.base - self.columns.T @ self.columns) if len(self.columns) else self.base

    def times(self, x: Floats) -> Floats:
        return np.asarray(self.base @ x - self.columns.T @ (self.columns @ x))

    def times_rows(self, rows: Design) -> Floats:
        """R Sigma, shape (L, P)."""
        return rows.times(self.base) - rows.times(self.columns.T) @ self.columns

    def variance_of_difference(self, i: int, j: int) -> float:
        return float(self.variances(np.array(i), np.array(j)))

    def variances(self, first: Ints, second: Ints) -> Floats:
        base, columns = self.base, self.columns
        v = base[first, first] + base[second, second] - 2.0 * base[first, second]
        return np.asarray(v - np.square(columns[:, first] - columns[:, second]).sum(axis=0))

    def condition(self, rows: Design, weights: Floats) -> "DenseCovariance":
        """inv(inv(Sigma) + R^T diag(w) R), Sigma after L comparisons.

        By S = diag(sqrt w) R Sigma (L, P) and K K^T = I + S R^T diag(sqrt w): Sigma' = Sigma - (K^-1 S)^T (K^-1 S).
        """
        if not len(weights):
            return self
        root = np.sqrt(weights)[:, None]
        spread = self.times_rows(rows) * root
        factor = np.linalg.cholesky(np.eye(len(root)) + rows.times(spread.T) * root)
        quick = len(root) == 1  # a verdict
        new = spread / factor if quick else np.ascontiguousarray(solve_triangular(factor, spread, lower=True))
        shrink = 2.0 * float(np.log(factor.diagonal()).sum())
        columns, diagonal = appended(self.columns, new), self.diagonal - np.square(new).sum(axis=0)
        result = DenseCovariance(self.base, columns, diagonal, self.log_det - shrink)
        return result.compact() if columns.size > self.base.size // 2 else result

    def compact(self) -> "DenseCovariance":
        """The same in no more space than it needs."""
        return plain(self.matrix(), self.log_det) if len(self.columns) else self


def plain(base: Floats, log_det: float | None = None) -> DenseCovariance:
    """A covariance without columns."""
    log_det = float(np.linalg.slogdet(base)[1]) if log_det is None else log_det
    return DenseCovariance(base, np.empty((0, len(base))), base.diagonal().copy(), log_det)


def from_precision(precision: Floats) -> DenseCovariance:
    """np.linalg.inv(precision), which is overwritten. Raises numpy.linalg.LinAlgError: it is not positive definite."""
    matrix = precision if precision.flags.carray else precision.T
    return plain(matrix, _invert(matrix))


def _invert(h: Floats) -> float:
    """Overwrite H by Sigma, both symmetric, and return ln det Sigma: by halves, of Schur complements.

    It takes as long as LAPACK by a Cholesky factor, and products of matrices let other threads go on.
    """
    if len(h) <= BLOCK:
        root = np.linalg.inv(np.linalg.cholesky(h))
        h[:] = root.T @ root
        return 2.0 * float(np.log(root.diagonal()).sum())
    half = len(h) // 2
    one, between, other = h[:half, :half], h[:half, half:], h[half:, half:]
    log_det = _invert(one)
    along = one @ between
    other -= between.T @ along
    log_det += _invert(other)
    between[:] = -(along @ other)
    shared = between @ along.T
    one -= 0.5 * (shared + shared.T)
    h[half:, :half] = between.T
    return log_det


def log_det_of_inverse(matrix: Floats) -> float:
    """ln det of the inverse. Raises numpy.linalg.LinAlgError where it is not positive definite."""
    return -2.0 * float(np.log(np.linalg.cholesky(matrix).diagonal()).sum())


class Precision(NamedTuple):
    """H = diag(q) + R^T diag(w) R of scores alone."""

    links: csr_array  # (N, N) W
    prior: Floats  # (N,) q
    diagonal: Floats  # (N,) D


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
        links = self.precision.links
        return int(links.data.nbytes + links.indices.nbytes + links.indptr.nbytes + 3 * self.diagonal.nbytes)

    def matrix(self) -> Floats:
        """Raises TooMany."""
        raise TooMany(f"a matrix of all pairs of {len(self.diagonal):,} candidates; there is one of up to {DENSE:,}")

    def times(self, x: Floats) -> Floats:
        return solve(self.precision, x, SOLVED)[0]

    def variance_of_difference(self, i: int, j: int) -> float:
        return float(self.variances(np.array([i]), np.array([j]))[0])

    def variances(self, first: Ints, second: Ints) -> Floats:
        """(L,) v_ij, by three terms of the series."""
        (links, _, d), by_itself = self.precision, self.diagonal
        in_common = links[first].multiply(links[second]) @ (1.0 / d)
        once = np.asarray(links[first, second]).ravel()
        return np.asarray(by_itself[first] + by_itself[second] - 2.0 * (once + in_common) / (d[first] * d[second]))

    def condition(self, rows: Design, weights: Floats) -> "SparseCovariance":
        links, prior, _ = self.precision
        return _of_links(links + links_of(rows, weights), prior) if len(weights) else self

    def compact(self) -> "SparseCovariance":
        return self


Covariance = DenseCovariance | SparseCovariance
OneCovariance = TypeVar("OneCovariance", DenseCovariance, SparseCovariance, Covariance)


def from_edges(rows: Design, weights: Floats, prior: Floats) -> SparseCovariance:
    """From the weights of these rows (E,) and the prior's precisions (N,)."""
    return _of_links(links_of(rows, weights), prior)


def links_of(rows: Design, weights: Floats) -> csr_array:
    """(N, N) W."""
    ends = np.append(rows.first, rows.second), np.append(rows.second, rows.first)
    return csr_array((np.append(weights, weights), ends), shape=(rows.n, rows.n))


def _of_links(links: csr_array, prior: Floats) -> SparseCovariance:
    precision = Precision(links, prior, prior + links.sum(axis=1))
    return SparseCovariance(precision, series_of(precision))


def series_of(precision: Precision) -> Floats:
    """(N,) Sigma_ii by three terms of the series."""
    (links, _, d) = precision
    return np.asarray(1.0 / d + (links.power(2) @ (1.0 / d)) / d**2)


def solve(precision: Precision, b: Floats, accuracy: float) -> tuple[Floats, float]:
    """x with H x = b, of columns (N,) or (N, B), and how far an entry of it may be from Sigma b.

    As Sigma >= 0 and Sigma q = 1, none is farther than max_v |r_v| / q_v. That is at most `accuracy`, unless
    MOST_ITERATIONS do not suffice.
    """
    links, prior, diagonal = precision
    if b.ndim > 1:
        prior, diagonal = prior[:, None], diagonal[:, None]

    def times(x: Floats) -> Floats:
        return np.asarray(diagonal * x - links @ x)

    def off(residual: Floats) -> float:
        return float(np.abs(residual / prior).max())

    x = conjugate_gradients(times, lambda r: r / diagonal, b, lambda r, _: off(r) <= accuracy, MOST_ITERATIONS)
    return x, off(b - times(x))


def draws(mean: Floats, precision: Precision, count: int, rng: np.random.Generator) -> Iterator[Floats]:
    """`count` draws of the scores, (8, N) or fewer at a time. Raises ArithmeticError where they are not solved for.

    Conceptually: rng.multivariate_normal(mean, np.linalg.inv(H), count).
    """
    (links, prior, diagonal), n = precision, len(mean)
    pairs = triu(links, format="coo")
    (i, j), root, e = pairs.coords, np.sqrt(pairs.data), np.arange(pairs.nnz)
    spread = csr_array((np.append(root, -root), (np.append(i, j), np.append(e, e))), shape=(n, pairs.nnz))
    accuracy = ACCURACY / float(np.sqrt(diagonal.max()))
    for done in range(0, count, TOGETHER):
        many = min(TOGETHER, count - done)
        of_prior = np.sqrt(prior)[:, None] * rng.standard_normal((n, many))
        z, off = solve(precision, of_prior + spread @ rng.standard_normal((pairs.nnz, many)), accuracy)
        if off > 2.0 * accuracy:
            raise ArithmeticError(f"draws are not solved for: an entry may be off by {off:g}")
        yield mean + z.T


class Votes(NamedTuple):
    """M rows of votes, and the normal posterior of all P parameters in which a site stands for each."""

    mean: Floats  # (P,)
    covariance: Floats  # (P, P)
    first: Ints  # (M,)
    second: Ints  # (M,)
    bias: Ints  # (M,) the place of the judge's bias among the parameters; (0,) where there is none
    wins: Floats  # (M,) of the first
    losses: Floats  # (M,)
    difference: Floats  # (M,) d at the mean, with known biases
    slope: Floats  # (M,) of the site's logarithm there
    precision: Floats  # (M,) of the site


class Scores(NamedTuple):
    """The marginal posterior of the N scores, biases integrated out: what selection and rankings read."""

    mean: Floats  # (N,)
    covariance: Covariance  # (N, N)
    parts: "tuple[tuple[float, Scores], ...]" = ()  # weights and posteriors of the mixture that it is, if it is one
    scale: float | None = None  # tau2 of a part
    noise: float = 1.0  # sigma2 of a part, relative to that learnt
    votes: Votes | None = None  # of a part, or of what is no mixture: draws are of what they say (targets/drawing.py)

    @property
    def has_votes(self) -> bool:
        """Whether votes are behind it, so that figures of it are read from draws and not from the normal."""
        return any(part.votes is not None for _, part in self.parts or ((1.0, self),))


def mixed(parts: list[tuple[float, Scores]]) -> Scores:
    """The mixture of posteriors with these weights, which sum to 1; one alone is itself.

    Its mean and covariance are those of all, sum_g w_g (Sigma_g + mu_g mu_g^T) less the mean's. Draws and intervals are
    of the mixture itself, whose tails are heavier than a normal's.
    """
    if len(parts) == 1:
        return parts[0][1]
    mean: Floats = np.sum([weight * part.mean for weight, part in parts], axis=0)
    sigma = np.zeros((len(mean), len(mean)))
    for weight, part in parts:
        apart = part.mean - mean
        sigma += weight * (part.covariance.matrix() + np.outer(apart, apart))
    return Scores(mean, plain(sigma), tuple(parts))
