"""The scores that people would give, where judges that are no people have effects of their own (methods 14; ours).

The model of effects.py, with people as one voice without effects, who anchor s, and with measurements, y = d + error of
variance sigma2_j. More answers of a judge cure its noise and leave its effects. Nothing is plugged in that few answers
leave open: over eta = (ln tau2, ln(omega_j^2 / tau2) of each judge, ln sigma2_j of each voice that measures)

    p(s | log) = sum_g w_g N(mu_g, Sigma_g)      mu_g, Sigma_g given eta_g
    w_g ~ p(eta_g | log) / q(eta_g)              q normal, around the mode and with the curvature of p(eta | log)
    ln p(eta | log) = ln p(log, theta) - ln(det H / det of the prior's precision) / 2 + ln prior + constant

by Laplace in theta, which is exact for measurements. It finds the mode and the curvature; with votes it makes tau2 too
small, so that mu_g, Sigma_g and p(eta_g | log) are by expectation propagation there (evidence.py).
Weights of votes move with theta, and theta with eta, so that the determinant moves in two ways. Its slope has
theta' = theta - x, twice as far as the posterior's mean is from its mode. With var d = R H^-1 R^T, G_j how many
measurements j has, the slopes of effects.py are those of s . s' and u_j . u_j', with

    H x = R^T (var d dw/dd)                                                    0 where nobody votes
    ln sigma2_j    (sum of w ((y - d) (y - d') + var d) over j's measurements - G_j) / 2

Nothing tells the effects of a judge alone from its scores: its omega^2 / tau2 keeps the prior, USUAL_EFFECTS or what
the sets of a pool tell (`effects_apart`, `pool_effects`).

    eta, its prior      Voices.prior; in units of its sd from its mean, z       (D,)
    mu_g, Sigma_g, w_g  Scores.parts
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.core.maximum import maximum
from app.inference.experts import is_vote, measurement
from app.inference.fitting.effects import (
    FARTHEST,
    LONGEST,
    USUAL_EFFECTS,
    Hierarchy,
    Inverse,
    inverse_of,
    likeliest,
    slopes,
)
from app.inference.fitting.evidence import SiteMoments, Sites, converge
from app.inference.fitting.measurements import LEAST_NOISE, WEAK_NOISE, Normal
from app.inference.fitting.model import Model, unit_prior
from app.inference.fitting.published import Published
from app.inference.fitting.weights import LOG_PRIOR_OF_SPREAD, SPREADS, WEAK_SCALE, expected
from app.inference.gaussian import DenseCovariance, Scores, mixed
from app.inference.regimes import MOST_EFFECTS, RANKED_DENSE
from app.inference.types import Bools, Comparisons, Floats, Ints, join, take
from app.inference.verdicts import firsts, numbered, same_question

NONE = 1e-6  # omega^2 / tau2 of people: as good as 0, which M would be divided by
DECREMENT = 1e-6  # of theta, in posterior sds
MOMENTS_APART = 1e-4  # of votes, in standard deviations
BESIDE = 1e-4  # difference of scores between which a weight's slope is read
SEED = 0  # of the points: the same log gives the same posterior
POINTS = 64
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
    prior: Sequence[Normal]  # D, of eta


class Point(NamedTuple):
    """Posterior at one eta."""

    log_density: float
    slope: Floats  # (D,) of it, by Laplace
    scores: Scores
    theta: Floats  # the mode
    weights: Floats  # (K,) there
    inverse: Inverse
    log_prior: float  # of eta, and of the noise's constant


class EffectsContribution(NamedTuple):
    """Contribution of one set about a judge's effects, its prior taken out."""

    judge: int
    log_effects: Normal  # of ln(omega^2 / tau2)


def has_too_many_effects(candidates: int, models: int) -> bool:
    """Whether judges who are no people have more effects on candidates than there is such a posterior for."""
    return candidates > RANKED_DENSE or candidates * models > MOST_EFFECTS


def of_people(published: Published, people: Bools, log_effects: Mapping[int, Normal]) -> Scores:
    """The posterior of the scores that people would give; the latent one where people alone have judged.

    Args:
        published: of a smooth expert.
        people: (J,) tells who they are.
        log_effects: what is known of ln(omega^2 / tau2), by the judges' numbers; USUAL_EFFECTS of all others.

    Raises ValueError for more than RANKED_DENSE candidates or MOST_EFFECTS effects, and numpy.linalg.LinAlgError.
    """
    if people[published.answers.judge].all():
        return published.scores
    weight, points, _ = integrated(voices_of(published, people, log_effects))
    return mixed([(w, point.scores) for w, point in zip(weight.tolist(), points, strict=True)])


