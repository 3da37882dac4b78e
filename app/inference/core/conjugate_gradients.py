"""H x = b by preconditioned conjugate gradients (Hestenes and Stiefel 1952): the one loop, for every H.

    x <- x + t p,   r <- r - t H p        t = r^T z / p^T H p,  z = M r with M close to H^-1
    p <- z + (r^T z / r^T z before) p     until r is small

A Newton step is solved to a residual that shrinks with the decrement, so that Newton's convergence stays quadratic.
"""

from collections.abc import Callable

import numpy as np

from app.inference.types import Floats

TINY = 1e-300  # r^T z of what is solved exactly
LEAST_PRECISE = 0.1  # residual of a step over g, both in the norm of M
BELOW = 0.3  # residual of the last step over the decrement that is wanted

Product = Callable[[Floats], Floats]


def conjugate_gradients(
    times: Product, precondition: Product, b: Floats, is_close: Callable[[Floats, Floats], bool], most: int
) -> Floats:
    """x, of the shape of b: (P,), or (P, B) to solve for B columns at once, which share every look at H.

    Args:
        times, precondition: H x and M r.
        is_close: whether to stop, given the residual r and r^T M r of each column.
        most: iterations.
    """
    x, residual = np.zeros_like(b), b.copy()
    direction = towards = precondition(residual)
    square = _dot(residual, towards) + TINY
    for _ in range(most):
        if is_close(residual, square):
            break
        product = times(direction)
        step = square / (_dot(direction, product) + TINY)
        x += step * direction
        residual -= step * product
        towards = precondition(residual)
        before, square = square, _dot(residual, towards) + TINY
        direction = towards + (square / before) * direction
    return x


def newton_step(times: Product, precondition: Product, gradient: Floats, close: float) -> Floats:
    """x with H x = g, shape (P,). Args: `close` is the decrement that is wanted in the end (maximum.py)."""
    square = float(gradient @ precondition(gradient))
    decrement = np.sqrt(max(square, TINY))  # about
    share = min(LEAST_PRECISE, max(decrement / np.sqrt(len(gradient)), BELOW * close / decrement))
    aim = share**2 * square
    return conjugate_gradients(times, precondition, gradient, lambda _, now: bool(now <= aim), 10 * len(gradient))


def _dot(x: Floats, y: Floats) -> Floats:
    """x^T y, of each column if there are any."""
    return np.asarray(np.einsum("p...,p...->...", x, y))
