"""The MAP parameters by damped Newton (GPM 4.1, PoE A.5). The loop itself: `maximiser` in kernels/bradley_terry.py.

Maximise over theta in R^P, with q the prior's precision and h its pull (model.py)

    L(theta) = sum_k c_k l(d_k) - sum_i (q_i theta_i^2 / 2 - h_i theta_i),    d = R theta

    gradient g = R^T c l'(d) + h - q theta
    Hessian -H,  H = diag(q) + R^T diag(w) R,  w = -c l''(d)

with c_k the comparison's weight: the same as if it stood there c_k times.

Laplace's approximation around the maximum mu is N(mu, H^-1). The prior makes H positive definite whatever the
comparisons are: none at all, islands, ties only, or one candidate that always wins.

    mu, w, g     Fit.mean, Fit.weights, gradient      (P,), (K,), (P,)
    l, l', -l''  expert.log_density, slope, curvature of (d, p), elementwise over (K,)
    c            comparisons.weight                   (K,)
"""

from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from app.inference.covariance import Covariance, times
from app.inference.fitting import interior_point
from app.inference.fitting.model import Fit, Model, bias_places, differences, hessian, information, scatter
from app.inference.kernels import bradley_terry, comparison_graph, contiguous
from app.inference.kernels.bradley_terry import Votes, maximiser
from app.inference.kernels.comparison_graph import LEAST_PRECISE, Graph
from app.inference.kernels.design import precision_times, shown
from app.inference.regimes import FACTORED
from app.inference.types import Comparisons, Convergence, Floats, Ints, take

NONE = np.empty(0)
TOLERANCE = 1e-10  # on tau2 * |g|_inf, which bounds the error of every score under the unit prior
EFFORT = 0.2  # rivals visited before that, of all there are
AFRESH = 10  # one in so many comparisons is new: all are put in rows again


class Objective(NamedTuple):
    """L, and how close to its maximum to go."""

    comparisons: Comparisons
    model: Model
    tolerance: float  # of |g|_inf
    near: Covariance | None = None  # close to H^-1


class Climbed(NamedTuple):
    """The MAP of comparisons in rows, which were evaluated there: H is in their room."""

    mean: Floats  # (N,)
    graph: Graph
    convergence: Convergence


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None, near: Covariance | None = None) -> Fit:
    """The MAP. Args: `start` (P,) is where to begin, zeros by default; `near` (P, P) is close to H^-1."""
    start = np.zeros(model.size) if start is None else contiguous(start)
    if model.expert.kink is not None and comparisons.size:
        return interior_point.solve(start, comparisons, model, tolerance(comparisons, model))
    maximise = maximiser(evaluate, newton_step)
    if model.expert.as_soft_bt is not None and model.size > FACTORED:
        votes = votes_of(comparisons, model)
        if climbed := climb(votes, model, start):
            return _in_their_order(climbed, votes)
        maximise = maximiser(lambda theta, _: bradley_terry.evaluate(theta, votes), newton_step)
    aim = tolerance(comparisons, model)
    mean, g, w, iterations = maximise(Objective(comparisons, model, aim, near), start, aim)
    return Fit(mean, w, Convergence.of(float(np.abs(g).max()), iterations, aim))


def fit_in_rows(
    comparisons: Comparisons, model: Model, *, start: Floats, before: Graph | None = None
) -> Climbed | None:
    """The MAP of comparisons that can stand in rows.

    Args:
        start: (N,) is where to begin.
        before: the first comparisons in rows, whose MAP `start` is.
    """
    if model.expert.as_soft_bt is None or model.size <= FACTORED:
        return None
    if before is None or comparisons.size < AFRESH * (comparisons.size - before.size):
        return climb(votes_of(comparisons, model), model, start)
    return climb(votes_of(take(comparisons, slice(before.size, None)), model), model, start, before)


def votes_of(comparisons: Comparisons, model: Model) -> Votes:
    """The arrays that kernels read, of an expert that is soft-bt."""
    assert model.expert.as_soft_bt is not None
    p, measure = model.expert.as_soft_bt(comparisons.p), model.expert.measurement
    measurement = NONE if measure is None else measure(p)
    return Votes(
        contiguous(comparisons.first),
        contiguous(comparisons.second),
        bias_places(comparisons, model),
        NONE if model.known_biases is None else model.known_biases[comparisons.judge],
        contiguous(p),
        NONE if np.isnan(measurement).all() else measurement,
        contiguous(comparisons.weight),
        contiguous(model.prior.precision),
        contiguous(model.prior.pull),
    )


