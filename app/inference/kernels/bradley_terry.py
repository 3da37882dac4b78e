"""The damped Newton loop, and Bradley-Terry with few parameters, whose fit is compiled with it as a whole.

The maximum of a concave function of theta in R^P, with gradient g and Hessian -H (Boyd and Vandenberghe 2004, 9.5):

    theta <- theta + t x,  H x = g   until no entry of g is above the tolerance, or x^T g <= CLOSE^2
    t        the first of 1, 1/2, 1/4, ... after which x^T g is at least -OVERSHOT times what it was, or at least 0
             where an entry of x is above SHORT

A step that goes too far has x^T g below 0 at its end: the slope along it says so as well as the value does (the half of
the strong Wolfe conditions that long steps break; Nocedal and Wright 2006, 3.1), and needs no logarithm. A short step
that ends a little beyond the top has risen all the same. A long one from where verdicts are nearly certain, and weights
nearly 0, may have passed the top at its beginning and have fallen ever since, however gently. Where
x^T g < LEAST_SLOPE at the start, about twice what is left to rise, rounding would decide, and the full step stands.

As |x_i| <= sqrt(x^T g) sd_i, no parameter is then farther from its maximum than CLOSE of its posterior sd, whatever the
scale. Where thousands of precise verdicts meet in one entry of g, rounding alone may hold that above any tolerance, and
rarely, with weights of a million, x^T g too: after PATIENT iterations ENOUGH is enough.

`maximiser` is plain Python: fitting/newton.py runs it as it stands, for any expert and size; here numba compiles it.

The equations and signs of `fit` are those of newton.py, soft_bt.py and measured_bt.py. Its slow formula is newton.fit,
then the inverse of hessian. What is not finite or not positive definite comes back as such: whoever calls it then goes
the slow way.

    theta, w, g      theta, weights, gradient       (P,), (K,), (P,)
    H = U^T U        cholesky_of_hessian: U         (P, P)
    the votes        Votes                          (K,) each, and the prior (P,)
"""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from app.inference.experts import Expert
from app.inference.kernels import kernel
from app.inference.regimes import FACTORED
from app.inference.types import Floats, Ints

MAX_ITERATIONS = 100
OVERSHOT, SHORT = 0.1, 2.0
LEAST_SLOPE = 1e-9
CLOSE, ENOUGH = 1e-10, 1e-4  # posterior sds
PATIENT = 20
SHORTEST = 1e-8  # t

Objective = TypeVar("Objective")


def maximiser(
    evaluate: Callable[[Floats, Objective], tuple[Floats, Floats]],
    newton_step: Callable[[Floats, Floats, Objective], Floats],
) -> Callable[[Objective, Floats, float], tuple[Floats, Floats, Floats, int]]:
    """The loop above for objectives of one kind; a closure, since no kernel that is handed functions can be cached.

    Args:
        evaluate: the gradient (P,) and the weights (K,) that H is made of, from theta and what is maximised.
        newton_step: H^-1 g, from the weights, g and what is maximised.
    """

    def maximise(objective: Objective, start: Floats, tolerance: float) -> tuple[Floats, Floats, Floats, int]:
        """The maximum from `start` on, the gradient and the weights there, and the iterations."""
        theta, iterations = start, 0
        gradient, weights = evaluate(theta, objective)
        while gradient.size > 0 and np.abs(gradient).max() > tolerance and iterations < MAX_ITERATIONS:
            step, t = newton_step(weights, gradient, objective), 1.0
            slope = np.sum(gradient * step)
            if 0.0 < slope <= (CLOSE if iterations < PATIENT else ENOUGH) ** 2:
                break
            overshot = OVERSHOT if np.abs(step).max() <= SHORT else 0.0
            gradient, weights = evaluate(theta + step, objective)
            while np.sum(gradient * step) < -overshot * slope and slope >= LEAST_SLOPE and t > SHORTEST:
                t *= 0.5
                gradient, weights = evaluate(theta + t * step, objective)
            theta, iterations = theta + t * step, iterations + 1
        return theta, gradient, weights, iterations

    return maximise


class Votes(NamedTuple):
    """Arrays that soft-bt is fitted to."""

    first: Ints  # (K,)
    second: Ints  # (K,)
    bias: Ints  # (K,) place of the judge's bias among the parameters; (0,) where there is none
    known_bias: Floats  # (K,) of the judge where it is no parameter; (0,) where there is none
    p: Floats  # (K,)
    measurement: (
        Floats  # (K,) y of a comparison that measures d (measured_bt.py), NaN where it is a vote; (0,) if all are
    )
    weight: Floats  # (K,)
    precision: Floats  # (P,) of the prior
    pull: Floats  # (P,)


