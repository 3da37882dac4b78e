"""The maximum of L(theta) where the expert has a kink, l(d) = -b |t - d|: a quadratic program.

With Q and h the prior's precision and pull, c_k = b weight_k, and a slope u_k in [-c_k, c_k], theta is the maximum
where (PoE-v1 App. B, with a Gaussian prior)

    Q theta = R^T u + h
    t - R theta = over - under,   over (c - u) = 0,   under (c + u) = 0,   all four factors >= 0

Mehrotra's predictor and corrector (1992) follow the products from a positive mean down to 0. A step solves
(Q + R^T D R) x = y for D = 1 / (over / (c - u) + under / (c + u)): a Newton step under curvatures D.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from app.inference.fitting.model import Model, differences, hessian, scatter
from app.inference.types import Comparisons, Floats

MAX_ITERATIONS = 200
KINK_TOLERANCE = 1e-9  # on how far any comparison is from its kink, or its slope from the end that holds off it
HEAVIEST = 1e13  # times the least precision of the prior: beyond it the prior is lost in rounding
EXHAUSTED = 1e-24  # of the mean product: past it only rounding moves
SHORT_OF_THE_EDGE = 0.99
SIGN = np.array([[1.0], [-1.0]])


class Solution(NamedTuple):
    theta: Floats  # (P,)
    gradient: Floats  # (P,) at `theta`, from the slopes that were found
    to_kink: float  # what KINK_TOLERANCE is on
    iterations: int


class _Point(NamedTuple):
    """A point, or the direction from it."""

    theta: Floats  # (P,)
    gap: Floats  # (2, K) over, under
    slack: Floats  # (2, K) c - u, c + u


class _Problem(NamedTuple):
    comparisons: Comparisons
    model: Model
    at: Floats  # (K,) t
    steepest: Floats  # (K,) c


class _Missing(NamedTuple):
    """By how much a point misses the linear conditions."""

    gradient: Floats  # (P,)
    residual: Floats  # (K,)


def solve(theta: Floats, comparisons: Comparisons, model: Model, tolerance: float) -> Solution:
    """From `theta` until no entry of the gradient is above `tolerance`. Args: at least one comparison."""
    assert model.expert.kink is not None
    at, steepest = model.expert.kink.at(comparisons.p), model.expert.kink.steepest * comparisons.weight
    problem = _Problem(comparisons, model, at, steepest)
    point, iterations = _start(theta, problem), 0
    while True:
        slope = 0.5 * (point.slack[1] - point.slack[0])
        prior, distance = model.prior, at - differences(point.theta, comparisons, model)
        gradient = scatter(slope, comparisons, model) + prior.pull - prior.precision * point.theta
        to_kink = float(np.abs(slope - np.clip(slope + distance, -steepest, steepest)).max())
        done = to_kink <= KINK_TOLERANCE and float(np.abs(gradient).max()) <= tolerance
        if done or iterations == MAX_ITERATIONS or not (point.gap * point.slack).mean() > EXHAUSTED:
            return Solution(point.theta, gradient, to_kink, iterations)
        missing = _Missing(gradient, distance - (SIGN * point.gap).sum(axis=0))
        point, iterations = _step(point, missing, problem), iterations + 1


def _start(theta: Floats, problem: _Problem) -> _Point:
    distance = problem.at - differences(theta, problem.comparisons, problem.model)
    gap = np.maximum(SIGN * distance, 0.0) + np.abs(distance).mean() + 1e-3
    return _Point(theta, gap, np.tile(problem.steepest, (2, 1)))


def _step(point: _Point, missing: _Missing, problem: _Problem) -> _Point:
    comparisons, model = problem.comparisons, problem.model
    _, gap, slack = point
    light = 1.0 / (HEAVIEST * float(model.prior.precision.min()))
    weights = 1.0 / ((gap / slack).sum(axis=0) + light)
    factor = cho_factor(hessian(weights, comparisons, model), overwrite_a=True)

    def towards(product: Floats) -> _Point:
        """The direction in which gap times slack changes by `product` (2, K) and nothing is missing any more."""
        short = missing.residual - (SIGN * product / slack).sum(axis=0)
        theta = cho_solve(factor, missing.gradient + scatter(weights * short, comparisons, model))
        slope = weights * (short - differences(theta, comparisons, model))
        return _Point(theta, (product + SIGN * gap * slope) / slack, -SIGN * slope)

    product, mean = gap * slack, float((gap * slack).mean())
    guess = towards(-product)
    after = _moved(point, guess, _room(point, guess))
    target = mean * (float((after.gap * after.slack).mean()) / mean) ** 3
    step = towards(target - product - guess.gap * guess.slack)
    return _moved(point, step, min(SHORT_OF_THE_EDGE * _room(point, step), 1.0))


def _room(point: _Point, step: _Point) -> float:
    """The longest share of `step` that keeps gap and slack from falling below 0; whole steps are enough."""
    fall = max(float((-step.gap / point.gap).max()), float((-step.slack / point.slack).max()))
    return 1.0 / max(fall, SHORT_OF_THE_EDGE)


def _moved(point: _Point, step: _Point, share: float) -> _Point:
    return _Point(*(here + share * change for here, change in zip(point, step, strict=True)))
