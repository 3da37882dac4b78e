"""Bradley-Terry with many candidates and no biases: votes as compressed rows, one row for each candidate.

    sigma(s_a - s_b) = e_a / (e_a + e_b),    e = exp(s)

so that a candidate needs one exponential, whatever it was compared with. A vote stands in the rows of both candidates:
sums over a row only read, which is several times as quick as adding to two places for each vote. With c the vote's
weight, q the prior's precision, h its pull, and each sum over the row of a

    g_a = h_a + sum c p - q_a s_a - sum c sigma(s_a - s_b)        p as a sees it: 1 - p where a was second
    (H x)_a = (q_a + sum w) x_a - sum w x_b,    w = c sigma(s_a - s_b) sigma(s_b - s_a)

The loop is `maximiser` (bradley_terry.py). Its slow formula is newton.fit in numpy. Exponentials of scores beyond
+-FARTHEST would overflow: the gradient there is NaN, and whoever calls goes the slow way.

    h + sum c p     Graph.pull           (N,)
    c, w            weight, weights      (2K,)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.inference.kernels import kernel, unchecked_kernel
from app.inference.types import Floats, Ints

FARTHEST = 300.0
LEAST_PRECISE = 0.1  # residual of a step over g, their largest entries


class Graph(NamedTuple):
    """Votes among N candidates."""

    start: Ints  # (N + 1,) where the row of each candidate begins
    rival: NDArray[np.uint32]  # (2K,)
    weight: Floats  # (2K,)
    precision: Floats  # (N,) of the prior
    pull: Floats  # (N,) of the prior and of the votes
    tolerance: float  # of |g|_inf
    weights: Floats  # (2K,) room for w, where it was evaluated last


@kernel
def graph_of(
    first: Ints, second: Ints, p: Floats, weight: Floats, precision: Floats, pull: Floats, tolerance: float
) -> Graph:
    """The rows of K votes, in the order of the votes."""
    n = len(precision)
    start = np.zeros(n + 1, np.int64)
    for k in range(len(p)):
        start[first[k] + 1] += 1
        start[second[k] + 1] += 1
    start = np.cumsum(start)
    place, pull = start[:-1].copy(), pull.copy()
    rival, weights = np.empty(2 * len(p), np.uint32), np.empty(2 * len(p))
    for k in range(len(p)):
        i, j, c = first[k], second[k], weight[k]
        rival[place[i]], weights[place[i]] = j, c
        rival[place[j]], weights[place[j]] = i, c
        place[i] += 1
        place[j] += 1
        pull[i] += c * p[k]
        pull[j] += c * (1.0 - p[k])
    return Graph(start, rival, weights, precision, pull, tolerance, np.empty(2 * len(p)))


@unchecked_kernel
def evaluate(s: Floats, graph: Graph) -> tuple[Floats, Floats]:
    """The gradient (N,) and the weights (2K,), which are written to their place in the graph."""
    start, rival, weight, precision, pull, _, weights = graph
    gradient = np.empty(len(s))
    if np.abs(s).max() > FARTHEST:
        gradient[:] = np.nan
        return gradient, weights
    e = np.exp(s)
    for a in range(len(s)):
        row, won = slice(start[a], start[a + 1]), 0.0
        rivals, c, w = rival[row], weight[row], weights[row]
        for k in range(len(c)):
            other = e[rivals[k]]
            inverse = 1.0 / (e[a] + other)
            expected = c[k] * (e[a] * inverse)
            w[k] = expected * (other * inverse)
            won += expected
        gradient[a] = pull[a] - precision[a] * s[a] - won
    return gradient, weights


@unchecked_kernel
def newton_step(weights: Floats, gradient: Floats, graph: Graph) -> Floats:
    """x with H x = g, shape (N,), by conjugate gradients, H's diagonal before them.

    To a residual that shrinks with |g|, so that Newton's convergence stays quadratic.
    """
    start, rival, _, precision, _, tolerance, _ = graph
    diagonal = precision.copy()
    for a in range(len(diagonal)):
        diagonal[a] += weights[start[a] : start[a + 1]].sum()
    scale, x, residual, product = 1.0 / diagonal, np.zeros(len(gradient)), gradient.copy(), np.empty(len(gradient))
    direction = scale * gradient
    largest, square = float(np.abs(gradient).max()), float(np.sum(gradient * direction))
    aim = max(min(LEAST_PRECISE, np.sqrt(np.mean(gradient**2))) * largest, LEAST_PRECISE * tolerance)
    for _ in range(10 * len(x)):
        if not largest > aim:
            break
        for a in range(len(x)):
            row, pulled = slice(start[a], start[a + 1]), 0.0
            rivals, w = rival[row], weights[row]
            for k in range(len(w)):
                pulled += w[k] * direction[rivals[k]]
            product[a] = diagonal[a] * direction[a] - pulled
        along, before, largest, square = 0.0, square, 0.0, 0.0
        for a in range(len(x)):
            along += direction[a] * product[a]
        t = before / along
        for a in range(len(x)):
            x[a] += t * direction[a]
            residual[a] -= t * product[a]
            largest = max(largest, abs(residual[a]))
            square += scale[a] * residual[a] ** 2
        for a in range(len(x)):
            direction[a] = scale[a] * residual[a] + square / before * direction[a]
    return x


@kernel
def weights_of(s: Floats, first: Ints, second: Ints, weight: Floats) -> Floats:
    """w of each vote, (K,)."""
    e, weights = np.exp(s), np.empty(len(weight))
    for k in range(len(weight)):
        one, other = e[first[k]], e[second[k]]
        inverse = 1.0 / (one + other)
        weights[k] = weight[k] * (one * inverse) * (other * inverse)
    return weights