def climb(votes: Votes, model: Model, start: Floats, before: Graph | None = None) -> Climbed | None:
    """The MAP by the graph of comparisons; None with biases, and where a score is too far from 0 or not finite.

    Args: the votes come behind those of `before`, whose MAP is `start`; of these, the ones whom they concern are
        settled before all are looked at.
    """
    first, second, bias, known_bias, p, measurement, weight, precision, pull = votes
    if len(bias) + len(known_bias):
        return None
    if before is None:
        graph = comparison_graph.graph_of(first, second, p, measurement, weight, precision, pull)
    else:
        graph = comparison_graph.extended(before, first, second, p, measurement, weight)
        who, thin = np.unique(np.append(first, second)), float(precision.min()) / model.n
        start = comparison_graph.settled(start, graph, who, thin, int(EFFORT * len(graph.rival)))
    aim = _tolerance(np.diff(graph.start), graph.answers, model)
    graph = comparison_graph.with_room(graph._replace(tolerance=aim))
    mean, g, _, iterations = maximiser(comparison_graph.evaluate, comparison_graph.newton_step)(graph, start, aim)
    norm = float(np.abs(g).max())
    return Climbed(mean, graph, Convergence.of(norm, iterations, aim)) if isfinite(norm) else None


def _in_their_order(climbed: Climbed, votes: Votes) -> Fit:
    mean, _, convergence = climbed
    weights = comparison_graph.weights_of(mean, votes.first, votes.second, votes.measurement, votes.weight)
    return Fit(mean, weights, convergence)


def log_posterior(theta: Floats, comparisons: Comparisons, model: Model) -> float:
    """L(theta), up to a constant."""
    d, prior = differences(theta, comparisons, model), model.prior
    log_likelihood = comparisons.weight @ model.expert.log_density(d, comparisons.p)
    return float(log_likelihood + theta @ (prior.pull - 0.5 * prior.precision * theta))


def evaluate(theta: Floats, objective: Objective) -> tuple[Floats, Floats]:
    """g (P,) and w (K,)."""
    comparisons, model = objective.comparisons, objective.model
    d = differences(theta, comparisons, model)
    return gradient(theta, d, comparisons, model), comparisons.weight * model.expert.curvature(d, comparisons.p)


def gradient(theta: Floats, d: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """g, shape (P,), at these differences d."""
    slope = comparisons.weight * model.expert.slope(d, comparisons.p)
    return scatter(slope, comparisons, model) + model.prior.pull - model.prior.precision * theta


def weights(theta: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """w, shape (K,)."""
    return comparisons.weight * model.expert.curvature(differences(theta, comparisons, model), comparisons.p)


def newton_step(weights: Floats, g: Floats, objective: Objective) -> Floats:
    """x with H x = g, shape (P,).

    For few parameters by a Cholesky factor of H, else by conjugate gradients, which need no H.
    """
    comparisons, model, tolerance, near = objective
    if model.size <= FACTORED:
        _, step, failed = lapack.dposv(hessian(weights, comparisons, model), g, lower=1)
        if not failed:
            return np.asarray(step, dtype=np.float64)

    first, second, bias = contiguous(comparisons.first), contiguous(comparisons.second), bias_places(comparisons, model)

    def hessian_times(x: Floats) -> Floats:
        return precision_times(x, first, second, bias, weights, model.prior.precision)

    if near is not None:
        return conjugate_gradients(hessian_times, partial(times, near), g, tolerance)
    diagonal = model.prior.precision + information(weights, comparisons, model)
    return conjugate_gradients(hessian_times, lambda x: x / diagonal, g, tolerance)


def conjugate_gradients(
    hessian_times: Callable[[Floats], Floats], precondition: Callable[[Floats], Floats], g: Floats, aim: float
) -> Floats:
    """x with H x = g, shape (P,), to a residual that shrinks with |g|, so that Newton's convergence stays quadratic.

    Args:
        hessian_times: H x.
        precondition: the product with what is close to H^-1.
        aim: |g|_inf that is wanted in the end.
    """
    x, residual, direction = np.zeros_like(g), g, precondition(g)
    square, largest, rounds = g @ direction, np.abs(g).max(), 0
    enough = max(min(LEAST_PRECISE, np.sqrt(np.mean(g**2))) * largest, LEAST_PRECISE * aim)
    while largest > enough and rounds < 10 * len(g):
        product = hessian_times(direction)
        t = square / (direction @ product)
        x, residual, rounds = x + t * direction, residual - t * product, rounds + 1
        towards = precondition(residual)
        before, square, largest = square, residual @ towards, np.abs(residual).max()
        direction = towards + square / before * direction
    return x


def tolerance(comparisons: Comparisons, model: Model) -> float:
    """The bound on |g|_inf: what the widest prior asks for, and the rounding of sums of so many terms.

    A bias is known from verdicts, each worth about one: its vague prior asks for nothing. Each term is rounded to the
    sum so far, and terms alike are rounded alike: the error grows with rows times votes.
    """
    rows, votes = shown(
        contiguous(comparisons.first), contiguous(comparisons.second), contiguous(comparisons.weight), model.n
    )
    return _tolerance(rows, votes, model)


def _tolerance(rows: Floats | Ints, votes: Floats, model: Model) -> float:
    """`tolerance` where candidates are in so many rows, which stand for so many votes."""
    exactness = TOLERANCE / max(model.prior.variance, 1.0 if model.has_biases else 0.0)
    of_sums = 1e-15 * float(((1.0 + 0.1 * rows) * (1.0 + 0.1 * votes)).max(initial=0.0))
    return exactness + of_sums + 1e-14 * float(model.prior.precision[: model.n].max(initial=0.0))