def voices_of(published: Published, people: Bools, log_effects: Mapping[int, Normal]) -> Voices:
    """Raises ValueError as `of_people` does."""
    comparisons, learnt, prior, n = published.comparisons, published.learnt, published.model.prior, published.model.n
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
    of_scale = Normal(float(np.log(prior.variance)), WEAK_SCALE.sd)
    of_effects = [log_effects.get(int(judge), USUAL_EFFECTS) for judge in judges]
    without_biases = unit_prior(n, prior.variance)._replace(pull=prior.pull[:n], absolute=prior.absolute[:n])
    return Voices(
        log._replace(judge=voice),
        is_measured,
        answers,
        published.model._replace(prior=without_biases, known_biases=None),
        judges,
        [of_scale, *of_effects, *[WEAK_NOISE] * np.count_nonzero(answers)],
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

    def slope_and_curvature(z: Floats) -> tuple[Floats, Floats]:
        at_z = slope(z)
        curvature = np.array([at_z - slope(z + step) for step in STEP * np.eye(len(z))]) / STEP
        return at_z, 0.5 * (curvature + curvature.T)

    def uphill(curvature: Floats, slope: Floats) -> Floats:
        eigenvalues, vectors = _bent(curvature)
        return np.asarray(vectors @ np.clip(vectors.T @ slope / eigenvalues, -LONGEST, LONGEST))

    mode, curvature, _ = maximum(slope_and_curvature, uphill, np.zeros(len(voices.prior)), NEAR)
    eigenvalues, vectors = _bent(curvature)
    mode = np.clip(mode, -FARTHEST, FARTHEST)
    return mode, np.asarray(vectors / np.sqrt(eigenvalues) @ vectors.T), at(mode, theta, voices).theta


def _bent(curvature: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, FLATTEST or more, and vectors."""
    eigenvalues, vectors = np.linalg.eigh(curvature)
    return np.maximum(eigenvalues, FLATTEST), vectors


def at(z: Floats, start: Floats, voices: Voices) -> Point:
    """All that is known at one z; theta is looked for from `start` on."""
    log, is_measured, answers, model, *_ = voices
    (mean, sd), count, measuring = np.array(voices.prior).T, len(answers), np.flatnonzero(answers)
    eta = mean + sd * z
    tau2, sigma2 = float(np.exp(eta[0])), np.ones(count)
    sigma2[measuring] = LEAST_NOISE + np.exp(eta[count:])
    weight = np.where(is_measured, log.weight / sigma2[log.judge], log.weight)
    hierarchy = Hierarchy(log._replace(weight=weight), model, tau2, tau2 * np.append(NONE, np.exp(eta[1:count])))
    theta, inverse, curvature = likeliest(start, hierarchy, DECREMENT)
    d, variance = hierarchy.differences(theta), variances(inverse)
    log_prior = -0.5 * float(answers @ np.log(sigma2) + z @ z)
    log_density = weight @ model.expert.log_density(d, log.p) + model.prior.pull @ theta[: model.n]
    log_density += log_prior - 0.5 * hierarchy.precision @ theta**2 + inverse.log_volume
    below, above = (model.expert.curvature(d + side, log.p) for side in (-BESIDE, BESIDE))
    theta_2 = theta - inverse.times(hierarchy.scatter(weight * (above - below) / (2.0 * BESIDE) * variance))
    of_scale, of_effects = slopes(theta, theta_2, inverse)
    error, error_2 = (model.expert.slope(hierarchy.differences(each), log.p) for each in (theta, theta_2))
    explained = np.bincount(log.judge, is_measured * weight * (error * error_2 + variance), count)
    of_noise = 0.5 * (explained - answers)[measuring] * np.exp(eta[count:]) / sigma2[measuring]
    slope = np.concatenate([[of_scale + of_effects.sum()], of_effects[1:], of_noise])
    scores = Scores(theta[: model.n], inverse.sigma, scale=tau2)
    return Point(float(log_density), sd * slope - z, scores, theta, curvature, inverse, log_prior)


def variances(inverse: Inverse) -> Floats:
    """(K,) of d."""
    first, second, _, voice, _ = inverse.hierarchy.comparisons
    of_t, with_bias, of_bias = inverse.of_judges(inverse.sigma.base)
    of_pair = of_t[voice, first, first] + of_t[voice, second, second] - 2.0 * of_t[voice, first, second]
    return np.asarray(of_pair - 2.0 * (with_bias[voice, first] - with_bias[voice, second]) + of_bias[voice])


def true_to_votes(point: Point, voices: Voices) -> Point:
    """The density and the scores by expectation propagation; Laplace's without votes, or where it does not converge."""
    hierarchy, expert, votes = point.inverse.hierarchy, voices.model.expert, ~voices.is_measured
    if not votes.any() or expert.as_soft_bt is None:
        return point
    log, d = hierarchy.comparisons, hierarchy.differences(point.theta)
    precision, shift = point.weights.copy(), point.weights * d + log.weight * expert.slope(d, log.p)
    wins = (log.weight * expert.as_soft_bt(log.p))[votes]
    constant = -0.5 * float((shift**2 / point.weights)[~votes].sum())
    sites = Sites(wins, log.weight[votes] - wins, precision[votes], shift[votes])

    def moments(sites: Sites) -> SiteMoments[tuple[Floats, DenseCovariance]]:
        precision[votes], shift[votes] = sites.precision, sites.shift
        inverse, pull = inverse_of(precision, hierarchy), hierarchy.pulled(shift)
        mean = inverse.times(pull)
        m, v = hierarchy.differences(mean), variances(inverse)
        log_integral = 0.5 * float(pull @ mean) + inverse.log_volume
        return SiteMoments((mean[: hierarchy.model.n], inverse.sigma), m[votes], v[votes], log_integral)

    try:
        with np.errstate(all="ignore"):
            (mean, sigma), _, log_evidence, convergence = converge(sites, moments, MOMENTS_APART)
    except np.linalg.LinAlgError:
        return point
    if not convergence.converged:
        return point
    scores = Scores(mean, sigma, scale=hierarchy.of_scores)
    return point._replace(log_density=log_evidence + constant + point.log_prior, scores=scores)


def effects_apart(published: Published, people: Bools, judges: Ints) -> list[EffectsContribution]:
    """Contributions of a set about the effects of its judges: none unless several judge, or one and people.

    Laplace's: at the mode z and with its variance v of a judge's ln(omega^2 / tau2), both in units of the prior,
    N(z / (1 - v), v / (1 - v)) times the prior is N(z, v).

    Args: `people` (J,) tells who they are; `judges` (J,) are what their numbers here stand for in the pool. Raises as
        `of_people` does.
    """
    if people[published.answers.judge].all():
        return []
    voices = voices_of(published, people, {})
    mode, spread, _ = mode_of(voices)
    left = 1.0 - (spread @ spread).diagonal()  # of the prior's variance
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = USUAL_EFFECTS.mean + USUAL_EFFECTS.sd * (mode / left)
        sd = USUAL_EFFECTS.sd * np.sqrt(1.0 / left - 1.0)
    return [
        EffectsContribution(int(judges[judge]), Normal(float(mean[place]), float(sd[place])))
        for place, judge in enumerate(voices.judges, start=1)
        if left[place] > LEAST_INFORMATION
    ]


def pool_effects(contributions: Sequence[EffectsContribution]) -> dict[int, Normal]:
    """Prior of ln(omega^2 / tau2) of each of these judges in a set, as weights.py does of their noise.

    x_sj ~ N(c_j, d_j^2) between sets; of what S sets tell 1 / S is a set's own, and left out.
    """
    judges = sorted({each.judge for each in contributions})
    return {judge: _pooled([each.log_effects for each in contributions if each.judge == judge]) for judge in judges}


def _pooled(effects: Sequence[Normal]) -> Normal:
    mean, sd = np.array(effects).T[:, :, None, None]
    variance = sd**2 + SPREADS[:, None] ** 2
    log_density = -0.5 * ((mean - EFFECTS) ** 2 / variance + np.log(variance))
    log_prior = LOG_PRIOR_OF_SPREAD[:, None] - 0.5 * ((EFFECTS - USUAL_EFFECTS.mean) / USUAL_EFFECTS.sd) ** 2
    return expected(EFFECTS, (1.0 - 1.0 / len(effects)) * log_density.sum(axis=0) + log_prior)
