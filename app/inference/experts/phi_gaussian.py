"""Gaussian expert through Phi (GPM eq. 2), with q = Phi(d).

    l(d)  = -(q - p)^2 / (2 v) - d^2 / 2
    l'(d) = -(q - p) phi(d) / v - d
    w(d)  = (phi(d)^2 - d phi(d) (q - p)) / v + 1

Log-concave for v >= 1.
"""

import numpy as np
from scipy.special import ndtr

from app.inference.experts.expert import Expert, require_at_least
from app.inference.types import Floats


def make(v: float = 1.0) -> Expert:
    require_at_least("v", v, 1.0, "or the density is not log-concave")

    def log_density(d: Floats, p: Floats) -> Floats:
        return -((ndtr(d) - p) ** 2) / (2.0 * v) - 0.5 * d * d

    def slope(d: Floats, p: Floats) -> Floats:
        return -(ndtr(d) - p) * _density(d) / v - d

    def curvature(d: Floats, p: Floats) -> Floats:
        rate = _density(d)
        return (rate * rate - d * rate * (ndtr(d) - p)) / v + 1.0

    return Expert(log_density, slope, curvature, ndtr, linear_in_p=True)


def _density(d: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi), dtype=np.float64)
