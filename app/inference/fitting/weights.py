"""Verdict weights and the spread of scores, learnt from comparisons (methods 11; none of the papers).

y = logit p is a measurement of the difference of two scores s ~ N(0, tau2 I), with an error of variance sigma2 of its
judge (experts.py). Where p is 0, 1/2 or 1 it is a vote, whose likelihood is that of soft-bt.

    phi = 1 / (sigma2 mean p (1 - p))            the votes that an answer of the judge carries

A measurement of judge j weighs 1 / sigma2_j and a vote phi_j, at most 1. Repeats of a pair of one item by one judge
share their error: each of m repeated votes carries 1 / (1 + (m - 1) rho_j) of its weight, and rho = 1 of measurements.
Here that is by row; added up, core/cells.py has it.

The evidence Z(tau2, kappa) of measurements, sigma2_j = kappa r_j, is exact (measurements.py). Where there are votes,
kappa stays where measurements put it, and an approximate evidence of all comparisons decides on tau2 (evidence.py).

Priors are normal in ln sigma2 and ln(tau2 / sigma2), so wide that some dozen verdicts overrule them, and that a set
without any signal is possible. For tau2 a vote is a verdict of sigma2 = 1. A pool of sets narrows them. sigma2 is never
below LEAST_NOISE. Rankings integrate over the Grid; selection takes its mean. A grid is moved and narrowed until it
resolves the density. What is integrated over it later takes its finer points.

A person who is asked again may think again, a program repeats itself: of a vote's error the share rho comes back. As
votes on a pair in one order vary by pi (1 - pi), pi = E sigma(d),

    1 - rho = sum (p - mean p of its group)^2 / (V - sqrt(f V) / 2), at most 1    V = f sum (1 - 1 / m) pi (1 - pi)

with pi from a fit that counts every vote, and one standard error in favour of rho = 0. Where repeats vary about as much
as chance lets them, a little rho would make scores of little spread out of many votes. A tie varies by less than a
vote: f = 1 - T / (4 mean pi (1 - pi)) of the variance is left to a judge of whose votes the share T are ties.

Votes of a judge on a pair that differ by more than chance does, over the pairs on which it has several, count less. phi
is 1 over their dispersion, sum r^2 / sum E r^2 of residuals r of a pair, and at most 1. Single votes say nothing of
that. Pearson's, the mean of r^2 / E r^2, is twice as large as it should be after one upset where none was expected.

    tau2, sigma2, phi, rho      Hyperparameters.scale, .noise, .votes, .repeat_correlation      (), (J,), (J,), (J,)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.inference.core.cells import Hyperparameters, with_measured_words
from app.inference.experts import is_vote
from app.inference.fitting.evidence import Approximation, log_evidence_of
from app.inference.fitting.measurements import (
    LEAST_NOISE,
    WEAK_NOISE,
    WEAK_RATIO,
    Groups,
    Normal,
    log_evidence,
    measurements,
    phi_of_measurements,
    spectrum,
)
from app.inference.fitting.model import Model, at_scale, design_of, edges_of, unit_prior
from app.inference.fitting.posterior import Posterior, fit
from app.inference.regimes import RANKED_DENSE
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

LogDensity = Callable[..., Floats]  # one axis (A,), or two (A,), (B,), to (A,) or (A, B)


class Hyperprior(NamedTuple):
    """Prior of ln tau2, of ln(tau2 / sigma2) where that is None, and of judges' ln sigma2 and effects."""

    log_scale: Normal | None = None
    log_noise: Mapping[int, Normal] = {}  # by judge; WEAK_NOISE for all others
    log_effects: Mapping[int, Normal] = {}  # of ln(omega^2 / tau2), by judge; USUAL_EFFECTS of people.py for all others

    def of_scale(self, noise: Floats) -> Normal:
        """Prior of ln tau2 at this (K,) sigma2."""
        if self.log_scale is not None:
            return self.log_scale
        return Normal(WEAK_RATIO.mean + _mean_log(noise), WEAK_RATIO.sd)

    def of_noise(self, judge: int) -> Normal:
        return self.log_noise.get(judge, WEAK_NOISE)


WEAK = Hyperprior()


class Grid(NamedTuple):
    """G points of (tau2, kappa) with their posterior weights, which sum to 1."""

    weight: Floats  # (G,)
    scale: Floats  # (G,) tau2
    noise: Floats  # (G,) sigma2 of every judge, relative to Hyperparameters.noise


class Learnt(NamedTuple):
    hyperparameters: Hyperparameters  # at the mean of the logarithms
    grid: Grid


def weighed(comparisons: Comparisons, item: Ints, hyperparameters: Hyperparameters) -> Comparisons:
    """The comparisons with their weights in the model: 1 / sigma2 of a measurement, phi of a vote but at most 1.

    Args: `item` (K,) is what each was about.
    """
    comparisons, judge = with_measured_words(comparisons), comparisons.judge
    _, noise, votes, rho = hyperparameters
    worth = np.where(is_vote(comparisons.p), np.minimum(votes, 1.0)[judge], (1.0 / noise)[judge])
    return comparisons._replace(weight=comparisons.weight * shares(comparisons, item, rho) * worth)


