"""Judges with effects of their own: the score they have in common (ours; none of the papers; decisions 48, 67).

    d_k = t_j,first - t_j,second + delta_j        j the judge of comparison k; delta_j > 0 favours the first position
    t_ji = s_i + u_ji                             what judge j makes of candidate i; u = 0 of people (people.py)
    s_i ~ N(0, tau2)      u_ji ~ N(0, omega_j^2)      delta_j ~ N(0, BIAS_VARIANCE)

Given the variances, theta = (s, u, delta), of shape (P,), is at its mode, and H, its precision, is reduced to s by
blocks. With w the weights there, L_j = R^T diag(w) R of j's comparisons, less what delta_j takes up, q the precision of
the scores' prior, and A_j = I - omega_j^2 M_j

    M_j = (I - (I + omega_j^2 L_j)^-1) / omega_j^2          what j tells of s, at most 1 / omega_j^2 of any direction
    Sigma = (diag(q) + sum_j M_j)^-1                        the covariance of s, which costs J N^3
    cov(t_j) = A_j Sigma A_j + omega_j^2 A_j                delta_j given t_j is a precision, and how it leans on t_j

eta = (ln tau2, all ln(omega_j^2 / tau2)) has a normal prior, in whose units it is z. It is where the evidence is
greatest, by Laplace with weights that stay (PQL; Breslow and Clayton 1993), of slopes, with P_j = M_j - M_j Sigma M_j,

    ln tau2        ((s . s + tr Sigma) / tau2 - N) / 2                         while omega^2 stay
    ln omega_j^2   (u_j . u_j / omega_j^2 - omega_j^2 tr P_j) / 2

Row x_k of X is theta where its variance depends on eta_k, and 0 elsewhere; with Q the precision of theta's prior

    Y = X Q H^-1               how theta moves with eta
    F = (X - Y) Q X^T / 2      average information (Gilmour, Thompson and Cullis 1995)
    cov(s) = Sigma + Y_s^T (F + the prior's)^-1 Y_s         scores are less sure for not knowing the variances
"""

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import numpy as np

from app.inference.core.edges import Design
from app.inference.core.maximum import maximum
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import BIAS_VARIANCE, VAGUE, Model, Prior
from app.inference.gaussian import DenseCovariance, Scores, from_precision, plain
from app.inference.regimes import MOST_EFFECTS
from app.inference.types import Comparisons, Convergence, Floats

USUAL_EFFECTS = Normal(-0.5, 0.75)  # of ln(omega^2 / tau2): effects of 0.5 to 1.1 for scores of sd 1
SD_OF_SCALE = 1.0  # of ln tau2, about as much as two candidates tell
CLOSE, ROUGHLY = 1e-2, 0.1  # decrement of z, and of theta in a round, in posterior sds
FARTHEST = 5.0  # prior sds of eta: beyond, matrices are not factored exactly
LONGEST = 1.0  # step, in prior sds


