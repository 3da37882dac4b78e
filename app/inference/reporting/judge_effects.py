"""Where judges depart from the common score."""

from typing import NamedTuple

import numpy as np

from app.inference.fitting.consensus import Consensus
from app.inference.types import Comparisons

MOST_LISTED = 12  # deviations of one judge


class Deviation(NamedTuple):
    candidate: int
    deviation: float  # what the judge adds to the common score
    sd: float


class JudgeEffects(NamedTuple):
    judge: int
    sd: float  # omega
    largest_deviations: list[Deviation]  # farthest first


def judge_effects_of(agreed: Consensus, comparisons: Comparisons) -> list[JudgeEffects]:
    """Of each judge that compared anything, the candidates on which it departs most."""
    omega, farthest = np.sqrt(agreed.variances.of_effects), np.argsort(-np.abs(agreed.effects), axis=1, kind="stable")
    return [
        JudgeEffects(
            judge,
            float(omega[judge]),
            [
                Deviation(i, float(agreed.effects[judge, i]), float(agreed.sd_of_effects[judge, i]))
                for i in farthest[judge, :MOST_LISTED].tolist()
            ],
        )
        for judge in np.unique(comparisons.judge).tolist()
    ]