def shares(comparisons: Comparisons, item: Ints, repeat_correlation: Floats) -> Floats:
    """(K,) the share of each comparison's weight that counts where m votes of a group count as m / (1 + (m - 1) rho).

    Args: `repeat_correlation` (J,) is rho; of measurements it is 1.
    """
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
) -> Learnt:
    """The hyperparameters of K comparisons by J judges.

    Args: `item` (K,) is what each was about; `model` has the biases to allow for, its own scale is not looked at;
        `approximation` is of the evidence of votes.
    """
    points = int(np.clip(np.sqrt(MOST_NUMBERS) / max(model.n, 1), 1, FINE))
    comparisons, n = among_compared(with_measured_words(comparisons))  # scores of all others keep their prior
    model = model._replace(n=n, prior=unit_prior(n, model.prior.variance, model.prior.precision[model.n :]))
    groups = measurements(comparisons, item)
    noise = _noise_apart(groups, model, judges, hyperprior)
    log_density, floor = _of_measurements(groups, noise, model, hyperprior)
    start = [hyperprior.of_scale(noise[groups.judge]), Normal(0.0, _sd_of_noise(hyperprior, judges))]
    (log_scale, log_kappa), at, weight = zoom(log_density, start, COARSE, points)
    kappa = floor + np.exp(log_kappa)
    phi = phi_of_measurements(groups, noise * kappa, judges)
    learnt = Hyperparameters(np.exp(log_scale), noise * kappa, phi, np.ones(judges))
    if not is_vote(comparisons.p).any():
        return Learnt(learnt, Grid(weight, np.exp(at[:, 0]), (floor + np.exp(at[:, 1])) / kappa))
    return _with_votes(comparisons, item, model, learnt, hyperprior, points, approximation)


def _noise_apart(groups: Groups, model: Model, judges: int, hyperprior: Hyperprior) -> Floats:
    """(J,) sigma2 of each judge from its own answers alone, where several measure; else what the prior expects."""
    expected = np.exp(np.array([hyperprior.of_noise(judge).mean for judge in range(judges)]))
    measuring, apart = np.unique(groups.judge), expected.copy()
    for judge in measuring if len(measuring) > 1 else ():
        own = Groups(*(column[groups.judge == judge] for column in groups))
        log_density, floor = _of_measurements(own, expected, model, hyperprior)
        start = [hyperprior.of_scale(expected[[judge]]), Normal(0.0, hyperprior.of_noise(judge).sd)]
        (_, log_kappa), _, _ = zoom(log_density, start, COARSE, 1)
        apart[judge] *= floor + np.exp(log_kappa)
    return np.asarray(apart, np.float64)


def _of_measurements(groups: Groups, noise: Floats, model: Model, hyperprior: Hyperprior) -> tuple[LogDensity, float]:
    """ln Z + ln prior at (A,) ln tau2 and (B,) ln kappa', kappa = kappa' + floor; and that floor."""
    r = noise[groups.judge]
    floor, sd = LEAST_NOISE / float(r.min(initial=1.0)), _sd_of_noise(hyperprior, len(noise))
    of_groups, typical = spectrum(groups, r, model), _mean_log(r)

    def log_density(log_scale: Floats, log_kappa: Floats) -> Floats:
        kappa, scale = floor + np.exp(log_kappa), log_scale[:, None]
        of_scale = scale - typical - np.log(kappa) if hyperprior.log_scale is None else scale
        of_prior = log_prior(of_scale, hyperprior.log_scale or WEAK_RATIO) + log_prior(log_kappa, Normal(0.0, sd))
        return log_evidence(of_groups, np.exp(scale) / kappa, kappa) + of_prior

    return log_density, floor


def _with_votes(
    comparisons: Comparisons,
    item: Ints,
    model: Model,
    learnt: Hyperparameters,
    hyperprior: Hyperprior,
    points: int,
    approximation: Approximation,
) -> Learnt:
    """The scale by the evidence, phi and rho of those who vote; sigma2 as it was learnt from measurements."""
    judges = len(learnt.votes)
    measures = np.bincount(comparisons.judge, ~is_vote(comparisons.p), judges) > 0
    prior = hyperprior.of_scale(np.where(measures, learnt.noise, 1.0)[comparisons.judge])

    def scale_of(weights: Comparisons) -> tuple[float, Floats, Floats]:
        """tau2, its points (G, 1) in ln tau2, and their weights (G,)."""
        edges = edges_of(weights, model)

        def log_density(log_scale: Floats) -> Floats:
            scales = np.exp(log_scale).tolist()
            by_scale = np.array([log_evidence_of(edges, at_scale(model, x), approximation) for x in scales])
            return by_scale + log_prior(log_scale, prior)

        (log_scale,), at, weight = zoom(log_density, [prior], FINE, points)
        return float(np.exp(log_scale)), at, weight

    learnt = learnt._replace(votes=np.where(measures, learnt.votes, 1.0), repeat_correlation=np.zeros(judges))
    in_full = weighed(comparisons, item, learnt)
    scale, at, weight = scale_of(in_full)
    at_first = at_scale(model, scale)
    rho = repeat_correlation_of_votes(fit(in_full, at_first, dense=RANKED_DENSE), in_full, item, judges)
    learnt = learnt._replace(repeat_correlation=rho)
    once = weighed(comparisons, item, learnt)
    phi = agreement_of_votes(fit(once, at_first, dense=RANKED_DENSE), once, judges)
    learnt = learnt._replace(votes=np.where(measures, learnt.votes, phi))
    with_learnt = weighed(comparisons, item, learnt)
    if (with_learnt.weight != in_full.weight).any():
        scale, at, weight = scale_of(with_learnt)
    return Learnt(learnt._replace(scale=scale), Grid(weight, np.exp(at[:, 0]), np.ones(len(at))))


