"""Verdict weights and the spread of scores, learnt from comparisons (methods 11; none of the papers).

y = logit p is a measurement of the difference of two scores s ~ N(0, tau2 I), with an error of variance sigma2 of its
judge (experts.py). Where p is 0, 1/2 or 1 it is a vote, whose likelihood is that of soft-bt.

    phi = 1 / (sigma2 mean p (1 - p))            the votes that an answer of the judge carries

The evidence Z(tau2, kappa) of measurements, sigma2_j = kappa r_j, is in measurements.py. Where there are votes, kappa
stays where measurements put it, and an approximate evidence of all comparisons decides on tau2. That is Laplace's in
votes.py, or that of expectation_propagation.py. votes.py also has what repeats of votes tell of rho and phi.

Priors are normal in ln sigma2 and ln(tau2 / sigma2), so wide that some dozen verdicts overrule them, and that a set
without any signal is possible. For tau2 a vote is a verdict of sigma2 = 1. A pool of sets narrows them. sigma2 is never
below LEAST_NOISE. Rankings integrate over the Grid; selection takes its mean.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np

from app.inference.core.cells import Hyperparameters, with_measured_words
from app.inference.core.edges import Edges
from app.inference.experts import is_vote
from app.inference.fitting.expectation_propagation import propagated_evidence, serves
from app.inference.fitting.grids import LogDensity, Normal, zoom
from app.inference.fitting.measurements import Groups, log_evidence, measurements, phi_of_measurements, spectrum
from app.inference.fitting.model import Model, edges_of, unit_prior
from app.inference.fitting.posterior import fit
from app.inference.fitting.verdict_weights import at_scale, weighed
from app.inference.fitting.votes import agreement_of_votes, laplace_evidence, repeat_correlation_of_votes
from app.inference.regimes import RANKED_DENSE
from app.inference.types import Comparisons, Floats, Ints

LEAST_NOISE = 0.001
Approximation = Literal["laplace", "ep"]  # ep: expectation propagation, where votes are to be fitted
Evidence = Callable[[Edges, Model], float]  # ln Z, up to a constant

COARSE, FINE = 25, 9  # points on an axis
MOST_NUMBERS = 1.6e7  # in the covariances of all points


class Hyperprior(NamedTuple):
    """Prior of ln tau2, of ln(tau2 / sigma2) where that is None, and of judges' ln sigma2 and effects."""

    log_scale: Normal | None = None
    log_noise: Mapping[int, Normal] = {}  # by judge; WEAK_NOISE for all others
    log_effects: Mapping[int, Normal] = {}  # of ln(omega^2 / tau2), by judge; USUAL_EFFECTS for all others


WEAK_NOISE = Normal(0.0, 2.5)
WEAK_RATIO = Normal(-0.5, 2.5)
WEAK = Hyperprior()


class Grid(NamedTuple):
    """G points of (tau2, kappa) with their posterior weights, which sum to 1."""

    weight: Floats  # (G,)
    scale: Floats  # (G,) tau2
    noise: Floats  # (G,) sigma2 of every judge, relative to Hyperparameters.noise


class Learnt(NamedTuple):
    hyperparameters: Hyperparameters  # at the mean of the logarithms
    grid: Grid


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
    comparisons, model = _among_compared(with_measured_words(comparisons), model)
    groups = measurements(comparisons, item, model.n)
    noise = _noise_apart(groups, model, judges, hyperprior)
    log_density, floor = _of_measurements(groups, noise, model, hyperprior)
    start = [_prior_of_scale(hyperprior, noise[groups.judge]), Normal(0.0, _sd_of_noise(hyperprior, judges))]
    (log_scale, log_kappa), at, weight = zoom(log_density, start, COARSE, points)
    kappa = floor + np.exp(log_kappa)
    phi = phi_of_measurements(groups, noise * kappa, judges)
    learnt = Hyperparameters(np.exp(log_scale), noise * kappa, phi, np.ones(judges))
    if not is_vote(comparisons.p).any():
        return Learnt(learnt, Grid(weight, np.exp(at[:, 0]), (floor + np.exp(at[:, 1])) / kappa))
    is_ep = approximation == "ep" and serves(edges_of(comparisons, model), model)
    evidence = propagated_evidence if is_ep else laplace_evidence
    return _with_votes(comparisons, item, model, learnt, hyperprior, points, evidence)


def _among_compared(comparisons: Comparisons, model: Model) -> tuple[Comparisons, Model]:
    """The same of those candidates alone that were compared: scores of the others keep their prior, whatever it is."""
    compared, place = np.unique(np.concatenate([comparisons.first, comparisons.second]), return_inverse=True)
    first, second = place.reshape(2, -1)
    n, prior = len(compared), unit_prior(len(compared), model.prior.variance, model.prior.precision[model.n :])
    return comparisons._replace(first=first, second=second), model._replace(n=n, prior=prior)


