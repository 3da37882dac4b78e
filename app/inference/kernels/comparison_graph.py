"""Bradley-Terry with many candidates and no biases: comparisons as compressed rows, one row for each candidate.

    sigma(s_a - s_b) = e_a / (e_a + e_b),    e = exp(s)

so that a candidate needs one exponential, whatever it was compared with. A vote stands in the rows of both candidates:
sums over a row only read, which is several times as quick as adding to two places for each vote. With c the vote's
weight, q the prior's precision, h its pull, and each sum over the row of a

    g_a = h_a + sum c p - q_a s_a - sum c sigma(s_a - s_b)        p as a sees it: 1 - p where a was second
    (H x)_a = (q_a + sum w) x_a - sum w x_b,    w = c sigma(s_a - s_b) sigma(s_b - s_a)

A measurement y of s_a - s_b adds c y to h_a, c (s_a - s_b) to the last sum, and w = c. It stands behind the votes of a
row.

The loop is `maximiser` (bradley_terry.py). Its slow formula is newton.fit in numpy. Exponentials of scores beyond
+-FARTHEST would overflow: the gradient there is NaN, and whoever calls goes the slow way.

After a few more votes only those who are in them have a gradient, and Newton's steps over all N would be many for it.
`settled` follows it by Newton's step for one candidate at a time, whose rivals then have what is left:

    s_a <- s_a + g_a / H_aa,   g_b <- g_b + what sum c sigma(s_b - s_a) has changed by

until it is spread so thinly that all have some of it. That is the push of push.py, on what is not yet linear.

    h + sum c p     Graph.pull           (N,)
    sum c           Graph.answers        (N,)
    c, w            weight, weights      (2K,)

    kernel          slow formula
    graph_of        each candidate's votes by np.flatnonzero
    extended        graph_of with more comparisons at the end
    settled         newton.fit, which goes all the way
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.inference.kernels import kernel, unchecked_kernel
from app.inference.types import Floats, Ints

FARTHEST = 300.0
LEAST_PRECISE = 0.1  # residual of a step over g, their largest entries
SETTLED = 0.5  # residual of the last step over the tolerance
LONGEST = 1.0  # step of one score that settles


class Graph(NamedTuple):
    """Votes among N candidates, and measurements."""

    start: Ints  # (N + 1,) where the row of each candidate begins
    middle: Ints  # (N,) where its measurements begin
    rival: NDArray[np.uint32]  # (2K,)
    weight: Floats  # (2K,)
    precision: Floats  # (N,) of the prior
    pull: Floats  # (N,) of the prior and of the votes
    answers: Floats  # (N,) sum c
    tolerance: float  # of |g|_inf; 0 of a graph that nobody climbs
    weights: Floats  # (2K,) room for w, where it was evaluated last; (0,) of a graph that nobody climbs
    diagonal: Floats  # (N,) room for that of H, likewise

    @property
    def size(self) -> int:
        """K."""
        return len(self.rival) // 2

    @property
    def size_bytes(self) -> int:
        """Without the prior, which is the model's."""
        of_each = (self.start, self.middle, self.pull, self.answers)
        return self.rival.nbytes + self.weight.nbytes + sum(each.nbytes for each in of_each)


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
    nothing = Graph(start, middle, np.empty(0, np.uint32), none, precision, pull, answers, 0.0, none, none)
    return extended(nothing, first, second, p, measurement, weight)


def extended(graph: Graph, first: Ints, second: Ints, p: Floats, measurement: Floats, weight: Floats) -> Graph:
    """The graph once these (L,) comparisons are added, each last among the votes or the measurements of its rows."""
    many = len(graph.rival) + 2 * len(p)
    return put_in_rows(graph, first, second, p, measurement, weight, np.empty(many, np.uint32), np.empty(many))


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
    """`extended`. Args: the last two are room for the rows; what numpy makes has large pages."""
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
    pull, answers, none = sums[:, 0].copy(), sums[:, 1].copy(), np.empty(0)
    return Graph(start, middle, rival, weights, graph.precision, pull, answers, graph.tolerance, none, none)