def _sd_of_noise(hyperprior: Hyperprior, judges: int) -> float:
    return min([hyperprior.of_noise(judge).sd for judge in range(judges)], default=WEAK_NOISE.sd)


def _mean_log(noise: Floats) -> float:
    return float(np.log(noise).mean()) if len(noise) else 0.0


def log_prior(x: Floats, prior: Normal) -> Floats:
    """The logarithm of a prior's density, up to a constant."""
    return np.asarray(-0.5 * ((x - prior.mean) / prior.sd) ** 2)


def agreement_of_votes(posterior: Posterior, comparisons: Comparisons, judges: int) -> Floats:
    """(J,) phi by the dispersion of each judge's votes on the pairs on which it has several; 1 where it has none.

    Args: `posterior` counts each vote of its `comparisons` as one, except for repeats.
    """
    model = posterior.model
    cast = take(comparisons, is_vote(comparisons.p))
    group = numbered(cast.judge, pair_numbers(cast, model.n))
    several = np.bincount(group, cast.weight)[group] > 1.0 + 1e-9
    cast, group = take(cast, several), numbered(group[several])
    expected = model.expert.expected(design_of(cast, model).differences(posterior.mean))
    turned, once = np.where(cast.first < cast.second, 1.0, -1.0), firsts(group)
    residual = np.bincount(group, cast.weight * turned * (cast.p - expected))
    variance = np.bincount(group, cast.weight * expected * (1.0 - expected))
    left = np.maximum(1.0 - variance * _variances(posterior, cast)[once], 0.0)
    square, expected_square, freedom = (
        np.bincount(cast.judge[once], each, judges) for each in (residual**2, variance * left, left)
    )
    dispersion = square / np.maximum(expected_square, LEAST_SQUARE)
    return np.asarray(np.minimum((FIRM + freedom) / (FIRM + freedom * dispersion), 1.0), np.float64)


def repeat_correlation_of_votes(posterior: Posterior, comparisons: Comparisons, item: Ints, judges: int) -> Floats:
    """(J,) rho by how far votes on the same pair of an item in the same order vary; 1 where they never do.

    Args: `posterior` counts every repeat of its `comparisons` in full; `item` (K,) is what these were about.
    """
    model = posterior.model
    votes = is_vote(comparisons.p)
    cast = take(comparisons, votes)
    in_order = numbered(cast.judge, item[votes], cast.first, cast.second)
    m = np.bincount(in_order)[in_order]
    repeated = m > 1
    if not repeated.any():
        return np.ones(judges)
    flatter = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * _variances(posterior, cast))
    expected = model.expert.expected(flatter * design_of(cast, model).differences(posterior.mean))
    of_a_coin = expected * (1.0 - expected)
    apart = cast.p - np.bincount(in_order, cast.p)[in_order] / m
    by_chance = repeated * (1.0 - 1.0 / m) * flatter * of_a_coin
    varies, may_vary, coins, ties = (
        np.bincount(cast.judge, each, judges) for each in (repeated * apart**2, by_chance, of_a_coin, cast.p == 0.5)
    )
    left = np.maximum(1.0 - 0.25 * ties / np.maximum(coins, LEAST_SQUARE), 0.0)
    floor = LEAST_VARIANCE * np.maximum(left, LEAST_LEFT)
    variance = np.maximum(left * may_vary - 0.5 * left * np.sqrt(may_vary), floor)
    return np.asarray(1.0 - np.minimum(varies / variance, 1.0), np.float64)


def _variances(posterior: Posterior, comparisons: Comparisons) -> Floats:
    """(K,) posterior variances of s_first - s_second, each pair looked at once."""
    pair = numbered(pair_numbers(comparisons, posterior.model.n))
    once = firsts(pair)
    return posterior.covariance.variances(comparisons.first[once], comparisons.second[once])[pair]


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
    largest = log_weight.max()
    weight = np.exp(log_weight - largest) if np.isfinite(largest) else np.ones(len(log_weight))
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)), weight / weight.sum()
