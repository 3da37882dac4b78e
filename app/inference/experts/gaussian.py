"""Linear-Gaussian expert (PoE-g, PoE 3.3): the judge's probability is a noisy reading of the difference.

    l(d)  = -(d - alpha (p - beta))^2 / (2 v)
    l'(d) = (alpha (p - beta) - d) / v
    w     = 1 / v

alpha sets the scale of scores and beta the p of equals. With the defaults, alpha = v = 4 and beta = 1/2, slope and
curvature at d = 0 are those of soft-bt, so that the prior and the intervals of the two mean the same.
"""

import numpy as np

from app.inference.experts.expert import Expert, require_positive, require_probability
from app.inference.types import Floats


def make(alpha: float = 4.0, beta: float = 0.5, v: float = 4.0) -> Expert:
    require_positive("alpha", alpha)
    require_probability("beta", beta)
    require_positive("v", v)

    def slope(d: Floats, p: Floats) -> Floats:
        return (alpha * (p - beta) - d) / v

    def log_density(d: Floats, p: Floats) -> Floats:
        return -0.5 * v * slope(d, p) ** 2

    def curvature(d: Floats, p: Floats) -> Floats:
        return np.full_like(d, 1.0 / v)

    def expected(d: Floats) -> Floats:
        return np.clip(beta + d / alpha, 0.0, 1.0)

    return Expert(log_density, slope, curvature, expected, constant_curvature=True)
