"""Scores, and how far each judge can be trusted, from the same comparisons (ours; none of the papers).

    d_k = c_j (s_first - s_second) + delta_j        j the judge of comparison k; delta_j > 0 favours the first position

    s ~ the model's prior      delta_j ~ N(0, BIAS_VARIANCE)      c_j ~ N(1, 1), and 1 of people

A discriminating judge (large c) counts for more, a random one (c near 0) for little, and the verdicts of an adversarial
one (c < 0) are inverted. So useless judges are possible, and intervals hold. The priors guard against judges of few
votes, whose c stays near 1, and against one-sided ones, whose delta takes up what they say. An adversarial majority
looks like the truth, so where there are people their c is 1 and all others are validated against them (methods 9).

The scores are integrated out by EM, for the most likely (s, c, delta) together would have c follow the noise in s:

    E    s | c, delta ~ N(mu, Sigma): the mode and the inverse of  H = diag(q) + R^T diag(c^2 w) R
    M    c_j, delta_j go one Newton step towards the maximum of  sum_k E[l(c_j m_k + delta_j)] + log prior, concave,
         m_k ~ N(mu_first - mu_second, v_k), v_k = Sigma_ff + Sigma_ss - 2 Sigma_fs; E by Gauss-Hermite quadrature

until no c or delta moves by more than TOLERANCE in a round. The covariance of theta = (s, delta, c) is the inverse of
the Fisher information J^T diag(w) J + prior, J_k = (c_j r_k, 1 at delta_j, m_k at c_j): scores are less sure for not
knowing the judges.

    mu              JudgeAware.scores           (N,)
    delta, c        JudgeParameters             (J,)
    R, c^2 w        Task.design, `evaluate`     (K, N), (K,)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from app.inference.core.edges import Curvature, Design, step_of
from app.inference.core.maximum import maximum
from app.inference.fitting.covariates import share_of_verdicts
from app.inference.fitting.model import BIAS_VARIANCE, Model, design_of
from app.inference.gaussian import DenseCovariance, Scores, from_precision, plain
from app.inference.types import Bools, Comparisons, Convergence, Floats, take

C_VARIANCE = 1.0
KNOWN = 1e12  # precision of what is known
TOLERANCE = 1e-3
DECREMENT = 1e-6  # in a round, in posterior sds
MAX_ROUNDS = 100
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
WEIGHTS /= WEIGHTS.sum()


class JudgeParameters(NamedTuple):
    """Bias and discrimination of J judges."""

    delta: Floats  # (J,)
    c: Floats  # (J,)


class JudgeAware(NamedTuple):
    scores: Floats  # (N,) mu
    judges: JudgeParameters
    covariance: Floats  # (N + 2 J, N + 2 J) of (s, delta, c)
    share_of_verdicts: Floats  # (J,) in what is known of delta (covariates.py)
    convergence: Convergence

    @property
    def of_scores(self) -> Scores:
        """Their marginal posterior."""
        n = len(self.scores)
        return Scores(self.scores, plain(self.covariance[:n, :n]))

    @property
    def sd_of_judges(self) -> JudgeParameters:
        """The standard deviations of delta and c; that of people's c is 0."""
        variances = self.covariance.diagonal()[len(self.scores) :].copy()
        variances[variances < 2.0 / KNOWN] = 0.0
        return JudgeParameters(*np.split(np.sqrt(variances), 2))


class Task(NamedTuple):
    """What was said, and the model: without biases, of a smooth expert."""

    comparisons: Comparisons
    design: Design
    model: Model

    def precision(self, weights: Floats) -> Floats:
        """H (N, N). Args: `weights` are c^2 w."""
        return self.design.precision(weights, self.model.prior.precision)


def fit(
    comparisons: Comparisons, model: Model, people: Bools, progress: Callable[[int], None] = lambda _: None
) -> JudgeAware:
    """Scores and judges together.

    Args: `model` is as of Task; the c of `people` (J,) is 1; `progress` is called each round.
    """
    task, judges = Task(comparisons, design_of(comparisons, model), model), len(people)
    trusted = people if people.any() else np.ones(judges, np.bool_)  # to begin with
    parameters = JudgeParameters(np.zeros(judges), trusted.astype(np.float64))
    s = model.prior.pull / model.prior.precision
    moved, rounds = np.inf, 0
    while moved > TOLERANCE and rounds < MAX_ROUNDS:
        s, weights = e_step(s, parameters, task)
        before, parameters = parameters, m_step(s, from_precision(task.precision(weights)), parameters, people, task)
        moved = float(np.abs(np.concatenate(parameters) - np.concatenate(before)).max(initial=0.0))
        rounds += 1
        progress(rounds)
    s, weights = e_step(s, parameters, task)
    information = _information(s, weights, parameters, people, task)
    covariance = from_precision(information.copy(order="F")).base
    shares = share_of_verdicts(information, covariance.diagonal()[model.n : model.n + judges], model)
    return JudgeAware(s, parameters, covariance, shares, Convergence.of(moved, rounds, TOLERANCE))


