"""The MAP parameters by damped Newton (GPM 4.1, PoE A.5). The loop itself: `maximiser` in kernels/bradley_terry.py.

Maximise over theta in R^P, with q the prior's precision and h its pull (model.py)

    L(theta) = sum_k c_k l(d_k) - sum_i (q_i theta_i^2 / 2 - h_i theta_i),    d = R theta

    gradient g = R^T c l'(d) + h - q theta
    Hessian -H,  H = diag(q) + R^T diag(w) R,  w = -c l''(d)

with c_k the comparison's weight: the same as if it stood there c_k times.

Many candidates of soft-bt without biases stand in rows (graphs), where H x costs least; all else is summed over the
comparisons by their design.

Laplace's approximation around the maximum mu is N(mu, H^-1). The prior makes H positive definite whatever the
comparisons are: none at all, islands, ties only, or one candidate that always wins.

    mu, w, g     Fit.mean, Fit.weights, gradient      (P,), (K,), (P,)
    l, l', -l''  expert.log_density, slope, curvature of (d, p), elementwise over (K,)
    c            comparisons.weight                   (K,)
"""

from math import inf, isfinite
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from app.inference.fitting import interior_point
from app.inference.fitting.model import NONE, Model, bias_places, differences, hessian, information, scatter
from app.inference.gaussian import Covariance, DenseCovariance, plain
from app.inference.graphs import comparison_graph
from app.inference.graphs.comparison_graph import FARTHEST, Graph, Precision
from app.inference.graphs.conjugate_gradients import newton_step as newton_step_in_rows
from app.inference.graphs.conjugate_gradients import newton_step_by_products
from app.inference.kernels import bradley_terry, contiguous
from app.inference.kernels.bradley_terry import MAX_ITERATIONS, Votes, maximiser
from app.inference.kernels.design import precision_times
from app.inference.regimes import FACTORED
from app.inference.types import Comparisons, Convergence, Floats, take

TOLERANCE = 1e-10  # on tau2 * |g|_inf, which bounds the error of every score under the unit prior
REBUILD_AT = 10  # one in so many comparisons is new: all are put in rows again


class Fit(NamedTuple):
    """The maximum of the log posterior, and H there: by its weights, and as whatever else the fit has left it."""

    mean: Floats  # (P,)
    convergence: Convergence
    weights: Floats | None  # (K,) w; None where they stand in rows, by which not everybody asks for them (`weights_of`)
    graph: Graph | None = None  # the comparisons in rows, where they were fitted so
    precision: Precision | None = None  # H in rows, likewise, where these are in the order of the log: those of votes
    covariance: DenseCovariance | None = None  # H^-1


class Objective(NamedTuple):
    """L, and how close to its maximum to go."""

    comparisons: Comparisons
    model: Model
    tolerance: float  # of |g|_inf
    near: Covariance | None = None  # close to H^-1


class InRows(NamedTuple):
    """L of comparisons in rows."""

    graph: Graph
    precision: Precision  # H, where L was evaluated last
    tolerance: float


def fit(
    comparisons: Comparisons,
    model: Model,
    *,
    start: Floats | None = None,
    near: Covariance | None = None,
    before: Graph | None = None,
) -> Fit:
    """The MAP.

    Args:
        start: (P,) is where to begin, zeros by default.
        near: (P, P) is close to H^-1.
        before: the first comparisons in rows, whose MAP `start` is.
    """
    start = np.zeros(model.size) if start is None else contiguous(start)
    if model.expert.kink is not None and comparisons.size:
        mean, convergence = interior_point.solve(start, comparisons, model, tolerance(model))
        return Fit(mean, convergence, weights(mean, comparisons, model))
    if _stands_in_rows(model) and (in_rows := _fit_in_rows(comparisons, model, start, before)):
        return in_rows
    maximise, aim = maximiser(evaluate, newton_step), tolerance(model)
    if model.expert.as_soft_bt is not None and model.size > FACTORED and model.covariates is None:
        votes = votes_of(comparisons, model)
        maximise = maximiser(lambda theta, _: bradley_terry.evaluate(theta, votes), newton_step)
    mean, g, w, iterations = maximise(Objective(comparisons, model, aim, near), start, aim)
    return Fit(mean, ended(float(np.abs(g).max()), iterations, aim), w)


def fit_compiled(comparisons: Comparisons, model: Model, start: Floats | None = None) -> Fit | None:
    """`fit` and H^-1 by one call of a kernel; None where it does not serve, or is not finite or positive definite."""
    if model.covariates is not None or not bradley_terry.serves(model.expert, model.size):
        return None
    votes, aim = votes_of(comparisons, model), tolerance(model)
    start = np.zeros(model.size) if start is None else contiguous(start)
    mean, sigma, log_det, w, iterations, norm = bradley_terry.fit(*votes, start, aim)
    if not isfinite(log_det + norm):
        return None
    return Fit(mean, ended(norm, iterations, aim), w, covariance=plain(sigma, log_det))


