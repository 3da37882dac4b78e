"""The scores that people would give, where judges that are no people have effects of their own (decision 67; ours).

The model of effects.py, with people as one voice without effects, who anchor s, and with measurements, y = d + error of
variance sigma2_j. eta = (ln tau2, ln(omega_j^2 / tau2) of each judge, ln sigma2_j of each voice that measures) is
integrated over:

    p(s | log) = sum_g w_g N(mu_g, Sigma_g)      mu_g, Sigma_g given eta_g
    w_g ~ p(eta_g | log) / q(eta_g)              q normal, around the mode and with the curvature of p(eta | log)
    ln p(eta | log) = ln p(log, theta) - ln(det H / det of the prior's precision) / 2 + ln prior + constant

by Laplace in theta, which is exact for measurements and finds the mode and the curvature. With votes it makes tau2 too
small, so that mu_g, Sigma_g and p(eta_g | log) are by expectation propagation there (evidence.py).

Weights of votes move with theta, and theta with eta, so that the determinant moves in two ways. Its slope has
theta' = theta - x, twice as far as the posterior's mean is from its mode. With var d = R H^-1 R^T, G_j how many
measurements j has, the slopes of effects.py are those of s . s' and u_j . u_j', with

    H x = R^T (var d dw/dd)                                                    0 where nobody votes
    ln sigma2_j    (sum of w ((y - d) (y - d') + var d) over j's measurements - G_j) / 2
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.core.cells import TIE
from app.inference.core.maximum import maximum
from app.inference.experts import is_vote, measurement
from app.inference.fitting.effects import FARTHEST, LONGEST, USUAL_EFFECTS, Hierarchy, Inverse
from app.inference.fitting.evidence import SiteMoments, Sites, converge
from app.inference.fitting.measurements import LEAST_NOISE, WEAK_NOISE, Normal
from app.inference.fitting.model import NONE, Model
from app.inference.fitting.published import Published
from app.inference.fitting.weights import LOG_PRIOR_OF_SPREAD, SPREADS, WEAK_SCALE, expected
from app.inference.gaussian import DenseCovariance, Scores, mixed
from app.inference.regimes import MOST_EFFECTS, RANKED_DENSE
from app.inference.types import Bools, Comparisons, Floats, Ints, join, take
from app.inference.verdicts import firsts, means, numbered, same_question

NO_EFFECTS = 1e-6  # omega^2 / tau2 of people: as good as 0, which M would be divided by
DECREMENT = 1e-6  # of theta, in posterior sds
MOMENTS_APART = 1e-4  # of votes, in standard deviations
BESIDE = 1e-4  # difference of scores between which a weight's slope is read
POINTS, SEED = 64, 0  # the same log gives the same posterior
WIDER = 1.3  # variance of q for that of the curvature
NEGLIGIBLE = 1e-3  # weight of a point, relative to the largest
STEP = 1e-3  # of differences, in prior sds
NEAR = 1e-9  # decrement at the mode
FLATTEST = 0.5  # curvature of p(eta | log), for that of the prior
LEAST_INFORMATION = 0.05  # share of the prior's variance that a log takes away: with less it tells nothing of a judge
EFFECTS = np.arange(-6.0, 4.0, 0.25)  # ln(omega^2 / tau2)


class Voices(NamedTuple):
    """The log as that of people, voice 0, and of each judge that is no person; and what is expected of them."""

    comparisons: Comparisons  # judges are voices; of a measurement the weight is that of sigma2 = 1
    is_measured: Bools  # (K,)
    answers: Ints  # (V,) G, pairs that it measured, if any: both orders share their error
    model: Model
    judges: Ints  # (V - 1,) numbers of voices 1, 2, ...
    prior: Sequence[Normal]  # D, of eta, which is z in units of its sd from its mean


class Point(NamedTuple):
    log_density: float
    slope: Floats  # (D,) of it, by Laplace
    scores: Scores
    theta: Floats  # the mode
    inverse: Inverse  # there
    log_prior: float  # of eta, and of the noise's constant


def has_too_many_effects(candidates: int, models: int) -> bool:
    """Whether judges who are no people have more effects on candidates than there is such a posterior for."""
    return candidates > RANKED_DENSE or candidates * models > MOST_EFFECTS


def of_people(published: Published, people: Bools, log_effects: Mapping[int, Normal]) -> Scores:
    """The posterior of the scores that people would give; the latent one where people alone have judged.

    Args: `published` is of a smooth expert; `people` (J,) tells who they are; `log_effects` is what is known of
        ln(omega^2 / tau2), by the judges' numbers, USUAL_EFFECTS of all others.

    Raises ValueError for more than RANKED_DENSE candidates or MOST_EFFECTS effects, and numpy.linalg.LinAlgError.
    """
    if people[published.answers.judge].all():
        return published.scores
    weight, points, _ = integrated(voices_of(published, people, log_effects))
    return mixed([(w, point.scores) for w, point in zip(weight.tolist(), points, strict=True)])


def voices_of(published: Published, people: Bools, log_effects: Mapping[int, Normal]) -> Voices:
    """Raises ValueError as `of_people` does."""
    comparisons, learnt, model = published.comparisons, published.learnt, published.model
    judges = np.unique(comparisons.judge[~people[comparisons.judge]])
    if has_too_many_effects(model.n, len(judges)):
        raise ValueError(f"too many effects: of {len(judges)} models on {model.n} candidates")
    log = comparisons if learnt is None else in_cells(comparisons, learnt.noise)
    is_measured = np.zeros(log.size, np.bool_) if learnt is None else ~is_vote(log.p)
    number = np.zeros(len(people), np.int64)
    number[judges] = np.arange(1, len(judges) + 1)
    log = log._replace(judge=number[log.judge])
    measured = take(log, is_measured)
    once = firsts(same_question(measured, np.zeros(measured.size, np.int64)))
    answers = np.bincount(measured.judge[once], minlength=len(judges) + 1)
    prior = model.prior.and_others(model.n, NONE)
    of_scale = Normal(float(np.log(prior.variance)), WEAK_SCALE.sd)
    of_effects = [log_effects.get(judge, USUAL_EFFECTS) for judge in judges.tolist()]
    of_eta = [of_scale, *of_effects, *[WEAK_NOISE] * np.count_nonzero(answers)]
    return Voices(log, is_measured, answers, model._replace(prior=prior, known_biases=None), judges, of_eta)


def in_cells(comparisons: Comparisons, noise: Floats) -> Comparisons:
    """Votes as they are, and of measurements the mean of each judge on a pair in one order, weighed for sigma2 = 1.

    How far repeats differ is not the error that the model is about.
    """
    measured = ~is_vote(comparisons.p)
    rows = take(comparisons, measured)
    cell, share = numbered(rows.judge, rows.first, rows.second), rows.weight * noise[rows.judge]
    once = take(rows, firsts(cell))
    y = means(measurement(rows.p), cell, once.size, share)
    once = once._replace(p=np.where(y == 0.0, TIE, expit(y)), weight=np.bincount(cell, share).astype(np.float64))
    return join(take(comparisons, ~measured), once)


def integrated(voices: Voices) -> tuple[Floats, list[Point], Floats]:
    """Weights (G,), which sum to 1, points, and their z (G, D), that stand for p(eta | log)."""
    from scipy.stats.qmc import MultivariateNormalQMC  # slow to load, and few need it

    mode, spread, start = mode_of(voices)
    drawn = np.sqrt(WIDER) * MultivariateNormalQMC(np.zeros(len(mode)), rng=np.random.default_rng(SEED)).random(POINTS)
    drawn = drawn[:, mode.argsort().argsort()]  # whatever the order of judges
    z = np.clip(mode + drawn @ spread, -FARTHEST, FARTHEST)
    points = [true_to_votes(at(each, start, voices), voices) for each in z]
    log_weight = np.array([point.log_density for point in points]) + 0.5 / WIDER * (drawn**2).sum(axis=1)
    weight = np.exp(log_weight - log_weight.max())
    kept = np.flatnonzero(weight > NEGLIGIBLE)
    return weight[kept] / weight[kept].sum(), [points[g] for g in kept], z[kept]


def mode_of(voices: Voices) -> tuple[Floats, Floats, Floats]:
    """z (D,) where ln p(eta | log) is greatest, the symmetric root of its covariance by the curvature there, theta."""
    theta = np.zeros((voices.model.n + 1) * (len(voices.answers) + 1) - 1)

    def slope(z: Floats) -> Floats:
        within = np.clip(z, -FARTHEST, FARTHEST)
        return at(within, theta, voices).slope - (z - within)

    def slope_and_bends(z: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
        """And eigenvalues, FLATTEST or more, and vectors of the curvature."""
        at_z = slope(z)
        curvature = np.array([at_z - slope(z + step) for step in STEP * np.eye(len(z))]) / STEP
        eigenvalues, vectors = np.linalg.eigh(0.5 * (curvature + curvature.T))
        return at_z, (np.maximum(eigenvalues, FLATTEST), vectors)

    def uphill(bends: tuple[Floats, Floats], slope: Floats) -> Floats:
        eigenvalues, vectors = bends
        return np.asarray(vectors @ np.clip(vectors.T @ slope / eigenvalues, -LONGEST, LONGEST))

    mode, (eigenvalues, vectors), _ = maximum(slope_and_bends, uphill, np.zeros(len(voices.prior)), NEAR)
    mode = np.clip(mode, -FARTHEST, FARTHEST)
    return mode, np.asarray(vectors / np.sqrt(eigenvalues) @ vectors.T), at(mode, theta, voices).theta


def at(z: Floats, start: Floats, voices: Voices) -> Point:
    """All that is known at one z; theta is looked for from `start` on."""
    log, is_measured, answers, model, *_ = voices
    (mean, sd), count, measuring = np.array(voices.prior).T, len(answers), np.flatnonzero(answers)
    eta = mean + sd * z
    tau2, sigma2 = float(np.exp(eta[0])), np.ones(count)
    sigma2[measuring] = LEAST_NOISE + np.exp(eta[count:])
    weight = np.where(is_measured, log.weight / sigma2[log.judge], log.weight)
    omega2 = tau2 * np.append(NO_EFFECTS, np.exp(eta[1:count]))
    hierarchy = Hierarchy.of(log._replace(weight=weight), model, tau2, omega2)
    theta, inverse, _ = maximum(hierarchy.evaluate, Inverse.times, start, DECREMENT)
    d, variance, prior = hierarchy.differences(theta), inverse.variances(), hierarchy.prior
    of_eta = -0.5 * float(answers @ np.log(sigma2) + z @ z)
    of_theta = weight @ model.expert.log_density(d, log.p) + theta @ (prior.pull - 0.5 * prior.precision * theta)
    below, above = (model.expert.curvature(d + side, log.p) for side in (-BESIDE, BESIDE))
    theta_2 = theta - inverse.times(hierarchy.scatter(weight * (above - below) / (2.0 * BESIDE) * variance))
    of_scale, of_effects = inverse.slopes(theta, theta_2)
    error, error_2 = (model.expert.slope(hierarchy.differences(each), log.p) for each in (theta, theta_2))
    explained = np.bincount(log.judge, is_measured * weight * (error * error_2 + variance), count)
    of_noise = 0.5 * (explained - answers)[measuring] * np.exp(eta[count:]) / sigma2[measuring]
    slope = np.concatenate([[of_scale + of_effects.sum()], of_effects[1:], of_noise])
    scores, log_density = Scores(theta[: model.n], inverse.sigma, scale=tau2), of_theta + of_eta + inverse.log_volume
    return Point(float(log_density), sd * slope - z, scores, theta, inverse, of_eta)


def true_to_votes(point: Point, voices: Voices) -> Point:
    """The density and the scores by expectation propagation; Laplace's without votes, or where it does not converge."""
    hierarchy, expert, votes = point.inverse.hierarchy, voices.model.expert, ~voices.is_measured
    if not votes.any() or expert.as_soft_bt is None:
        return point
    log, weights, d = hierarchy.comparisons, point.inverse.weights, hierarchy.differences(point.theta)
    precision, shift = weights.copy(), weights * d + log.weight * expert.slope(d, log.p)
    wins = (log.weight * expert.as_soft_bt(log.p))[votes]
    constant = point.log_prior - 0.5 * float((shift**2 / weights)[~votes].sum())
    sites = Sites(wins, log.weight[votes] - wins, precision[votes], shift[votes])

    def moments(sites: Sites) -> SiteMoments[tuple[Floats, DenseCovariance]]:
        precision[votes], shift[votes] = sites.precision, sites.shift
        inverse, pull = hierarchy.inverse(precision), hierarchy.prior.pull + hierarchy.scatter(shift)
        mean = inverse.times(pull)
        m, v = hierarchy.differences(mean), inverse.variances()
        log_integral = 0.5 * float(pull @ mean) + inverse.log_volume
        return SiteMoments((mean[: hierarchy.model.n], inverse.sigma), m[votes], v[votes], log_integral)

    with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
        (mean, sigma), _, log_evidence, convergence = converge(sites, moments, MOMENTS_APART)
        if convergence.converged:
            scores = Scores(mean, sigma, scale=hierarchy.of_scores)
            return point._replace(log_density=log_evidence + constant, scores=scores)
    return point


