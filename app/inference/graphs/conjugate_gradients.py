"""H x = b by preconditioned conjugate gradients (Hestenes and Stiefel 1952): the one loop, for every H.

    x <- x + t p,   r <- r - t H p        t = r^T z / p^T H p,  z = M r with M close to H^-1
    p <- z + (r^T z / r^T z before) p     until r is small

`conjugate_gradients` is plain Python, as `maximiser` (kernels/bradley_terry.py) is: `newton_step_by_products` runs it
as it stands, for any H that can be multiplied by; numba compiles it for H in rows, D being H's diagonal and q the
prior's precision.

    newton_step   one b, to a residual that shrinks with |g|, so that Newton's convergence stays quadratic.
                  M = D^-1 + 1 1^T / sum q, whose second part is exact for what all scores have in common, of which a
                  push leaves most
    solve         several b at once, the columns of (N, B), which share every look at a row of H: that is what one look
                  costs. M = D^-1. As Sigma >= 0 and Sigma q = 1, no entry of x is farther from Sigma b than
                  max_v |r_v| / q_v

    kernel        slow formula
    newton_step   np.linalg.solve(H, g)
    solve         np.linalg.solve(H, b)
    spread        sqrt(q) e + R^T (sqrt(w) f)
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from app.inference.graphs.comparison_graph import Precision
from app.inference.kernels import kernel, unchecked_kernel
from app.inference.types import Floats

LEAST_PRECISE = 0.1  # residual of a step over g, their largest entries
ENOUGH = 0.5  # residual of the last step over the tolerance
TINY = 1e-300  # of a column that is solved exactly

Operator = TypeVar("Operator")
Step = TypeVar("Step", float, Floats)
Solver = Callable[[Operator, Floats, float, int], tuple[Floats, float]]


def conjugate_gradients(
    times: Callable[[Operator, Floats], Floats],
    precondition: Callable[[Operator, Floats], Floats],
    dot: Callable[[Floats, Floats], Step],
    add: Callable[[Floats, Step, Floats], None],
    turn: Callable[[Floats, Step, Floats], None],
    distance: Callable[[Operator, Floats], float],
) -> Solver[Operator]:
    """The loop above for operators of one kind; compiled, it is cached as part of a kernel that calls it.

    Args:
        times, precondition: H x and M r.
        dot: x^T y of each column.
        add, turn: x <- x + t y and x <- y + t x, in place.
        distance: how far x is off, given the residual.
    """

    def solve(operator: Operator, b: Floats, aim: float, most: int) -> tuple[Floats, float]:
        """x, and how far it is off: at most `aim`, or after `most` iterations."""
        x, residual = np.zeros_like(b), b.copy()
        direction = precondition(operator, residual).copy()
        square, off = dot(residual, direction), distance(operator, residual)
        for _ in range(most):
            if not off > aim:
                break
            product = times(operator, direction)
            step = square / dot(direction, product)
            add(x, step, direction)
            add(residual, -step, product)
            towards = precondition(operator, residual)
            before, square, off = square, dot(residual, towards), distance(operator, residual)
            turn(direction, square / before, towards)
        return x, off

    return solve


@unchecked_kernel
def dot(x: Floats, y: Floats) -> float:
    total = 0.0
    for a in range(len(x)):
        total += x[a] * y[a]
    return total


@unchecked_kernel
def add(x: Floats, t: float, y: Floats) -> None:
    for a in range(len(x)):
        x[a] += t * y[a]


@unchecked_kernel
def turn(x: Floats, t: float, y: Floats) -> None:
    for a in range(len(x)):
        x[a] = t * x[a] + y[a]


@unchecked_kernel
def _times(precision: Precision, x: Floats) -> Floats:
    start, rival, weight, _, diagonal = precision
    product = np.empty(len(x))
    for a in range(len(x)):
        row, pulled = slice(start[a], start[a + 1]), 0.0
        rivals, w = rival[row], weight[row]
        for k in range(len(w)):
            pulled += w[k] * x[rivals[k]]
        product[a] = diagonal[a] * x[a] - pulled
    return product


@unchecked_kernel
def _with_level(precision: Precision, r: Floats) -> Floats:
    level, z = r.sum() / precision.precision.sum(), np.empty(len(r))
    for a in range(len(r)):
        z[a] = r[a] / precision.diagonal[a] + level
    return z


@unchecked_kernel
def _largest(_: Precision, r: Floats) -> float:
    largest = 0.0
    for a in range(len(r)):
        largest = max(largest, abs(r[a]))
    return largest


_solve_one = unchecked_kernel(conjugate_gradients(_times, _with_level, dot, add, turn, _largest))


@unchecked_kernel
def newton_step(precision: Precision, gradient: Floats, tolerance: float) -> Floats:
    """x with H x = g, shape (N,). Args: `tolerance` is the |g|_inf that is wanted in the end."""
    how_far = np.sqrt(np.mean((gradient / precision.diagonal) ** 2))
    aim = max(min(LEAST_PRECISE, how_far) * np.abs(gradient).max(), ENOUGH * tolerance)
    x, _ = _solve_one(precision, gradient, aim, 10 * len(gradient))
    return x


class _Products(NamedTuple):
    times: Callable[[Floats], Floats]
    precondition: Callable[[Floats], Floats]


_solve_by_products: Solver[_Products] = conjugate_gradients(
    lambda h, x: h.times(x), lambda h, r: h.precondition(r), dot, add, turn, lambda _, r: float(np.abs(r).max())
)


def newton_step_by_products(
    times: Callable[[Floats], Floats], precondition: Callable[[Floats], Floats], g: Floats, tolerance: float
) -> Floats:
    """`newton_step` for any H. Args: H x, and the product with what is close to H^-1."""
    aim = max(min(LEAST_PRECISE, np.sqrt(np.mean(g**2))) * np.abs(g).max(), LEAST_PRECISE * tolerance)
    return _solve_by_products(_Products(times, precondition), g, aim, 10 * len(g))[0]


@unchecked_kernel
def _dot_of_columns(x: Floats, y: Floats) -> Floats:
    total = np.full(x.shape[1], TINY)
    for a in range(len(x)):
        for c in range(len(total)):
            total[c] += x[a, c] * y[a, c]
    return total


@unchecked_kernel
def _add_columns(x: Floats, t: Floats, y: Floats) -> None:
    for a in range(len(x)):
        for c in range(len(t)):
            x[a, c] += t[c] * y[a, c]


@unchecked_kernel
def _turn_columns(x: Floats, t: Floats, y: Floats) -> None:
    for a in range(len(x)):
        for c in range(len(t)):
            x[a, c] = t[c] * x[a, c] + y[a, c]


@unchecked_kernel
def _times_columns(precision: Precision, x: Floats) -> Floats:
    start, rival, weight, _, diagonal = precision
    product = np.empty(x.shape)
    for a in range(len(diagonal)):
        row = product[a]
        row[:] = diagonal[a] * x[a]
        for t in range(start[a], start[a + 1]):
            other, w = x[rival[t]], weight[t]
            for c in range(len(row)):
                row[c] -= w * other[c]
    return product


@unchecked_kernel
def _by_diagonal(precision: Precision, r: Floats) -> Floats:
    z = np.empty(r.shape)
    for a in range(len(r)):
        for c in range(r.shape[1]):
            z[a, c] = r[a, c] / precision.diagonal[a]
    return z


@unchecked_kernel
def _beyond(precision: Precision, r: Floats) -> float:
    """max_v |r_v| / q_v, of all columns."""
    off = 0.0
    for a in range(len(r)):
        for c in range(r.shape[1]):
            off = max(off, abs(r[a, c]) / precision.precision[a])
    return off


_solve_columns = unchecked_kernel(
    conjugate_gradients(_times_columns, _by_diagonal, _dot_of_columns, _add_columns, _turn_columns, _beyond)
)


@unchecked_kernel
def solve(precision: Precision, b: Floats, aim: float, most: int) -> tuple[Floats, float]:
    """x (N, B), and how far an entry of it may be from Sigma b; that says whether `most` iterations sufficed."""
    return _solve_columns(precision, b, aim, most)


@kernel
def spread(precision: Precision, e: Floats, f: Floats) -> Floats:
    """(N, B) sqrt(q) e + R^T (sqrt(w) f), whose covariance is H where e (N, B) and f (K, B) are standard normal."""
    start, rival, weight, q, _ = precision
    b, k = np.empty(e.shape), 0
    for a in range(len(q)):
        b[a] = np.sqrt(q[a]) * e[a]
    for u in range(len(q)):
        for t in range(start[u], start[u + 1]):
            v = rival[t]
            if v > u:
                root = np.sqrt(weight[t])
                for c in range(len(b[u])):
                    b[u, c] += root * f[k, c]
                    b[v, c] -= root * f[k, c]
                k += 1
    return b
