"""Scores, and how far each judge can be believed, from the same comparisons (ours; none of the papers).

    d_k = c_j (s_first - s_second) + delta_j        j the judge of comparison k; delta_j > 0 favours the first position

    s ~ the model's prior      delta_j ~ N(0, BIAS_VARIANCE)      log c_j ~ N(0, 0.5^2)

A discriminating judge (large c) counts for more, one who tosses coins (c near 0) for little. c is never negative: a
judge who is against the truth is left out at best. The priors guard against judges of few votes, whose c stays
near 1, and against one-sided ones, whose delta takes up what they say.

The scores are integrated out by EM, for the likeliest (s, c, delta) together would have c follow the noise in s:

    E    s | c, delta ~ N(mu, Sigma): the mode and the inverse of  H = diag(q) + R^T diag(c^2 w) R
    M    c_j, delta_j maximise  sum_k E[l(c_j m_k + delta_j)] + log prior,  m_k ~ N(mu_first - mu_second, v_k),
         v_k = Sigma_ff + Sigma_ss - 2 Sigma_fs; the expectation by Gauss-Hermite quadrature

until no log c or delta moves by more than TOLERANCE in a round. The covariance of theta = (s, delta, log c) is the
inverse of the Fisher information J^T diag(w) J + prior, J_k = (c_j r_k, 1 at delta_j, c_j m_k at log c_j): scores are
less sure for not knowing the judges.

Without judge j: one Newton step from mu with j's comparisons taken out of gradient and H, the others being as they are.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from app.inference.covariance import Covariance, from_precision
from app.inference.fitting import model as models
from app.inference.fitting.identifiability import share_of_verdicts
from app.inference.fitting.model import BIAS_VARIANCE, Model
from app.inference.fitting.posterior import Scores
from app.inference.types import Comparisons, Convergence, Floats, Outcome, differences, scatter_differences, take

LOG_C_VARIANCE = 0.5**2
TOLERANCE = 1e-3
MAX_ROUNDS, MAX_STEPS = 100, 100
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
WEIGHTS /= WEIGHTS.sum()


class Judges(NamedTuple):
    """J of them."""

    delta: Floats  # (J,)
    log_c: Floats  # (J,)


class JudgeAware(NamedTuple):
    scores: Floats  # (N,) mu
    judges: Judges
    covariance: Floats  # (N + 2 J, N + 2 J) of (s, delta, log c)
    share_of_verdicts: Floats  # (J,) in what is known of delta (identifiability.py)
    convergence: Convergence

    @property
    def of_scores(self) -> Scores:
        """Their marginal posterior."""
        n = len(self.scores)
        sigma = self.covariance[:n, :n]
        return Scores(self.scores, Covariance(sigma, np.empty((n, 0)), float(np.linalg.slogdet(sigma)[1])))

    @property
    def variance_of_delta(self) -> Floats:
        """(J,)."""
        return _of_delta(self.covariance, len(self.scores), len(self.judges.delta))


def fit(
    comparisons: Comparisons, model: Model, judges: int, progress: Callable[[int], None] = lambda _: None
) -> JudgeAware:
    """Args: `model` has no biases, and a smooth expert; `progress` is told each round."""
    s, found = model.prior.pull / model.prior.precision, Judges(np.zeros(judges), np.zeros(judges))
    moved, rounds = np.inf, 0
    while moved > TOLERANCE and rounds < MAX_ROUNDS:
        s = likeliest_scores(s, found, comparisons, model)
        new = likeliest_judges(s, from_precision(precision(s, found, comparisons, model)), found, comparisons, model)
        moved = float(np.abs(np.concatenate(new) - np.concatenate(found)).max(initial=0.0))
        found, rounds = new, rounds + 1
        progress(rounds)
    s = likeliest_scores(s, found, comparisons, model)
    outcome = Outcome.CONVERGED if moved <= TOLERANCE else Outcome.MAX_ITERATIONS
    information = _information(s, found, comparisons, model)
    covariance = from_precision(information.copy(order="F")).base
    shares = share_of_verdicts(information, _of_delta(covariance, model.n, judges), model)
    return JudgeAware(s, found, covariance, shares, Convergence(outcome, rounds, moved))


def without(found: JudgeAware, comparisons: Comparisons, model: Model, judge: int) -> Floats:
    """(N,) scores had this judge said nothing. Conceptually: likeliest_scores of the others' comparisons."""
    others = take(comparisons, comparisons.judge != judge)
    h = precision(found.scores, found.judges, others, model)
    step = np.linalg.solve(h, gradient(found.scores, found.judges, others, model))
    return np.asarray(found.scores + step)


