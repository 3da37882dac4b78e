"""Absolute scores beside comparisons (GPM 3.2), on a scale that is estimated.

A judge gives a candidate the value c with probability p_c. Matching moments,

    mu = sum_c c p_c,    var = sum_c (c - mu)^2 p_c, at least 1/12 of a squared step: that of rounding to the scale

and N(s_n; c0 + c1 mu, c1^2 var) becomes a factor of the posterior. It is Gaussian in s_n alone, so for a given scale
it is a change of that score's prior. c0 and c1 > 0, one pair per judge, map the judge's scale to that of the scores.

They maximise the evidence, the density of what the judge said, mu_n ~ N((s_n - c0) / c1, var), with the scores
integrated out. The joint density of scores and scale has no maximum to profile: it rises for ever as c1 -> 0 with every
s_n = c0 + c1 mu_n. Around the joint maximum of the scores, comparisons and prior alone are N(m, S), so with a slope
u = 1 / c1 and a shift k = c0 / c1 for each judge

    mu ~ N(u m - k, C),    C = u S u + var

of which k has the closed form of generalised least squares and u >= 1 / FLATTEST of where it began is found by a
quasi-Newton method; then the scores' maximum moves, and so on until neither does. (EM needs no S, but where a judge is
sure of itself it creeps: its scores hold the posterior to the scale that it has so far.) A judge whose scores do not rise
with what comparisons say ends at that bound, and its scores count next to nothing.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from app.inference import laplace
from app.inference import posterior as posteriors
from app.inference.covariance import dense, times
from app.inference.model import Model
from app.inference.posterior import Posterior
from app.inference.types import Bools, Comparisons, Floats, Ints

SCALE_TOLERANCE = 1e-4  # relative to tau: on how far any absolute score still moves
MAX_ITERATIONS = 50
FLATTEST = 1e3
UNUSED = (0.0, 1.0)  # the scale of a judge who only compares


class AbsoluteScores(NamedTuple):
    """M scores of candidates on the scales of their judges."""

    candidate: Ints  # (M,)
    judge: Ints  # (M,) numbered from 0
    mean: Floats  # (M,)
    variance: Floats  # (M,) positive

    @property
    def size(self) -> int:
        return len(self.mean)


class Scale(NamedTuple):
    """From each judge's scale to the scores: c0 + c1 mu."""

    c0: Floats  # (J,)
    c1: Floats  # (J,)


class Combined(NamedTuple):
    """A posterior of comparisons and absolute scores together."""

    posterior: Posterior
    model: Model  # whose prior holds the absolute scores
    scale: Scale
    settled: bool  # whether the scale stopped moving


class _Rest(NamedTuple):
    """N(mean, covariance) of the score behind each absolute score, given everything but the absolute scores."""

    mean: Floats  # (M,)
    covariance: Floats  # (M, M)


class _Evidence(NamedTuple):
    loss: float  # minus its logarithm, up to a constant
    slope: Floats  # (J,) derivatives of that in u
    shift: Floats  # (J,) k


class Moments(NamedTuple):
    mean: float
    variance: float


def moments(probabilities: Mapping[float, float]) -> Moments:
    """Of the value that a judge gives, from the probability of each value, at least one of them positive.

    They are normalised: what the judge put elsewhere is ignored.
    """
    value = np.array(sorted(probabilities), np.float64)
    p = np.array([probabilities[c] for c in value]) / sum(probabilities.values())
    mean = float(value @ p)
    step = float(np.diff(value).min(initial=np.inf)) if len(value) > 1 else 1.0
    return Moments(mean, max(float((value - mean) ** 2 @ p), step**2 / 12.0))


def no_absolute_scores() -> AbsoluteScores:
    none = np.empty(0, np.int64)
    return AbsoluteScores(none, none, np.empty(0), np.empty(0))


def combine(comparisons: Comparisons, model: Model, absolute: AbsoluteScores) -> Combined:
    """The posterior given both, with the scale that maximises the evidence; `absolute` holds at least one score."""
    first = _first_scale(absolute, model)
    held = _given(first, comparisons, model, absolute, None)
    for _ in range(MAX_ITERATIONS):
        scale = _maximised(_of_the_rest(held, comparisons, model, absolute), absolute, held.scale, first)
        change = np.abs(_mapped(absolute, scale) - _mapped(absolute, held.scale)).max()
        held = _given(scale, comparisons, model, absolute, held.posterior.mean)
        if change <= SCALE_TOLERANCE * np.sqrt(model.prior.variance):
            return held._replace(settled=True)
    return held


def take_scores(absolute: AbsoluteScores, index: Ints | Bools) -> AbsoluteScores:
    candidate, judge, mean, variance = absolute
    return AbsoluteScores(candidate[index], judge[index], mean[index], variance[index])


