"""Absolute scores beside comparisons (GPM 3.2), on a scale that is estimated, or as it is given.

A judge gives a candidate the value c with probability p_c. Matching moments,

    mu = sum_c c p_c,    var = sum_c (c - mu)^2 p_c, at least 1/12 of a squared step, that of rounding to the scale,
                                                     unless the variance is given

and N(s_n; c0 + c1 mu, c1^2 var), Gaussian in s_n alone, changes that score's prior. Each judge's c0 and c1 > 0 maximise
the evidence, the density of mu_n ~ N((s_n - c0) / c1, var) with the scores integrated out. (The joint density of scores
and scale rises without end as c1 -> 0 with every s_n = c0 + c1 mu_n.) By EM: given the posterior N(m, S) of the scores,
weights 1 / var and weighted means m_, mu_ of a judge's scores,

    A = sum ((m - m_)^2 + S_nn) / var,    B = sum (m - m_)(mu - mu_) / var
    c1 = A / B, at most FLATTEST times where it began,    c0 = m_ - c1 mu_

Where B <= 0 the judge contradicts what is known of the scores: it ends at that bound and counts next to nothing. (A
judge that is very sure of itself beside few comparisons makes what is known, and is trusted.) Squared extrapolation
(Varadhan and Roland 2008) carries EM along where it creeps.

GPM itself estimates nothing: p(s_n | A_n) = N(s_n; mu_n, var_n). A scale that is given is that, c1 = 1, with the mean
of all absolute scores at 0, where the prior has the scores; all judges share it.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from app.inference.fitting.model import Model, edges_of
from app.inference.fitting.posterior import Posterior, fit_edges
from app.inference.gaussian import Scores
from app.inference.types import Comparisons, Floats, Ints
from app.inference.verdicts import means

SCALE_TOLERANCE = 1e-4  # relative to tau: on how far EM still moves any absolute score
MAX_ITERATIONS = 60  # of three steps of EM each
FLATTEST = 1e3
SAME_MEAN = 1e-9  # standard deviation of means that are equal but for rounding
SUREST = 1e-10  # variance of an absolute score, relative to that of the prior: surer ones count as this
FARTHEST = 1e6  # steps of EM that one extrapolation makes


class AbsoluteScores(NamedTuple):
    """M scores of candidates on the scales of their judges."""

    candidate: Ints  # (M,)
    judge: Ints  # (M,) numbered from 0
    mean: Floats  # (M,) mu
    variance: Floats  # (M,) positive

    @property
    def size(self) -> int:
        return len(self.mean)


class Scale(NamedTuple):
    """The lines c0 + c1 mu, from each judge's scale to the scores; 0 and 1 of who only compares."""

    c0: Floats  # (J,)
    c1: Floats  # (J,)

    def mapped(self, absolute: AbsoluteScores) -> Floats:
        """(M,) absolute scores on the scale of the scores."""
        return self.c0[absolute.judge] + self.c1[absolute.judge] * absolute.mean


class Combined(NamedTuple):
    """A posterior of comparisons and absolute scores together, whose prior holds the latter."""

    posterior: Posterior
    scale: Scale
    converged: bool  # whether EM stopped moving


class Moments(NamedTuple):
    mean: float
    variance: float


def moments(probabilities: Mapping[float, float], *, is_given: bool = False) -> Moments:
    """Mean and variance of the value that a judge gives; with `is_given` the variance as it is, which may be 0.

    Args: `probabilities` of values, one of them positive, are normalised: what the judge put elsewhere is ignored.
    """
    value = np.array(sorted(probabilities), np.float64)
    p = np.array([probabilities[c] for c in value]) / sum(probabilities.values())
    mean = float(value @ p)
    step = float(np.diff(value).min(initial=np.inf)) if len(value) > 1 else 1.0
    return Moments(mean, max(float((value - mean) ** 2 @ p), 0.0 if is_given else step**2 / 12.0))


def no_absolute_scores() -> AbsoluteScores:
    none = np.empty(0, np.int64)
    return AbsoluteScores(none, none, np.empty(0), np.empty(0))


