"""The MAP parameters by damped Newton steps (GPM 4.1, PoE A.5), from what edges say.

Maximise over theta in R^P, with q the prior's precision and h its pull (model.py)

    L(theta) = sum_e l_e(d_e) - sum_i (q_i theta_i^2 / 2 - h_i theta_i),    d = R theta + offset

    gradient g = R^T l' + h - q theta
    Hessian -H,  H = diag(q) + R^T diag(w) R,  w = -l''

l_e is the sum of c_k l(d; p_k) over an edge's comparisons, up to a constant (core/edges.py).

Laplace's approximation around the maximum mu is N(mu, H^-1). The prior makes H positive definite whatever the
comparisons are: none at all, islands, ties only, or one candidate that always wins.

Up to SMALL parameters, or with covariates, a step is by a Cholesky factor of H, else by conjugate gradients, which
need no H. These begin from what is close to H^-1, if that is known, or from D^-1 + 1 1^T / sum q, D the diagonal of H,
whose second part is exact for what all scores have in common, of which a push leaves most.
"""

import numpy as np
from scipy.linalg import lapack

from app.inference.core.conjugate_gradients import newton_step
from app.inference.core.design import Design, precision_times
from app.inference.core.edges import Curvature, Edges, derivatives, log_density_of
from app.inference.core.maximum import CLOSE, Maximum, maximum
from app.inference.fitting import interior_point
from app.inference.fitting.model import Model
from app.inference.kernels import contiguous
from app.inference.regimes import SMALL
from app.inference.types import Floats


def fit(edges: Edges, model: Model, *, start: Floats | None = None, near: Floats | None = None) -> Maximum[Floats]:
    """The MAP (P,), and w (E,) there.

    Args:
        start: (P,) is where to begin, zeros by default.
        near: (P, P) is close to H^-1.
    """
    design, prior = edges.design, model.prior
    start = np.zeros(model.size) if start is None else contiguous(start)
    if model.expert.kink is not None and edges.size:
        return interior_point.solve(start, edges, model)
    theta, curvature, convergence = maximum(
        lambda theta: derivatives(edges, theta, model.expert, prior.precision, prior.pull),
        lambda curvature, gradient: step_of(design, curvature, prior.precision, gradient, near),
        start,
    )
    return Maximum(theta, curvature.weights, convergence)


def step_of(design: Design, curvature: Curvature, q: Floats, gradient: Floats, near: Floats | None = None) -> Floats:
    """x with H x = g, shape (P,). Args: `near` as of `fit`."""
    (w, diagonal), n = curvature, design.n
    if design.size <= SMALL or design.covariates is not None:
        _, step, failed = lapack.dposv(design.precision(w, q), gradient, lower=1)
        if not failed:
            return np.asarray(step, np.float64)
    level = 1.0 / float(q[:n].sum())

    def precondition(r: Floats) -> Floats:
        if near is not None:
            return np.asarray(near @ r)
        z = r / diagonal
        z[:n] += level * r[:n].sum()
        return np.asarray(z)

    def times(x: Floats) -> Floats:
        return precision_times(x, design.first, design.second, design.bias, w, q)

    return newton_step(times, precondition, gradient, CLOSE)


def log_posterior(theta: Floats, edges: Edges, model: Model) -> float:
    """L(theta), up to a constant."""
    prior = model.prior
    log_likelihood = log_density_of(edges, edges.design.differences(theta), model.expert)
    return log_likelihood + float(theta @ (prior.pull - 0.5 * prior.precision * theta))


def weights(theta: Floats, edges: Edges, model: Model) -> Floats:
    """w (E,) at theta."""
    return derivatives(edges, theta, model.expert, model.prior.precision, model.prior.pull)[1].weights
