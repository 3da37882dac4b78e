"""Judge effects: the contribution of a set, and the prior of a pool (equations: people.py)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.inference.fitting.measurements import Normal
from app.inference.fitting.pooling import LOG_PRIOR_OF_SPREAD, SPREADS, expected
from app.inference.fitting.published import Published
from app.inference.targets.people import mode_of
from app.inference.targets.voices import USUAL_EFFECTS, voices_of
from app.inference.types import Bools, Ints

LEAST_INFORMATION = 0.05  # share of the prior's variance that a log takes away: with less it tells nothing of a judge
EFFECTS = np.arange(-6.0, 4.0, 0.25)  # ln(omega^2 / tau2)


class EffectsContribution(NamedTuple):
    """Contribution of one set about a judge's effects, its prior taken out."""

    judge: int
    log_effects: Normal  # of ln(omega^2 / tau2)


def effects_apart(published: Published, people: Bools, judges: Ints) -> list[EffectsContribution]:
    """Contributions of a set about the effects of its judges: none unless several judge, or one and people.

    Laplace's: at the mode z and with its variance v of a judge's ln(omega^2 / tau2), both in units of the prior,
    N(z / (1 - v), v / (1 - v)) times the prior is N(z, v).

    Args: `people` (J,) tells who they are; `judges` (J,) are what their numbers here stand for in the pool. Raises as
        `of_people` does.
    """
    if people[published.answers.judge].all():
        return []
    voices = voices_of(published, people, {})
    mode, spread, _ = mode_of(voices)
    left = 1.0 - (spread @ spread).diagonal()  # of the prior's variance
    return [
        EffectsContribution(int(judges[judge]), _between(mode[place] / left[place], 1.0 / left[place] - 1.0))
        for place, judge in enumerate(voices.judges, start=1)
        if left[place] > LEAST_INFORMATION
    ]


def _between(z: float, variance: float) -> Normal:
    return Normal(USUAL_EFFECTS.mean + USUAL_EFFECTS.sd * z, USUAL_EFFECTS.sd * float(np.sqrt(variance)))


def pool_effects(contributions: Sequence[EffectsContribution]) -> dict[int, Normal]:
    """Prior of ln(omega^2 / tau2) of each of these judges in a set, as pooling.py does of their noise.

    x_sj ~ N(c_j, d_j^2) between sets; of what S sets tell 1 / S is a set's own, and left out.
    """
    judges = sorted({each.judge for each in contributions})
    return {judge: _pooled([each.log_effects for each in contributions if each.judge == judge]) for judge in judges}


def _pooled(effects: Sequence[Normal]) -> Normal:
    mean, sd = np.array(effects).T[:, :, None, None]
    variance = sd**2 + SPREADS[:, None] ** 2
    at = -0.5 * ((mean - EFFECTS) ** 2 / variance + np.log(variance))
    log_prior = LOG_PRIOR_OF_SPREAD[:, None] - 0.5 * ((EFFECTS - USUAL_EFFECTS.mean) / USUAL_EFFECTS.sd) ** 2
    return expected(EFFECTS, (1.0 - 1.0 / len(effects)) * at.sum(axis=0) + log_prior)
