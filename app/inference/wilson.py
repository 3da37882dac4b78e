"""Shares with Wilson's interval (1927).

With s the share of n draws and z the normal quantile of the level, the p for which |s - p| <= z sqrt(p (1 - p) / n):

    (s + z^2 / 2n  +-  z sqrt(s (1 - s) / n + z^2 / 4n^2)) / (1 + z^2 / n)

It does not close where all draws are alike. n need not be whole: it is how many draws are as sure as the share is.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from app.inference.types import Bools, Floats


class Share(NamedTuple):
    """A share of some cases."""

    cases: int
    share: float
    interval: tuple[float, float]


def share_of(right: Floats | Bools, level: float) -> Share | None:
    """The mean of shares (n,), one of each case; None of nothing."""
    if not len(right):
        return None
    share = float(right.mean())
    return Share(len(right), share, wilson(share, len(right), level))


def wilson(share: float, draws: float, level: float) -> tuple[float, float]:
    low, high = wilson_of_each(np.array(share), np.array(draws), level)
    return float(low), float(high)


def wilson_of_each(share: Floats, draws: Floats, level: float) -> tuple[Floats, Floats]:
    """The lower and upper ends of many intervals; NaN where the share is."""
    z2 = float(ndtri(0.5 + level / 2.0)) ** 2
    middle = (share + z2 / (2.0 * draws)) / (1.0 + z2 / draws)
    reach = np.sqrt(z2 * (share * (1.0 - share) / draws + z2 / (4.0 * draws**2))) / (1.0 + z2 / draws)
    return np.asarray(np.maximum(middle - reach, 0.0)), np.asarray(np.minimum(middle + reach, 1.0))
