"""The score that judges with effects of their own have in common (ours; none of the papers).

    d_k = t_j,first - t_j,second + delta_j        j the judge of comparison k; delta_j > 0 favours the first position
    t_ji = s_i + u_ji                             what judge j makes of candidate i

    s_i ~ N(0, tau2)      u_ji ~ N(0, omega_j^2)      delta_j ~ N(0, BIAS_VARIANCE)

However often judge j answers, it tells no more of s than t_j does, which is s up to its effects u_j: a thousand
verdicts of one model never outvote ten people. A random or adversarial judge only has large effects here:
judge_aware.py is for such judges.

Given the variances, theta = (s, u, delta) is at its mode, by Newton with conjugate gradients. Its precision is reduced
to s by blocks, since judges are independent given s. With w the weights at the mode, L_j = R^T diag(w) R of j's
comparisons, less what delta_j takes up, and precision Q of the scores' prior:

    M_j = (I - (I + omega_j^2 L_j)^-1) / omega_j^2          what j tells of s, at most 1 / omega_j^2 of any direction
    Sigma = (Q + sum_j M_j)^-1                              the covariance of s, which costs J N^3
    cov(u_j) = omega_j^2 I - omega_j^4 (M_j - M_j Sigma M_j)

The variances maximise the evidence of Laplace's approximation, under weak priors (nu = PRIOR_WEIGHT, scaled inverse
chi^2) around the prior variance of the method and, of effects, PRIOR_SHARE of it:

    tau2         (|s|^2 + nu tau0^2) / (N - tr Sigma / tau2 + nu)                          MacKay's fixed point
    omega_j^2    Newton on its logarithm, with the average information (Gilmour, Thompson and Cullis 1995), from
                 the rest of j's verdicts after s:     r_j = u_j / omega_j^2  and  P_j = M_j - M_j Sigma M_j,
                 slope  (omega_j^2 (|r_j|^2 - tr P_j) + nu (omega0^2 / omega_j^2 - 1)) / 2

Judge effects show where judges differ, and nowhere else: r and P are taken under a flat prior on s. Both are 0 of a
judge alone, who is inseparable from the common score: its omega stays at what the prior expects, and scores as unsure.
The variance of the logarithms is carried over to s, whose derivative by them is -Sigma M_j u_j.

    t, s, u, delta      Consensus.scores, .effects, .delta       (J, N), (N,), (J, N), (J,)
    omega^2, tau2       Variances                               (J,), a number
    M, Sigma            reduce, Consensus.covariance            (J, N, N), (N, N)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.inference.core import maximum as newton
from app.inference.core.maximum import maximum
from app.inference.fitting.model import BIAS_VARIANCE, VAGUE, Model
from app.inference.gaussian import DenseCovariance, Scores, from_precision, plain
from app.inference.regimes import MOST_EFFECTS
from app.inference.types import Comparisons, Convergence, Floats

PRIOR_WEIGHT = 2.0
PRIOR_SHARE = 0.25
TOLERANCE = 1e-2  # of the logarithms of variances
DECREMENT = 1e-6  # in a round, in posterior sds
MAX_ROUNDS = 100


class Variances(NamedTuple):
    of_scores: float  # tau2
    of_effects: Floats  # (J,) omega^2

    @property
    def logarithms(self) -> Floats:
        """(1 + J,)."""
        return np.asarray(np.log(np.append(self.of_scores, self.of_effects)))


class Consensus(NamedTuple):
    scores: Floats  # (N,) s
    covariance: Floats  # (N, N) of them
    effects: Floats  # (J, N) u
    sd_of_effects: Floats  # (J, N)
    variances: Variances
    delta: Floats  # (J,)
    sd_of_delta: Floats  # (J,)
    share_of_verdicts: Floats  # (J,) in what is known of delta (covariates.py)
    convergence: Convergence

    @property
    def of_scores(self) -> Scores:
        """Their marginal posterior."""
        return Scores(self.scores, plain(self.covariance))


class ConsensusObjective(NamedTuple):
    """The log posterior of theta, given the variances."""

    comparisons: Comparisons
    model: Model
    variances: Variances

    @property
    def precision(self) -> Floats:
        """(N + N J + J,) of the prior of theta."""
        of_effects = np.repeat(1.0 / self.variances.of_effects, self.model.n)
        of_biases = np.full(len(self.variances.of_effects), 1.0 / BIAS_VARIANCE)
        return np.concatenate([self.model.prior.absolute + 1.0 / self.variances.of_scores, of_effects, of_biases])


class Reduced(NamedTuple):
    """Information of comparisons about each judge's scores of the candidates, and about s."""

    of_scores: Floats  # (J, N, N) M
    lean: Floats  # (J, N) how delta falls as t rises
    of_biases: Floats  # (J,) precision of delta given t
    log_det: Floats  # (J,) of I + omega_j^2 L_j


