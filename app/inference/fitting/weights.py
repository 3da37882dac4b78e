"""Verdict weights and the spread of scores, learnt from one set or several (methods 11, decisions 41, 42; ours).

y = logit p is a measurement of the difference of two scores s ~ N(0, tau2 I), with an error of variance sigma2 of its
judge (experts.py). Where p is 0, 1/2 or 1 it is a vote, whose likelihood is that of soft-bt. With m repeats of a pair
of one item by one judge, by row (added up, core/cells.py has it),

    a measurement weighs 1 / (m sigma2)         phi = 1 / (sigma2 mean p (1 - p)) votes
    a vote weighs phi / (1 + (m - 1) rho)       phi at most 1

The evidence Z(tau2, kappa) of measurements, sigma2_j = kappa r_j, is exact (measurements.py). Where there are votes,
kappa stays where measurements put it, and an approximate evidence of all comparisons decides on tau2 (evidence.py).
Priors are normal in ln sigma2 and ln(tau2 / sigma2), so wide that some dozen verdicts overrule them, and that a set
without any signal is possible. For tau2 a vote is a verdict of sigma2 = 1. sigma2 is never below LEAST_NOISE. Rankings
integrate over the Grid; selection takes its mean.

A person who is asked again may think again, a program repeats itself: of a vote's error the share rho comes back. As
votes on a pair in one order vary by pi (1 - pi), pi = E sigma(d) by a fit that counts every vote,

    1 - rho = sum (p - mean p of its group)^2 / (V - sqrt(f V) / 2), at most 1    V = f sum (1 - 1 / m) pi (1 - pi)

with one standard error in favour of rho = 0: a little of it would make scores of little spread out of many votes. A
tie varies by less than a vote: f = 1 - T / (4 mean pi (1 - pi)), T the share of ties in the judge's votes.

phi of votes is 1 over the dispersion sum r^2 / sum E r^2 of residuals r of the pairs on which a judge has several.
Pearson's, the mean of r^2 / E r^2, is twice as large as it should be after one upset where none was expected.

A pool of sets narrows the priors. Set s has x_s = ln tau2 ~ N(a, b^2), and judge j answers there with z_sj = ln sigma2
~ N(c_j, d_j^2). With Z_sj the evidence of j's answers in s alone, that of votes depending on x alone,

    ln p(a, b, c, d | all) = sum_(s,j) (1 - 1/S_j) ln sum_(x,z) Z_sj(x, z) N(x; a, b^2) N(z; c_j, d_j^2) + ln prior

A set is one of the S_j in which j answered: 1/S_j of what was said is its own, and left out. It receives means and sds
of x and z. Priors of a and c_j are where a set by itself expects them. x and a are in SCALES (A,), z and c in NOISES
(B,), b and d in SPREADS.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax

from app.inference.core.cells import Hyperparameters, with_measured_words
from app.inference.experts import is_vote
from app.inference.fitting.evidence import Approximation, log_evidence_of
from app.inference.fitting.measurements import LEAST_NOISE, WEAK_NOISE, WEAK_RATIO, Groups, Normal, measurements
from app.inference.fitting.model import Model, at_scale, design_of, edges_of, unit_prior
from app.inference.fitting.posterior import Posterior, fit
from app.inference.regimes import AT_ONCE, RANKED_DENSE
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import among_compared, firsts, numbered, pair_numbers, same_question

COARSE, FINE = 25, 9  # points on an axis
MOST_NUMBERS = 1.6e7  # in the covariances of all points
SHARP = 0.15  # sd of a logarithm below which one point is enough
NEGLIGIBLE = 1e-3  # weight of a point, relative to the largest
LEAST_VARIANCE = 0.5  # sum of variances of repeated votes below which they say too little to vary by chance
LEAST_LEFT = 0.05  # of the variance of a judge's votes, beside its ties
FIRM = 20.0  # degrees of freedom in favour of a dispersion of 1
LEAST_SQUARE = 1e-100  # of residuals that are expected, so that no dispersion is infinite

STEP = 0.25
SCALES = np.arange(np.log(1e-3), np.log(1e3), STEP)
NOISES = np.arange(np.log(2.0 * LEAST_NOISE), np.log(500.0), STEP)
COARSER = 4  # each point of votes is a fit, and they say little
VOTES_TELL = 5  # votes for each of more candidates: before, Laplace's evidence finds too little of a large tau2
FARTHEST = 700.0  # nats below the best: exp is no 0 yet, and what lies farther is as good as impossible
SPREADS = np.array([0.25, 0.5, 1.0, 2.0])  # between sets
LOG_PRIOR_OF_SPREAD = -0.5 * (np.log(SPREADS / 0.5) / np.log(2.0)) ** 2
WEAK_SCALE = Normal(WEAK_RATIO.mean + WEAK_NOISE.mean, float(np.hypot(WEAK_RATIO.sd, WEAK_NOISE.sd)))
VOTES = -1  # as a judge's number

LogDensity = Callable[..., Floats]  # one axis (A,), or two (A,), (B,), to (A,) or (A, B)


class Hyperprior(NamedTuple):
    """Prior of ln tau2, of ln(tau2 / sigma2) where that is None, and of judges' ln sigma2 and effects."""

    log_scale: Normal | None = None
    log_noise: Mapping[int, Normal] = {}  # by judge; WEAK_NOISE for all others
    log_effects: Mapping[int, Normal] = {}  # of ln(omega^2 / tau2), by judge; USUAL_EFFECTS of people.py for all others

    def of_scale(self, noise: Floats) -> Normal:
        """Prior of ln tau2 at this (K,) sigma2."""
        log_noise = float(np.log(noise).mean()) if len(noise) else 0.0
        return self.log_scale or Normal(WEAK_RATIO.mean + log_noise, WEAK_RATIO.sd)


