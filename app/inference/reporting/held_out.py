"""Predictions of pairs that were drawn at random, each made before the pair was judged.

Selection picks the pairs it is least sure of, so agreement on those says little; random pairs, predicted from the
posterior of the moment they were drawn in, are an honest sample (prequential validation, Dawid 1984).

The prediction for a pair with difference N(m, v) is the mean over that difference of the p that the expert expects;
log-loss is the mean of -(y log p + (1 - y) log(1 - p)), y the verdict. Always saying 1/2 gives ln 2.
"""

from typing import NamedTuple

import numpy as np

from app.inference.experts import Expert
from app.inference.reporting.calibration import log_loss
from app.inference.types import Floats

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(32)


class HeldOutCheck(NamedTuple):
    comparisons: int
    agreement: float | None  # of those with a winner, half for a prediction of 1/2; None without any
    log_loss: float


def check_predictions(p: Floats, m: Floats, sd: Floats, expert: Expert) -> HeldOutCheck:
    """Hold K >= 1 verdicts p against predictions N(m, sd^2), each of shape (K,), first minus second."""
    expected = expert.expected(m[:, None] + sd[:, None] * NODES) @ WEIGHTS / WEIGHTS.sum()
    decided, named = p != 0.5, np.sign(np.round(expected - 0.5, 9))
    right = 0.5 + 0.5 * named * np.sign(p - 0.5)
    agreement = float(right[decided].mean()) if decided.any() else None
    return HeldOutCheck(len(p), agreement, log_loss(expected, p))
