"""A log as that of voices, people's and each judge's, and all that is known at one eta (equations: people.py)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.core.maximum import maximum
from app.inference.experts import is_vote, measurement
from app.inference.fitting.consensus import (
    DECREMENT,
    ConsensusObjective,
    Reduced,
    Variances,
    covariance_of_scores,
    design_times,
    evaluate,
    reduce,
    scatter,
    split,
)
from app.inference.fitting.evidence import SiteMoments, Sites, converge
from app.inference.fitting.measurements import LEAST_NOISE, WEAK_NOISE, Normal
from app.inference.fitting.model import Model, unit_prior
from app.inference.fitting.pooling import WEAK_SCALE
from app.inference.fitting.published import Published
from app.inference.gaussian import DenseCovariance, Scores
from app.inference.regimes import MOST_EFFECTS, RANKED_DENSE
from app.inference.types import Bools, Comparisons, Floats, Ints, join, take
from app.inference.verdicts import firsts, numbered, same_question

USUAL_EFFECTS = Normal(-0.5, 0.75)  # of ln(omega^2 / tau2): effects of 0.5 to 1.1 for scores of sd 1
NONE = 1e-6  # omega^2 / tau2 of people: as good as 0, which M_v would divide by
CLOSE = 1e-4  # moments of votes, in standard deviations
STEP = 1e-4  # difference of scores between which a weight's slope is read


class Voices(NamedTuple):
    """The log as that of people, voice 0, and of each judge that is no person; and what is expected of them."""

    comparisons: Comparisons  # judges are voices; of a measurement the weight is that of sigma2 = 1
    is_measured: Bools  # (K,)
    answers: Ints  # (V,) G, pairs that it measured: both orders share their error
    model: Model
    judges: Ints  # (V - 1,) numbers of voices 1, 2, ...
    measuring: Ints  # the voices that measure
    prior: Sequence[Normal]  # D, of eta


class Point(NamedTuple):
    """Posterior at one eta."""

    log_density: float
    slope: Floats  # (D,) of it, by Laplace
    scores: Scores
    theta: Floats  # the mode of (s, a, delta)
    weights: Floats  # (K,) there
    objective: ConsensusObjective
    log_prior: float  # of eta, and of the noise's constant


def has_too_many_effects(candidates: int, models: int) -> bool:
    """Whether judges who are no people have more effects on candidates than there is such a posterior for."""
    return candidates > RANKED_DENSE or candidates * models > MOST_EFFECTS


def voices_of(published: Published, people: Bools, log_effects: Mapping[int, Normal]) -> Voices:
    """Raises ValueError as `of_people` does."""
    comparisons, learnt, n = published.comparisons, published.learnt, published.model.n
    judges = np.unique(comparisons.judge[~people[comparisons.judge]])
    if has_too_many_effects(n, len(judges)):
        raise ValueError(f"too many effects: of {len(judges)} models on {n} candidates")
    log = comparisons if learnt is None else in_cells(comparisons, learnt.noise, n)
    is_measured = np.zeros(log.size, np.bool_) if learnt is None else ~is_vote(log.p)
    number = np.zeros(len(people), np.int64)
    number[judges] = np.arange(1, len(judges) + 1)
    voice = number[log.judge]
    measured = take(log, is_measured)
    once = firsts(same_question(measured, np.zeros(measured.size, np.int64)))
    answers = np.bincount(voice[is_measured][once], minlength=len(judges) + 1)
    measuring = np.flatnonzero(answers)
    prior = published.model.prior
    of_scale = Normal(float(np.log(prior.variance)), WEAK_SCALE.sd)
    of_effects = [log_effects.get(int(judge), USUAL_EFFECTS) for judge in judges]
    without_biases = unit_prior(n, prior.variance)._replace(pull=prior.pull[:n], absolute=prior.absolute[:n])
    return Voices(
        log._replace(judge=voice),
        is_measured,
        answers,
        published.model._replace(prior=without_biases, known_biases=None),
        judges,
        measuring,
        [of_scale, *of_effects, *[WEAK_NOISE] * len(measuring)],
    )


def in_cells(comparisons: Comparisons, noise: Floats, n: int) -> Comparisons:
    """Votes as they are, and of measurements the mean of each judge on a pair in one order, weighed for sigma2 = 1.

    How far repeats differ is not the error that the model is about.
    """
    measured = ~is_vote(comparisons.p)
    rows = take(comparisons, measured)
    cell = numbered(rows.judge, rows.first, rows.second)
    once = firsts(cell)
    share = rows.weight * noise[rows.judge]
    weight: Floats = np.bincount(cell, share).astype(np.float64)
    y = np.bincount(cell, share * measurement(rows.p)) / weight
    means = take(rows, once)._replace(p=np.where(y == 0.0, np.nextafter(0.5, 1.0), expit(y)), weight=weight)
    return join(take(comparisons, ~measured), means)


def at(z: Floats, start: Floats, voices: Voices) -> Point:
    """All that is known at one z; theta is found from `start` on."""
    log, is_measured, answers, model, judges, measuring, _ = voices
    mean, sd = np.array(voices.prior).T
    eta, count = mean + sd * z, len(judges) + 1
    tau2, sigma2 = float(np.exp(eta[0])), np.ones(count)
    sigma2[measuring] = LEAST_NOISE + np.exp(eta[count:])
    weight = np.where(is_measured, log.weight / sigma2[log.judge], log.weight)
    variances = Variances(tau2, tau2 * np.append(NONE, np.exp(eta[1:count])))
    objective = ConsensusObjective(log._replace(weight=weight), model, variances)
    theta, curvature, _ = maximum(
        lambda theta: evaluate(theta, objective), lambda w, g: step_by_blocks(w, g, objective), start, DECREMENT
    )
    reduced = reduce(curvature, objective)
    sigma = covariance_of_scores(reduced, objective)
    d = design_times(theta, objective)
    log_prior = -0.5 * float(answers @ np.log(sigma2) + z @ z)
    log_density = weight @ model.expert.log_density(d, log.p) + model.prior.pull @ theta[: model.n]
    log_density += log_prior - 0.5 * objective.precision @ theta**2 + _log_volume(reduced, sigma.log_det, objective)
    variance = _variances(reduced, sigma.base, objective)
    bend = weight * (model.expert.curvature(d + STEP, log.p) - model.expert.curvature(d - STEP, log.p)) / (2.0 * STEP)
    theta_2 = theta - _solved(scatter(bend * variance, objective), reduced, sigma.base, objective)
    of_scale, of_effects = _slopes(theta, theta_2, reduced, sigma.base, objective)
    error, error_2 = (model.expert.slope(design_times(each, objective), log.p) for each in (theta, theta_2))
    explained = np.bincount(log.judge, is_measured * weight * (error * error_2 + variance), count)
    of_noise = 0.5 * (explained - answers)[measuring] * np.exp(eta[count:]) / sigma2[measuring]
    slope = np.concatenate([[of_scale + of_effects.sum()], of_effects[1:], of_noise])
    scores = Scores(theta[: model.n], sigma, scale=tau2)
    return Point(float(log_density), sd * slope - z, scores, theta, curvature, objective, log_prior)


def true_to_votes(point: Point, voices: Voices) -> Point:
    """The density and the scores by expectation propagation; Laplace's without votes, or where it does not converge."""
    (log, model, variances), expert, votes = point.objective, voices.model.expert, ~voices.is_measured
    if not votes.any() or expert.as_soft_bt is None:
        return point
    d = design_times(point.theta, point.objective)
    precision, shift = point.weights.copy(), point.weights * d + log.weight * expert.slope(d, log.p)
    wins = (log.weight * expert.as_soft_bt(log.p))[votes]
    constant = -0.5 * float((shift**2 / point.weights)[~votes].sum())
    sites = Sites(wins, log.weight[votes] - wins, np.zeros(len(wins)), precision[votes], shift[votes])

    def moments(sites: Sites) -> SiteMoments[tuple[Floats, DenseCovariance]]:
        precision[votes], shift[votes] = sites.precision, sites.shift
        reduced = reduce(precision, point.objective)
        sigma = covariance_of_scores(reduced, point.objective)
        pull = scatter(shift, point.objective)
        pull[: model.n] += model.prior.pull
        mean = _solved(pull, reduced, sigma.base, point.objective)
        m, v = design_times(mean, point.objective), _variances(reduced, sigma.base, point.objective)
        log_integral = 0.5 * float(pull @ mean) + _log_volume(reduced, sigma.log_det, point.objective)
        return SiteMoments((mean[: model.n], sigma), m[votes], v[votes], log_integral)

    try:
        with np.errstate(all="ignore"):
            (mean, sigma), _, log_evidence, convergence = converge(sites, moments, CLOSE)
    except np.linalg.LinAlgError:
        return point
    if not convergence.converged:
        return point
    scores = Scores(mean, sigma, scale=variances.of_scores)
    return point._replace(log_density=log_evidence + constant + point.log_prior, scores=scores)