WEAK = Hyperprior()


class Grid(NamedTuple):
    """G points of (tau2, kappa) with their posterior weights, which sum to 1."""

    weight: Floats  # (G,)
    scale: Floats  # (G,) tau2
    noise: Floats  # (G,) sigma2 of every judge, relative to Hyperparameters.noise


class Contribution(NamedTuple):
    """The answers of one judge in one set, or all votes there."""

    judge: int
    log_evidence: Floats  # (A, B) or (A, 1)


def weighed(comparisons: Comparisons, item: Ints, hyperparameters: Hyperparameters) -> Comparisons:
    """The comparisons with their weights in the model."""
    comparisons, judge = with_measured_words(comparisons), comparisons.judge
    _, noise, votes, rho = hyperparameters
    worth = np.where(is_vote(comparisons.p), np.minimum(votes, 1.0)[judge], (1.0 / noise)[judge])
    return comparisons._replace(weight=comparisons.weight * shares(comparisons, item, rho) * worth)


def shares(comparisons: Comparisons, item: Ints, repeat_correlation: Floats) -> Floats:
    """(K,) the share of each weight that counts, 1 / (1 + (m - 1) rho): rho (J,) of votes, 1 of measurements."""
    group = same_question(comparisons, item)
    largest = np.zeros(group.max(initial=-1) + 1)
    np.maximum.at(largest, group, comparisons.weight)
    others = np.bincount(group, comparisons.weight) / largest - 1.0
    rho = np.where(is_vote(comparisons.p), repeat_correlation[comparisons.judge], 1.0)
    return np.asarray(1.0 / (1.0 + rho * others[group]), np.float64)


def learn(
    comparisons: Comparisons,
    item: Ints,
    model: Model,
    judges: int,
    hyperprior: Hyperprior = WEAK,
    approximation: Approximation = "laplace",
) -> tuple[Hyperparameters, Grid]:
    """What K comparisons by J judges teach, at the mean of the logarithms, and around it.

    Args: `model` has no covariates, and its scale is not looked at.
    """
    points = int(np.clip(np.sqrt(MOST_NUMBERS) / max(model.n, 1), 1, FINE))
    comparisons, n = among_compared(with_measured_words(comparisons))  # scores of all others keep their prior
    model = model._replace(n=n, prior=unit_prior(n, model.prior.variance, model.prior.precision[model.n :]))
    groups = measurements(comparisons, item)
    noise = _noise_apart(groups, model, judges, hyperprior)
    learnt, grid = _of_measurements(groups, noise, model, hyperprior, points)
    if not is_vote(comparisons.p).any():
        return learnt, grid
    return _with_votes(comparisons, item, model, learnt, hyperprior, points, approximation)