@unchecked_kernel
def settled(s: Floats, graph: Graph, who: Ints, limit: float, effort: int) -> Floats:
    """Scores, (N,), where no entry of the gradient is above the limit, given that at s none is but those of `who`.

    Args: `effort` is how many rivals may be visited; the scores are as they are then.
    """
    start, middle, rival, weight, precision, pull, _, _, _, _ = graph
    n, s = len(s), s.copy()
    if np.abs(s).max() > FARTHEST:
        return s
    e, gradient, waits, queue = np.exp(s), np.zeros(n), np.zeros(n, np.bool_), np.empty(n, np.int64)
    for a in who:
        gradient[a] = pull[a] - precision[a] * s[a]
        for k in range(start[a], middle[a]):
            gradient[a] -= weight[k] * e[a] / (e[a] + e[rival[k]])
        for k in range(middle[a], start[a + 1]):
            gradient[a] -= weight[k] * (s[a] - s[rival[k]])
    first, waiting, visits = 0, len(who), 0
    queue[: len(who)], waits[who] = who, True
    while waiting and visits < effort:
        a = queue[first]
        first = first + 1 if first + 1 < n else 0
        waiting, waits[a] = waiting - 1, False
        curvature = precision[a]
        for k in range(start[a], middle[a]):
            other = e[rival[k]]
            curvature += weight[k] * e[a] * other / (e[a] + other) ** 2
        for k in range(middle[a], start[a + 1]):
            curvature += weight[k]
        step = min(max(gradient[a] / curvature, -LONGEST), LONGEST)
        before, after = e[a], np.exp(s[a] + step)
        s[a], e[a] = s[a] + step, after
        gradient[a] -= precision[a] * step
        visits += start[a + 1] - start[a] + 1
        for k in range(start[a], start[a + 1]):
            b = rival[k]
            change = weight[k] * step
            if k < middle[a]:
                change = weight[k] * e[b] * (after - before) / ((after + e[b]) * (before + e[b]))
            gradient[a] -= change
            gradient[b] += change
            if abs(gradient[b]) > limit and not waits[b]:
                last = first + waiting
                queue[last if last < n else last - n], waits[b], waiting = b, True, waiting + 1
        if abs(gradient[a]) > limit and not waits[a]:
            last = first + waiting
            queue[last if last < n else last - n], waits[a], waiting = a, True, waiting + 1
    return s


def with_room(graph: Graph) -> Graph:
    """The graph, for someone to evaluate; what numpy makes has large pages."""
    return graph._replace(weights=np.empty(len(graph.rival)), diagonal=np.empty(len(graph.precision)))


def without_room(graph: Graph) -> Graph:
    """The graph for someone to keep."""
    return graph._replace(weights=np.empty(0), diagonal=np.empty(0))


@unchecked_kernel
def evaluate(s: Floats, graph: Graph) -> tuple[Floats, Floats]:
    """The gradient (N,) and the weights (2K,), which are written to their place in the graph, as H's diagonal is."""
    start, middle, rival, weight, precision, pull, _, _, weights, diagonal = graph
    gradient = np.empty(len(s))
    if len(weights) < len(rival) or len(diagonal) < len(s):
        raise ValueError("the graph has no room for weights")
    if np.abs(s).max() > FARTHEST:
        gradient[:] = np.nan
        return gradient, weights
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
    return gradient, weights