def _log_volume(reduced: Reduced, log_det: float, objective: ConsensusObjective) -> float:
    """Half of ln det of the prior's precision of theta over that of the posterior's, whose Sigma has this `log_det`."""
    of_prior = objective.model.n * np.log(objective.variances.of_scores)
    return 0.5 * float(log_det - of_prior - reduced.log_det.sum() - np.log(reduced.of_biases).sum())


def step_by_blocks(weights: Floats, g: Floats, objective: ConsensusObjective) -> Floats:
    """x with H x = g, by what is known of s. Slow formula: `consensus.newton_step`, faster for very many candidates."""
    reduced = reduce(weights, objective)
    return _solved(g, reduced, covariance_of_scores(reduced, objective).base, objective)


def _solved(g: Floats, reduced: Reduced, sigma: Floats, objective: ConsensusObjective) -> Floats:
    """x with H x = g."""
    (m, lean, of_biases, _), omega2 = reduced, objective.variances.of_effects[:, None]
    g_s, g_a, g_delta = split(g, objective)
    by_biases = lean * g_delta[:, None]
    h = g_a - by_biases
    m_h = np.einsum("vab,vb->va", m, h)
    x_s = sigma @ (g_s - (by_biases + omega2 * m_h).sum(axis=0))
    x_a = omega2 * (h - omega2 * m_h - m @ x_s)
    return np.concatenate([x_s, x_a.ravel(), g_delta / of_biases - (lean * (x_s + x_a)).sum(axis=1)])