class Hierarchy(NamedTuple):
    """The model of scores, effects and biases at one eta: the log posterior of theta."""

    comparisons: Comparisons
    model: Model  # without biases, of a smooth expert
    of_scores: float  # tau2
    of_effects: Floats  # (J,) omega^2
    prior: Prior  # of theta
    design: Design  # (K, J N + J) of (t, delta)

    @classmethod
    def of(cls, comparisons: Comparisons, model: Model, of_scores: float, of_effects: Floats) -> "Hierarchy":
        (first, second, _, judge, _), n, judges = comparisons, model.n, len(of_effects)
        of_s = model.prior._replace(precision=model.prior.absolute + 1.0 / of_scores)
        of_others = np.append(np.repeat(1.0 / of_effects, n), np.full(judges, 1.0 / BIAS_VARIANCE))
        design = Design(judges * n, judges * (n + 1), judge * n + first, judge * n + second, judges * n + judge)
        return cls(comparisons, model, of_scores, of_effects, of_s.and_others(n, of_others), design)

    def split(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """s (N,), u (J, N) and delta (J,)."""
        n, judges = self.model.n, len(self.of_effects)
        s, u, delta = np.split(theta, [n, n + judges * n])
        return s, u.reshape(judges, n), delta

    def differences(self, theta: Floats) -> Floats:
        """(K,) d = R theta."""
        s, u, delta = self.split(theta)
        return self.design.times(np.append(s + u, delta))

    def scatter(self, y: Floats) -> Floats:
        """(P,) R^T y."""
        of_t, n, judges = self.design.scatter(y), self.model.n, len(self.of_effects)
        return np.append(of_t[: judges * n].reshape(judges, n).sum(axis=0), of_t)

    def evaluate(self, theta: Floats) -> tuple[Floats, "Inverse"]:
        """The gradient (P,), and H^-1."""
        p, weight, expert, prior = self.comparisons.p, self.comparisons.weight, self.model.expert, self.prior
        d = self.differences(theta)
        g = self.scatter(weight * expert.slope(d, p)) + prior.pull - prior.precision * theta
        return g, self.inverse(weight * expert.curvature(d, p))

    def inverse(self, weights: Floats) -> "Inverse":
        """H^-1 where comparisons weigh w (K,), delta_j and u_j taken out one after the other.

        Conceptually: Schur complements of H = diag(prior) + R^T diag(w) R, over theta.
        """
        n, omega2, second = self.model.n, self.of_effects, self.comparisons.second
        links = np.bincount(self.design.first * n + second, weights, omega2.size * n * n).reshape(-1, n, n)
        links = links + links.transpose(0, 2, 1)
        _, lead, of_biases = self.split(self.scatter(weights))
        of_biases = of_biases + 1.0 / BIAS_VARIANCE
        lean = lead / of_biases[:, None]
        laplacians = np.eye(n) * links.sum(axis=2)[:, None] - links - lead[:, :, None] * lean[:, None, :]
        apart = [from_precision(np.eye(n) + variance * of_j) for variance, of_j in zip(omega2, laplacians, strict=True)]
        of_judges = [(np.eye(n) - of_j.base) / variance for variance, of_j in zip(omega2, apart, strict=True)]
        of_scores = np.reshape(of_judges, (-1, n, n))
        sigma = from_precision(np.diag(self.prior.precision[:n]) + of_scores.sum(axis=0))
        log_det = sigma.log_det + sum(of_j.log_det for of_j in apart)
        log_volume = 0.5 * (log_det - n * np.log(self.of_scores) - np.log(of_biases).sum())
        return Inverse(self, weights, of_scores, lean, of_biases, sigma, float(log_volume))


class Inverse(NamedTuple):
    """H^-1 by blocks."""

    hierarchy: Hierarchy
    weights: Floats  # (K,) w
    of_scores: Floats  # (J, N, N) M
    lean: Floats  # (J, N) how delta falls as t rises
    of_biases: Floats  # (J,) precision of delta given t
    sigma: DenseCovariance
    log_volume: float  # half of ln det of the prior's precision of theta over H

    def times(self, g: Floats) -> Floats:
        """(P,) x with H x = g."""
        m, lean, omega2 = self.of_scores, self.lean, self.hierarchy.of_effects[:, None]
        g_s, g_u, g_delta = self.hierarchy.split(g)
        by_biases = lean * g_delta[:, None]
        h = g_u - by_biases
        m_h = np.einsum("jab,jb->ja", m, h)
        x_s = self.sigma.base @ (g_s - (by_biases + omega2 * m_h).sum(axis=0))
        x_u = omega2 * (h - omega2 * m_h - m @ x_s)
        return np.concatenate([x_s, x_u.ravel(), g_delta / self.of_biases - (lean * (x_s + x_u)).sum(axis=1)])

    def of_judges(self, sigma: Floats) -> tuple[Floats, Floats, Floats]:
        """Covariances of t (J, N, N), less those with delta (J, N), variances of delta (J,), where s has `sigma`."""
        omega2 = self.hierarchy.of_effects[:, None, None]
        left = np.eye(len(sigma)) - omega2 * self.of_scores
        of_t = left @ sigma @ left + omega2 * left
        with_bias = np.einsum("jab,jb->ja", of_t, self.lean)
        return of_t, with_bias, 1.0 / self.of_biases + (self.lean * with_bias).sum(axis=1)

    def variances(self) -> Floats:
        """(K,) of d."""
        first, second, _, j, _ = self.hierarchy.comparisons
        of_t, with_bias, of_bias = self.of_judges(self.sigma.base)
        of_pair = of_t[j, first, first] + of_t[j, second, second] - 2.0 * of_t[j, first, second]
        return np.asarray(of_pair - 2.0 * (with_bias[j, first] - with_bias[j, second]) + of_bias[j])

    def slopes(self, theta: Floats, theta_2: Floats) -> tuple[float, Floats]:
        """Slopes by ln tau2 while omega^2 stay, and by ln omega^2 (J,); theta_2 is theta, or theta' of people.py."""
        hierarchy, m, sigma = self.hierarchy, self.of_scores, self.sigma.base
        (s, u, _), (s_2, u_2, _) = hierarchy.split(theta), hierarchy.split(theta_2)
        of_p = np.trace(m, axis1=1, axis2=2) - np.einsum("jab,jba->j", m @ sigma, m)
        of_scale = 0.5 * float((s @ s_2 + sigma.trace()) / hierarchy.of_scores - len(s))
        return of_scale, 0.5 * ((u * u_2).sum(axis=1) / hierarchy.of_effects - hierarchy.of_effects * of_p)


class JudgeEffects(NamedTuple):
    judge: int
    sd: float  # omega
    deviations: Floats  # (N,) u: what the judge adds to the common score
    sd_of_deviations: Floats  # (N,)


class Consensus(NamedTuple):
    of_scores: Scores
    effects: list[JudgeEffects]  # of each judge
    delta: Floats  # (J,)
    sd_of_delta: Floats  # (J,)
    share_of_verdicts: Floats  # (J,) in what is known of delta (published.py)
    convergence: Convergence


def consensus(
    comparisons: Comparisons, model: Model, judges: int, progress: Callable[[int], None] = lambda _: None
) -> Consensus:
    """The common score and the effects of J judges; `model` is as of Hierarchy, `progress` is called each round.

    Raises ValueError for more than MOST_EFFECTS effects, and numpy.linalg.LinAlgError.
    """
    if model.n * judges > MOST_EFFECTS:
        raise ValueError(
            f"consensus estimates an effect of each judge on each candidate, at most {MOST_EFFECTS:,}; here are "
            f"{model.n:,} x {judges:,}; judge-aware takes more"
        )
    prior = [Normal(float(np.log(model.prior.variance)), SD_OF_SCALE), *[USUAL_EFFECTS] * judges]
    (mean, sd), rounds = np.array(prior).T, count(1)
    theta, z_of_theta, curvature = np.zeros((model.n + 1) * (judges + 1) - 1), np.zeros_like(sd), np.eye(len(sd))
    by_z = np.zeros((len(sd), len(theta)))

    def evaluate(z: Floats) -> tuple[Floats, Inverse]:
        nonlocal theta, z_of_theta
        start, z_of_theta = theta + (z - z_of_theta) @ by_z, z
        tau2, *ratios = np.exp(mean + sd * np.clip(z, -FARTHEST, FARTHEST))
        hierarchy = Hierarchy.of(comparisons, model, tau2, tau2 * np.array(ratios))
        theta, inverse, _ = maximum(hierarchy.evaluate, Inverse.times, start, ROUGHLY)
        of_scale, of_effects = inverse.slopes(theta, theta)
        return sd * np.append(of_scale + of_effects.sum(), of_effects) - z, inverse

    def solve(inverse: Inverse, slope: Floats) -> Floats:
        nonlocal by_z, curvature
        progress(next(rounds))
        by_z, information = average_information(theta, inverse, sd)
        curvature = np.eye(len(sd)) + information
        return np.clip(np.linalg.solve(curvature, slope), -LONGEST, LONGEST)

    z, _, convergence = maximum(evaluate, solve, z_of_theta, CLOSE)
    _, inverse = evaluate(z)
    moving = by_z[:, : model.n]
    covariance = inverse.sigma.base + moving.T @ np.linalg.solve(curvature, moving)
    return known_at(theta, inverse, covariance, convergence)


def average_information(theta: Floats, inverse: Inverse, sd: Floats) -> tuple[Floats, Floats]:
    """Y (1 + J, P) and F (1 + J, 1 + J), by z. Args: `sd` (1 + J,) of the prior of eta."""
    prior, n, judges = inverse.hierarchy.prior, inverse.hierarchy.model.n, len(sd) - 1
    eta = np.repeat(np.arange(judges + 2), [n, *[n] * judges, judges])  # that an entry depends on; the last is none
    x = np.where(eta == np.arange(judges + 1)[:, None], theta, 0.0)
    x[0] = np.where(eta <= judges, theta, 0.0)
    x *= sd[:, None]
    by_prior = x * (prior.precision - prior.absolute)
    y = np.array([inverse.times(row) for row in by_prior])
    return y, 0.5 * (x - y) @ by_prior.T


def known_at(theta: Floats, inverse: Inverse, covariance: Floats, convergence: Convergence) -> Consensus:
    """All that is known, where the scores have this covariance (N, N)."""
    hierarchy, m, sigma = inverse.hierarchy, inverse.of_scores, inverse.sigma.base
    omega2, n = hierarchy.of_effects[:, None], hierarchy.model.n
    of_p = np.diagonal(m - m @ sigma @ m, axis1=1, axis2=2)
    of_effects = omega2 * (1.0 - 1.0 / n - omega2 * of_p)  # about their mean, which is 0
    flat = from_precision(m.sum(axis=0) + np.eye(n) / VAGUE).base
    (*_, of_biases), (*_, of_biases_alone) = inverse.of_judges(sigma), inverse.of_judges(flat)
    (s, u, delta), omega = hierarchy.split(theta), np.sqrt(hierarchy.of_effects).tolist()
    return Consensus(
        of_scores=Scores(s, plain(covariance)),
        effects=[JudgeEffects(*row) for row in zip(range(len(u)), omega, u, np.sqrt(of_effects), strict=True)],
        delta=delta,
        sd_of_delta=np.sqrt(of_biases),
        share_of_verdicts=of_biases * (1.0 / of_biases_alone - 1.0 / BIAS_VARIANCE),
        convergence=convergence,
    )
