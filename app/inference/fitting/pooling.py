"""What several sets say together of their judges' noise and the spread of their candidates (methods 11; ours).

Set s has x_s = ln tau2, and judge j answers there with z_sj = ln sigma2. In a pool of sets

    x_s ~ N(a, b^2)        z_sj ~ N(c_j, d_j^2)

and a, b, c, d maximise  sum_(s,j) ln sum_(x,z) Z_sj(x, z) N(x; a, b^2) N(z; c_j, d_j^2)  by EM, where Z_sj is the
evidence of j's answers in s alone, on a grid of (x, z). Votes depend on x alone. Weak priors hold a and c_j to where a
set by itself expects them, and b and d_j near BETWEEN, as ALIKE more sets would. S sets told it, and each expects

    x_s ~ N(a, b^2 + e^2)        1 / e^2 = (1 - 1/S) sum_s (1 - V_s / b^2) / b^2 + the prior's precision

of itself, V_s being the variance of x_s given everything. So for z. 1/S is what a set told of itself.

    x, z     SCALES, NOISES         (A,), (B,)
    ln Z     Told.log_evidence      (A, B) of measurements, (A, 1) of votes
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.inference.experts.measured_bt import is_vote
from app.inference.fitting.hyperparameters import (
    LEAST_NOISE,
    ONE_VOTE,
    WEAK_NOISE,
    WEAK_RATIO,
    Hyperprior,
    Normal,
    at_scale,
    laplace_evidence,
    log_evidence,
    measurements,
    shares,
    spectrum,
)
from app.inference.fitting.model import Model
from app.inference.types import Comparisons, Floats, Ints, take

STEP = 0.25
SCALES = np.arange(np.log(1e-3), np.log(100.0), STEP)
NOISES = np.arange(np.log(2.0 * LEAST_NOISE), np.log(50.0), STEP)
COARSER = 4  # each point of votes is a fit, and they say little
VOTES_TELL = 2  # votes for each candidate: before, Laplace's evidence finds too little of a large tau2
BETWEEN, ALIKE = 0.5, 4.0
WEAK_SCALE = Normal(WEAK_RATIO.mean + float(np.log(ONE_VOTE)), float(np.hypot(WEAK_RATIO.sd, WEAK_NOISE.sd)))
SETTLED, ROUNDS = 1e-3, 300
VOTES = -1  # as a judge's number


class Told(NamedTuple):
    """The answers of one judge in one set, or all votes there."""

    judge: int
    log_evidence: Floats  # (A, B) or (A, 1)


class Expected(NamedTuple):
    """Means (R,) and variances (R,) of one unknown in R sets, given everything."""

    mean: Floats
    variance: Floats


def evidence_apart(comparisons: Comparisons, item: Ints, model: Model, judges: Ints) -> list[Told]:
    """The evidence of each judge's measurements and of all votes in K comparisons, each by itself.

    Args: `item` (K,) is what each was about; `model` has the biases to allow for; `judges` (J,) are what their numbers
    here stand for in the pool.
    """
    votes, told = is_vote(comparisons.p), []
    for number, judge in enumerate(judges.tolist()):
        own = (comparisons.judge == number) & ~votes
        if own.any():
            groups = measurements(take(comparisons, own), item[own], model.n)
            of_judge = spectrum(groups, np.ones(len(groups.judge)), model)
            told.append(Told(judge, log_evidence(of_judge, np.exp(SCALES), np.exp(NOISES))))
    if votes.sum() >= VOTES_TELL * model.n:
        cast, few = take(comparisons, votes), SCALES[::COARSER]
        cast = cast._replace(weight=cast.weight * shares(cast, item[votes], model.n, np.ones(len(judges))))
        by_scale = [laplace_evidence(cast, at_scale(model, float(np.exp(x)))) for x in few]
        told.append(Told(VOTES, np.interp(SCALES, few, by_scale)[:, None]))
    return told


def pool(told: Sequence[Told]) -> Hyperprior:
    """What each of the sets expects that told this, one at least, or any other of their pool; judges as in `told`."""
    evidence = {
        judge: np.stack([_relative(each.log_evidence) for each in told if each.judge == judge])
        for judge in sorted({each.judge for each in told})
    }
    scale, noise = WEAK_SCALE, dict.fromkeys(evidence.keys() - {VOTES}, WEAK_NOISE)
    for _ in range(ROUNDS):
        of_scale, of_noise = _expected(evidence, scale, noise)
        earlier = np.array([scale, *noise.values()])
        scale = _between(of_scale, scale, WEAK_SCALE)
        noise = {judge: _between(of_noise[judge], noise[judge], WEAK_NOISE) for judge in noise}
        if np.abs(np.array([scale, *noise.values()]) - earlier).max() < SETTLED:
            break
    return Hyperprior(
        _with_error(of_scale, scale, WEAK_SCALE),
        {judge: _with_error(of_noise[judge], noise[judge], WEAK_NOISE) for judge in noise},
    )


def _relative(log_evidence: Floats) -> Floats:
    return np.asarray(np.exp(log_evidence - log_evidence.max()))


def _expected(
    evidence: Mapping[int, Floats], scale: Normal, noise: Mapping[int, Normal]
) -> tuple[Expected, dict[int, Expected]]:
    """x of each row, and z of each row of each judge."""
    of_scale, of_noise, p_scale = [], {}, _density(SCALES, scale)
    for judge, rows in evidence.items():
        p_noise = np.ones(1) if judge == VOTES else _density(NOISES, noise[judge])
        of_scale.append(_moments(SCALES, (rows @ p_noise) * p_scale))
        if judge != VOTES:
            of_noise[judge] = _moments(NOISES, np.einsum("a,rab->rb", p_scale, rows) * p_noise)
    return Expected(*map(np.concatenate, zip(*of_scale, strict=True))), of_noise


def _density(at: Floats, normal: Normal) -> Floats:
    return np.asarray(np.exp(-0.5 * ((at - normal.mean) / normal.sd) ** 2))


def _moments(at: Floats, density: Floats) -> Expected:
    """Of R densities, (R, points)."""
    weight = density / density.sum(axis=1, keepdims=True)
    mean = weight @ at
    return Expected(mean, weight @ at**2 - mean**2)


def _between(expected: Expected, old: Normal, weak: Normal) -> Normal:
    """The normal that `expected` comes from, one round of EM after `old`."""
    rows, known = len(expected.mean), (old.sd / weak.sd) ** 2
    mean = float((expected.mean.sum() + known * weak.mean) / (rows + known))
    squares = expected.variance.sum() + ((expected.mean - mean) ** 2).sum()
    return Normal(mean, float(np.sqrt((squares + ALIKE * BETWEEN**2) / (rows + ALIKE))))


def _with_error(expected: Expected, between: Normal, weak: Normal) -> Normal:
    """`between` with the error of its mean, as if one set fewer had told it: whoever reads it is one of them."""
    others = 1.0 - 1.0 / len(expected.mean)
    told = others * np.maximum(1.0 - expected.variance / between.sd**2, 0.0).sum()
    error = 1.0 / (told / between.sd**2 + weak.sd**-2)
    return Normal(between.mean, float(np.hypot(between.sd, np.sqrt(error))))
