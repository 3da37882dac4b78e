"""The design R, linear in the parameters, and edges: sums of what was said on its rows, however many comparisons.

    d = R theta + offset        row k of R: +1 at first, -1 at second, +1 at the bias, x_k at the covariates

An edge is a row of the design: a pair, of one order and judge where biases matter. Of the comparisons k on it, with
weights c, all that the maximum depends on is

    votes, wins       sum c, sum c p                 of votes: c (p ln sigma(d) + (1 - p) ln sigma(-d))
    weight, pulled    sum c, sum c y                 of measurements y of d: -c (y - d)^2 / 2

    l(d) = wins ln sigma(d) + (votes - wins) ln sigma(-d) + pulled d - weight d^2 / 2
    l'   = wins - votes sigma(d) + pulled - weight d
    w    = votes sigma(d) sigma(-d) + weight         -l''

Of an expert that is not soft-bt each comparison is an edge of its own, votes = c and wins = c p, with the expert's l'.

    kernel             slow formula
    precision_times    (diag(q) + R^T diag(w) R) x
    precision          diag(q) + R^T diag(w) R
    evaluate           design.scatter(l') + h - q theta;  w;  q + design.information(w)
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.special import expit

from app.inference.core.maximum import newton_step
from app.inference.experts import Expert
from app.inference.kernels import contiguous, kernel, unchecked_kernel
from app.inference.regimes import MOST_DENSE, SMALL
from app.inference.types import Floats, Ints
from app.inference.verdicts import firsts, numbered

NO_BIAS = np.empty(0, np.int64)
NO_OFFSET = np.empty(0)
FARTHEST = 300.0  # score whose exponential is taken
MERGED, LEAST = 4, 1 << 18  # places of a table of sums, for each comparison or in all: with more, they stay as they are


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
        """Where they are among the parameters."""
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


class Edges(NamedTuple):
    """E edges."""

    design: Design
    votes: Floats  # (E,)
    wins: Floats  # (E,)
    weight: Floats  # (E,)
    pulled: Floats  # (E,)

    @property
    def size(self) -> int:  # E
        return len(self.votes)


class Curvature(NamedTuple):  # H, as sums have it
    weights: Floats  # (E,) w
    diagonal: Floats  # (P,)


def rows_at(design: Design, index: Ints) -> Design:
    """The rows at `index`, of a design without covariates."""
    _, _, first, second, bias, offset, _ = design
    bias, offset = bias[index] if len(bias) else bias, offset[index] if len(offset) else offset
    return design._replace(first=first[index], second=second[index], bias=bias, offset=offset)


def p_of(edges: Edges) -> Floats:
    """(E,) mean p of the votes, 1/2 where there is none."""
    return np.asarray(np.divide(edges.wins, edges.votes, out=np.full(edges.size, 0.5), where=edges.votes > 0.0))


def merged(edges: Edges) -> Edges:
    """The edges of soft-bt on one row added up, if a table of all rows is not much longer than they are.

    Where no bias tells the orders apart, both are one row.
    """
    (n, _, first, second, bias, offset, covariates), votes, wins, weight, pulled = edges
    size = (int(bias.max(initial=n)) - n + 1) * n * n
    if len(offset) or covariates is not None or size > max(MERGED * edges.size, LEAST):
        return edges
    if not len(bias):
        turned = first > second
        first, second = np.minimum(first, second), np.maximum(first, second)
        wins, pulled = np.where(turned, votes - wins, wins), np.where(turned, -pulled, pulled)
    row = numbered(bias - n, first, second) if len(bias) else numbered(first, second)
    at = firsts(row)
    sums = (np.bincount(row, each, len(at)).astype(np.float64) for each in (votes, wins, weight, pulled))
    return Edges(rows_at(edges.design._replace(first=first, second=second), at), *sums)


def derivatives(
    edges: Edges, theta: Floats, expert: Expert, precision: Floats, pull: Floats
) -> tuple[Floats, Curvature]:
    """The gradient (P,) and the curvature, given the prior's precision and pull (P,)."""
    design, votes, wins, weight, pulled = edges
    if expert.as_soft_bt is not None and design.covariates is None:
        rows = design.n, design.first, design.second, design.bias, design.offset
        gradient, w, diagonal = evaluate(theta, *rows, votes, wins, weight, pulled, precision, pull)
        return gradient, Curvature(w, diagonal)
    slope, w = slopes(edges, design.differences(theta), expert)
    return design.scatter(slope) + pull - precision * theta, Curvature(w, precision + design.information(w))


