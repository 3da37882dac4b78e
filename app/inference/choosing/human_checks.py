"""Which pair of systems people should judge next, so that the rank-sets shrink most (ours).

One more verdict of people on systems a and b, of which they have c, takes about

    D_ab = 1 / c - 1 / (c + 1)      in units of the variance of one verdict over the squared number of opponents

off the variance of theta_a and of theta_b each, and as one's win is mostly the other's loss, 4 D off that of their
difference; 1 D off that of any difference of one of them and a third system. Two systems m and m' are apart when their
difference exceeds its reach, sqrt(R V_mm'). Of pairs that are not yet apart, those that nearly are count most:

    gain_ab = sum over m < m' not apart of  (|theta_m - theta_m'| / reach_mm') D_mm' / V_mm'

Within the pair chosen, which instance people see is left to chance: theta stays unbiased.
"""

import numpy as np

from app.inference.judges.rank_sets import RankSets, squared_radius
from app.inference.types import Floats, Ints

UNSEEN = 0.5  # what a pair that people never judged counts for: it comes before every other


def gains(found: RankSets | None, counts: Ints, alpha: float) -> Floats:
    """(k, k), symmetric.

    Args: found, where people have judged enough to have rank-sets; counts (k, k) of people's verdicts on each pair.
    Conceptually: for each pair a, b the sum above, in a loop.
    """
    c = np.maximum(counts, UNSEEN)
    relief = 1.0 / c - 1.0 / (c + 1.0)
    worth = np.ones(counts.shape) if found is None else _worth(found, alpha)
    worth = worth * (1.0 - np.eye(len(counts)))
    of_either = worth.sum(axis=1)
    gain = relief * (of_either[:, None] + of_either[None, :] + 2.0 * worth)
    return np.asarray(gain * (1.0 - np.eye(len(counts))))


def _worth(found: RankSets, alpha: float) -> Floats:
    """(k, k) what a smaller variance of each difference is worth; a little for those that are apart, lest all be 0."""
    own, k = np.diag(found.covariance), len(found.theta)
    variance = np.maximum(own[:, None] + own - 2.0 * found.covariance, np.finfo(np.float64).tiny)
    radius = min(squared_radius(k, alpha, found.freedom), 1e6)
    close = np.abs(found.theta[:, None] - found.theta) / np.sqrt(radius * variance)
    return np.where(close < 1.0, np.maximum(close, 1e-3), 1e-6) / variance