def effects_apart(published: Published, people: Bools, judges: Ints) -> dict[int, Normal]:
    """ln(omega^2 / tau2) by what one set tells of it, of its judges: none unless several judge, or one and people.

    Laplace's, without the prior: in whose units N(z / (1 - v), v / (1 - v)) times the prior is N(z, v).

    Args: `judges` (J,) are what their numbers here stand for in the pool; otherwise, and errors, as of `of_people`.
    """
    if people[published.answers.judge].all():
        return {}
    voices = voices_of(published, people, {})
    mode, spread, _ = mode_of(voices)
    of_effects = slice(1, len(voices.judges) + 1)
    mode, left = mode[of_effects], 1.0 - (spread @ spread).diagonal()[of_effects]  # of the prior's variance
    tells = left > LEAST_INFORMATION
    mean = USUAL_EFFECTS.mean + USUAL_EFFECTS.sd * mode[tells] / left[tells]
    sd = USUAL_EFFECTS.sd * np.sqrt(1.0 / left[tells] - 1.0)
    return dict(zip(judges[voices.judges[tells]].tolist(), map(Normal, mean.tolist(), sd.tolist()), strict=True))


def pool_effects(of_sets: Sequence[Mapping[int, Normal]]) -> dict[int, Normal]:
    """Prior of ln(omega^2 / tau2) of each judge of these sets, as weights.py has that of their noise."""
    pooled, prior = dict[int, Normal](), LOG_PRIOR_OF_SPREAD[:, None] + USUAL_EFFECTS.log_density(EFFECTS)
    for judge in sorted(set().union(*of_sets)):
        mean, sd = np.array([of_set[judge] for of_set in of_sets if judge in of_set]).T[:, :, None, None]
        variance = sd**2 + SPREADS[:, None] ** 2
        log_density = -0.5 * ((mean - EFFECTS) ** 2 / variance + np.log(variance))
        pooled[judge] = expected(EFFECTS, (1.0 - 1.0 / len(mean)) * log_density.sum(axis=0) + prior)
    return pooled