@unchecked_kernel
def newton_step(weights: Floats, gradient: Floats, graph: Graph) -> Floats:
    """x with H x = g, shape (N,), where the graph was evaluated last, by preconditioned conjugate gradients.

    Before them stands D^-1 + 1 1^T / sum q, D being H's diagonal. The second part is exact for what all scores have in
    common, of which a push leaves most. To a residual that shrinks with |g|, so that Newton's convergence stays
    quadratic.
    """
    start, _, rival, _, _, _, _, tolerance, _, diagonal = graph
    scale, x, residual, product = 1.0 / diagonal, np.zeros(len(gradient)), gradient.copy(), np.empty(len(gradient))
    of_all = 1.0 / graph.precision.sum()
    direction = scale * gradient + of_all * gradient.sum()
    largest, square = float(np.abs(gradient).max()), float(np.sum(gradient * direction))
    about_how_far = np.sqrt(np.mean((scale * gradient) ** 2))
    aim = max(min(LEAST_PRECISE, about_how_far) * largest, SETTLED * tolerance)
    for _ in range(10 * len(x)):
        if not largest > aim:
            break
        along, before, largest, square, total = 0.0, square, 0.0, 0.0, 0.0
        for a in range(len(x)):
            row, pulled = slice(start[a], start[a + 1]), 0.0
            rivals, w = rival[row], weights[row]
            for k in range(len(w)):
                pulled += w[k] * direction[rivals[k]]
            product[a] = diagonal[a] * direction[a] - pulled
            along += direction[a] * product[a]
        t = before / along
        for a in range(len(x)):
            residual[a] -= t * product[a]
            largest = max(largest, abs(residual[a]))
            square += scale[a] * residual[a] ** 2
            total += residual[a]
        square += of_all * total**2
        for a in range(len(x)):
            x[a] += t * direction[a]
            direction[a] = scale[a] * residual[a] + of_all * total + square / before * direction[a]
    return x


@unchecked_kernel
def carried(before: Graph, in_sigma: Floats, now: Graph, most: float) -> tuple[Floats, bool, Ints, Ints, Floats]:
    """The weights in the next Sigma, whether they are still near those of the graph, and what changes.

    A comparison that came before keeps the weight that it has in Sigma, times what its c has changed by; a new one has
    that of the graph.

    Args:
        in_sigma: (2K,) weights in the rows of the graph `before`, with which the rows of the one `now` begin.
        most: what is near, of |w - in_sigma| / in_sigma.

    Returns:
        (2K',) weights; whether all are near; the comparisons, (L,) and (L,), whose weight is another, and (L,) by how
        much.
    """
    if len(in_sigma) < len(before.rival) or len(now.weights) < len(now.rival):
        raise ValueError("the graph has no room for weights")
    pairs, many = len(now.rival) // 2, 0
    first, second, change = np.empty(pairs, np.int64), np.empty(pairs, np.int64), np.empty(pairs)
    weights, c, begin, added = np.empty(len(now.rival)), np.empty(len(now.rival)), 0, 0
    for a in range(len(now.middle)):
        for old, new in ((before.middle[a], now.middle[a]), (before.start[a + 1], now.start[a + 1])):
            if new - old == added:
                continue
            weights[begin + added : old + added] = in_sigma[begin:old]
            c[begin + added : old + added] = before.weight[begin:old]
            for k in range(old + added, new):
                weights[k], c[k] = now.weights[k], now.weight[k]
                if now.rival[k] > a:
                    first[many], second[many], change[many] = a, now.rival[k], weights[k]
                    many += 1
            begin, added = old, new - old
    weights[begin + added :], c[begin + added :] = in_sigma[begin:], before.weight[begin:]
    others, far = 0, 0
    for k in range(len(c)):
        others += c[k] != now.weight[k]
    for a in range(len(now.middle) if others else 0):
        for k in range(now.start[a], now.start[a + 1]):
            if c[k] != now.weight[k] and c[k] > 0.0:
                move = weights[k] * (now.weight[k] / c[k] - 1.0)
                weights[k] += move
                if now.rival[k] > a:
                    first[many], second[many], change[many] = a, now.rival[k], move
                    many += 1
    for k in range(len(c)):
        far += abs(now.weights[k] - weights[k]) > most * weights[k]
    return weights, far == 0, first[:many].copy(), second[:many].copy(), change[:many].copy()


@kernel
def weights_of(s: Floats, first: Ints, second: Ints, measurement: Floats, weight: Floats) -> Floats:
    """w of each comparison, (K,)."""
    e, weights, measures = np.exp(s), weight.copy(), len(measurement) > 0
    for k in range(len(weight)):
        if not measures or math.isnan(measurement[k]):
            one, other = e[first[k]], e[second[k]]
            inverse = 1.0 / (one + other)
            weights[k] *= (one * inverse) * (other * inverse)
    return weights