def _noise_apart(groups: Groups, model: Model, judges: int, hyperprior: Hyperprior) -> Floats:
    """(J,) sigma2 of each judge from its own answers alone, where several measure; else what the prior expects."""
    usual = np.exp(np.array([hyperprior.log_noise.get(judge, WEAK_NOISE).mean for judge in range(judges)]))
    measuring, apart = np.unique(groups.judge), usual.copy()
    for judge in measuring if len(measuring) > 1 else ():
        own = Groups(*(column[groups.judge == judge] for column in groups))
        alone, _ = _of_measurements(own, usual, model, hyperprior, points=1, judge=judge)
        apart[judge] = alone.noise[judge]
    return np.asarray(apart, np.float64)


def _of_measurements(
    groups: Groups, noise: Floats, model: Model, hyperprior: Hyperprior, points: int, judge: int | None = None
) -> tuple[Hyperparameters, Grid]:
    """What measurements alone teach; r is that of the `noise` (J,). Those of one `judge` are looked for as widely as
    its own prior is, since a grid that begins too narrow stays so.
    """
    r = noise[groups.judge]
    floor, spectrum = LEAST_NOISE / float(r.min(initial=1.0)), groups.spectrum(r, model)
    sds = [hyperprior.log_noise.get(number, WEAK_NOISE).sd for number in range(len(noise))]
    of_scale, of_kappa = hyperprior.of_scale(r), Normal(0.0, min(sds, default=WEAK_NOISE.sd))
    start = of_kappa if judge is None else Normal(0.0, sds[judge])

    def log_density(log_scale: Floats, log_kappa: Floats) -> Floats:
        kappa, scale = floor + np.exp(log_kappa), log_scale[:, None]
        in_prior = scale - np.log(kappa) if hyperprior.log_scale is None else scale
        of_prior = of_scale.log_density(in_prior) + of_kappa.log_density(log_kappa)
        return spectrum.log_evidence(np.exp(scale) / kappa, kappa) + of_prior

    (log_scale, log_kappa), at, weight = zoom(log_density, [of_scale, start], COARSE, points)
    kappa = floor + np.exp(log_kappa)
    phi, rho = groups.votes(kappa * noise), np.ones(len(noise))
    grid = Grid(weight, np.exp(at[:, 0]), (floor + np.exp(at[:, 1])) / kappa)
    return Hyperparameters(np.exp(log_scale), kappa * noise, phi, rho), grid


def _with_votes(
    comparisons: Comparisons,
    item: Ints,
    model: Model,
    learnt: Hyperparameters,
    hyperprior: Hyperprior,
    points: int,
    approximation: Approximation,
) -> tuple[Hyperparameters, Grid]:
    """The scale by the evidence, phi and rho of those who vote; sigma2 as it was learnt from measurements."""
    judges = len(learnt.votes)
    measures = np.bincount(comparisons.judge, ~is_vote(comparisons.p), judges) > 0
    prior = hyperprior.of_scale(np.where(measures, learnt.noise, 1.0)[comparisons.judge])

    def scale_of(weights: Comparisons) -> tuple[float, Grid]:
        edges = edges_of(weights, model)

        def log_density(log_scale: Floats) -> Floats:
            return log_evidence_of(edges, model, np.exp(log_scale), approximation) + prior.log_density(log_scale)

        (log_scale,), at, weight = zoom(log_density, [prior], FINE, points)
        return float(np.exp(log_scale)), Grid(weight, np.exp(at[:, 0]), np.ones(len(at)))

    learnt = learnt._replace(repeat_correlation=np.zeros(judges))
    in_full = weighed(comparisons, item, learnt)
    scale, grid = scale_of(in_full)
    at_first = at_scale(model, scale)
    rho = repeat_correlation_of_votes(fit(in_full, at_first, dense=RANKED_DENSE), in_full, item, judges)
    learnt = learnt._replace(repeat_correlation=rho)
    once = weighed(comparisons, item, learnt)
    phi = agreement_of_votes(fit(once, at_first, dense=RANKED_DENSE), once, judges)
    learnt = learnt._replace(votes=np.where(measures, learnt.votes, phi))
    with_learnt = weighed(comparisons, item, learnt)
    if (with_learnt.weight != in_full.weight).any():
        scale, grid = scale_of(with_learnt)
    return learnt._replace(scale=scale), grid


