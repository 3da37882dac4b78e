"""Edges: sums of what was said on a pair, all that the maximum depends on, however many comparisons are behind them.

Of comparisons k on one row of the design (a pair, of one order and judge where biases matter), with weights c,

    votes, wins       sum c, sum c p                 of votes: c (p ln sigma(d) + (1 - p) ln sigma(-d))
    weight, pulled    sum c, sum c y                 of measurements y of d: -c (y - d)^2 / 2

    l(d) = wins ln sigma(d) + (votes - wins) ln sigma(-d) + pulled d - weight d^2 / 2
    l'   = wins - votes sigma(d) + pulled - weight d
    w    = votes sigma(d) sigma(-d) + weight         -l''

Of an expert that is not soft-bt each comparison is an edge of its own, votes = c and wins = c p, with the expert's l'.

    kernel        slow formula
    evaluate      design.scatter(l') + h - q theta;  w;  q + design.information(w)
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.core.design import Design, rows_at
from app.inference.experts import Expert
from app.inference.kernels import unchecked_kernel
from app.inference.types import Floats, Ints

FARTHEST = 300.0  # score whose exponential is taken
MERGED, LEAST = 4, 1 << 18  # places of a table of sums, for each comparison or in all: with more, they stay as they are


class Edges(NamedTuple):
    """E edges."""

    design: Design
    votes: Floats  # (E,)
    wins: Floats  # (E,)
    weight: Floats  # (E,)
    pulled: Floats  # (E,)

    @property
    def size(self) -> int:
        """E."""
        return len(self.votes)


class Curvature(NamedTuple):
    """H, as sums have it."""

    weights: Floats  # (E,) w
    diagonal: Floats  # (P,)


def p_of(edges: Edges) -> Floats:
    """(E,) mean p of the votes, 1/2 where there is none."""
    return np.asarray(np.divide(edges.wins, edges.votes, out=np.full(edges.size, 0.5), where=edges.votes > 0.0))


def merged(edges: Edges) -> Edges:
    """The edges of soft-bt on one row added up, if a table of all rows is not much longer than they are.

    Where no bias tells the orders apart, both are one row.
    """
    (n, _, first, second, bias, offset, covariates), votes, wins, weight, pulled = edges
    judge = bias - n if len(bias) else np.zeros(edges.size, np.int64)
    size = (int(judge.max(initial=0)) + 1) * n * n
    if len(offset) or covariates is not None or size > max(MERGED * edges.size, LEAST):
        return edges
    if not len(bias):
        turned = first > second
        first, second = np.minimum(first, second), np.maximum(first, second)
        wins, pulled = np.where(turned, votes - wins, wins), np.where(turned, -pulled, pulled)
    row = (judge * n + first) * n + second
    compared = np.flatnonzero(np.bincount(row, minlength=size))
    judge, pair = np.divmod(compared, n * n)
    design = edges.design._replace(first=pair // n, second=pair % n, bias=n + judge if len(bias) else bias)
    sums = (np.bincount(row, each, size)[compared].astype(np.float64) for each in (votes, wins, weight, pulled))
    return Edges(design, *sums)


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


def goes_on(edges: Edges, before: Edges) -> bool:
    """Whether the rows of `before` are the first ones."""
    pairs = zip(edges.design[2:5], before.design[2:5], strict=True)
    return edges.size >= before.size and all(np.array_equal(now[: len(then)], then) for now, then in pairs)


def told_since(edges: Edges, before: Edges) -> tuple[Ints, Edges]:
    """Places of edges (L,) on which more is said, or less, than `before`, whose rows come first; and what that is."""
    added = [now.copy() for now in edges[1:]]
    for each, then in zip(added, before[1:], strict=True):
        each[: before.size] -= then
    changed = np.flatnonzero(np.any(added, axis=0))
    return changed, Edges(rows_at(edges.design, changed), *(each[changed] for each in added))


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