def _noise_apart(groups: Groups, model: Model, judges: int, hyperprior: Hyperprior) -> Floats:
    """(J,) sigma2 of each judge from its own answers alone, where several measure; else what the prior expects."""
    expected = np.exp([hyperprior.log_noise.get(judge, WEAK_NOISE).mean for judge in range(judges)])
    measuring = np.unique(groups.judge)
    if len(measuring) < 2:
        return np.asarray(expected, np.float64)
    apart = expected.copy()
    for judge in measuring:
        own = Groups(*(column[groups.judge == judge] for column in groups))
        log_density, floor = _of_measurements(own, expected, model, hyperprior)
        start = [
            _prior_of_scale(hyperprior, expected[[judge]]),
            Normal(0.0, hyperprior.log_noise.get(judge, WEAK_NOISE).sd),
        ]
        (_, log_kappa), _, _ = zoom(log_density, start, COARSE, 1)
        apart[judge] *= floor + np.exp(log_kappa)
    return apart


def _of_measurements(groups: Groups, noise: Floats, model: Model, hyperprior: Hyperprior) -> tuple[LogDensity, float]:
    """ln Z + ln prior at (A,) ln tau2 and (B,) ln kappa', kappa = kappa' + floor; and that floor."""
    r = noise[groups.judge]
    floor, sd = LEAST_NOISE / float(r.min(initial=1.0)), _sd_of_noise(hyperprior, len(noise))
    of_groups = spectrum(groups, r, model)
    typical = float(np.log(r).mean()) if len(r) else 0.0

    def log_density(log_scale: Floats, log_kappa: Floats) -> Floats:
        kappa = floor + np.exp(log_kappa)
        above_noise = log_scale[:, None] - typical - np.log(kappa)
        of_scale = above_noise if hyperprior.log_scale is None else log_scale[:, None]
        return np.asarray(
            log_evidence(of_groups, np.exp(log_scale)[:, None] / kappa, kappa)
            + _log_prior(of_scale, hyperprior.log_scale or WEAK_RATIO)
            - 0.5 * (log_kappa / sd) ** 2
        )

    return log_density, floor


def _with_votes(
    comparisons: Comparisons,
    item: Ints,
    model: Model,
    learnt: Hyperparameters,
    hyperprior: Hyperprior,
    points: int,
    evidence: Evidence,
) -> Learnt:
    """The scale by the evidence, phi and rho of those who vote; sigma2 as it was learnt from measurements."""
    judges = len(learnt.votes)
    measures = np.bincount(comparisons.judge, ~is_vote(comparisons.p), judges) > 0
    prior = _prior_of_scale(hyperprior, np.where(measures, learnt.noise, 1.0)[comparisons.judge])

    def scale_of(weights: Comparisons) -> tuple[float, Floats, Floats]:
        """tau2, its points (G, 1) in ln tau2, and their weights (G,)."""

        edges = edges_of(weights, model)

        def log_density(log_scale: Floats) -> Floats:
            by_scale = np.array([evidence(edges, at_scale(model, float(np.exp(x)))) for x in log_scale])
            return by_scale + _log_prior(log_scale, prior)

        (log_scale,), at, weight = zoom(log_density, [prior], FINE, points)
        return float(np.exp(log_scale)), at, weight

    learnt = learnt._replace(votes=np.where(measures, learnt.votes, 1.0), repeat_correlation=np.zeros(judges))
    in_full = weighed(comparisons, item, model.n, learnt)
    scale, at, weight = scale_of(in_full)
    at_first = at_scale(model, scale)
    rho = repeat_correlation_of_votes(fit(in_full, at_first, dense=RANKED_DENSE), in_full, item, judges)
    learnt = learnt._replace(repeat_correlation=rho)
    once = weighed(comparisons, item, model.n, learnt)
    phi = agreement_of_votes(fit(once, at_first, dense=RANKED_DENSE), once, judges)
    learnt = learnt._replace(votes=np.where(measures, learnt.votes, phi))
    with_learnt = weighed(comparisons, item, model.n, learnt)
    if (with_learnt.weight != in_full.weight).any():
        scale, at, weight = scale_of(with_learnt)
    return Learnt(learnt._replace(scale=scale), Grid(weight, np.exp(at[:, 0]), np.ones(len(at))))


def _prior_of_scale(hyperprior: Hyperprior, noise: Floats) -> Normal:
    """Prior of ln tau2 at this (K,) sigma2."""
    if hyperprior.log_scale is not None:
        return hyperprior.log_scale
    typical = float(np.log(noise).mean()) if len(noise) else 0.0
    return Normal(WEAK_RATIO.mean + typical, WEAK_RATIO.sd)


def _sd_of_noise(hyperprior: Hyperprior, judges: int) -> float:
    known = [noise.sd for judge, noise in hyperprior.log_noise.items() if judge < judges]
    return min([*known, *([WEAK_NOISE.sd] if len(known) < max(judges, 1) else [])])


def _log_prior(x: Floats, prior: Normal) -> Floats:
    return np.asarray(-0.5 * ((x - prior.mean) / prior.sd) ** 2)
