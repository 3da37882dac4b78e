"""Probabilities that are words: a judge whose logits pile up at one value says which, not by how much (ours).

A language model at temperature 0 says .999 or .001 whatever it compares. As a reading of the difference on an interval
scale that would have to add up, 6.9 + 6.9 = 13.8, and it never does. So two models of the same numbers are compared
with each other, for each judge that measures, y = logit p of its G answers, the first on each question:

    A   y ~ N(d, sigma2)                                                     measurements, as in measurements.py
    B   sign y ~ sigma(d),  |y| ~ N(m, v) whatever d is                      votes, and a way of speaking

    d = s_first - s_second,  s ~ N(0, tau2)

    Z_A = E N(y; 0, tau2 R R^T + sigma2 I)       over the priors of ln sigma2, ln(tau2 / sigma2) in hyperparameters.py
    Z_B = E Z_votes E N(|y|; 0, v I + FARTHEST^2 1 1^T)       over that of ln tau2, and of ln v as of ln sigma2

The judge's answers are votes where Z_B > Z_A: that is p = 1 for p > 1/2, p = 0 below, at its weight as a vote. Neither
sigma2 nor v is below LEAST_NOISE, so that neither model gains without end by numbers that are printed alike. No bias is
allowed for: it widens sigma2 in A and flattens votes in B.
"""

import numpy as np
from scipy.special import logsumexp

from app.inference.core.cells import with_measured_words
from app.inference.experts import LONGEST, is_vote, measurement
from app.inference.fitting.expectation_propagation import propagated_evidence, serves
from app.inference.fitting.grids import Normal
from app.inference.fitting.hyperparameters import LEAST_NOISE, WEAK_NOISE, WEAK_RATIO
from app.inference.fitting.measurements import log_evidence, measurements, spectrum
from app.inference.fitting.model import Method, build, edges_of
from app.inference.fitting.verdict_weights import at_scale, same_question
from app.inference.fitting.votes import laplace_evidence
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import directions, firsts

FINE, COARSE = 41, 9  # points on an axis: of formulas, of fits
REACH = 3.0  # standard deviations of a prior to either side
FARTHEST = 0.5 * LONGEST  # standard deviation of m


def as_votes(comparisons: Comparisons, item: Ints) -> Comparisons:
    """The comparisons with p = 0, 1/2 or 1 for judges whose probabilities tell no more than that.

    Args: `item` (K,) is what each was about.
    """
    measured, p = with_measured_words(comparisons, least=0.0), comparisons.p.copy()
    measures = ~is_vote(measured.p)
    for judge in np.unique(comparisons.judge[measures]):
        own = comparisons.judge == judge
        if log_odds_of_words(take(measured, own & measures), item[own & measures], least=0.0) > 0.0:
            p[own] = _words(p[own])
    return comparisons._replace(p=p)


def log_odds_of_words(comparisons: Comparisons, item: Ints, least: float = -np.inf) -> float:
    """ln Z_B - ln Z_A of answers by one judge, none of them 0 or 1; `item` (K,) is what each was about.

    Args: below `least` a bound from above will do: Z_votes is at most 1.
    """
    who, place = np.unique(np.append(comparisons.first, comparisons.second), return_inverse=True)
    first, second = place.reshape(2, -1)
    p = np.where(comparisons.p == 0.5, np.nextafter(0.5, 1.0), comparisons.p)
    comparisons = Comparisons(first, second, p, comparisons.judge, np.ones(comparisons.size))
    once = firsts(same_question(comparisons, item, len(who)))
    comparisons, item = take(comparisons, once), item[once]
    bound = _of_lengths(comparisons.p) - _as_measurements(comparisons, item, len(who))
    return bound if bound < least else bound + _of_votes(comparisons, len(who))


def _as_measurements(comparisons: Comparisons, item: Ints, n: int) -> float:
    """ln Z_A."""
    groups = measurements(comparisons, item, n)
    (log_noise, of_noise), (log_ratio, of_ratio) = _axis(WEAK_NOISE, FINE), _axis(WEAK_RATIO, FINE)
    noise = LEAST_NOISE + np.exp(log_noise)
    of_groups = spectrum(groups, np.ones(comparisons.size), build(Method(), n))
    by_ratio = log_evidence(of_groups, np.exp(log_ratio)[:, None], noise)
    return float(logsumexp(by_ratio + of_ratio[:, None] + of_noise)) - _constant(comparisons.size)


def _of_votes(comparisons: Comparisons, n: int) -> float:
    """ln of E Z_votes."""
    words, model = comparisons._replace(p=_words(comparisons.p)), build(Method(), n)
    edges = edges_of(words, model)
    evidence = propagated_evidence if serves(edges, model) else laplace_evidence
    log_scale, of_scale = _axis(WEAK_RATIO, COARSE)
    return float(logsumexp([evidence(edges, at_scale(model, float(np.exp(x)))) for x in log_scale] + of_scale))


def _of_lengths(p: Floats) -> float:
    """ln of E N(|y|; 0, v I + FARTHEST^2 1 1^T)."""
    log_spread, of_spread = _axis(WEAK_NOISE, FINE)
    return float(logsumexp(_log_normal(np.abs(measurement(p)), log_spread) + of_spread))


def _log_normal(length: Floats, log_spread: Floats) -> Floats:
    """ln N(|y|; 0, v I + FARTHEST^2 1 1^T) at each ln v (B,)."""
    size, mean = len(length), length.mean()
    v = LEAST_NOISE + np.exp(log_spread)
    along = v + size * FARTHEST**2
    squares = ((length - mean) ** 2).sum() / v + size * mean**2 / along
    return np.asarray(-0.5 * ((size - 1) * np.log(v) + np.log(along) + squares) - _constant(size))


def _words(p: Floats) -> Floats:
    return 0.5 * (1.0 + directions(p - 0.5))


def _axis(prior: Normal, points: int) -> tuple[Floats, Floats]:
    """Points of an axis and the logarithms of their weights, which sum to 1."""
    z = REACH * np.linspace(-1.0, 1.0, points)
    weight = -0.5 * z**2
    return prior.mean + prior.sd * z, weight - logsumexp(weight)


def _constant(size: int) -> float:
    return 0.5 * size * float(np.log(2.0 * np.pi))