def without(aware: JudgeAware, comparisons: Comparisons, model: Model, judge: int) -> Floats:
    """(N,) scores had this judge said nothing, by a Newton step. Conceptually: e_step of the others' comparisons.

    Who is against the others counts for nothing here: it may be this judge whom they are against.
    """
    rest = take(comparisons, comparisons.judge != judge)
    others = Task(rest, design_of(rest, model), model)
    judges = aware.judges._replace(c=np.maximum(aware.judges.c, 0.0))
    g, weights = evaluate(aware.scores, judges, others)
    return np.asarray(aware.scores + np.linalg.solve(others.precision(weights), g))


def e_step(s: Floats, parameters: JudgeParameters, task: Task) -> tuple[Floats, Floats]:
    """mu (N,), from `s` on, and c^2 w there (K,). Concave in s, so wherever it begins."""
    design, q = task.design, task.model.prior.precision
    at = maximum(
        lambda x: evaluate(x, parameters, task),
        lambda weights, g: step_of(design, Curvature(weights, q + design.information(weights)), q, g),
        s,
        DECREMENT,
    )
    return at.theta, at.weights


def evaluate(s: Floats, parameters: JudgeParameters, task: Task) -> tuple[Floats, Floats]:
    """The gradient (N,) of the log posterior of s given the judges, and c^2 w (K,)."""
    (_, _, p, judge, weight), design, (_, expert, prior, *_) = task.comparisons, task.design, task.model
    c = parameters.c[judge]
    d = c * design.times(s) + parameters.delta[judge]
    g = design.scatter(weight * c * expert.slope(d, p)) + prior.pull - prior.precision * s
    return g, c**2 * (weight * expert.curvature(d, p))


def m_step(s: Floats, sigma: DenseCovariance, before: JudgeParameters, people: Bools, task: Task) -> JudgeParameters:
    """A Newton step towards the c and delta that explain best what each judge said, whatever s ~ N(s, sigma) may be.

    At most 1 in each; c stays of people.
    """
    (first, second, p, judge, weight), expert, (delta, c) = task.comparisons, task.model.expert, before
    v = np.maximum(sigma.variances(first, second), 0.0)
    m = task.design.times(s)[:, None] + np.sqrt(v)[:, None] * NODES
    d = c[judge, None] * m + delta[judge, None]
    slope, curvature = expert.slope(d, p[:, None]), expert.curvature(d, p[:, None])

    def by_judge(terms: Floats) -> Floats:
        return np.asarray(np.bincount(judge, weight * (terms @ WEIGHTS), len(c)), np.float64)

    up_delta = by_judge(slope) - delta / BIAS_VARIANCE
    up_c = np.where(people, 0.0, by_judge(slope * m) - (c - 1.0) / C_VARIANCE)
    of_delta, of_c = by_judge(curvature) + 1.0 / BIAS_VARIANCE, by_judge(curvature * m * m) + 1.0 / C_VARIANCE
    of_both = np.where(people, 0.0, by_judge(curvature * m))
    steps = np.array([of_c * up_delta - of_both * up_c, of_delta * up_c - of_both * up_delta])
    steps = np.clip(steps / (of_delta * of_c - of_both**2), -1.0, 1.0)
    return JudgeParameters(delta + steps[0], c + steps[1])


def _information(s: Floats, weights: Floats, parameters: JudgeParameters, people: Bools, task: Task) -> Floats:
    """Fisher's of (s, delta, c), and the prior's. Args: `weights` are c^2 w."""
    (first, second, p, judge, weight), n, judges = task.comparisons, task.model.n, len(people)
    c, m = parameters.c[judge], task.design.times(s)
    w = weight * task.model.expert.curvature(c * m + parameters.delta[judge], p)
    places = np.concatenate([first, second, n + judge, n + judges + judge])
    values = np.concatenate([c, -c, np.ones_like(c), m])
    jacobian = csr_array((values, (np.tile(np.arange(len(m)), 4), places)), (len(m), n + 2 * judges))
    information = (jacobian.T @ jacobian.multiply(w[:, None])).toarray()
    information[:n, :n] = task.precision(weights)
    of_c = np.where(people, KNOWN, 1.0 / C_VARIANCE)
    information[n:, n:] += np.diag(np.append(np.full(judges, 1.0 / BIAS_VARIANCE), of_c))
    return np.asarray(information)