def likeliest_scores(s: Floats, judges: Judges, comparisons: Comparisons, model: Model) -> Floats:
    """mu, from `s` on. Concave in s, so wherever it begins."""
    if not comparisons.size:
        return model.prior.pull / model.prior.precision
    end = minimize(  # type: ignore[call-overload]  # the stubs want a Hessian of its own array type
        lambda x: -log_posterior(x, judges, comparisons, model),
        s,
        method="trust-exact",
        jac=lambda x: -gradient(x, judges, comparisons, model),
        hess=lambda x: precision(x, judges, comparisons, model),
        options={"gtol": 1e-6, "maxiter": MAX_STEPS},
    )
    return np.asarray(end.x)


def likeliest_judges(s: Floats, sigma: Covariance, start: Judges, comparisons: Comparisons, model: Model) -> Judges:
    """c and delta that explain best what each judge said, whatever the scores may be."""
    m = differences(s, comparisons)
    spread = np.sqrt(_variances(sigma, comparisons))
    nodes, j, size = m[:, None] + spread[:, None] * NODES, comparisons.judge, len(start.delta)

    def surprise(packed: Floats) -> tuple[float, Floats]:
        delta, log_c = np.split(packed, 2)
        stretched = np.exp(log_c)[j, None] * nodes
        d, p = stretched + delta[j, None], comparisons.p[:, None]
        slope = comparisons.weight[:, None] * model.expert.slope(d, p)
        value = float(comparisons.weight @ (model.expert.log_density(d, p) @ WEIGHTS))
        value -= 0.5 * float(delta @ delta / BIAS_VARIANCE + log_c @ log_c / LOG_C_VARIANCE)
        up_delta = np.bincount(j, slope @ WEIGHTS, size) - delta / BIAS_VARIANCE
        up_log_c = np.bincount(j, (slope * stretched) @ WEIGHTS, size) - log_c / LOG_C_VARIANCE
        return -value, -np.concatenate([up_delta, up_log_c])

    packed = minimize(surprise, np.concatenate(start), method="L-BFGS-B", jac=True, options={"gtol": 1e-6}).x
    return Judges(*np.split(packed, 2))


def log_posterior(s: Floats, judges: Judges, comparisons: Comparisons, model: Model) -> float:
    """Of s given the judges, up to a constant."""
    likelihood = comparisons.weight @ model.expert.log_density(_d(s, judges, comparisons), comparisons.p)
    return float(likelihood + s @ (model.prior.pull - 0.5 * model.prior.precision * s))


def gradient(s: Floats, judges: Judges, comparisons: Comparisons, model: Model) -> Floats:
    """Along s, shape (N,)."""
    slope = model.expert.slope(_d(s, judges, comparisons), comparisons.p)
    slope = comparisons.weight * _c(judges, comparisons) * slope
    return scatter_differences(slope, comparisons, model.n) + model.prior.pull - model.prior.precision * s


def precision(s: Floats, judges: Judges, comparisons: Comparisons, model: Model) -> Floats:
    """H, shape (N, N), in Fortran order."""
    w = comparisons.weight * model.expert.curvature(_d(s, judges, comparisons), comparisons.p)
    return models.hessian(_c(judges, comparisons) ** 2 * w, comparisons, model)


def _c(judges: Judges, comparisons: Comparisons) -> Floats:
    """c of each comparison, shape (K,)."""
    return np.asarray(np.exp(judges.log_c)[comparisons.judge])


def _d(s: Floats, judges: Judges, comparisons: Comparisons) -> Floats:
    """(K,)."""
    return _c(judges, comparisons) * differences(s, comparisons) + judges.delta[comparisons.judge]


def _variances(sigma: Covariance, comparisons: Comparisons) -> Floats:
    """v_k, shape (K,)."""
    first, second = comparisons.first, comparisons.second
    own = sigma.base.diagonal()
    return np.maximum(own[first] + own[second] - 2.0 * sigma.base[first, second], 0.0)


def _of_delta(covariance: Floats, n: int, judges: int) -> Floats:
    return np.asarray(covariance.diagonal()[n : n + judges])


def _information(s: Floats, judges: Judges, comparisons: Comparisons, model: Model) -> Floats:
    """Fisher's of (s, delta, log c), and the prior's."""
    w = comparisons.weight * model.expert.curvature(_d(s, judges, comparisons), comparisons.p)
    c = _c(judges, comparisons)
    stretched, j, size = c * differences(s, comparisons), comparisons.judge, len(judges.delta)
    of_judges = (np.ones_like(c), stretched)
    mixed = [scatter_differences(w * c * (j == k) * of, comparisons, model.n) for of in of_judges for k in range(size)]
    own = [[np.diag(np.bincount(j, w * a * b, size)) for a in of_judges] for b in of_judges]
    prior = np.repeat([1.0 / BIAS_VARIANCE, 1.0 / LOG_C_VARIANCE], size)
    across = np.column_stack([*mixed, np.empty((model.n, 0))])
    return np.block([[precision(s, judges, comparisons, model), across], [across.T, np.block(own) + np.diag(prior)]])
