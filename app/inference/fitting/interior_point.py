"""The maximum of L(theta) where the expert has a kink, l(d) = -b |t - d|: a quadratic program, by an interior point.

With Q and h the prior's precision and pull, c_k = b weight_k, and a slope u_k in [-c_k, c_k], theta is the maximum
where (PoE-v1 App. B, with a Gaussian prior)

    Q theta = R^T u + h
    t - R theta = over - under,   over (c - u) = 0,   under (c + u) = 0,   all four factors >= 0

Mehrotra's predictor and corrector (1992) follow the products from a positive mean down to 0. A step solves
(Q + R^T D R) x = y for D = 1 / (over / (c - u) + under / (c + u)): a Newton step under curvatures D.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve

from app.inference.core.design import Design
from app.inference.core.edges import Edges, p_of
from app.inference.core.maximum import Maximum
from app.inference.fitting.model import Model
from app.inference.types import Convergence, Floats, Outcome

MAX_ITERATIONS = 200
TOLERANCE = 1e-10  # on tau2 * |g|_inf, which bounds the error of every score under the unit prior
KINK_TOLERANCE = 1e-9  # on how far any comparison is from its kink, or its slope from the end that holds off it
HEAVIEST = 1e13  # times the least precision of the prior: beyond it the prior is lost in rounding
EXHAUSTED = 1e-24  # of the mean product: past it only rounding moves
SHORT_OF_THE_EDGE = 0.99
SIGN = np.array([[1.0], [-1.0]])


class _Point(NamedTuple):
    """A point, or the way from it."""

    theta: Floats  # (P,)
    gap: Floats  # (2, K) over, under
    slack: Floats  # (2, K) c - u, c + u


def solve(start: Floats, edges: Edges, model: Model) -> Maximum[Floats]:
    """The maximum, where no entry of the gradient is above a tolerance and the rounding of its sum, and w there.

    Each term is rounded to the sum so far, and terms alike are rounded alike: that grows with rows times weight.

    Args: at least one edge, of one comparison each.
    """
    kink, prior, design = model.expert.kink, model.prior, edges.design
    assert kink is not None
    at, steepest = kink.at(p_of(edges)), kink.steepest * edges.votes
    distance = at - design.differences(start)
    gap = np.maximum(SIGN * distance, 0.0) + np.abs(distance).mean() + 1e-3
    rows, weight = (design.information(each) for each in (np.ones(edges.size), steepest))
    tolerance = TOLERANCE / max(prior.variance, 1.0 if model.size > model.n else 0.0)
    tolerance += 1e-15 * float(((1.0 + 0.1 * rows) * (1.0 + 0.1 * weight)).max())
    point, iterations = _Point(start, gap, np.tile(steepest, (2, 1))), 0
    while True:
        slope = 0.5 * (point.slack[1] - point.slack[0])
        distance = at - design.differences(point.theta)
        gradient = design.scatter(slope) + prior.pull - prior.precision * point.theta
        norm = float(np.abs(gradient).max())
        to_kink = float(np.abs(slope - np.clip(slope + distance, -steepest, steepest)).max())
        converged = to_kink <= KINK_TOLERANCE and norm <= tolerance
        if converged or iterations == MAX_ITERATIONS or not (point.gap * point.slack).mean() > EXHAUSTED:
            break
        residual = distance - (SIGN * point.gap).sum(axis=0)
        try:
            point, iterations = _step(point, gradient, residual, edges.design, model), iterations + 1
        except np.linalg.LinAlgError:
            break
    outcome = Outcome.MAX_ITERATIONS if np.isfinite(norm + to_kink) else Outcome.NOT_FINITE
    convergence = Convergence(Outcome.CONVERGED if converged else outcome, iterations, norm)
    weights = edges.votes * model.expert.curvature(design.differences(point.theta), p_of(edges))
    return Maximum(point.theta, weights, convergence)


def _step(point: _Point, gradient: Floats, residual: Floats, design: Design, model: Model) -> _Point:
    """One predictor and corrector on. Raises numpy.linalg.LinAlgError.

    Args: `gradient` (P,) and `residual` (K,) are by how much `point` misses the linear conditions.
    """
    theta, gap, slack = point
    light = 1.0 / (HEAVIEST * float(model.prior.precision.min()))
    weights = 1.0 / ((gap / slack).sum(axis=0) + light)
    factor = np.linalg.cholesky(design.precision(weights, model.prior.precision))

    def towards(change: Floats) -> tuple[_Point, float]:
        """The way on which gap times slack changes by `change` (2, K) and nothing is missing any more.

        And the longest share of it that keeps gap and slack from falling below 0; whole steps are enough.
        """
        short = residual - (SIGN * change / slack).sum(axis=0)
        along = cho_solve((factor, True), gradient + design.scatter(weights * short))
        slope = weights * (short - design.times(along))
        way = _Point(along, (change + SIGN * gap * slope) / slack, -SIGN * slope)
        fall = max(float((-way.gap / gap).max()), float((-way.slack / slack).max()))
        return way, 1.0 / max(fall, SHORT_OF_THE_EDGE)

    product, mean = gap * slack, float((gap * slack).mean())
    guess, longest = towards(-product)
    after = float(((gap + longest * guess.gap) * (slack + longest * guess.slack)).mean())
    way, longest = towards(mean * (after / mean) ** 3 - product - guess.gap * guess.slack)
    share = min(SHORT_OF_THE_EDGE * longest, 1.0)
    return _Point(theta + share * way.theta, gap + share * way.gap, slack + share * way.slack)
