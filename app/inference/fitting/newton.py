"""MAP parameters and the Laplace approximation around them (GPM 4.1, PoE A.5).

Maximise over theta in R^P, with q the prior's precision and h its pull (model.py)

    L(theta) = sum_k c_k l(d_k) - sum_i (q_i theta_i^2 / 2 - h_i theta_i),    d = R theta

    gradient g = R^T c l'(d) + h - q theta
    Hessian -H,  H = diag(q) + R^T diag(w) R,  w = -c l''(d)

with c_k the comparison's weight: the same as if it stood there c_k times.

Posterior: N(mu, Sigma) with Sigma = H^-1 at the maximum mu. The prior makes H positive definite whatever the
comparisons are: none at all, islands, ties only, or one candidate that always wins.
"""

from math import isfinite
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.sparse.linalg import LinearOperator, cg

from app.inference.covariance import Covariance, from_precision
from app.inference.fitting import interior_point
from app.inference.fitting.model import Model, differences, hessian, information, scatter
from app.inference.types import Comparisons, Convergence, Floats, Outcome

TOLERANCE = 1e-10  # on tau2 * |g|_inf, which bounds the error of every score under the unit prior
MAX_ITERATIONS = 100
FEW = 64  # parameters: forming H and its Cholesky factor is quicker than the steps of conjugate gradients


class Fit(NamedTuple):
    mean: Floats  # (P,)
    convergence: Convergence


def log_posterior(theta: Floats, comparisons: Comparisons, model: Model) -> float:
    """L(theta), up to a constant."""
    likelihood = comparisons.weight @ model.expert.log_density(differences(theta, comparisons, model), comparisons.p)
    return float(likelihood + theta @ (model.prior.pull - 0.5 * model.prior.precision * theta))


def gradient(theta: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """g, shape (P,)."""
    slope = model.expert.slope(differences(theta, comparisons, model), comparisons.p)
    return scatter(comparisons.weight * slope, comparisons, model) + model.prior.pull - model.prior.precision * theta


def weights(theta: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """w_k, shape (K,)."""
    return comparisons.weight * model.expert.curvature(differences(theta, comparisons, model), comparisons.p)


def precision(theta: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """H, shape (P, P), in Fortran order."""
    return hessian(weights(theta, comparisons, model), comparisons, model)


def is_small(g: Floats, comparisons: Comparisons, model: Model) -> bool:
    return bool(np.abs(g).max(initial=0.0) <= tolerance(comparisons, model))


def convergence(g: Floats, iterations: int, comparisons: Comparisons, model: Model) -> Convergence:
    return ended(float(np.abs(g).max(initial=0.0)), iterations, tolerance(comparisons, model))


def ended(norm: float, iterations: int, tolerance: float) -> Convergence:
    """Args: `norm` is |g|_inf."""
    if not isfinite(norm):
        return Convergence(Outcome.NOT_FINITE, iterations, norm)
    return Convergence(Outcome.CONVERGED if norm <= tolerance else Outcome.MAX_ITERATIONS, iterations, norm)


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None) -> Fit:
    """The MAP. Args: `start` (P,) is where to begin; zeros by default."""
    theta = np.zeros(model.size) if start is None else start
    solve = _fit_kinked if model.expert.kink is not None and comparisons.size else _fit_smooth
    return solve(theta, comparisons, model)


def covariance(theta: Floats, comparisons: Comparisons, model: Model) -> Covariance:
    """Sigma = H^-1 at `theta`."""
    return from_precision(precision(theta, comparisons, model))


def tolerance(comparisons: Comparisons, model: Model) -> float:
    """Of |g|_inf: what the widest prior asks for, and the rounding of a sum of so many terms of so many votes.

    Each term is rounded to the sum so far, and terms alike are rounded alike: the error grows with rows times votes.
    """
    shown = np.concatenate([comparisons.first, comparisons.second])
    rows, votes = np.bincount(shown), np.bincount(shown, np.tile(comparisons.weight, 2))
    rounding = 1e-15 * float(((1.0 + 0.1 * rows) * (1.0 + 0.1 * votes)).max(initial=0.0))
    rounding += 1e-14 * float(model.prior.precision.max(initial=0.0))
    return _exactness(model) + rounding


def _exactness(model: Model) -> float:
    """A bias is known from verdicts, each worth about one: its vague prior asks for nothing."""
    return TOLERANCE / max(model.prior.variance, 1.0 if model.has_biases else 0.0)


def _fit_smooth(theta: Floats, comparisons: Comparisons, model: Model) -> Fit:
    """Damped Newton; H is formed for few parameters only, and else each step comes from conjugate gradients."""
    g, iterations = gradient(theta, comparisons, model), 0
    while not is_small(g, comparisons, model) and iterations < MAX_ITERATIONS:
        theta = _line_search(theta, _newton_step(theta, g, comparisons, model), g, comparisons, model)
        g, iterations = gradient(theta, comparisons, model), iterations + 1
    return Fit(theta, convergence(g, iterations, comparisons, model))


def _fit_kinked(theta: Floats, comparisons: Comparisons, model: Model) -> Fit:
    found = interior_point.solve(theta, comparisons, model, tolerance(comparisons, model))
    end = convergence(found.gradient, found.iterations, comparisons, model)
    if not np.isfinite(found.to_kink):
        end = end._replace(outcome=Outcome.NOT_FINITE)
    elif found.to_kink > interior_point.KINK_TOLERANCE and end.converged:
        end = end._replace(outcome=Outcome.MAX_ITERATIONS)
    return Fit(found.theta, end)


def _newton_step(theta: Floats, g: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """x with H x = g."""
    if model.size > FEW:
        return _conjugate_gradients(theta, g, comparisons, model)
    _, step, failed = lapack.dposv(precision(theta, comparisons, model), g, lower=1)
    return _conjugate_gradients(theta, g, comparisons, model) if failed else np.asarray(step, dtype=np.float64)


def _conjugate_gradients(theta: Floats, g: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """x with H x = g, without H, to a residual that shrinks with |g| so that convergence stays quadratic."""
    w = weights(theta, comparisons, model)

    def hessian_times(x: Floats) -> Floats:
        return model.prior.precision * x + scatter(w * differences(x, comparisons, model), comparisons, model)

    diagonal = model.prior.precision + information(w, comparisons, model)
    shape, norm = (model.size, model.size), float(np.linalg.norm(g))
    step, _ = cg(
        LinearOperator(shape, matvec=hessian_times, dtype=np.float64),
        g,
        rtol=min(0.1, norm),
        atol=0.1 * _exactness(model),
        M=LinearOperator(shape, matvec=lambda x: x / diagonal, dtype=np.float64),
    )
    return np.asarray(step, dtype=np.float64)


def _line_search(theta: Floats, step: Floats, g: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """Halve the step until L rises enough (Armijo); near the optimum rounding decides, so the full step stands."""
    rise = float(g @ step)
    if rise < 1e-9:
        return theta + step
    here, t = log_posterior(theta, comparisons, model), 1.0
    while log_posterior(theta + t * step, comparisons, model) < here + 1e-4 * t * rise and t > 1e-8:
        t *= 0.5
    return theta + t * step
