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
from math import isfinite
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from app.inference.fitting import interior_point
from app.inference.fitting.model import Fit, Model, bias_places, differences, hessian, information, scatter
from app.inference.kernels import bradley_terry, comparison_graph, contiguous
from app.inference.kernels.bradley_terry import FEW, Votes, maximiser
from app.inference.kernels.comparison_graph import LEAST_PRECISE, Graph
from app.inference.kernels.design import precision_times, shown
from app.inference.types import Comparisons, Convergence, Floats, Ints

NONE = np.empty(0)
TOLERANCE = 1e-10  # on tau2 * |g|_inf, which bounds the error of every score under the unit prior
THIN = 1e-5  # the same, from which on all scores move together
EFFORT = 0.2  # rivals visited before that, of all there are


class Objective(NamedTuple):
    """L, and how close to its maximum to go."""

    comparisons: Comparisons
    model: Model
    tolerance: float  # of |g|_inf


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None) -> Fit:
    """The MAP. Args: `start` (P,) is where to begin; zeros by default."""
    start = np.zeros(model.size) if start is None else contiguous(start)
    objective = Objective(comparisons, model, tolerance(comparisons, model))
    if model.expert.kink is not None and comparisons.size:
        return interior_point.solve(start, *objective)
    maximise = maximiser(evaluate, newton_step)
    if model.expert.as_soft_bt is not None and model.size > FEW:
        votes = votes_of(comparisons, model)
        if votes.are_without_biases and (on_graph := _fit_on_graph(votes, start, objective.tolerance)):
            return on_graph
        maximise = maximiser(lambda theta, _: bradley_terry.evaluate(theta, votes), newton_step)
    mean, g, w, iterations = maximise(objective, start, objective.tolerance)
    return Fit(mean, w, Convergence.of(float(np.abs(g).max()), iterations, objective.tolerance))


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


def _fit_on_graph(votes: Votes, start: Floats, aim: float) -> Fit | None:
    """`fit` to votes without biases; None where a score is too far from 0 or not finite."""
    first, second, _, _, p, measurement, weight, precision, pull = votes
    graph = comparison_graph.graph_of(first, second, p, measurement, weight, precision, pull, aim)
    if (fitted := climb(comparison_graph.with_room(graph), start)) is None:
        return None
    return fitted._replace(weights=comparison_graph.weights_of(fitted.mean, first, second, measurement, weight))


def climb(graph: Graph, start: Floats) -> Fit | None:
    """The MAP of a graph with room, where weights and H's diagonal then are; None where that is too far or not finite.

    The weights of the fit are those in its rows, (2K,).
    """
    maximise = maximiser(comparison_graph.evaluate, comparison_graph.newton_step)
    mean, g, weights, iterations = maximise(graph, start, graph.tolerance)
    norm = float(np.abs(g).max())
    return Fit(mean, weights, Convergence.of(norm, iterations, graph.tolerance)) if isfinite(norm) else None


def graph_of(comparisons: Comparisons, model: Model) -> Graph | None:
    """The comparisons as a graph, where a model of many candidates has nothing but votes."""
    if model.expert.as_soft_bt is None or model.size <= FEW:
        return None
    first, second, _, _, p, _, weight, precision, pull = votes = votes_of(comparisons, model)
    if not votes.are_all_there_is:
        return None
    aim = tolerance(comparisons, model)
    return comparison_graph.graph_of(first, second, p, NONE, weight, precision, pull, aim)


def settled(graph: Graph, mean: Floats, new: Comparisons, model: Model) -> tuple[Graph | None, Floats]:
    """The graph with new votes, and a start near its MAP, from the (N,) MAP before them; no graph unless all are votes.

    Conceptually: `graph_of` and `fit` of them all.
    """
    first, second, _, _, p, _, weight, precision, _ = votes = votes_of(new, model)
    if not votes.are_all_there_is:
        return None, mean
    after = comparison_graph.extended(graph, first, second, p, weight, graph.tolerance)
    after = after._replace(tolerance=_tolerance(np.diff(after.start), after.answers, model))
    who = np.unique(np.append(first, second))
    thin, effort = THIN * float(precision.min()), int(EFFORT * len(after.rival))
    return after, comparison_graph.settled(mean, after, who, thin, effort)


def log_posterior(theta: Floats, comparisons: Comparisons, model: Model) -> float:
    """L(theta), up to a constant."""
    d, prior = differences(theta, comparisons, model), model.prior
    log_likelihood = comparisons.weight @ model.expert.log_density(d, comparisons.p)
    return float(log_likelihood + theta @ (prior.pull - 0.5 * prior.precision * theta))


def evaluate(theta: Floats, objective: Objective) -> tuple[Floats, Floats]:
    """g (P,) and w (K,)."""
    comparisons, model, _ = objective
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
    comparisons, model, tolerance = objective
    if model.size <= FEW:
        _, step, failed = lapack.dposv(hessian(weights, comparisons, model), g, lower=1)
        if not failed:
            return np.asarray(step, dtype=np.float64)

    first, second, bias = contiguous(comparisons.first), contiguous(comparisons.second), bias_places(comparisons, model)

    def hessian_times(x: Floats) -> Floats:
        return precision_times(x, first, second, bias, weights, model.prior.precision)

    diagonal = model.prior.precision + information(weights, comparisons, model)
    return conjugate_gradients(hessian_times, diagonal, g, tolerance)


def conjugate_gradients(hessian_times: Callable[[Floats], Floats], diagonal: Floats, g: Floats, aim: float) -> Floats:
    """x with H x = g, shape (P,), to a residual that shrinks with |g|, so that Newton's convergence stays quadratic.

    Args:
        hessian_times: H x.
        diagonal: (P,) of H.
        aim: |g|_inf that is wanted in the end.
    """
    x, residual, direction = np.zeros_like(g), g, g / diagonal
    square, largest, rounds = g @ direction, np.abs(g).max(), 0
    enough = max(min(LEAST_PRECISE, np.sqrt(np.mean(g**2))) * largest, LEAST_PRECISE * aim)
    while largest > enough and rounds < 10 * len(g):
        product = hessian_times(direction)
        t = square / (direction @ product)
        x, residual, rounds = x + t * direction, residual - t * product, rounds + 1
        before, square, largest = square, residual @ (residual / diagonal), np.abs(residual).max()
        direction = residual / diagonal + square / before * direction
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
    return exactness + of_sums + 1e-14 * float(model.prior.precision.max(initial=0.0))