def fit(
    comparisons: Comparisons, model: Model, judges: int, progress: Callable[[int], None] = lambda _: None
) -> Consensus:
    """The common score and the effects of J judges.

    Args:
        model: without biases, of a smooth expert.
        progress: is called each round.

    Raises ValueError for more than MOST_EFFECTS effects.
    """
    if model.n * judges > MOST_EFFECTS:
        raise ValueError(
            f"consensus estimates an effect of each judge on each candidate, at most {MOST_EFFECTS:,}; here are "
            f"{model.n:,} x {judges:,}; judge-aware takes more"
        )
    of_scores, of_effects = _expected(model)
    objective = ConsensusObjective(comparisons, model, Variances(of_scores, np.full(judges, of_effects)))
    theta = np.zeros(model.n + model.n * judges + judges)
    moved, rounds = np.inf, 0
    while moved > TOLERANCE and rounds < MAX_ROUNDS:
        theta, reduced = likeliest(theta, objective)
        variances = m_step(theta, reduced, objective)
        moved = float(np.abs(variances.logarithms - objective.variances.logarithms).max())
        objective, rounds = objective._replace(variances=variances), rounds + 1
        progress(rounds)
    theta, reduced = likeliest(theta, objective)
    return at_mode(theta, reduced, objective, Convergence.of(moved, rounds, TOLERANCE))


def likeliest(theta: Floats, objective: ConsensusObjective) -> tuple[Floats, Reduced]:
    """The mode, from `theta` on, and what comparisons tell there. Concave, so wherever it begins."""
    theta, weights, _ = maximum(
        lambda theta: evaluate(theta, objective),
        lambda weights, g: newton_step(weights, g, objective),
        theta,
        DECREMENT,
    )
    return theta, reduce(weights, objective)


def evaluate(theta: Floats, objective: ConsensusObjective) -> tuple[Floats, Floats]:
    """The gradient of the log posterior, like theta, and w (K,)."""
    comparisons, model, _ = objective
    d, pull = design_times(theta, objective), np.zeros_like(theta)
    pull[: model.n] = model.prior.pull
    slope = comparisons.weight * model.expert.slope(d, comparisons.p)
    gradient = scatter(slope, objective) + pull - objective.precision * theta
    return gradient, comparisons.weight * model.expert.curvature(d, comparisons.p)


def newton_step(weights: Floats, g: Floats, objective: ConsensusObjective) -> Floats:
    """x with H x = g."""
    precision = objective.precision

    def hessian_times(x: Floats) -> Floats:
        return precision * x + scatter(weights * design_times(x, objective), objective)

    diagonal = precision + scatter(weights, objective, at_second=1.0)
    return newton.newton_step(hessian_times, lambda x: x / diagonal, g, DECREMENT)


def split(theta: Floats, objective: ConsensusObjective) -> tuple[Floats, Floats, Floats]:
    """s (N,), u (J, N) and delta (J,)."""
    n, judges = objective.model.n, len(objective.variances.of_effects)
    end = n + judges * n
    return theta[:n], theta[n:end].reshape(judges, n), theta[end:]


def design_times(theta: Floats, objective: ConsensusObjective) -> Floats:
    """d, shape (K,)."""
    (first, second, _, judge, _), (s, u, delta) = objective.comparisons, split(theta, objective)
    t = s + u
    return np.asarray(t[judge, first] - t[judge, second] + delta[judge])


def scatter(y: Floats, objective: ConsensusObjective, at_second: float = -1.0) -> Floats:
    """The transpose of `design_times`, (K,) to the shape of theta; with 1 at the second, that of the squares."""
    first, second, _, judge, _ = objective.comparisons
    n, judges = objective.model.n, len(objective.variances.of_effects)
    of_t = np.bincount(judge * n + first, y, judges * n) + at_second * np.bincount(judge * n + second, y, judges * n)
    of_s = of_t.reshape(judges, n).sum(axis=0)
    return np.concatenate([of_s, of_t, np.bincount(judge, y, judges)])


def reduce(weights: Floats, objective: ConsensusObjective) -> Reduced:
    """Information of comparisons of weights w (K,), delta_j and u_j taken out one after the other.

    Conceptually: Schur complements of H = diag(prior) + R^T diag(w) R, over theta.
    """
    (first, second, _, judge, _), n, omega2 = objective.comparisons, objective.model.n, objective.variances.of_effects
    links = np.bincount((judge * n + first) * n + second, weights, omega2.size * n * n).reshape(-1, n, n)
    links = links + links.transpose(0, 2, 1)
    _, lead, of_biases = split(scatter(weights, objective), objective)
    of_biases += 1.0 / BIAS_VARIANCE
    lean = lead / of_biases[:, None]
    laplacians = np.eye(n) * links.sum(axis=2)[:, None] - links - lead[:, :, None] * lean[:, None, :]
    inverses = [
        from_precision(np.eye(n) + variance * laplacian) for variance, laplacian in zip(omega2, laplacians, strict=True)
    ]
    of_scores = [(np.eye(n) - inverse.base) / variance for variance, inverse in zip(omega2, inverses, strict=True)]
    log_det = np.array([-inverse.log_det for inverse in inverses])
    return Reduced(np.reshape(of_scores, (-1, n, n)), lean, of_biases, log_det)


