"""Bradley-Terry whose probabilities are measurements: soft-bt with learnt verdict weights.

A word (p is 0, 1/2 or 1) is a vote, as in soft-bt. Any other p measures the difference on the logit scale, y = logit p
held to +-LONGEST, with an error that is as large everywhere:

    l(d)  = -(y - d)^2 / 2      a comparison's weight is 1 / sigma2 of its judge (fitting/hyperparameters.py)
    l'(d) = y - d
    w(d)  = 1

soft-bt's own l, phi times, has this maximum with the curvature phi p (1 - p): the same on average, but it trusts an
answer least where it is surest, and so wastes what a sharp judge says (decision 42).
"""

import numpy as np
from scipy.special import expit, logit

from app.inference.experts import soft_bt
from app.inference.experts.expert import Expert
from app.inference.types import Bools, Floats

LONGEST = 8.0


def is_vote(p: Floats) -> Bools:
    """True where an answer is a word, not a probability."""
    return np.asarray((p == 0.0) | (p == 0.5) | (p == 1.0))


def measurement(p: Floats) -> Floats:
    """y, NaN where p is a vote."""
    return np.where(is_vote(p), np.nan, np.clip(logit(p), -LONGEST, LONGEST))


def log_density(d: Floats, p: Floats) -> Floats:
    y = measurement(p)
    return np.where(np.isnan(y), soft_bt.log_density(d, p), -0.5 * (y - d) ** 2)


def slope(d: Floats, p: Floats) -> Floats:
    y = measurement(p)
    return np.where(np.isnan(y), soft_bt.slope(d, p), y - d)


def curvature(d: Floats, p: Floats) -> Floats:
    return np.where(is_vote(p), soft_bt.curvature(d, p), 1.0)


def make() -> Expert:
    return Expert(log_density, slope, curvature, expit, as_soft_bt=lambda p: p, measurement=measurement)
