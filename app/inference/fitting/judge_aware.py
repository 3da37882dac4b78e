"""Scores, and how far each judge can be trusted, from the same comparisons (ours; none of the papers; decision 20).

    d_k = c_j (s_first - s_second) + delta_j        j the judge of comparison k; delta_j > 0 favours the first position
    s ~ the model's prior      delta_j ~ N(0, BIAS_VARIANCE)      c_j ~ N(1, C_VARIANCE), and 1 of people

The verdicts of an adversarial judge (c < 0) are inverted. Scores are integrated out by EM, until no c or delta moves by
more than TOLERANCE in a round:

    E    s | c, delta ~ N(mu, Sigma): the mode and the inverse of  H = diag(q) + R^T diag(c^2 w) R
    M    c_j, delta_j go one Newton step towards the maximum of  sum_k E[l(c_j m_k + delta_j)] + log prior, concave,
         m_k ~ N(mu_first - mu_second, v_k), v_k = Sigma_ff + Sigma_ss - 2 Sigma_fs; E by Gauss-Hermite quadrature

The covariance of (s, delta, c) is the inverse of the Fisher information J^T diag(w) J + prior, with
J_k = (c_j r_k, 1 at delta_j, m_k at c_j). Everywhere `model` is without biases, of a smooth expert, and `judges` (2, J)
are delta and c.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from app.inference.core.edges import Curvature, Design, step_of
from app.inference.core.maximum import maximum
from app.inference.fitting.model import BIAS_VARIANCE, Model, design_of
from app.inference.fitting.published import share_of_verdicts
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
    share_of_verdicts: Floats  # (J,) in what is known of delta (published.py)
    convergence: Convergence


def fit(
    comparisons: Comparisons, model: Model, people: Bools, progress: Callable[[int], None] = lambda _: None
) -> JudgeAware:
    """Scores and judges together. Args: the c of `people` (J,) is 1; `progress` is called each round."""
    n, count = model.n, len(people)
    judges = np.array([np.zeros(count), people if people.any() else np.ones(count)], np.float64)
    s, moved, rounds = model.prior.pull / model.prior.precision, np.inf, 0
    while moved > TOLERANCE and rounds < MAX_ROUNDS:
        s, h = e_step(s, judges, comparisons, model)
        step = m_step(s, from_precision(h), judges, people, comparisons, model)
        judges, moved, rounds = judges + step, float(np.abs(step).max(initial=0.0)), rounds + 1
        progress(rounds)
    s, h = e_step(s, judges, comparisons, model)
    information = _information(s, h, judges, people, comparisons, model)
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

    Who is against the others counts for nothing: it may be this judge whom they are against.
    """
    others, s = take(comparisons, comparisons.judge != judge), aware.of_scores.mean
    design, judges = design_of(others, model), np.array([aware.delta, np.maximum(aware.c, 0.0)])
    g, weights = evaluate(s, judges, others, design, model)
    return np.asarray(s + np.linalg.solve(design.precision(weights, model.prior.precision), g))


def e_step(s: Floats, judges: Floats, comparisons: Comparisons, model: Model) -> tuple[Floats, Floats]:
    """mu (N,), from `s` on, and H there (N, N). Concave in s, so wherever it begins."""
    design, q = design_of(comparisons, model), model.prior.precision
    mu, weights, _ = maximum(
        lambda x: evaluate(x, judges, comparisons, design, model),
        lambda weights, g: step_of(design, Curvature(weights, q + design.information(weights)), q, g),
        s,
        DECREMENT,
    )
    return mu, design.precision(weights, q)


def evaluate(
    s: Floats, judges: Floats, comparisons: Comparisons, design: Design, model: Model
) -> tuple[Floats, Floats]:
    """The gradient (N,) of the log posterior of s given the judges, and c^2 w (K,)."""
    (_, _, p, judge, weight), (_, expert, prior, *_) = comparisons, model
    delta, c = judges[:, judge]
    d = c * design.times(s) + delta
    g = design.scatter(weight * c * expert.slope(d, p)) + prior.pull - prior.precision * s
    return g, c**2 * (weight * expert.curvature(d, p))


def m_step(
    s: Floats, sigma: DenseCovariance, judges: Floats, people: Bools, comparisons: Comparisons, model: Model
) -> Floats:
    """(2, J) Newton steps of delta and c, of at most 1, where the scores are N(s, sigma); c of people stays."""
    (first, second, p, judge, weight), expert, (delta, c) = comparisons, model.expert, judges
    sd = np.sqrt(np.maximum(sigma.variances(first, second), 0.0))
    m = (s[first] - s[second])[:, None] + sd[:, None] * NODES
    d = c[judge, None] * m + delta[judge, None]
    slope, curvature = expert.slope(d, p[:, None]), expert.curvature(d, p[:, None])

    def by_judge(terms: Floats) -> Floats:
        return np.asarray(np.bincount(judge, weight * (terms @ WEIGHTS), len(people)), np.float64)

    up_delta = by_judge(slope) - delta / BIAS_VARIANCE
    up_c = np.where(people, 0.0, by_judge(slope * m) - (c - 1.0) / C_VARIANCE)
    of_delta, of_c = by_judge(curvature) + 1.0 / BIAS_VARIANCE, by_judge(curvature * m * m) + 1.0 / C_VARIANCE
    of_both = np.where(people, 0.0, by_judge(curvature * m))
    steps = np.array([of_c * up_delta - of_both * up_c, of_delta * up_c - of_both * up_delta])
    return np.asarray(np.clip(steps / (of_delta * of_c - of_both**2), -1.0, 1.0))


def _information(s: Floats, h: Floats, judges: Floats, people: Bools, comparisons: Comparisons, model: Model) -> Floats:
    """Fisher's of (s, delta, c), and the prior's; `h` (N, N) is that of s."""
    (first, second, p, judge, weight), n, count = comparisons, model.n, len(people)
    m, (delta, c) = s[first] - s[second], judges[:, judge]
    places = np.concatenate([first, second, n + judge, n + count + judge])
    values = np.concatenate([c, -c, np.ones_like(c), m])
    jacobian = csr_array((values, (np.tile(np.arange(len(m)), 4), places)), (len(m), n + 2 * count))
    w = weight * model.expert.curvature(c * m + delta, p)
    information = (jacobian.T @ jacobian.multiply(w[:, None])).toarray()
    information[:n, :n] = h
    of_c = np.where(people, KNOWN, 1.0 / C_VARIANCE)
    information[n:, n:] += np.diag(np.append(np.full(count, 1.0 / BIAS_VARIANCE), of_c))
    return np.asarray(information)
