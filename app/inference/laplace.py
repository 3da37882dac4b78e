"""MAP scores and the Laplace approximation around them (GPM 4.1, PoE A.5).

Maximise over s in R^N

    L(s) = sum_k l(d_k) - |s|^2 / (2 tau2),    d_k = s_first - s_second,    tau2 = prior variance

    gradient g = R^T l'(d) - s / tau2
    Hessian -H,  H = I / tau2 + R^T diag(w) R,  w = -l''(d)

Posterior: N(mu, Sigma) with Sigma = H^-1 at the maximum mu. The prior makes H positive definite whatever the
comparisons are: none at all, islands, ties only, or one candidate that always wins.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from app.inference.covariance import Covariance, from_precision
from app.inference.experts import Expert
from app.inference.types import (
    Comparisons,
    Convergence,
    Floats,
    Outcome,
    differences,
    scatter_differences,
)

TOLERANCE = 1e-10  # on tau2 * |g|_inf, which bounds the error of every score
MAX_ITERATIONS = 100


class Model(NamedTuple):
    """What is fixed while comparisons come in."""

    n: int  # number of candidates, N
    expert: Expert
    prior_variance: float  # tau2


class Fit(NamedTuple):
    scores: Floats  # (N,)
    convergence: Convergence


def log_posterior(scores: Floats, comparisons: Comparisons, model: Model) -> float:
    """L(s), up to a constant."""
    likelihood = model.expert.log_density(differences(scores, comparisons), comparisons.p).sum()
    return float(likelihood - 0.5 * scores @ scores / model.prior_variance)


def gradient(scores: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """g, shape (N,)."""
    slope = model.expert.slope(differences(scores, comparisons), comparisons.p)
    return scatter_differences(slope, comparisons, model.n) - scores / model.prior_variance


def weights(scores: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """w_k, shape (K,)."""
    return model.expert.curvature(differences(scores, comparisons), comparisons.p)


def precision(scores: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """H, shape (N, N), in Fortran order."""
    n, w = model.n, weights(scores, comparisons, model)
    links = np.bincount(comparisons.first * n + comparisons.second, w, n * n).reshape(n, n)
    h = np.asfortranarray(-(links + links.T), dtype=np.float64)  # bincount of nothing is of integers
    np.fill_diagonal(h, 1.0 / model.prior_variance - h.sum(axis=1))
    return h


def is_small(g: Floats, comparisons: Comparisons, model: Model) -> bool:
    rounding = 1e-15 * (1.0 + 0.2 * comparisons.size / max(model.n, 1)) ** 2  # of a sum of that many terms
    return bool(np.abs(g).max(initial=0.0) <= TOLERANCE / model.prior_variance + rounding)


def convergence(g: Floats, iterations: int, comparisons: Comparisons, model: Model) -> Convergence:
    norm = float(np.abs(g).max(initial=0.0))
    if not np.isfinite(norm):
        return Convergence(Outcome.NOT_FINITE, iterations, norm)
    done = is_small(g, comparisons, model)
    return Convergence(Outcome.CONVERGED if done else Outcome.MAX_ITERATIONS, iterations, norm)


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None) -> Fit:
    """MAP scores by damped Newton, each step from conjugate gradients on H x = g (H is never formed).

    Args: `start` (N,) is where to begin; zeros by default.
    """
    scores = np.zeros(model.n) if start is None else start
    g, iterations = gradient(scores, comparisons, model), 0
    while not is_small(g, comparisons, model) and iterations < MAX_ITERATIONS:
        scores = _line_search(scores, _newton_step(scores, g, comparisons, model), g, comparisons, model)
        g, iterations = gradient(scores, comparisons, model), iterations + 1
    return Fit(scores, convergence(g, iterations, comparisons, model))


def covariance(scores: Floats, comparisons: Comparisons, model: Model) -> Covariance:
    """Sigma = H^-1 at `scores`."""
    return from_precision(precision(scores, comparisons, model))


def _newton_step(scores: Floats, g: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """x with H x = g, to a residual that shrinks with |g| so that convergence stays quadratic."""
    w = weights(scores, comparisons, model)

    def hessian_times(x: Floats) -> Floats:
        return x / model.prior_variance + scatter_differences(w * differences(x, comparisons), comparisons, model.n)

    degree = 1.0 / model.prior_variance + np.bincount(comparisons.first, w, model.n)
    degree += np.bincount(comparisons.second, w, model.n)
    shape = (model.n, model.n)
    norm = float(np.linalg.norm(g))
    step, _ = cg(
        LinearOperator(shape, matvec=hessian_times, dtype=np.float64),
        g,
        rtol=min(0.1, norm),
        atol=0.1 * TOLERANCE / model.prior_variance,
        M=LinearOperator(shape, matvec=lambda x: x / degree, dtype=np.float64),
    )
    return np.asarray(step, dtype=np.float64)


def _line_search(scores: Floats, step: Floats, g: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """Halve the step until L rises enough (Armijo); near the optimum rounding decides, so the full step stands."""
    rise = float(g @ step)
    if rise < 1e-9:
        return scores + step
    here, t = log_posterior(scores, comparisons, model), 1.0
    while log_posterior(scores + t * step, comparisons, model) < here + 1e-4 * t * rise and t > 1e-8:
        t *= 0.5
    return scores + t * step
