"""Scores, and how far each judge can be trusted, from the same comparisons (ours; none of the papers; decision 20).

    d_k = c_j (s_first - s_second) + delta_j        j the judge of comparison k; delta_j > 0 favours the first position
    s ~ the model's prior      delta_j ~ N(0, BIAS_VARIANCE)      c_j ~ N(1, C_VARIANCE), and 1 of people

The verdicts of an adversarial judge (c < 0) are inverted. Priors guard against judges of few votes, whose c stays near
1, and against one-sided ones, whose delta takes up what they say. Scores are integrated out by EM, until no c or delta
moves by more than TOLERANCE in a round:

    E    s | c, delta ~ N(mu, Sigma): the mode and the inverse of  H = diag(q) + R^T diag(c^2 w) R
    M    c_j, delta_j go one Newton step towards the maximum of  sum_k E[l(c_j m_k + delta_j)] + log prior, concave,
         m_k ~ N(mu_first - mu_second, v_k), v_k = Sigma_ff + Sigma_ss - 2 Sigma_fs; E by Gauss-Hermite quadrature

The covariance of (s, delta, c) is the inverse of the Fisher information J^T diag(w) J + prior, with
J_k = (c_j r_k, 1 at delta_j, m_k at c_j).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from app.inference.core.design import Design
from app.inference.core.edges import Curvature
from app.inference.core.maximum import maximum
from app.inference.fitting.covariates import share_of_verdicts
from app.inference.fitting.model import BIAS_VARIANCE, Model, design_of
from app.inference.fitting.posterior import step_of
from app.inference.gaussian import DenseCovariance, Scores, from_precision, plain
from app.inference.types import Bools, Comparisons, Convergence, Floats, take

C_VARIANCE = 1.0
KNOWN = 1e12  # precision of what is known
TOLERANCE = 1e-3
DECREMENT = 1e-6  # in a round, in posterior sds
MAX_ROUNDS = 100
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
WEIGHTS /= WEIGHTS.sum()


class JudgeAware(NamedTuple):
    of_scores: Scores
    delta: Floats  # (J,)
    sd_of_delta: Floats  # (J,)
    c: Floats  # (J,)
    sd_of_c: Floats  # (J,) 0 of people
    share_of_verdicts: Floats  # (J,) in what is known of delta (covariates.py)
    convergence: Convergence


class Task(NamedTuple):
    """What was said, and the model: without biases, of a smooth expert."""

    comparisons: Comparisons
    design: Design
    model: Model

    def precision(self, weights: Floats) -> Floats:
        """H (N, N). Args: `weights` (K,) are c^2 w."""
        return self.design.precision(weights, self.model.prior.precision)


def fit(
    comparisons: Comparisons, model: Model, people: Bools, progress: Callable[[int], None] = lambda _: None
) -> JudgeAware:
    """Scores and judges together.

    Args: `model` is as of Task; the c of `people` (J,) is 1, and others are trusted later; `progress` is called each
        round.
    """
    task, n, count = Task(comparisons, design_of(comparisons, model), model), model.n, len(people)
    judges = np.array([np.zeros(count), people if people.any() else np.ones(count)], np.float64)
    s, moved, rounds = model.prior.pull / model.prior.precision, np.inf, 0
    while moved > TOLERANCE and rounds < MAX_ROUNDS:
        s, weights = e_step(s, judges, task)
        step = m_step(s, from_precision(task.precision(weights)), judges, people, task)
        judges, moved, rounds = judges + step, float(np.abs(step).max(initial=0.0)), rounds + 1
        progress(rounds)
    s, weights = e_step(s, judges, task)
    information = _information(s, weights, judges, people, task)
    covariance = from_precision(information.copy(order="F"))
    of_delta, of_c = np.split(covariance.diagonal[n:], 2)
    return JudgeAware(
        of_scores=Scores(s, plain(covariance.base[:n, :n])),
        delta=judges[0],
        sd_of_delta=np.sqrt(of_delta),
        c=judges[1],
        sd_of_c=np.where(people, 0.0, np.sqrt(of_c)),
        share_of_verdicts=share_of_verdicts(information, of_delta, model),
        convergence=Convergence.of(moved, rounds, TOLERANCE),
    )


def without(aware: JudgeAware, comparisons: Comparisons, model: Model, judge: int) -> Floats:
    """(N,) scores had this judge said nothing, by a Newton step. Conceptually: e_step of the others' comparisons.

    Who is against the others counts for nothing here: it may be this judge whom they are against.
    """
    rest, s = take(comparisons, comparisons.judge != judge), aware.of_scores.mean
    others = Task(rest, design_of(rest, model), model)
    g, weights = evaluate(s, np.array([aware.delta, np.maximum(aware.c, 0.0)]), others)
    return np.asarray(s + np.linalg.solve(others.precision(weights), g))


def e_step(s: Floats, judges: Floats, task: Task) -> tuple[Floats, Floats]:
    """mu (N,), from `s` on, and c^2 w there (K,), given (2, J) delta and c. Concave in s, so wherever it begins."""
    design, q = task.design, task.model.prior.precision
    at = maximum(
        lambda x: evaluate(x, judges, task),
        lambda weights, g: step_of(design, Curvature(weights, q + design.information(weights)), q, g),
        s,
        DECREMENT,
    )
    return at.theta, at.weights


def evaluate(s: Floats, judges: Floats, task: Task) -> tuple[Floats, Floats]:
    """The gradient (N,) of the log posterior of s given (2, J) delta and c, and c^2 w (K,)."""
    (_, _, p, judge, weight), design, (_, expert, prior, *_) = task
    delta, c = judges[:, judge]
    d = c * design.times(s) + delta
    g = design.scatter(weight * c * expert.slope(d, p)) + prior.pull - prior.precision * s
    return g, c**2 * (weight * expert.curvature(d, p))


def m_step(s: Floats, sigma: DenseCovariance, judges: Floats, people: Bools, task: Task) -> Floats:
    """(2, J) Newton steps of the (2, J) delta and c, of at most 1, c of people staying.

    They go towards what explains best what each judge said, whatever s ~ N(s, sigma) may be.
    """
    (first, second, p, judge, weight), design, (_, expert, *_) = task
    m = design.times(s)[:, None] + np.sqrt(np.maximum(sigma.variances(first, second), 0.0))[:, None] * NODES
    delta, c = judges[:, judge, None]
    slope, curvature = (each(c * m + delta, p[:, None]) for each in (expert.slope, expert.curvature))

    def by_judge(terms: Floats) -> Floats:
        return np.asarray(np.bincount(judge, weight * (terms @ WEIGHTS), len(people)), np.float64)

    up_delta = by_judge(slope) - judges[0] / BIAS_VARIANCE
    up_c = np.where(people, 0.0, by_judge(slope * m) - (judges[1] - 1.0) / C_VARIANCE)
    of_delta, of_c = by_judge(curvature) + 1.0 / BIAS_VARIANCE, by_judge(curvature * m * m) + 1.0 / C_VARIANCE
    of_both = np.where(people, 0.0, by_judge(curvature * m))
    steps = np.array([of_c * up_delta - of_both * up_c, of_delta * up_c - of_both * up_delta])
    return np.clip(steps / (of_delta * of_c - of_both**2), -1.0, 1.0)


def _information(s: Floats, weights: Floats, judges: Floats, people: Bools, task: Task) -> Floats:
    """Fisher's of (s, delta, c), and the prior's, given c^2 w (K,) and (2, J) delta and c."""
    (first, second, p, judge, weight), design, (n, expert, *_) = task
    m, (delta, c), count = design.times(s), judges[:, judge], len(people)
    places = np.concatenate([first, second, n + judge, n + count + judge])
    values = np.concatenate([c, -c, np.ones_like(c), m])
    jacobian = csr_array((values, (np.tile(np.arange(len(m)), 4), places)), (len(m), n + 2 * count))
    w = weight * expert.curvature(c * m + delta, p)
    information = (jacobian.T @ jacobian.multiply(w[:, None])).toarray()
    information[:n, :n] = task.precision(weights)
    of_c = np.where(people, KNOWN, 1.0 / C_VARIANCE)
    information[n:, n:] += np.diag(np.append(np.full(count, 1.0 / BIAS_VARIANCE), of_c))
    return np.asarray(information)
