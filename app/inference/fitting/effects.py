"""Judges with effects of their own: the score they have in common (ours; none of the papers).

    d_k = t_j,first - t_j,second + delta_j        j the judge of comparison k; delta_j > 0 favours the first position
    t_ji = s_i + u_ji                             what judge j makes of candidate i
    s_i ~ N(0, tau2)      u_ji ~ N(0, omega_j^2)      delta_j ~ N(0, BIAS_VARIANCE)

However often judge j answers, it tells no more of s than t_j does, which is s up to its effects: a thousand verdicts of
one model never outvote ten people. A random or adversarial judge only has large effects here: judge_aware.py is for
such judges. In people.py some judges have no effects, and anchor s.

Given the variances, theta = (s, u, delta) is at its mode. H, its precision, is reduced to s by blocks, since judges are
independent given s. With w the weights at the mode, L_j = R^T diag(w) R of j's comparisons, less what delta_j takes up,
q the precision of the scores' prior, and A_j = I - omega_j^2 M_j

    M_j = (I - (I + omega_j^2 L_j)^-1) / omega_j^2          what j tells of s, at most 1 / omega_j^2 of any direction
    Sigma = (diag(q) + sum_j M_j)^-1                        the covariance of s, which costs J N^3
    cov(t_j) = A_j Sigma A_j + omega_j^2 A_j                delta_j given t_j is a precision, and how it leans on t_j

eta = (ln tau2, all ln(omega_j^2 / tau2)) has a normal prior, in whose units it is z. The common score has z where the
evidence is greatest, by Laplace with weights that stay (PQL; Breslow and Clayton 1993). Where judges are many and say
little, the exact slope of Laplace's evidence leads to variances without limit. With P_j = M_j - M_j Sigma M_j

    ln tau2        ((s . s + tr Sigma) / tau2 - N) / 2                         while omega^2 stay
    ln omega_j^2   (u_j . u_j / omega_j^2 - omega_j^2 tr P_j) / 2

Row x_k of X is theta where its variance depends on eta_k, and 0 elsewhere; with Q the precision of theta's prior

    Y = X Q H^-1               how theta moves with eta
    F = (X - Y) Q X^T / 2      average information (Gilmour, Thompson and Cullis 1995)
    cov(s) = Sigma + Y_s^T (F + the prior's)^-1 Y_s         scores are less sure for not knowing the variances

Nothing tells the effects of a judge alone from the score: its omega^2 / tau2 stays about where the prior has it.

    s, u, delta     Hierarchy.split(theta)                (N,), (J, N), (J,): theta is (P,)
    tau2, omega^2   Hierarchy.of_scores, .of_effects      a number, (J,)
    M, Sigma        Inverse.of_scores, .sigma             (J, N, N), (N, N): the choice of judges can read them
"""

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import numpy as np

from app.inference.core.maximum import maximum
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import BIAS_VARIANCE, VAGUE, Model
from app.inference.gaussian import DenseCovariance, Scores, from_precision, plain
from app.inference.regimes import MOST_EFFECTS
from app.inference.types import Comparisons, Convergence, Floats

USUAL_EFFECTS = Normal(-0.5, 0.75)  # of ln(omega^2 / tau2): effects of 0.5 to 1.1 for scores of sd 1
SD_OF_SCALE = 1.0  # of ln tau2, about as much as two candidates tell
CLOSE, ROUGHLY = 1e-2, 0.1  # decrement of z, and of theta in a round, in posterior sds
FARTHEST = 5.0  # prior sds of eta: beyond, matrices are not factored exactly
LONGEST = 1.0  # step, in prior sds
MOST_LISTED = 12  # deviations of one judge


