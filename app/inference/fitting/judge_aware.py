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

    mu, v        JudgeAware.scores, v in likeliest_judges      (N,), (K,)
    delta, c     JudgeParameters.delta, exp of .log_c          (J,)
    c^2 w        weights                                       (K,)
    E, M         likeliest_scores, likeliest_judges
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from app.inference.covariance import Covariance, from_precision, plain
from app.inference.fitting.identifiability import share_of_verdicts
from app.inference.fitting.model import BIAS_VARIANCE, Model, differences, hessian, scatter
from app.inference.fitting.newton import Objective, newton_step
from app.inference.fitting.posterior import Scores
from app.inference.kernels.bradley_terry import maximiser
from app.inference.types import Comparisons, Convergence, Floats, Outcome, take

LOG_C_VARIANCE = 0.5**2
TOLERANCE = 1e-3
GRADIENT_TOLERANCE = 1e-6  # in a round
MAX_ROUNDS = 100
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
WEIGHTS /= WEIGHTS.sum()


class JudgeParameters(NamedTuple):
    """Bias and discrimination of J judges."""

    delta: Floats  # (J,)
    log_c: Floats  # (J,)


class JudgeAware(NamedTuple):
    scores: Floats  # (N,) mu
    judges: JudgeParameters
    covariance: Floats  # (N + 2 J, N + 2 J) of (s, delta, log c)
    share_of_verdicts: Floats  # (J,) in what is known of delta (identifiability.py)
    convergence: Convergence

    @property
    def of_scores(self) -> Scores:
        """Their marginal posterior."""
        n = len(self.scores)
        sigma = self.covariance[:n, :n]
        return Scores(self.scores, plain(sigma, float(np.linalg.slogdet(sigma)[1])))

    @property
    def variance_of_delta(self) -> Floats:
        """(J,)."""
        n = len(self.scores)
        return np.asarray(self.covariance.diagonal()[n : n + len(self.judges.delta)])


def fit(
    comparisons: Comparisons, model: Model, judges: int, progress: Callable[[int], None] = lambda _: None
) -> JudgeAware:
    """Scores and judges together.

    Args: `model` has no biases, and a smooth expert; `progress` is told each round.
    """
    s, parameters = model.prior.pull / model.prior.precision, JudgeParameters(np.zeros(judges), np.zeros(judges))
    moved, rounds = np.inf, 0
    while moved > TOLERANCE and rounds < MAX_ROUNDS:
        s, weights = likeliest_scores(s, parameters, comparisons, model)
        sigma = from_precision(hessian(weights, comparisons, model))
        before, parameters = parameters, likeliest_judges(s, sigma, parameters, comparisons, model)
        moved = float(np.abs(np.concatenate(parameters) - np.concatenate(before)).max(initial=0.0))
        rounds += 1
        progress(rounds)
    s, weights = likeliest_scores(s, parameters, comparisons, model)
    information = _information(s, weights, parameters, comparisons, model)
    covariance = from_precision(information.copy(order="F")).base
    shares = share_of_verdicts(information, covariance.diagonal()[model.n : model.n + judges], model)
    outcome = Outcome.CONVERGED if moved <= TOLERANCE else Outcome.MAX_ITERATIONS
    return JudgeAware(s, parameters, covariance, shares, Convergence(outcome, rounds, moved))


def without(aware: JudgeAware, comparisons: Comparisons, model: Model, judge: int) -> Floats:
    """(N,) scores had this judge said nothing. Conceptually: likeliest_scores of the others' comparisons."""
    others = take(comparisons, comparisons.judge != judge)
    _, g, weights = evaluate(aware.scores, aware.judges, others, model)
    return np.asarray(aware.scores + np.linalg.solve(hessian(weights, others, model), g))


def likeliest_scores(
    s: Floats, parameters: JudgeParameters, comparisons: Comparisons, model: Model
) -> tuple[Floats, Floats]:
    """mu (N,), from `s` on, and c^2 w there (K,). Concave in s, so wherever it begins."""
    maximise = maximiser(lambda x, _: evaluate(x, parameters, comparisons, model), newton_step)
    mean, _, weights, _ = maximise(Objective(comparisons, model, GRADIENT_TOLERANCE), s, GRADIENT_TOLERANCE)
    return mean, weights


def evaluate(
    s: Floats, parameters: JudgeParameters, comparisons: Comparisons, model: Model
) -> tuple[float, Floats, Floats]:
    """The log posterior of s given the judges, up to a constant, its gradient (N,), and c^2 w (K,)."""
    expert, prior, weight, p = model.expert, model.prior, comparisons.weight, comparisons.p
    c = np.exp(parameters.log_c)[comparisons.judge]
    d = c * differences(s, comparisons, model) + parameters.delta[comparisons.judge]
    value = float(weight @ expert.log_density(d, p) + s @ (prior.pull - 0.5 * prior.precision * s))
    g = scatter(weight * c * expert.slope(d, p), comparisons, model) + prior.pull - prior.precision * s
    return value, g, c**2 * (weight * expert.curvature(d, p))


def likeliest_judges(
    s: Floats, sigma: Covariance, start: JudgeParameters, comparisons: Comparisons, model: Model
) -> JudgeParameters:
    """c and delta that explain best what each judge said, whatever the scores N(s, sigma) may be."""
    first, second, variances = comparisons.first, comparisons.second, sigma.base.diagonal()
    v = np.maximum(variances[first] + variances[second] - 2.0 * sigma.base[first, second], 0.0)
    nodes = differences(s, comparisons, model)[:, None] + np.sqrt(v)[:, None] * NODES
    j, size = comparisons.judge, len(start.delta)

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
    return JudgeParameters(*np.split(packed, 2))


def _information(
    s: Floats, weights: Floats, parameters: JudgeParameters, comparisons: Comparisons, model: Model
) -> Floats:
    """Fisher's of (s, delta, log c), and the prior's. Args: `weights` is c^2 w."""
    j, size = comparisons.judge, len(parameters.delta)
    c = np.exp(parameters.log_c)[j]
    stretched = c * differences(s, comparisons, model)
    w = comparisons.weight * model.expert.curvature(stretched + parameters.delta[j], comparisons.p)
    of_judges = (np.ones_like(c), stretched)
    mixed = [scatter(w * c * (j == k) * of, comparisons, model) for of in of_judges for k in range(size)]
    own = [[np.diag(np.bincount(j, w * a * b, size)) for a in of_judges] for b in of_judges]
    prior = np.repeat([1.0 / BIAS_VARIANCE, 1.0 / LOG_C_VARIANCE], size)
    across = np.column_stack([*mixed, np.empty((model.n, 0))])
    return np.block([[hessian(weights, comparisons, model), across], [across.T, np.block(own) + np.diag(prior)]])
