"""What the experts through Phi share, stable in both tails."""

import numpy as np
from scipy.special import erfcx

from app.inference.types import Floats

FAR = -1e3  # beyond it 1 - h(x) = 1 / x^2 is lost in rounding


def hazard(x: Floats) -> Floats:
    """lambda(x) = phi(x) / Phi(x), the slope of log Phi."""
    return np.asarray(np.sqrt(2.0 / np.pi) / erfcx(-x / np.sqrt(2.0)), dtype=np.float64)


def truncated_variance(x: Floats) -> Floats:
    """1 - h(x) with h = lambda (x + lambda), in (0, 1): the variance of a standard normal cut off at x."""
    x = np.maximum(x, FAR)
    return 1.0 - hazard(x) * (x + hazard(x))
