"""Laplace expert (PoE-v1 App. B): like the gaussian, with tails that forgive outliers.

    l(d)  = -|d - t| / b,    t = alpha (p - beta)
    l'(d) = sign(t - d) / b, anything in [-1/b, 1/b] at the kink d = t
    w     = 1 / b^2, the Fisher information of d: l'' is 0 wherever it exists and would promise no knowledge at all

With no prior the maximum is that of a linear program; with a Gaussian prior that of a quadratic one, and unique
(fitting/interior_point.py).
"""

import numpy as np

from app.inference.experts.expert import Expert, Kink, require_positive, require_probability
from app.inference.types import Floats


def make(alpha: float = 4.0, beta: float = 0.5, b: float = 2.0) -> Expert:
    require_positive("alpha", alpha)
    require_probability("beta", beta)
    require_positive("b", b)
    steepest = 1.0 / b

    def at(p: Floats) -> Floats:
        return alpha * (p - beta)

    def log_density(d: Floats, p: Floats) -> Floats:
        return -steepest * np.abs(at(p) - d)

    def slope(d: Floats, p: Floats) -> Floats:
        return steepest * np.sign(at(p) - d)

    def curvature(d: Floats, p: Floats) -> Floats:
        return np.full_like(d, steepest**2)

    def expected(d: Floats) -> Floats:
        return np.clip(beta + d / alpha, 0.0, 1.0)

    return Expert(
        log_density, slope, curvature, expected, fixed_curvature=True,
        kink=Kink(at, steepest),
    )  # fmt: skip
