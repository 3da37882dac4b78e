"""Bradley-Terry with many candidates and no biases: comparisons as compressed rows, one row for each candidate.

    sigma(s_a - s_b) = e_a / (e_a + e_b),    e = exp(s)

so that a candidate needs one exponential, whatever it was compared with. A vote stands in the rows of both candidates:
sums over a row only read, which is several times as quick as adding to two places for each vote. With c the vote's
weight, q the prior's precision, h its pull, and each sum over the row of a

    g_a = h_a + sum c p - q_a s_a - sum c sigma(s_a - s_b)        p as a sees it: 1 - p where a was second
    (H x)_a = (q_a + sum w) x_a - sum w x_b,    w = c sigma(s_a - s_b) sigma(s_b - s_a)

A measurement y of s_a - s_b adds c y to h_a, c (s_a - s_b) to the last sum, and w = c. It stands behind the votes of a
row. So H itself, whose weights are known, stands in the rows of measurements alone.

Newton's loop is `maximiser` (kernels/bradley_terry.py). Its slow formula is newton.fit in numpy. Exponentials of scores
beyond +-FARTHEST would overflow: the gradient there is NaN, and whoever calls goes the slow way.

    h + sum c p     Graph.pull           (N,)
    sum c           Graph.answers        (N,)
    c; w            Graph.weight; Precision.weight      (2K,)
    diag(H)         Precision.diagonal                  (N,)

    kernel          slow formula
    graph_of        each candidate's votes by np.flatnonzero
    extended        graph_of with more comparisons at the end
    precision_of    np.diag(q) + R^T diag(w) R, in rows
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.inference.kernels import kernel, unchecked_kernel
from app.inference.types import Floats, Ints

FARTHEST = 300.0


class Graph(NamedTuple):
    """Votes among N candidates, and measurements."""

    start: Ints  # (N + 1,) where the row of each candidate begins
    middle: Ints  # (N,) where its measurements begin
    rival: NDArray[np.uint32]  # (2K,)
    weight: Floats  # (2K,)
    precision: Floats  # (N,) of the prior
    pull: Floats  # (N,) of the prior and of the votes
    answers: Floats  # (N,) sum c

    @property
    def size(self) -> int:
        """K."""
        return len(self.rival) // 2

    @property
    def size_bytes(self) -> int:
        """Bytes without the prior, which is the model's."""
        of_each = (self.start, self.middle, self.pull, self.answers)
        return self.rival.nbytes + self.weight.nbytes + sum(each.nbytes for each in of_each)


class Precision(NamedTuple):
    """H in compressed rows, every comparison in two of them, in the order of the log."""

    start: Ints  # (N + 1,) of each row
    rival: NDArray[np.uint32]  # (2K,)
    weight: Floats  # (2K,) w
    precision: Floats  # (N,) q
    diagonal: Floats  # (N,) D


def graph_of(
    first: Ints,
    second: Ints,
    p: Floats,
    measurement: Floats,
    weight: Floats,
    precision: Floats,
    pull: Floats,
) -> Graph:
    """The rows of K comparisons, in their order. Args: `measurement` is (K,), NaN of a vote, or (0,)."""
    n, none = len(precision), np.empty(0)
    start, middle, answers = np.zeros(n + 1, np.int64), np.zeros(n, np.int64), np.zeros(n)
    nothing = Graph(start, middle, np.empty(0, np.uint32), none, precision, pull, answers)
    return extended(nothing, first, second, p, measurement, weight)


def extended(graph: Graph, first: Ints, second: Ints, p: Floats, measurement: Floats, weight: Floats) -> Graph:
    """The graph once these (L,) comparisons are added, each last among the votes or the measurements of its rows."""
    many = len(graph.rival) + 2 * len(p)
    return put_in_rows(graph, first, second, p, measurement, weight, np.empty(many, np.uint32), np.empty(many))


def precision_of(first: Ints, second: Ints, weight: Floats, precision: Floats) -> Precision:
    """H of these (K,) comparisons, with the (N,) precisions of the prior."""
    y = np.zeros(len(weight))
    return _linear(graph_of(first, second, y, y, weight, precision, np.zeros(len(precision))))


def answered(precision: Precision, first: Ints, second: Ints, weight: Floats) -> Precision:
    """H once these (L,) pairs are answered with these weights, each last in its rows."""
    start, rival, weights, q, diagonal = precision
    known, y = Graph(start, start[:-1], rival, weights, q, np.zeros(len(q)), diagonal - q), np.zeros(len(weight))
    return _linear(extended(known, first, second, y, y, weight))


def _linear(graph: Graph) -> Precision:
    """H of measurements."""
    return Precision(graph.start, graph.rival, graph.weight, graph.precision, graph.precision + graph.answers)