def agreement_of_votes(posterior: Posterior, comparisons: Comparisons, judges: int) -> Floats:
    """(J,) phi by the dispersion of votes; 1 where none are on the same pair. The posterior has phi = 1."""
    model = posterior.model
    cast = take(comparisons, is_vote(comparisons.p))
    group = numbered(cast.judge, pair_numbers(cast, model.n))
    several = np.bincount(group, cast.weight)[group] > 1.0 + 1e-9
    cast, group = take(cast, several), numbered(group[several])
    pi = model.expert.expected(design_of(cast, model).differences(posterior.mean))
    turned, once = np.where(cast.first < cast.second, 1.0, -1.0), firsts(group)
    residual = np.bincount(group, cast.weight * turned * (cast.p - pi))
    variance = np.bincount(group, cast.weight * pi * (1.0 - pi))
    spread = posterior.covariance.variances(cast.first[once], cast.second[once])
    left = np.maximum(1.0 - variance * spread, 0.0)
    square, expected_square, freedom = (
        np.bincount(cast.judge[once], each, judges) for each in (residual**2, variance * left, left)
    )
    dispersion = square / np.maximum(expected_square, LEAST_SQUARE)
    return np.asarray(np.minimum((FIRM + freedom) / (FIRM + freedom * dispersion), 1.0), np.float64)


def repeat_correlation_of_votes(posterior: Posterior, comparisons: Comparisons, item: Ints, judges: int) -> Floats:
    """(J,) rho by how far votes on a pair in one order vary; 1 where they never do. The posterior has rho = 0."""
    model = posterior.model
    votes = is_vote(comparisons.p)
    cast = take(comparisons, votes)
    in_order = numbered(cast.judge, item[votes], cast.first, cast.second)
    m = np.bincount(in_order)[in_order]
    repeated = m > 1
    if not repeated.any():
        return np.ones(judges)
    pair = numbered(pair_numbers(cast, model.n))
    once = firsts(pair)
    spread = posterior.covariance.variances(cast.first[once], cast.second[once])[pair]
    flatter = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * spread)
    pi = model.expert.expected(flatter * design_of(cast, model).differences(posterior.mean))
    of_a_coin = pi * (1.0 - pi)
    apart = cast.p - np.bincount(in_order, cast.p)[in_order] / m
    by_chance = repeated * (1.0 - 1.0 / m) * flatter * of_a_coin
    varies, may_vary, coins, ties = (
        np.bincount(cast.judge, each, judges) for each in (repeated * apart**2, by_chance, of_a_coin, cast.p == 0.5)
    )
    left = np.maximum(1.0 - 0.25 * ties / np.maximum(coins, LEAST_SQUARE), 0.0)
    floor = LEAST_VARIANCE * np.maximum(left, LEAST_LEFT)
    variance = np.maximum(left * may_vary - 0.5 * left * np.sqrt(may_vary), floor)
    return np.asarray(1.0 - np.minimum(varies / variance, 1.0), np.float64)


def zoom(
    log_density: LogDensity, start: Sequence[Normal], coarse: int, fine: int
) -> tuple[list[float], Floats, Floats]:
    """The mean (D,), and points (G, D) with their weights (G,), of a density on D axes.

    A grid of `coarse` points on each axis is moved and narrowed until it resolves the density; of the `fine` one that
    follows, points of negligible weight are left out. Where all axes are sharp, the mean is the only point.
    """
    reach = 4.0 * np.linspace(-1.0, 1.0, coarse)
    mean, sd = np.array(start).T
    while True:
        spacing = sd * (reach[1] - reach[0])
        at, weight = _on_grid(log_density, mean[:, None] + sd[:, None] * reach)
        mean = weight @ at
        sd = np.sqrt(weight @ (at - mean) ** 2)
        if (spacing <= 1.1 * sd).all():
            break
        sd = np.maximum(sd, 0.25 * spacing)
    if fine == 1 or (sd < SHARP).all():
        return mean.tolist(), mean[None, :], np.ones(1)
    at, weight = _on_grid(log_density, mean[:, None] + sd[:, None] * np.linspace(-2.7, 2.7, fine))
    kept = weight > NEGLIGIBLE * weight.max()
    return mean.tolist(), at[kept], weight[kept] / weight[kept].sum()