def serves(expert: Expert, parameters: int) -> bool:
    """True where the kernels know the expert and are quicker than numpy."""
    return expert.as_soft_bt is not None and parameters <= FACTORED


@kernel
def evaluate(theta: Floats, votes: Votes) -> tuple[Floats, Floats]:
    """The gradient (P,) and the weights (K,)."""
    first, second, bias, known_bias, p, measurement, weight, precision, pull = votes
    gradient, weights = pull - precision * theta, np.empty(len(p))
    for k in range(len(p)):
        i, j = first[k], second[k]
        d = theta[i] - theta[j]
        if len(bias):
            d += theta[bias[k]]
        if len(known_bias):
            d += known_bias[k]
        if not len(measurement) or math.isnan(measurement[k]):
            e = math.exp(-abs(d))
            weights[k] = weight[k] * e / (1.0 + e) ** 2
            slope = weight[k] * (p[k] - (1.0 if d > 0.0 else e) / (1.0 + e))
        else:
            slope = weight[k] * (measurement[k] - d)
            weights[k] = weight[k]
        gradient[i] += slope
        gradient[j] -= slope
        if len(bias):
            gradient[bias[k]] += slope
    return gradient, weights


@kernel
def newton_step(weights: Floats, gradient: Floats, votes: Votes) -> Floats:
    """x with U^T U x = g, shape (P,)."""
    upper, x = cholesky_of_hessian(weights, votes), gradient.copy()
    for k in range(len(x)):
        x[k] /= upper[k, k]
        for i in range(k + 1, len(x)):
            x[i] -= upper[k, i] * x[k]
    for k in range(len(x) - 1, -1, -1):
        for i in range(k + 1, len(x)):
            x[k] -= upper[k, i] * x[i]
        x[k] /= upper[k, k]
    return x


@kernel
def cholesky_of_hessian(weights: Floats, votes: Votes) -> Floats:
    """U, (P, P), in the upper triangle, with U^T U = H = diag(q) + R^T diag(weights) R."""
    first, second, bias, _, _, _, _, precision, _ = votes
    h = np.diag(precision)
    for k in range(len(weights)):
        i, j, w = first[k], second[k], weights[k]
        h[i, i] += w
        h[j, j] += w
        h[min(i, j), max(i, j)] -= w
        if len(bias):
            b = bias[k]
            h[b, b] += w
            h[i, b] += w
            h[j, b] -= w
    for k in range(len(h)):
        h[k, k] = math.sqrt(h[k, k])
        for j in range(k + 1, len(h)):
            h[k, j] /= h[k, k]
        for i in range(k + 1, len(h)):
            for j in range(i, len(h)):
                h[i, j] -= h[k, i] * h[k, j]
    return h


maximise = kernel(maximiser(evaluate, newton_step))


@kernel
def fit(
    first: Ints,
    second: Ints,
    bias: Ints,
    known_bias: Floats,
    p: Floats,
    measurement: Floats,
    weight: Floats,
    precision: Floats,
    pull: Floats,
    start: Floats,
    tolerance: float,
) -> tuple[Floats, Floats, float, Floats, int, float]:
    """The mean (P,), Sigma (P, P), its ln det, the weights (K,), the iterations and the gradient norm of soft-bt.

    Args: those of Votes.
    """
    votes = Votes(
        first=first,
        second=second,
        bias=bias,
        known_bias=known_bias,
        p=p,
        measurement=measurement,
        weight=weight,
        precision=precision,
        pull=pull,
    )
    theta, gradient, weights, iterations = maximise(votes, start, tolerance)
    upper = cholesky_of_hessian(weights, votes)
    log_det = -2.0 * np.log(np.diag(upper)).sum()
    return theta, inverse(upper), log_det, weights, iterations, np.abs(gradient).max()


@kernel
def inverse(upper: Floats) -> Floats:
    """(U^T U)^-1 = X^T X with X = U^-T, which is lower triangular; (P, P)."""
    x, product = np.eye(len(upper)), np.zeros(upper.shape)
    for i in range(len(x)):
        for k in range(i):
            for j in range(k + 1):
                x[i, j] -= upper[k, i] * x[k, j]
        for j in range(i + 1):
            x[i, j] /= upper[i, i]
    for k in range(len(x)):
        for i in range(k + 1):
            for j in range(k + 1):
                product[i, j] += x[k, i] * x[k, j]
    return product
