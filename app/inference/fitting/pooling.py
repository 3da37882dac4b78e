"""Shared priors: judges' noise and the spread of candidates, by several sets together (methods 11, decision 41; ours).

Set s has x_s = ln tau2 ~ N(a, b^2), and judge j answers there with z_sj = ln sigma2 ~ N(c_j, d_j^2).

    ln p(a, b, c, d | all) = sum_(s,j) (1 - 1/S_j) ln sum_(x,z) Z_sj(x, z) N(x; a, b^2) N(z; c_j, d_j^2) + ln prior

where Z_sj is the evidence of j's answers in s alone, that of votes depending on x alone. A set is one of the S_j in
which j answered, so 1/S_j of what was said is its own, and left out. It receives means and sds of x and z. Priors of a
and c_j are where a set by itself expects them. Sums are over grids,

    x, a     SCALES        (A,)        b, d     SPREADS
    z, c     NOISES        (B,)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax

from app.inference.experts import is_vote
from app.inference.fitting.evidence import log_evidence_of
from app.inference.fitting.measurements import LEAST_NOISE, WEAK_NOISE, WEAK_RATIO, Normal, measurements
from app.inference.fitting.model import Model, edges_of
from app.inference.fitting.weights import Hyperprior, shares
from app.inference.regimes import AT_ONCE
from app.inference.types import Comparisons, Floats, Ints, take

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


class Contribution(NamedTuple):
    """The answers of one judge in one set, or all votes there."""

    judge: int
    log_evidence: Floats  # (A, B) or (A, 1)


def evidence_apart(comparisons: Comparisons, item: Ints, model: Model, judges: Ints) -> list[Contribution]:
    """The evidence of each judge's measurements and of all votes, each by itself; judges' numbers in the pool are (J,)."""
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