def _on_grid(log_density: LogDensity, axes: Floats) -> tuple[Floats, Floats]:
    """Points (G, D) of a grid and their weights (G,); the same everywhere where the density is known nowhere."""
    log_weight = log_density(*axes).ravel()
    weight = softmax(log_weight if np.isfinite(log_weight.max()) else np.zeros(len(log_weight)))
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)), weight


def evidence_apart(comparisons: Comparisons, item: Ints, model: Model, judges: Ints) -> list[Contribution]:
    """The evidence of each judge's measurements, and of all votes; `judges` (J,) are their numbers in the pool."""
    votes, contributions = is_vote(comparisons.p), []
    for number, judge in enumerate(judges.tolist()):
        own = (comparisons.judge == number) & ~votes
        if own.any():
            groups = measurements(take(comparisons, own), item[own])
            spectrum = groups.spectrum(np.ones(len(groups.judge)), model)
            log_evidence = spectrum.log_evidence(np.exp(SCALES[:, None] - NOISES), np.exp(NOISES))
            contributions.append(Contribution(judge, log_evidence))
    cast, few = take(comparisons, votes), SCALES[::COARSER]
    cast = cast._replace(weight=cast.weight * shares(cast, item[votes], np.ones(len(judges))))
    edges = edges_of(cast, model)
    is_small = model.n <= AT_ONCE
    if cast.size and (is_small or cast.size >= VOTES_TELL * model.n):
        by_scale = log_evidence_of(edges, model, np.exp(few), "ep" if is_small else "laplace")
        contributions.append(Contribution(VOTES, np.interp(SCALES, few, by_scale)[:, None]))
    return contributions


def pool(contributions: Sequence[Contribution]) -> Hyperprior:
    """Prior of each of the one or more sets that contribute, or of another of their pool."""
    log_density = {
        judge: _of_judge(np.stack([each.log_evidence for each in contributions if each.judge == judge]))
        for judge in sorted({each.judge for each in contributions})
    }
    of_scale = sum(logsumexp(of_judge, axis=(1, 3)) for of_judge in log_density.values())
    of_scale = of_scale + LOG_PRIOR_OF_SPREAD[:, None] + WEAK_SCALE.log_density(SCALES)
    of_noise = {}
    for judge, of_judge in log_density.items():
        if judge != VOTES:
            by_others = of_scale - logsumexp(of_judge, axis=(1, 3))
            of_noise[judge] = expected(NOISES, logsumexp(of_judge + by_others[:, None, :, None], axis=(0, 2)))
    return Hyperprior(expected(SCALES, of_scale), of_noise)


def _of_judge(log_evidence: Floats) -> Floats:
    """ln p(shared | a, b, c, d) + ln prior of c and d at (b, d, a, c), given (R, A, B) of the R sets that share."""
    rows, _, noises = log_evidence.shape
    evidence = np.exp(np.maximum(log_evidence - log_evidence.max(axis=(1, 2), keepdims=True), -FARTHEST))
    of_prior, blurs = np.zeros((1, 1)), [np.ones((1, 1))]
    if noises > 1:
        of_prior = LOG_PRIOR_OF_SPREAD[:, None] + WEAK_NOISE.log_density(NOISES)
        blurs = [_blur(NOISES, spread) for spread in SPREADS]
    shared = np.array([[_blur(SCALES, b) @ evidence @ blur.T for blur in blurs] for b in SPREADS])
    at = np.log(np.maximum(shared, np.finfo(np.float64).tiny)).sum(axis=2)
    return np.asarray((1.0 - 1.0 / rows) * at + of_prior[None, :, None, :])


def _blur(at: Floats, spread: float) -> Floats:
    """Rows of N(at; mean, spread^2) for each mean in `at`."""
    return np.asarray(softmax(-0.5 * ((at - at[:, None]) / spread) ** 2, axis=1))


def expected(at: Floats, log_density: Floats) -> Normal:
    """Mean and sd of what lies N(mean, spread^2), given ln p at (SPREADS, means)."""
    weight = softmax(log_density)
    mean = float(weight.sum(axis=0) @ at)
    variance = weight.sum(axis=1) @ SPREADS**2 + weight.sum(axis=0) @ (at - mean) ** 2
    return Normal(mean, float(np.sqrt(variance)))