def m_step(theta: Floats, reduced: Reduced, objective: ConsensusObjective) -> Variances:
    """A step towards the likeliest variances, at most 1 in a logarithm, from the mode and what is known of it."""
    (s, _, _), tau2, omega2 = split(theta, objective), *objective.variances
    known = len(s) - covariance_of_scores(reduced, objective).base.trace() / tau2
    expected, _ = _expected(objective.model)
    slope, information = evidence(theta, reduced, objective)
    step = np.clip(np.linalg.solve(information, slope), -1.0, 1.0)
    return Variances(float((s @ s + PRIOR_WEIGHT * expected) / (known + PRIOR_WEIGHT)), omega2 * np.exp(step))


def evidence(theta: Floats, reduced: Reduced, objective: ConsensusObjective) -> tuple[Floats, Floats]:
    """The slope (J,) of the log evidence, prior included, by log omega^2, and the average information (J, J)."""
    model, omega2, m = objective.model, objective.variances.of_effects, reduced.of_scores
    s, u, _ = split(theta, objective)
    flat = covariance_under_flat_prior(reduced)
    without_prior = flat @ (objective.precision[: model.n] * s - model.prior.pull)  # what s would move by
    r = u / omega2[:, None] - m @ without_prior
    trace_of_p = np.trace(m, axis1=1, axis2=2) - np.einsum("ab,jba->j", flat, m @ m)
    working = omega2[:, None] * _times(m, r)
    prior = _expected(model)[1] / omega2
    slope = 0.5 * (omega2 * ((r * r).sum(axis=1) - trace_of_p) + PRIOR_WEIGHT * (prior - 1.0))
    own = omega2 * (r * working).sum(axis=1) + PRIOR_WEIGHT * np.maximum(prior, 1.0)
    return slope, 0.5 * (np.diag(own) - working @ flat @ working.T)


def covariance_of_scores(reduced: Reduced, objective: ConsensusObjective) -> DenseCovariance:
    """Sigma, the variances being known."""
    precision = objective.precision[: objective.model.n]
    return from_precision(np.diag(precision) + reduced.of_scores.sum(axis=0))


def covariance_under_flat_prior(reduced: Reduced) -> Floats:
    """Sigma (N, N) by verdicts alone."""
    information: Floats = reduced.of_scores.sum(axis=0)
    return from_precision(information + np.eye(len(information)) / VAGUE).base


def at_mode(theta: Floats, reduced: Reduced, objective: ConsensusObjective, convergence: Convergence) -> Consensus:
    """All that is known, from the mode."""
    (s, u, delta), omega2, n = split(theta, objective), objective.variances.of_effects, objective.model.n
    m, sigma = reduced.of_scores, covariance_of_scores(reduced, objective).base
    _, information = evidence(theta, reduced, objective)
    by_variances = -_times(m, u) @ sigma
    of_variances = np.linalg.inv(information)
    of_p = np.diagonal(m - m @ sigma @ m, axis1=1, axis2=2)
    of_effects = omega2[:, None] * (1.0 - 1.0 / n - omega2[:, None] * of_p)  # about their mean, which is 0
    of_biases = _variance_of_biases(sigma, reduced, objective)
    of_biases_alone = _variance_of_biases(covariance_under_flat_prior(reduced), reduced, objective)
    share = of_biases * (1.0 / of_biases_alone - 1.0 / BIAS_VARIANCE)
    return Consensus(
        scores=s,
        covariance=sigma + by_variances.T @ of_variances @ by_variances,
        effects=u,
        sd_of_effects=np.sqrt(of_effects),
        variances=objective.variances,
        delta=delta,
        sd_of_delta=np.sqrt(of_biases),
        share_of_verdicts=share,
        convergence=convergence,
    )


def _variance_of_biases(sigma: Floats, reduced: Reduced, objective: ConsensusObjective) -> Floats:
    """(J,) of delta, where the covariance of s is `sigma`: 1 / precision + lean^T cov(t_j) lean."""
    omega2, (m, lean, of_biases, _) = objective.variances.of_effects, reduced
    left = lean - omega2[:, None] * _times(m, lean)
    return np.asarray(1.0 / of_biases + ((left @ sigma) * left).sum(axis=1) + omega2 * (left * lean).sum(axis=1))


def _times(matrices: Floats, vectors: Floats) -> Floats:
    """The product (J, N) of (J, N, N) and (J, N)."""
    return np.asarray(np.einsum("jab,jb->ja", matrices, vectors))


def _expected(model: Model) -> tuple[float, float]:
    """tau0^2 and omega0^2, which the priors of the variances are around."""
    own: Floats = model.prior.precision - model.prior.absolute
    return 1.0 / own[0], PRIOR_SHARE * model.prior.variance