def join_scores(old: AbsoluteScores, new: AbsoluteScores) -> AbsoluteScores:
    return AbsoluteScores(
        np.concatenate([old.candidate, new.candidate]),
        np.concatenate([old.judge, new.judge]),
        np.concatenate([old.mean, new.mean]),
        np.concatenate([old.variance, new.variance]),
    )


def with_absolute(model: Model, absolute: AbsoluteScores, scale: Scale) -> Model:
    """The model whose prior holds the absolute scores too."""
    weight = 1.0 / (scale.c1[absolute.judge] ** 2 * absolute.variance)
    precision = model.prior.precision + np.bincount(absolute.candidate, weight, model.size)
    pull = model.prior.pull + np.bincount(absolute.candidate, weight * _mapped(absolute, scale), model.size)
    return model._replace(prior=model.prior._replace(precision=precision, pull=pull))


def _given(
    scale: Scale, comparisons: Comparisons, model: Model, absolute: AbsoluteScores, start: Floats | None
) -> Combined:
    joint = with_absolute(model, absolute, scale)
    return Combined(posteriors.fit(comparisons, joint, start=start), joint, scale, False)


def _mapped(absolute: AbsoluteScores, scale: Scale) -> Floats:
    return scale.c0[absolute.judge] + scale.c1[absolute.judge] * absolute.mean


def _first_scale(absolute: AbsoluteScores, model: Model) -> Scale:
    """Where absolute scores spread like the prior."""
    tau = float(np.sqrt(model.prior.variance))
    return Scale(*np.array([_like_prior(_of(absolute, judge), tau) for judge in _judges(absolute)]).T)


def _like_prior(mine: AbsoluteScores, tau: float) -> tuple[float, float]:
    if not mine.size:
        return UNUSED
    spread = float(mine.mean.std()) if np.ptp(mine.mean) else 1.0  # the std of equals is rounding
    c1 = tau / spread
    return -c1 * float(mine.mean.mean()), c1


def _of_the_rest(held: Combined, comparisons: Comparisons, model: Model, absolute: AbsoluteScores) -> _Rest:
    """At the joint maximum, the rest pulls exactly against what the absolute scores add to the prior of `model`."""
    mean, joint = held.posterior.mean, held.model.prior
    sigma = laplace.covariance(mean, comparisons, model)
    pull = (joint.pull - model.prior.pull) - (joint.precision - model.prior.precision) * mean
    rated = absolute.candidate
    return _Rest((mean - times(sigma, pull))[rated], dense(sigma)[np.ix_(rated, rated)])


def _maximised(rest: _Rest, absolute: AbsoluteScores, start: Scale, first: Scale) -> Scale:
    """The scale of the largest evidence; a judge without absolute scores keeps what it has."""
    used, judge = np.unique(absolute.judge, return_inverse=True)
    unit = 1.0 / first.c1[used]

    def loss(x: Floats) -> tuple[float, Floats]:
        found = _evidence(x * unit, judge, rest, absolute)
        return found.loss, found.slope * unit

    best = minimize(
        loss,
        1.0 / (start.c1[used] * unit),
        jac=True,
        bounds=[(1.0 / FLATTEST, FLATTEST)] * len(used),
        method="L-BFGS-B",
        options={"ftol": 1e-14, "gtol": 1e-7},
    )
    c0, c1, u = start.c0.copy(), start.c1.copy(), best.x * unit
    c0[used], c1[used] = _evidence(u, judge, rest, absolute).shift / u, 1.0 / u
    return Scale(c0, c1)


def _evidence(u: Floats, judge: Ints, rest: _Rest, absolute: AbsoluteScores) -> _Evidence:
    """Of (J,) slopes, with the best shifts; `judge` (M,) numbers the J judges without gaps."""
    rate, variance = u[judge], absolute.variance
    factor = cho_factor(rate[:, None] * rest.covariance * rate + np.diag(variance), lower=True)
    inverse = cho_solve(factor, np.eye(absolute.size))
    of_judge = np.eye(len(u))[judge]
    off = absolute.mean - rate * rest.mean
    shift = -np.linalg.solve(of_judge.T @ inverse @ of_judge, of_judge.T @ (inverse @ off))
    off = off + shift[judge]
    force = inverse @ off
    rise = force * (off - variance * force + rate * rest.mean) - 1.0 + variance * inverse.diagonal()
    loss = float(np.log(factor[0].diagonal()).sum() + 0.5 * off @ force)
    return _Evidence(loss, -np.bincount(judge, rise) / u, shift)


def _judges(absolute: AbsoluteScores) -> range:
    return range(int(absolute.judge.max()) + 1)


def _of(absolute: AbsoluteScores, judge: int) -> AbsoluteScores:
    return take_scores(absolute, absolute.judge == judge)
