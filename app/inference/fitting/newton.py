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
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.sparse.linalg import LinearOperator, cg

from app.inference.fitting import interior_point
from app.inference.fitting.model import Fit, Model, design_times, differences, hessian, information, scatter
from app.inference.kernels.bradley_terry import FEW, maximiser
from app.inference.types import Comparisons, Convergence, Floats

TOLERANCE = 1e-10  # on tau2 * |g|_inf, which bounds the error of every score under the unit prior


class Objective(NamedTuple):
    """L, and how close to its maximum to go."""

    comparisons: Comparisons
    model: Model
    tolerance: float  # of |g|_inf


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None) -> Fit:
    """The MAP. Args: `start` (P,) is where to begin; zeros by default."""
    start = np.zeros(model.size) if start is None else start
    objective = Objective(comparisons, model, tolerance(comparisons, model))
    if model.expert.kink is not None and comparisons.size:
        return interior_point.solve(start, *objective)
    mean, g, w, iterations = maximiser(evaluate, newton_step)(objective, start, objective.tolerance)
    return Fit(mean, w, Convergence.of(float(np.abs(g).max()), iterations, objective.tolerance))


def evaluate(theta: Floats, objective: Objective) -> tuple[float, Floats, Floats]:
    """L(theta) up to a constant, g (P,) and w (K,)."""
    comparisons, model, _ = objective
    d, prior = differences(theta, comparisons, model), model.prior
    log_likelihood = comparisons.weight @ model.expert.log_density(d, comparisons.p)
    log_prior = theta @ (prior.pull - 0.5 * prior.precision * theta)
    g = gradient(theta, d, comparisons, model)
    return float(log_likelihood + log_prior), g, comparisons.weight * model.expert.curvature(d, comparisons.p)


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

    def hessian_times(x: Floats) -> Floats:
        return model.prior.precision * x + scatter(weights * design_times(x, comparisons, model), comparisons, model)

    diagonal = model.prior.precision + information(weights, comparisons, model)
    return conjugate_gradients(hessian_times, diagonal, g, tolerance)


def conjugate_gradients(hessian_times: Callable[[Floats], Floats], diagonal: Floats, g: Floats, aim: float) -> Floats:
    """x with H x = g, shape (P,), to a residual that shrinks with |g|, so that Newton's convergence stays quadratic.

    Args:
        hessian_times: H x.
        diagonal: (P,) of H.
        aim: |g|_inf that is wanted in the end.
    """
    shape = (len(g), len(g))
    step, _ = cg(
        LinearOperator(shape, matvec=hessian_times, dtype=np.float64),
        g,
        rtol=min(0.1, float(np.linalg.norm(g))),
        atol=0.1 * aim,
        M=LinearOperator(shape, matvec=lambda x: x / diagonal, dtype=np.float64),
    )
    return np.asarray(step, dtype=np.float64)


def tolerance(comparisons: Comparisons, model: Model) -> float:
    """The bound on |g|_inf: what the widest prior asks for, and the rounding of sums of so many terms.

    A bias is known from verdicts, each worth about one: its vague prior asks for nothing. Each term is rounded to the
    sum so far, and terms alike are rounded alike: the error grows with rows times votes.
    """
    exactness = TOLERANCE / max(model.prior.variance, 1.0 if model.has_biases else 0.0)
    shown = np.concatenate([comparisons.first, comparisons.second])
    rows, votes = np.bincount(shown), np.bincount(shown, np.concatenate([comparisons.weight, comparisons.weight]))
    of_sums = 1e-15 * float(((1.0 + 0.1 * rows) * (1.0 + 0.1 * votes)).max(initial=0.0))
    return exactness + of_sums + 1e-14 * float(model.prior.precision.max(initial=0.0))