def _slopes(
    theta: Floats, theta_2: Floats, reduced: Reduced, sigma: Floats, objective: ConsensusObjective
) -> tuple[float, Floats]:
    """Derivatives of ln p(log | eta) by ln tau2 while omega2 stays, and by ln omega2 (V,); theta_2 is theta'."""
    (s, a, _), (s_2, a_2, _) = split(theta, objective), split(theta_2, objective)
    (tau2, omega2), m = objective.variances, reduced.of_scores
    of_p = np.trace(m, axis1=1, axis2=2) - np.einsum("vab,vba->v", m @ sigma, m)
    of_scale = 0.5 * float((s @ s_2 + sigma.trace()) / tau2 - len(s))
    return of_scale, 0.5 * ((a * a_2).sum(axis=1) / omega2 - omega2 * of_p)


def _variances(reduced: Reduced, sigma: Floats, objective: ConsensusObjective) -> Floats:
    """(K,) of d."""
    (first, second, _, voice, _), (m, lean, of_biases, _) = objective.comparisons, reduced
    omega2 = objective.variances.of_effects[:, None, None]
    left = np.eye(objective.model.n) - omega2 * m
    of_t = left @ sigma @ left + omega2 * left
    with_bias = np.einsum("vab,vb->va", of_t, lean)
    of_bias = 1.0 / of_biases + (lean * with_bias).sum(axis=1)
    of_pair = of_t[voice, first, first] + of_t[voice, second, second] - 2.0 * of_t[voice, first, second]
    return np.asarray(of_pair - 2.0 * (with_bias[voice, first] - with_bias[voice, second]) + of_bias[voice])