class Hierarchy(NamedTuple):
    """The model of scores, effects and biases at one eta: the log posterior of theta."""

    comparisons: Comparisons
    model: Model  # without biases, of a smooth expert
    of_scores: float  # tau2
    of_effects: Floats  # (J,) omega^2

    @property
    def precision(self) -> Floats:
        """(P,) of the prior of theta."""
        of_effects = np.repeat(1.0 / self.of_effects, self.model.n)
        of_biases = np.full(len(self.of_effects), 1.0 / BIAS_VARIANCE)
        return np.concatenate([self.model.prior.absolute + 1.0 / self.of_scores, of_effects, of_biases])

    def split(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        n, judges = self.model.n, len(self.of_effects)
        s, u, delta = np.split(theta, [n, n + judges * n])
        return s, u.reshape(judges, n), delta

    def differences(self, theta: Floats) -> Floats:
        """(K,) d = R theta."""
        (first, second, _, judge, _), (s, u, delta) = self.comparisons, self.split(theta)
        t = s + u
        return np.asarray(t[judge, first] - t[judge, second] + delta[judge])

    def scatter(self, y: Floats) -> Floats:
        """(P,) R^T y."""
        first, second, _, judge, _ = self.comparisons
        n, judges = self.model.n, len(self.of_effects)
        of_t = np.bincount(judge * n + first, y, judges * n) - np.bincount(judge * n + second, y, judges * n)
        of_s, of_delta = of_t.reshape(judges, n).sum(axis=0), np.bincount(judge, y, judges)
        return np.concatenate([of_s, of_t, of_delta], dtype=np.float64)

    def pulled(self, y: Floats) -> Floats:
        """(P,) R^T y, and what the prior of the scores pulls."""
        pull = self.scatter(y)
        pull[: self.model.n] += self.model.prior.pull
        return pull

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """The gradient (P,), and w (K,)."""
        p, weight, expert = self.comparisons.p, self.comparisons.weight, self.model.expert
        d = self.differences(theta)
        return self.pulled(weight * expert.slope(d, p)) - self.precision * theta, weight * expert.curvature(d, p)


class Inverse(NamedTuple):
    """H^-1 by blocks."""

    hierarchy: Hierarchy
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


class Consensus(NamedTuple):
    of_scores: Scores
    effects: Floats  # (J, N) u
    sd_of_effects: Floats  # (J, N)
    omega: Floats  # (J,)
    delta: Floats  # (J,)
    sd_of_delta: Floats  # (J,)
    share_of_verdicts: Floats  # (J,) in what is known of delta (published.py)
    convergence: Convergence


class Deviation(NamedTuple):
    candidate: int
    deviation: float  # what the judge adds to the common score
    sd: float


class JudgeEffects(NamedTuple):
    judge: int
    sd: float  # omega
    largest_deviations: list[Deviation]  # farthest first


def consensus(
    comparisons: Comparisons, model: Model, judges: int, progress: Callable[[int], None] = lambda _: None
) -> Consensus:
    """The common score and the effects of J judges.

    Args: `model` is without biases, of a smooth expert; `progress` is called each round.

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
        theta, inverse, _ = likeliest(start, Hierarchy(comparisons, model, tau2, tau2 * np.array(ratios)), ROUGHLY)
        of_scale, of_effects = slopes(theta, theta, inverse)
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


def likeliest(start: Floats, hierarchy: Hierarchy, close: float) -> tuple[Floats, Inverse, Floats]:
    """The mode of theta, H^-1 and w (K,) there. Concave, so wherever it begins. Args: `close` as of `maximum`."""
    inverse: Inverse

    def solve(weights: Floats, g: Floats) -> Floats:
        nonlocal inverse
        inverse = inverse_of(weights, hierarchy)
        return inverse.times(g)

    theta, weights, _ = maximum(hierarchy.evaluate, solve, start, close)
    return theta, inverse, weights


def inverse_of(weights: Floats, hierarchy: Hierarchy) -> Inverse:
    """H^-1 where comparisons weigh w (K,), delta_j and u_j taken out one after the other.

    Conceptually: Schur complements of H = diag(prior) + R^T diag(w) R, over theta.
    """
    (first, second, _, judge, _), n, omega2 = hierarchy.comparisons, hierarchy.model.n, hierarchy.of_effects
    links = np.bincount((judge * n + first) * n + second, weights, omega2.size * n * n).reshape(-1, n, n)
    links = links + links.transpose(0, 2, 1)
    _, lead, of_biases = hierarchy.split(hierarchy.scatter(weights))
    of_biases = of_biases + 1.0 / BIAS_VARIANCE
    lean = lead / of_biases[:, None]
    laplacians = np.eye(n) * links.sum(axis=2)[:, None] - links - lead[:, :, None] * lean[:, None, :]
    inverses = [from_precision(np.eye(n) + variance * of_j) for variance, of_j in zip(omega2, laplacians, strict=True)]
    of_judges = [(np.eye(n) - inverse.base) / variance for variance, inverse in zip(omega2, inverses, strict=True)]
    of_scores = np.reshape(of_judges, (-1, n, n))
    sigma = from_precision(np.diag(hierarchy.precision[:n]) + of_scores.sum(axis=0))
    log_det = sigma.log_det + sum(inverse.log_det for inverse in inverses)
    log_volume = 0.5 * (log_det - n * np.log(hierarchy.of_scores) - np.log(of_biases).sum())
    return Inverse(hierarchy, of_scores, lean, of_biases, sigma, float(log_volume))


def slopes(theta: Floats, theta_2: Floats, inverse: Inverse) -> tuple[float, Floats]:
    """Slopes by ln tau2 while omega^2 stay, and by ln omega^2 (J,); theta_2 is theta, or theta' of people.py."""
    hierarchy, m, sigma = inverse.hierarchy, inverse.of_scores, inverse.sigma.base
    (s, u, _), (s_2, u_2, _) = hierarchy.split(theta), hierarchy.split(theta_2)
    of_p = np.trace(m, axis1=1, axis2=2) - np.einsum("jab,jba->j", m @ sigma, m)
    of_scale = 0.5 * float((s @ s_2 + sigma.trace()) / hierarchy.of_scores - len(s))
    return of_scale, 0.5 * ((u * u_2).sum(axis=1) / hierarchy.of_effects - hierarchy.of_effects * of_p)


def average_information(theta: Floats, inverse: Inverse, sd: Floats) -> tuple[Floats, Floats]:
    """Y (1 + J, P) and F (1 + J, 1 + J), by z. Args: `sd` (1 + J,) of the prior of eta."""
    hierarchy, n, judges = inverse.hierarchy, inverse.hierarchy.model.n, len(sd) - 1
    eta = np.repeat(np.arange(judges + 2), [n, *[n] * judges, judges])  # that an entry depends on; the last is none
    x = np.where(eta == np.arange(judges + 1)[:, None], theta, 0.0)
    x[0] = np.where(eta <= judges, theta, 0.0)
    x *= sd[:, None]
    by_prior = x * hierarchy.precision
    by_prior[:, :n] -= x[:, :n] * hierarchy.model.prior.absolute
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
    s, u, delta = hierarchy.split(theta)
    return Consensus(
        of_scores=Scores(s, plain(covariance)),
        effects=u,
        sd_of_effects=np.sqrt(of_effects),
        omega=np.sqrt(hierarchy.of_effects),
        delta=delta,
        sd_of_delta=np.sqrt(of_biases),
        share_of_verdicts=of_biases * (1.0 / of_biases_alone - 1.0 / BIAS_VARIANCE),
        convergence=convergence,
    )


def judge_effects_of(agreed: Consensus, comparisons: Comparisons) -> list[JudgeEffects]:
    """Of each judge that compared anything, the candidates on which it departs most."""
    by_judge = []
    for judge in np.unique(comparisons.judge).tolist():
        u, sd = agreed.effects[judge].tolist(), agreed.sd_of_effects[judge].tolist()
        farthest = np.argsort(-np.abs(agreed.effects[judge]), kind="stable")[:MOST_LISTED].tolist()
        deviations = [Deviation(candidate, u[candidate], sd[candidate]) for candidate in farthest]
        by_judge.append(JudgeEffects(judge, float(agreed.omega[judge]), deviations))
    return by_judge
