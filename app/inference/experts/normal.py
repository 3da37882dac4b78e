"""The functions that experts through Phi share, stable in both tails: L(x) = log Phi(x) + x^2 / 2 and its derivatives.

    L'(x)  = x + lambda(x) > 0,  lambda = phi / Phi
    L''(x) = 1 - lambda(x) (x + lambda(x)), in (0, 1): the variance of a standard normal cut off at x

For x far below 0, where x + lambda is lost in rounding, the derivatives are those of its asymptotic series.
"""

import numpy as np
from scipy.special import erfcx, log_ndtr

from app.inference.types import Floats

FAR = -100.0


def log_tail(x: Floats) -> Floats:
    """L, without the square that cancels in it where x < 0."""
    below = np.minimum(x, 0.0)
    near_or_below = np.log(0.5 * erfcx(-below / np.sqrt(2.0)))
    return np.where(x < 0.0, near_or_below, log_ndtr(x) + 0.5 * x * x)


def hazard(x: Floats) -> Floats:
    """lambda, the slope of log Phi."""
    return np.asarray(np.sqrt(2.0 / np.pi) / erfcx(-x / np.sqrt(2.0)), dtype=np.float64)


def excess(x: Floats) -> Floats:
    """L'."""
    z = 1.0 / np.minimum(x, FAR) ** 2
    series = -z * np.minimum(x, FAR) * (1.0 - z * (2.0 - z * (10.0 - 74.0 * z)))
    return np.where(x < FAR, series, x + hazard(x))


def truncated_variance(x: Floats) -> Floats:
    """L''."""
    z = 1.0 / np.minimum(x, FAR) ** 2
    series = z * (1.0 - z * (6.0 - z * (50.0 - 518.0 * z)))
    return np.where(x < FAR, series, 1.0 - hazard(x) * (x + hazard(x)))
