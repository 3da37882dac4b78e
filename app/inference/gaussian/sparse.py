"""The covariance of very many scores: H in rows, and the first terms of Neumann's series where no (N, N) array fits.

    H = D - W        D its diagonal, W >= 0 what each pair weighs; H is an M-matrix
    Sigma = sum_k (D^-1 W)^k D^-1

    b^T Sigma b ~ y^T D y + y^T W y + (W y)^T D^-1 (W y),    y = D^-1 b        b = e_i, or e_i - e_j

What is left out of Sigma_ii is positive. It is about 1% under a prior of variance 1, and a tenth under one of 16 where
candidates were compared six times (decision 99). With a bias among the parameters H has other entries.

Draws are of N(mu, Sigma) itself, without a factor of H: noise with the covariance H, solved for (Papandreou and Yuille
2010).

    z = H^-1 (sqrt(q) e + R^T sqrt(w) f)        e, f standard normal:   cov z = H^-1 H H^-1 = H^-1

    W, q, D      Precision.links, .prior, .diagonal     (N, N), (N,), (N,)
    Sigma_ii     SparseCovariance.diagonal              (N,)
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, triu

from app.inference.core.conjugate_gradients import conjugate_gradients
from app.inference.core.design import Design, TooMany
from app.inference.regimes import DENSE
from app.inference.types import Floats, Ints

SOLVED = 1e-8
TOGETHER = 8  # draws that are solved for at once
ACCURACY = 1e-3  # of the least posterior sd there can be
MOST_ITERATIONS = 2_000


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
        return of_links(links + links_of(rows, weights), prior) if len(weights) else self

    def compact(self) -> "SparseCovariance":
        return self

    def block(self, n: int, log_det: float) -> "SparseCovariance":
        """All of it: no bias is a parameter."""
        assert n == len(self.diagonal)
        return self


def from_edges(rows: Design, weights: Floats, prior: Floats) -> SparseCovariance:
    """From the weights of these rows (E,) and the prior's precisions (N,)."""
    return of_links(links_of(rows, weights), prior)


def links_of(rows: Design, weights: Floats) -> csr_array:
    """(N, N) W."""
    ends = np.concatenate([rows.first, rows.second]), np.concatenate([rows.second, rows.first])
    return csr_array((np.concatenate([weights, weights]), ends), shape=(rows.n, rows.n))


def of_links(links: csr_array, prior: Floats) -> SparseCovariance:
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
    links, prior, diagonal = (precision.links, *(_beside(each, b) for each in precision[1:]))

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


def _beside(values: Floats, b: Floats) -> Floats:
    """Values (N,) that multiply b (N,), or each column of b (N, B)."""
    return values if b.ndim == 1 else values[:, None]