def combine(comparisons: Comparisons, model: Model, absolute: AbsoluteScores, *, is_given: bool = False) -> Combined:
    """The posterior given both, `absolute` being at least one, on the scale of most evidence, or on that given."""
    edges, judges = edges_of(comparisons, model), int(absolute.judge.max()) + 1

    def on_scale(scale: Scale, start: Floats | None = None) -> Combined:
        return Combined(fit_edges(edges, with_absolute(model, absolute, scale), start=start), scale, is_given)

    if is_given:
        return on_scale(Scale(np.full(judges, -absolute.mean.mean()), np.ones(judges)))
    tau, centre = float(np.sqrt(model.prior.variance)), _of_judges(absolute.mean, absolute)
    spread = np.sqrt(_of_judges((absolute.mean - centre[absolute.judge]) ** 2, absolute))
    like_the_prior = tau / np.where(spread > SAME_MEAN, spread, 1.0)
    flattest = FLATTEST * like_the_prior

    def em(combined: Combined) -> Combined:
        scale = _maximised(combined.posterior.scores, absolute, flattest)
        return on_scale(scale, combined.posterior.mean)

    combined = on_scale(_line(0.0 * centre, centre, like_the_prior))
    for _ in range(MAX_ITERATIONS):
        once = em(combined)
        twice = em(once)
        if np.abs(twice.scale.mapped(absolute) - once.scale.mapped(absolute)).max() <= SCALE_TOLERANCE * tau:
            return twice._replace(converged=True)
        ahead = _extrapolated(combined.scale, once.scale, twice.scale, centre, flattest)
        combined = em(on_scale(ahead, twice.posterior.mean))
    return combined


def with_absolute(model: Model, absolute: AbsoluteScores, scale: Scale) -> Model:
    """The model whose prior holds the absolute scores too."""
    variance = np.maximum(scale.c1[absolute.judge] ** 2 * absolute.variance, SUREST * model.prior.variance)
    weight, prior = 1.0 / variance, model.prior
    added = np.bincount(absolute.candidate, weight, model.size).astype(np.float64)
    pull = prior.pull + np.bincount(absolute.candidate, weight * scale.mapped(absolute), model.size)
    return model._replace(prior=prior._replace(precision=prior.precision + added, pull=pull, absolute=added))


def _maximised(scores: Scores, absolute: AbsoluteScores, flattest: Floats) -> Scale:
    """The M-step."""
    candidate, judge, mu, _ = absolute
    weight, m, variance = 1.0 / absolute.variance, scores.mean[candidate], scores.covariance.diagonal[candidate]
    level, centre = _of_judges(m, absolute, weight), _of_judges(mu, absolute, weight)
    above = m - level[judge]
    a = _of_judges(above**2 + variance, absolute, weight)
    b = _of_judges(above * (mu - centre[judge]), absolute, weight)
    return _line(level, centre, np.divide(a, b, out=flattest.copy(), where=a < flattest * b))


def _extrapolated(x: Scale, once: Scale, twice: Scale, centre: Floats, flattest: Floats) -> Scale:
    """The scale to which the steps seem to lead, by what `centre` maps to and ln c1: next to independent."""
    x0, x1, x2 = (np.array([c0 + c1 * np.nan_to_num(centre), np.log(c1)]) for c0, c1 in (x, once, twice))
    step, bend = x1 - x0, x2 - 2.0 * x1 + x0
    far = float(np.clip(np.linalg.norm(step) / (np.linalg.norm(bend) + 1e-300), 1.0, FARTHEST))
    level, log_c1 = x0 + 2.0 * far * step + far**2 * bend
    return _line(level, centre, np.minimum(np.exp(np.clip(log_c1, x2[1] - 3.0, x2[1] + 3.0)), flattest))


def _of_judges(values: Floats, absolute: AbsoluteScores, weight: Floats | None = None) -> Floats:
    """(J,) means of (M,) values, NaN of who only compares."""
    return means(values, absolute.judge, int(absolute.judge.max()) + 1, weight)


def _line(level: Floats, centre: Floats, c1: Floats) -> Scale:
    """The lines of slope c1 on which `centre` maps to `level`; all (J,), `centre` NaN of who only compares."""
    is_silent = np.isnan(centre)
    return Scale(np.where(is_silent, 0.0, level - c1 * centre), np.where(is_silent, 1.0, c1))
