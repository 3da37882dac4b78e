"""The maximum of a concave function of theta in R^P with gradient g and Hessian -H, by damped Newton steps.

    theta <- theta + t x,  H x = g        (GPM 4.1, PoE A.5; Boyd and Vandenberghe 2004, 9.5)
    t        the first of 1, 1/2, 1/4, ... after which x^T g is at least -OVERSHOT times what it was, or at least 0
             where an entry of x is above SHORT

A step that goes too far has x^T g below 0 at its end: the slope along it says so as well as the value does (the half of
the strong Wolfe conditions that long steps break; Nocedal and Wright 2006, 3.1), and needs no logarithm. A short step
that ends a little beyond the top has risen all the same; a long one from where weights are nearly 0 may have fallen.
Where x^T g < LEAST_SLOPE at the start, about twice what is left to rise, rounding would decide: the full step stands.

The end knows no scale of weights, scores or priors. With the decrement lambda^2 = x^T g, |x_i| <= lambda sd_i, by
Cauchy and Schwarz in the norm of H: at lambda <= CLOSE no parameter is farther than that many of its posterior sds from
where it should be. Where rounding comes before that, lambda no longer halves; then ENOUGH is enough.

Where H is only multiplied by, H x = b is solved by preconditioned conjugate gradients (Hestenes and Stiefel 1952), a
Newton step to a residual that shrinks with the decrement, so that Newton's convergence stays quadratic.
"""

from collections.abc import Callable
from functools import partial
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from app.inference.types import Convergence, Floats, Outcome

MAX_ITERATIONS = 100
OVERSHOT, SHORT = 0.1, 2.0
LEAST_SLOPE = 1e-9
CLOSE, ENOUGH = 1e-9, 1e-4  # posterior sds
SHORTEST = 1e-8  # t
TINY = 1e-300  # r^T z of what is solved exactly
LEAST_PRECISE = 0.1  # residual of a step over g, both in the norm of M
BELOW = 0.3  # residual of the last step over the decrement that is wanted

H = TypeVar("H")  # what H is made of, such as the weights of rows
Product = Callable[[Floats], Floats]
_dot = partial(np.einsum, "p...,p...->...")  # x^T y, of each column if there are any


class Maximum(NamedTuple, Generic[H]):
    theta: Floats  # (P,)
    weights: H  # what H is made of, where the last step began
    convergence: Convergence


def maximum(
    evaluate: Callable[[Floats], tuple[Floats, H]],
    solve: Callable[[H, Floats], Floats],
    start: Floats,
    close: float = CLOSE,
) -> Maximum[H]:
    """The maximum, from `start` (P,) on; `close` is the decrement at which the last step is taken.

    Args: `evaluate` gives the gradient (P,) and what H is made of, at theta; `solve` H^-1 g, from that and g.
    """
    theta, before = start, np.inf
    gradient, weights = evaluate(theta)
    for iteration in range(MAX_ITERATIONS + 1):
        norm = float(np.abs(gradient).max(initial=0.0))
        if not len(theta):
            return Maximum(theta, weights, Convergence(Outcome.CONVERGED, 0, norm))
        step, t = solve(weights, gradient), 1.0
        slope = float(gradient @ step)
        is_rounded = slope <= ENOUGH**2 and slope > 0.25 * before
        if abs(slope) <= close**2 or is_rounded:
            return Maximum(theta + step, weights, Convergence(Outcome.CONVERGED, iteration, norm))
        if not np.isfinite(slope) or iteration == MAX_ITERATIONS:
            break
        before, overshot = slope, OVERSHOT if np.abs(step).max() <= SHORT else 0.0
        gradient, weights = evaluate(theta + step)
        while gradient @ step < -overshot * slope and slope >= LEAST_SLOPE and t > SHORTEST:
            t *= 0.5
            gradient, weights = evaluate(theta + t * step)
        theta = theta + t * step
    outcome = Outcome.MAX_ITERATIONS if np.isfinite(norm) else Outcome.NOT_FINITE
    return Maximum(theta, weights, Convergence(outcome, iteration, norm))


def conjugate_gradients(
    times: Product, precondition: Product, b: Floats, is_close: Callable[[Floats, Floats], bool], most: int
) -> Floats:
    """x with H x = b, (P,), or (P, B) to solve for B columns at once, in at most `most` iterations.

    Args: `times` is H x, `precondition` M r, and `is_close` whether to stop, by r and r^T M r of each column.
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


def newton_step(times: Product, precondition: Product, gradient: Floats, close: float = CLOSE) -> Floats:
    """x with H x = g, shape (P,), by conjugate gradients. Args: `close` as of `maximum`."""
    square = float(gradient @ precondition(gradient))
    decrement = np.sqrt(max(square, TINY))  # about
    share = min(LEAST_PRECISE, max(decrement / np.sqrt(len(gradient)), BELOW * close / decrement))
    aim = share**2 * square
    return conjugate_gradients(times, precondition, gradient, lambda _, now: bool(now <= aim), 10 * len(gradient))
