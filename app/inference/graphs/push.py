"""Entries of Sigma = H^-1 where no (N, N) array fits: certified intervals by local push on the comparison graph.

    H = diag(q) + sum_k w_k r_k r_k^T        r_k = e_first - e_second,  q > 0,  w >= 0
    D = diag(H)                              D - H >= 0: H is an M-matrix, Sigma >= 0; and H 1 = q, so Sigma q = 1

A push moves what is left at u into the solution (Andersen, Chung and Lang 2006). From x = 0 and r = b on it keeps

    H x + r = b        x_u <- x_u + r_u / D_u,   r_v <- r_v + w_uv r_u / D_u for its neighbours,   r_u <- 0

and ends where |r_v| <= limit q_v everywhere. What is left says how far x is off, whatever was pushed:

    (1)  b^T Sigma b = x^T (b + r) + r^T Sigma r            as Sigma b = x + Sigma r and b = H x + r
    (2)  0 <= r^T Sigma r <= sum r_v^2 / q_v                as H - diag(q) = sum w r_k r_k^T is positive semidefinite
    (3)  |(Sigma b)_a - x_a| <= max_v |r_v| / q_v           as |r| <= c q gives |Sigma r| <= Sigma |r| <= c Sigma q = c

b = e_i gives Sigma_ii, b = e_i - e_j gives v_ij; all intervals hold up to rounding. When a weight changes by d, H
changes by d b b^T and, with y = Sigma b before it,

    (4)  Sigma_aa <- Sigma_aa - d y_a^2 / (1 + d b^T y)

so that one push moves every interval of the diagonal, (3) holding for what it did not reach. Other changes may wait: as
long as |w now - w held| <= drift w held for every pair, and likewise q, (1 - drift) H held <= H <= (1 + drift) H held,

    (5)  Sigma held / (1 + drift) <= Sigma <= Sigma held / (1 - drift)        in the order of quadratic forms

A bias among the parameters makes positive entries off the diagonal of H: nothing here holds then.

    kernel            slow formula
    variances         np.linalg.inv(H).diagonal()
    differences       v_ij from np.linalg.inv(H)
    follow            variances of the new graph
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.inference.graphs.comparison_graph import Precision
from app.inference.kernels import unchecked_kernel
from app.inference.types import Bools, Floats, Ints

FIRST_LIMIT = 0.3  # times 1 / D_i, which Sigma_ii is no less than
SMALLER = 0.5  # times the limit, where the interval is not yet narrow enough
FOLLOWING = 6e-4  # of what a change of weight by 1 / Sigma_ii does to others, times 1 / D_i; less for smaller changes
UNSEEN, NOBODY = -1, -1


class _Space(NamedTuple):
    """Buffers of one push; what it has seen lies together, so that it stays in the cache."""

    place: NDArray[np.int32]  # (N,) among those seen, UNSEEN for the others
    seen: Ints  # (N,) who they are
    x: Floats  # (N,)
    r: Floats  # (N,)
    precision: Floats  # (N,) q
    waits: Bools  # (N,)
    queue: Ints  # (N,) a ring of the places that wait


@unchecked_kernel
def variances(graph: Precision, nodes: Ints, width: float, effort: int) -> tuple[Floats, Floats]:
    """(L,) lower and (L,) upper ends of Sigma_ii of these nodes.

    Args:
        width: of an interval, relative to its lower end; a push ends there.
        effort: neighbours that one push may visit; the interval is as wide as it is then.
    """
    return differences(graph, nodes, np.full(len(nodes), NOBODY), width, effort)


@unchecked_kernel
def differences(graph: Precision, first: Ints, second: Ints, width: float, effort: int) -> tuple[Floats, Floats]:
    """(L,) lower and (L,) upper ends of v_ij of these pairs, or of Sigma_ii beside NOBODY. Args: as `variances`."""
    lower, upper, space = np.empty(len(first)), np.empty(len(first)), _space(len(graph.precision))
    for k in range(len(first)):
        lower[k], upper[k] = _measure(graph, first[k], second[k], width, effort, space)
    return lower, upper


@unchecked_kernel
def follow(
    held: Precision, now: Precision, lower: Floats, upper: Floats, drift: float, effort: int, most: int, buffer: Floats
) -> tuple[Precision, Floats, Floats, int]:
    """The graph that is held from now on, the (N,) ends of its Sigma_ii, and how many changes were followed.

    Every weight of the new graph is within a relative `drift` of the one that is held, unless more than `most` changed.

    Args:
        held, lower, upper: the graph before, and the ends of its Sigma_ii.
        now: the graph with new weights, new candidates and new comparisons; each row begins with those it had.
        effort: as in `variances`.
        buffer: (2 K,) for the weights that are held; what numpy makes has large pages.
    """
    before, n = len(held.precision), len(now.precision)
    graph, drifted = _with_rows_of(held, now, drift, buffer)
    low, high = 1.0 / now.precision, 1.0 / now.precision
    low[:before], high[:before] = lower, upper
    fall, rise, followed, space = 0.0, 0.0, 0, _space(n)
    for u in range(n):
        change = now.precision[u] - graph.precision[u]
        if abs(change) > drift * graph.precision[u] and followed <= most:
            less, more = _move(graph, u, NOBODY, change, low, high, effort, space)
            graph.precision[u] += change
            graph.diagonal[u] += change
            fall, rise, followed = fall + less, rise + more, followed + 1
        if not drifted[u]:
            continue
        for t in range(now.start[u], now.start[u + 1]):
            v = now.rival[t]
            if v > u and abs(now.weight[t] - graph.weight[t]) > drift * graph.weight[t] and followed <= most:
                change = _between(now, u, v) - _between(graph, u, v)
                less, more = _move(graph, u, v, change, low, high, effort, space)
                _take_over(graph, now, u, v)
                _take_over(graph, now, v, u)
                graph.diagonal[u] += change
                graph.diagonal[v] += change
                fall, rise, followed = fall + less, rise + more, followed + 1
    for a in range(n):
        low[a] = max(low[a] - fall, 1.0 / graph.diagonal[a])
        high[a] = min(high[a] + rise, 1.0 / graph.precision[a])
    return graph, low, high, followed


@unchecked_kernel
def _with_rows_of(held: Precision, now: Precision, drift: float, weight: Floats) -> tuple[Precision, Bools]:
    """The new graph with the weights that are held, 0 where a comparison is new; and the (N,) rows with a change.

    Args: `weight` is a buffer for the weights.
    """
    before, n, begin, added = len(held.precision), len(now.precision), 0, 0
    precision, diagonal, drifted = now.precision.copy(), now.precision.copy(), np.zeros(n, np.bool_)
    precision[:before], diagonal[:before] = held.precision, held.diagonal
    for u in range(n):
        old, new = held.start[min(u + 1, before)], now.start[u + 1]
        if new - old > added:
            weight[begin + added : old + added] = held.weight[begin:old]
            weight[old + added : new] = 0.0
            begin, added = old, new - old
    weight[begin + added :] = held.weight[begin:]
    for u in range(n):
        far = 0
        for t in range(now.start[u], now.start[u + 1]):
            far += abs(now.weight[t] - weight[t]) > drift * weight[t]
        drifted[u] = far > 0
    return Precision(now.start, now.rival, weight, precision, diagonal), drifted


@unchecked_kernel
def _between(graph: Precision, u: int, v: int) -> float:
    """The weight of all comparisons of u and v."""
    total = 0.0
    for t in range(graph.start[u], graph.start[u + 1]):
        if graph.rival[t] == v:
            total += graph.weight[t]
    return total


@unchecked_kernel
def _take_over(graph: Precision, now: Precision, u: int, v: int) -> None:
    """Give row u the weights that its comparisons with v have now."""
    for t in range(graph.start[u], graph.start[u + 1]):
        if graph.rival[t] == v:
            graph.weight[t] = now.weight[t]


@unchecked_kernel
def _move(
    graph: Precision, i: int, j: int, change: float, low: Floats, high: Floats, effort: int, space: _Space
) -> tuple[float, float]:
    """Move the ends by (4) where the push came by; what all lower ends fall by, and all upper ends rise, besides."""
    seen = _begin(graph, i, j, space)
    least = _least_variance(graph, i, j)
    seen, _ = _push(graph, seen, FOLLOWING * np.sqrt(least / abs(change)), effort, space)
    least, most, off = _ends(seen, j, space)
    is_bounded = 1.0 + change * most > 0.0
    if change > 0.0:
        narrow, wide = change / (1.0 + change * most), change / (1.0 + change * least)
    else:
        narrow = -change / (1.0 + change * least)
        wide = -change / (1.0 + change * most) if is_bounded else 0.0
    besides = wide * off * off
    for k in range(seen):
        a = space.seen[k]
        y = abs(space.x[k])
        less, more = narrow * max(y - off, 0.0) ** 2, wide * (y + off) ** 2 - besides
        if change > 0.0:
            high[a] -= less
            low[a] -= more
        else:
            low[a] += less
            high[a] += more
    _clear(seen, space)
    if change > 0.0:
        return besides, 0.0
    return 0.0, besides if is_bounded else np.inf


@unchecked_kernel
def _measure(graph: Precision, i: int, j: int, width: float, effort: int, space: _Space) -> tuple[float, float]:
    """The ends of b^T Sigma b, where b = e_i - e_j, or e_i."""
    seen, visits = _begin(graph, i, j, space), 0
    limit = FIRST_LIMIT * _least_variance(graph, i, j)
    while True:
        seen, more = _push(graph, seen, limit, effort - visits, space)
        visits += more
        lower, upper, _ = _ends(seen, j, space)
        if upper - lower <= width * lower or visits >= effort:
            break
        limit *= SMALLER
    _clear(seen, space)
    return lower, upper


@unchecked_kernel
def _push(graph: Precision, seen: int, limit: float, effort: int, space: _Space) -> tuple[int, int]:
    """Push until |r_v| <= limit q_v everywhere; how many are seen by then, and how many neighbours were visited."""
    start, rival, weight, _, diagonal = graph
    place, who, x, r, q, waits, queue = space
    first, waiting, visits = 0, 0, 0
    for k in range(seen):
        if abs(r[k]) > limit * q[k]:
            queue[waiting], waits[k] = k, True
            waiting += 1
    while waiting and visits < effort:
        k = queue[first]
        u = who[k]
        first = first + 1 if first + 1 < len(queue) else 0
        waiting, waits[k] = waiting - 1, False
        step = r[k] / diagonal[u]
        x[k] += step
        r[k] = 0.0
        visits += start[u + 1] - start[u] + 1
        for t in range(start[u], start[u + 1]):
            k = place[rival[t]]
            if k == UNSEEN:
                k = _see(graph, rival[t], seen, space)
                seen += 1
            r[k] += weight[t] * step
            if abs(r[k]) > limit * q[k] and not waits[k]:
                last = first + waiting
                queue[last if last < len(queue) else last - len(queue)], waits[k] = k, True
                waiting += 1
    waits[:seen] = False
    return seen, visits


@unchecked_kernel
def _ends(seen: int, j: int, space: _Space) -> tuple[float, float, float]:
    """The ends of b^T Sigma b by (1) and (2), and how far x is off by (3)."""
    x, r, q = space.x, space.r, space.precision
    least, beyond, off = x[0] if j == NOBODY else x[0] - x[1], 0.0, 0.0
    for k in range(seen):
        least += x[k] * r[k]
        beyond += r[k] * r[k] / q[k]
        off = max(off, abs(r[k]) / q[k])
    return least, least + beyond, off


@unchecked_kernel
def _least_variance(graph: Precision, i: int, j: int) -> float:
    """Sigma_ii >= 1 / D_i."""
    return 1.0 / float(graph.diagonal[i] if j == NOBODY else min(graph.diagonal[i], graph.diagonal[j]))


@unchecked_kernel
def _space(n: int) -> _Space:
    place, waits = np.full(n, UNSEEN, np.int32), np.zeros(n, np.bool_)
    return _Space(place, np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n), waits, np.empty(n, np.int64))


@unchecked_kernel
def _begin(graph: Precision, i: int, j: int, space: _Space) -> int:
    """Put b into r; how many are seen."""
    _see(graph, i, 0, space)
    space.r[0] = 1.0
    if j == NOBODY:
        return 1
    _see(graph, j, 1, space)
    space.r[1] = -1.0
    return 2


@unchecked_kernel
def _see(graph: Precision, v: int, k: int, space: _Space) -> int:
    """Give v the place k."""
    space.place[v], space.seen[k] = k, v
    space.x[k], space.r[k], space.precision[k] = 0.0, 0.0, graph.precision[v]
    return k


@unchecked_kernel
def _clear(seen: int, space: _Space) -> None:
    for k in range(seen):
        space.place[space.seen[k]] = UNSEEN