def slopes(edges: Edges, d: Floats, expert: Expert) -> tuple[Floats, Floats]:
    """l' and w (E,)."""
    _, votes, wins, weight, pulled = edges
    if expert.as_soft_bt is None:
        p = p_of(edges)
        return votes * expert.slope(d, p), votes * expert.curvature(d, p)
    above = expit(d)
    return wins - votes * above + pulled - weight * d, votes * above * expit(-d) + weight


def told_since(edges: Edges, before: Edges) -> tuple[Ints, Edges] | None:
    """Places (L,) of edges on which more is said, or less, than `before`, and what; None if its rows are not first."""
    rows = zip(edges.design[2:5], before.design[2:5], strict=True)
    if edges.size < before.size or not all(np.array_equal(now[: len(then)], then) for now, then in rows):
        return None
    added = [now.copy() for now in edges[1:]]
    for each, then in zip(added, before[1:], strict=True):
        each[: before.size] -= then
    changed = np.flatnonzero(np.any(added, axis=0))
    return changed, Edges(rows_at(edges.design, changed), *(each[changed] for each in added))


def require_matrix(size: int) -> None:
    """Raises TooMany where so many parameters would have a matrix too large for most machines."""
    if size > MOST_DENSE:
        raise TooMany(f"a matrix of {size:,} scores and biases, which this method needs; {MOST_DENSE:,} are the most")


def step_of(design: Design, curvature: Curvature, q: Floats, gradient: Floats, near: Floats | None = None) -> Floats:
    """x with H x = g, shape (P,).

    By a Cholesky factor of H, or by conjugate gradients from what is `near` H^-1 (P, P), if that is known, else from
    D^-1 + 1 1^T / sum q, D the diagonal of H, whose second part is exact for what all scores have in common.
    """
    (w, diagonal), n = curvature, design.n
    if design.size <= SMALL or design.covariates is not None:
        _, step, failed = lapack.dposv(design.precision(w, q), gradient, lower=1)
        if not failed:
            return np.asarray(step, np.float64)
    level = 1.0 / float(q[:n].sum())

    def precondition(r: Floats) -> Floats:
        if near is not None:
            return np.asarray(near @ r)
        z = r / diagonal
        z[:n] += level * r[:n].sum()
        return np.asarray(z)

    def times(x: Floats) -> Floats:
        return precision_times(x, design.first, design.second, design.bias, w, q)

    return newton_step(times, precondition, gradient)


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


@unchecked_kernel
def evaluate(
    theta: Floats, n: int, first: Ints, second: Ints, bias: Ints, offset: Floats,
    votes: Floats, wins: Floats, weight: Floats, pulled: Floats, precision: Floats, pull: Floats,
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """The gradient (P,), w (E,) and the diagonal of H (P,).

    sigma(s_i + delta - s_j) = e_i e_delta / (e_i e_delta + e_j), so that a parameter needs one exponential. Over the
    scores l' adds up to 0: what is left is rounding, which a vague prior would follow.
    """
    gradient, w, diagonal = np.zeros(len(theta)), np.empty(len(votes)), precision.copy()
    is_plain = len(offset) == 0 and np.abs(theta).max() <= FARTHEST
    e = np.exp(theta) if is_plain else theta
    for k in range(len(votes)):
        i, j = first[k], second[k]
        d = theta[i] - theta[j]
        if len(bias):
            d += theta[bias[k]]
        if is_plain:
            lead = e[i] * e[bias[k]] if len(bias) else e[i]
            inverse = 1.0 / (lead + e[j])
            above, below = lead * inverse, e[j] * inverse
        else:
            if len(offset):
                d += offset[k]
            small = np.exp(-abs(d))
            large = 1.0 / (1.0 + small)
            above, below = (large, small * large) if d > 0.0 else (small * large, large)
        slope = wins[k] - votes[k] * above + pulled[k] - weight[k] * d
        curvature = votes[k] * above * below + weight[k]
        w[k] = curvature
        gradient[i] += slope
        gradient[j] -= slope
        diagonal[i] += curvature
        diagonal[j] += curvature
        if len(bias):
            gradient[bias[k]] += slope
            diagonal[bias[k]] += curvature
    level = gradient[:n].sum() / n
    for i in range(len(theta)):
        gradient[i] += pull[i] - precision[i] * theta[i] - (level if i < n else 0.0)
    return gradient, w, diagonal
