"""Simulated judges of N texts with scores s, and of N systems whose outputs on M prompts have scores of their own.

soft         p = sigmoid(unit (s_i - s_j + e_ij)), e_ij = -e_ji ~ N(0, noise^2), one for each pair: asked again, in
             either order, the judge says the same
drawn again  p = 1 with probability sigmoid(s_i - s_j), else 0
drawn once   the same, one draw for each pair

On prompts, d is the difference of the scores of two outputs. Votes are 1 with probability sigma(d), else 0;
probabilities are sigma(d + e), e ~ N(0, NOISE^2).
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.fitting import Covariates, Method, Published, no_absolute_scores, publish
from app.inference.types import Comparisons, Floats, Ints, by_one_judge
from benchmarks.loop import Answer

NOISE = 0.5
LEARNT = Method(verdict_weight="learnt")


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


def hard_verdicts(d: Floats, rng: np.random.Generator) -> Floats:
    """(K,) 1 with probability sigma(d), else 0."""
    return (rng.random(len(d)) < expit(d)).astype(np.float64)


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


class Shown(NamedTuple):
    """Pairs of outputs, each on a prompt."""

    first: Ints  # (K,)
    second: Ints
    item: Ints  # (K,) prompts
    d: Floats  # (K,) differences of scores

    def judged(self, judge: str, rng: np.random.Generator) -> Comparisons:
        """Probabilities or votes."""
        thought = expit(self.d + NOISE * rng.standard_normal(len(self.d)))
        p = thought if judge == "probabilities" else hard_verdicts(self.d, rng)
        return by_one_judge(self.first, self.second, p)


def show(theta: Floats, rng: np.random.Generator, cells: Ints | None = None) -> Shown:
    """Pairs on prompts, in random order of the two.

    Args: `theta` (M, N) scores of outputs; `cells` (K,) are the numbers of the pairs, prompt by prompt, else all.
    """
    prompts, n = theta.shape
    pairs = np.array(np.triu_indices(n, 1))
    item, pair = np.divmod(np.arange(prompts * pairs.shape[1]) if cells is None else cells, pairs.shape[1])
    first, second = np.where(rng.random(len(item)) < 0.5, pairs[:, pair], pairs[::-1, pair])
    return Shown(first, second, item, theta[item, first] - theta[item, second])


def published(comparisons: Comparisons, item: Ints, n: int, covariates: Covariates | None = None) -> Published:
    """What the service publishes of one judge's comparisons of n systems, whose verdict weights are learnt."""
    return publish(comparisons, item, no_absolute_scores(), LEARNT, n, 1, covariates=covariates)