@kernel
def put_in_rows(
    graph: Graph,
    first: Ints,
    second: Ints,
    p: Floats,
    measurement: Floats,
    weight: Floats,
    rival: NDArray[np.uint32],
    weights: Floats,
) -> Graph:
    """`extended`. Args: the last two are buffers for the rows; what numpy makes has large pages."""
    n, measures = len(graph.precision), len(measurement) > 0
    more = np.zeros((n, 2), np.int64)  # votes and measurements of each
    for k in range(len(p)):
        kind = 1 if measures and not math.isnan(measurement[k]) else 0
        more[first[k], kind] += 1
        more[second[k], kind] += 1
    start, middle, place = np.zeros(n + 1, np.int64), np.empty(n, np.int64), np.empty((n, 2), np.int64)
    begin, added = 0, 0
    for a in range(n):
        for kind, end in enumerate((graph.middle[a], graph.start[a + 1])):
            place[a, kind] = end + added
            if more[a, kind] > 0:
                if end > begin:
                    rival[begin + added : end + added] = graph.rival[begin:end]
                    weights[begin + added : end + added] = graph.weight[begin:end]
                begin, added = end, added + more[a, kind]
        middle[a] = place[a, 0] + more[a, 0]
        start[a + 1] = graph.start[a + 1] + added
    rival[begin + added :], weights[begin + added :] = graph.rival[begin:], graph.weight[begin:]
    are_all_alike = len(graph.rival) == 0 and len(p) > 0 and bool(np.all(weight == weight[0]))
    if are_all_alike:
        weights[:] = weight[0]
    sums = np.empty((n, 2))  # of pull and answers: together, since memory is far
    sums[:, 0], sums[:, 1] = graph.pull, graph.answers
    for k in range(len(p)):
        i, j, c = first[k], second[k], weight[k]
        kind = 1 if measures and not math.isnan(measurement[k]) else 0
        mine = c * (p[k] if kind == 0 else measurement[k])
        at, other = place[i, kind], place[j, kind]
        place[i, kind] += 1
        place[j, kind] += 1
        rival[at], rival[other] = j, i
        if not are_all_alike:
            weights[at], weights[other] = c, c
        sums[i, 0] += mine
        sums[j, 0] += c - mine if kind == 0 else -mine
        sums[i, 1] += c
        sums[j, 1] += c
    return Graph(start, middle, rival, weights, graph.precision, sums[:, 0].copy(), sums[:, 1].copy())


def unevaluated(graph: Graph) -> Precision:
    """H in the rows of the graph, for `evaluate` to write; what numpy makes has large pages."""
    n = len(graph.precision)
    return Precision(graph.start, graph.rival, np.empty(len(graph.rival)), graph.precision, np.empty(n))


@unchecked_kernel
def evaluate(s: Floats, graph: Graph, at: Precision) -> Floats:
    """The gradient (N,). Args: `at` is H in the rows of the graph, whose weights and diagonal are written here."""
    start, middle, rival, weight, precision, pull, _ = graph
    gradient, weights, diagonal = np.empty(len(s)), at.weight, at.diagonal
    if len(weights) < len(rival) or len(diagonal) < len(s):
        raise ValueError("H has other rows than the graph")
    if np.abs(s).max() > FARTHEST:
        gradient[:] = np.nan
        return gradient
    e = np.exp(s)
    for a in range(len(s)):
        row, won, known = slice(start[a], middle[a]), 0.0, precision[a]
        rivals, c, w = rival[row], weight[row], weights[row]
        for k in range(len(c)):
            other = e[rivals[k]]
            inverse = 1.0 / (e[a] + other)
            expected = c[k] * (e[a] * inverse)
            w[k] = expected * (other * inverse)
            won += expected
            known += w[k]
        for k in range(middle[a], start[a + 1]):
            weights[k] = weight[k]
            won += weight[k] * (s[a] - s[rival[k]])
            known += weight[k]
        gradient[a] = pull[a] - precision[a] * s[a] - won
        diagonal[a] = known
    return gradient


@kernel
def weights_of(s: Floats, first: Ints, second: Ints, p: Floats, weight: Floats, measures: bool) -> Floats:
    """w of each comparison, (K,). Args: `measures` tells whether p beside 0, 1/2 and 1 is a measurement."""
    e, weights = np.exp(s), weight.copy()
    for k in range(len(weight)):
        if not measures or p[k] == 0.0 or p[k] == 0.5 or p[k] == 1.0:
            one, other = e[first[k]], e[second[k]]
            inverse = 1.0 / (one + other)
            weights[k] *= (one * inverse) * (other * inverse)
    return weights
