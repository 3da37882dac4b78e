"""The design R of K rows, comparisons or sums of them.

Whatever is linear in the parameters goes through here.

    d = R theta + offset        row k of R: +1 at first, -1 at second, +1 at the bias, x_k at the covariates

    kernel             slow formula
    precision_times    (diag(q) + R^T diag(w) R) x
    precision          diag(q) + R^T diag(w) R
"""

from typing import NamedTuple

import numpy as np

from app.inference.kernels import contiguous, kernel, unchecked_kernel
from app.inference.regimes import MOST_DENSE
from app.inference.types import Floats, Ints

NO_BIAS = np.empty(0, np.int64)
NO_OFFSET = np.empty(0)


class TooMany(ValueError):
    """A matrix of all pairs is asked for, of more candidates than have one."""


class Design(NamedTuple):
    """K rows among N candidates, by P parameters."""

    n: int
    size: int  # P
    first: Ints  # (K,)
    second: Ints  # (K,)
    bias: Ints = NO_BIAS  # (K,) place of the judge's bias among the parameters; (0,) where there is none
    offset: Floats = NO_OFFSET  # (K,) of d, where biases are known; (0,) where there is none
    covariates: Floats | None = None  # (K, C), whose effects are the last parameters

    @property
    def effects(self) -> slice:
        """Where the covariates' effects are among the parameters."""
        return slice(self.size - (0 if self.covariates is None else self.covariates.shape[1]), self.size)

    def times(self, x: Floats) -> Floats:
        """R x, (K,) of (P,), or (K, M) of (P, M)."""
        product = x[self.first] - x[self.second]
        if len(self.bias):
            product = product + x[self.bias]
        if self.covariates is not None:
            product = product + self.covariates @ x[self.effects]
        return np.asarray(product)

    def differences(self, theta: Floats) -> Floats:
        """d (K,) of theta (P,)."""
        d = self.times(theta)
        return d + self.offset if len(self.offset) else d

    def scatter(self, y: Floats) -> Floats:
        """R^T y, (P,) of (K,)."""
        total = np.bincount(self.first, y, self.size) - np.bincount(self.second, y, self.size)
        if len(self.bias):
            total += np.bincount(self.bias, y, self.size)
        if self.covariates is not None:
            total[self.effects] = y @ self.covariates
        return total.astype(np.float64, copy=False)

    def information(self, weights: Floats) -> Floats:
        """The diagonal of R^T diag(w) R, (P,) of w (K,)."""
        total = np.bincount(self.first, weights, self.size) + np.bincount(self.second, weights, self.size)
        if len(self.bias):
            total += np.bincount(self.bias, weights, self.size)
        if self.covariates is not None:
            total[self.effects] = weights @ self.covariates**2
        return total.astype(np.float64, copy=False)

    def precision(self, weights: Floats, prior: Floats) -> Floats:
        """H = diag(q) + R^T diag(w) R, (P, P), symmetric, in Fortran order, of w (K,) and q (P,). Raises TooMany."""
        require_matrix(self.size)
        h = precision(self.first, self.second, self.bias, contiguous(weights), contiguous(prior), self.n).T
        columns = () if self.covariates is None else self.covariates.T
        for place, column in enumerate(columns, self.effects.start):
            row = self.scatter(weights * column)
            h[place, : place + 1] = h[: place + 1, place] = row[: place + 1]
            h[place, place] += prior[place]
        return h


def rows_at(design: Design, index: Ints) -> Design:
    """The rows at `index`, of a design without covariates."""
    bias, offset = design.bias, design.offset
    return design._replace(
        first=design.first[index],
        second=design.second[index],
        bias=bias[index] if len(bias) else bias,
        offset=offset[index] if len(offset) else offset,
    )


def require_matrix(size: int) -> None:
    """Raises TooMany where so many parameters would have a matrix too large for most machines."""
    if size > MOST_DENSE:
        raise TooMany(f"a matrix of {size:,} scores and biases, which this method needs; {MOST_DENSE:,} are the most")


@unchecked_kernel
def precision_times(x: Floats, first: Ints, second: Ints, bias: Ints, weights: Floats, prior: Floats) -> Floats:
    """H x, (P,)."""
    product = prior * x
    if len(bias) == 0:
        for k in range(len(weights)):
            i, j = first[k], second[k]
            pulled = weights[k] * (x[i] - x[j])
            product[i] += pulled
            product[j] -= pulled
        return product
    for k in range(len(weights)):
        i, j, b = first[k], second[k], bias[k]
        pulled = weights[k] * (x[i] - x[j] + x[b])
        product[i] += pulled
        product[j] -= pulled
        product[b] += pulled
    return product


@kernel
def precision(first: Ints, second: Ints, bias: Ints, weights: Floats, prior: Floats, n: int) -> Floats:
    """H, (P, P), symmetric to the last bit.

    The diagonal of the n candidates is summed over pairs, as the rest is: sums over comparisons are rounded by more
    than the anchor prior's precision.
    """
    h = np.zeros((len(prior), len(prior)))
    for k in range(len(weights)):
        i, j, w = first[k], second[k], weights[k]
        h[i, j] -= w
        h[j, i] -= w
        if len(bias):
            b = bias[k]
            h[b, b] += w
            h[i, b] += w
            h[b, i] += w
            h[j, b] -= w
            h[b, j] -= w
    for i in range(len(prior)):
        h[i, i] = prior[i] + (h[i, i] if i >= n else -h[i, :n].sum())
    return h