def ended(norm: float, iterations: int, aim: float) -> Convergence:
    """The end of `maximiser`, which stops before its limit only where it is close enough."""
    return Convergence.of(norm, iterations, inf if iterations < MAX_ITERATIONS else aim)


def _stands_in_rows(model: Model) -> bool:
    has_scores_alone = model.covariates is None and not model.allows_for_biases
    return model.expert.as_soft_bt is not None and model.size > FACTORED and has_scores_alone


def _fit_in_rows(comparisons: Comparisons, model: Model, start: Floats, before: Graph | None) -> Fit | None:
    """The MAP by the graph of comparisons; None where a score is too far from 0 or not finite."""
    if before is not None and comparisons.size < REBUILD_AT * (comparisons.size - before.size):
        before = None
    rows = votes_of(take(comparisons, slice(before.size if before else 0, None)), model)
    answers = rows.first, rows.second, rows.p, rows.measurement, rows.weight
    if before is None:
        graph = comparison_graph.graph_of(*answers, rows.precision, rows.pull)
    else:
        graph = comparison_graph.extended(before, *answers)
    aim, precision = tolerance(model), comparison_graph.unevaluated(graph)
    mean, g, _, iterations = maximiser(evaluate_rows, step_in_rows)(InRows(graph, precision, aim), start, aim)
    norm, are_votes = float(np.abs(g).max()), bool((graph.middle == graph.start[1:]).all())
    if not isfinite(norm):
        return None
    return Fit(mean, ended(norm, iterations, aim), None, graph, precision if are_votes else None)


def evaluate_rows(s: Floats, objective: InRows) -> tuple[Floats, Floats]:
    return comparison_graph.evaluate(s, objective.graph, objective.precision), objective.precision.weight


def step_in_rows(_: Floats, g: Floats, objective: InRows) -> Floats:
    return newton_step_in_rows(objective.precision, g, objective.tolerance)


def votes_of(comparisons: Comparisons, model: Model) -> Votes:
    """The arrays that kernels read, of an expert that is soft-bt."""
    assert model.expert.as_soft_bt is not None
    p, measure = model.expert.as_soft_bt(comparisons.p), model.expert.measurement
    measurement = NONE if measure is None else measure(p)
    return Votes(
        first=contiguous(comparisons.first),
        second=contiguous(comparisons.second),
        bias=bias_places(comparisons, model),
        known_bias=NONE if model.known_biases is None else model.known_biases[comparisons.judge],
        p=contiguous(p),
        measurement=NONE if np.isnan(measurement).all() else measurement,
        weight=contiguous(comparisons.weight),
        precision=contiguous(model.prior.precision),
        pull=contiguous(model.prior.pull),
    )


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


def weights_of(fitted: Fit, comparisons: Comparisons, model: Model) -> Floats:
    """w (K,) at the mean, in the order of the log."""
    return weights(fitted.mean, comparisons, model) if fitted.weights is None else fitted.weights


def weights(theta: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """w, shape (K,)."""
    if _stands_in_rows(model) and np.abs(theta).max(initial=0.0) <= FARTHEST:
        first, second, p, _, weight = comparisons
        return comparison_graph.weights_of(
            contiguous(theta),
            contiguous(first),
            contiguous(second),
            contiguous(p),
            contiguous(weight),
            model.expert.measurement is not None,
        )
    return comparisons.weight * model.expert.curvature(differences(theta, comparisons, model), comparisons.p)


def newton_step(weights: Floats, g: Floats, objective: Objective) -> Floats:
    """x with H x = g, shape (P,), to a residual that shrinks with |g|, so that Newton's convergence stays quadratic.

    For few parameters, or with covariates, by a Cholesky factor of H, else by conjugate gradients, which need no H.
    """
    comparisons, model, tolerance, near = objective
    if model.size <= FACTORED or model.covariates is not None:
        _, step, failed = lapack.dposv(hessian(weights, comparisons, model), g, lower=1)
        if not failed:
            return np.asarray(step, dtype=np.float64)
    first, second, bias = contiguous(comparisons.first), contiguous(comparisons.second), bias_places(comparisons, model)

    def hessian_times(x: Floats) -> Floats:
        return precision_times(x, first, second, bias, weights, model.prior.precision)

    if near is not None and near.has_matrix:
        return newton_step_by_products(hessian_times, near.times, g, tolerance)
    diagonal = model.prior.precision + information(weights, comparisons, model)
    return newton_step_by_products(hessian_times, lambda r: r / diagonal, g, tolerance)


def tolerance(model: Model) -> float:
    """The bound on |g|_inf that the widest prior asks for, where rounding allows it (`maximiser`).

    A bias or an effect is known from verdicts, each of about one vote: its prior asks for nothing.
    """
    return TOLERANCE / max(model.prior.variance, 1.0 if model.size > model.n else 0.0)
