"""Simulated judges of N texts with scores s.

soft         p = sigmoid(unit (s_i - s_j + e_ij)), e_ij = -e_ji ~ N(0, noise^2), one for each pair: asked again, in
             either order, the judge says the same
drawn again  p = 1 with probability sigmoid(s_i - s_j), else 0
drawn once   the same, one draw for each pair
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.types import Floats
from benchmarks.loop import Answer


class Verdicts(StrEnum):
    SOFT = "soft"
    DRAWN_ONCE = "drawn once"
    DRAWN_AGAIN = "drawn again"


class SimulatedJudge(NamedTuple):
    verdicts: Verdicts
    noise: float = 0.0
    unit: float = 1.0  # of the judge's own scores, in true ones


JUDGES = {
    "people": SimulatedJudge(Verdicts.DRAWN_AGAIN),
    "stubborn": SimulatedJudge(Verdicts.DRAWN_ONCE),
    "noisy": SimulatedJudge(Verdicts.SOFT, noise=1.0),
    "sharp": SimulatedJudge(Verdicts.SOFT, noise=1.0, unit=3.0),
    "flat": SimulatedJudge(Verdicts.SOFT, noise=1.0, unit=1.0 / 3.0),
    "consistent": SimulatedJudge(Verdicts.SOFT, noise=0.1),
}


def answering(judge: SimulatedJudge, truth: Floats, rng: np.random.Generator) -> Answer:
    """The judge at work on texts with these (N,) scores."""
    n = len(truth)
    noise = _antisymmetric(rng.normal(0.0, judge.noise, (n, n)))
    p = expit(judge.unit * (truth[:, None] - truth + noise))
    match judge.verdicts:
        case Verdicts.SOFT:
            return lambda first, second: p[first, second]
        case Verdicts.DRAWN_ONCE:
            votes = np.sign(_antisymmetric(p - rng.random((n, n))))
            return lambda first, second: 0.5 + 0.5 * votes[first, second]
        case Verdicts.DRAWN_AGAIN:
            return lambda first, second: (rng.random(len(first)) < p[first, second]).astype(np.float64)


def _antisymmetric(values: Floats) -> Floats:
    """(N, N) the upper triangle of `values`, and below it the same with the other sign."""
    upper = np.triu(values, 1)
    return np.asarray(upper - upper.T)
