"""Laplace expert (PoE-v1 App. B): like the gaussian, with tails that forgive outliers.

    l(d)  = -|d - t| / b,    t = alpha (p - beta)
    l'(d) = sign(t - d) / b, anything in [-1/b, 1/b] at the kink d = t
    w     = 1 / b^2, the Fisher information of d: l'' is 0 wherever it exists and would promise no knowledge at all

With no prior the maximum is a linear program; with a Gaussian prior a quadratic one, whose maximum is unique. It is
found by the method of multipliers: l is replaced by its Moreau envelope, shifted by a multiplier u per comparison,

    l'(d) ~ clip(u + stiffness (t - d), -1/b, 1/b)

and u becomes that slope until it no longer moves the kinks.
"""

import numpy as np

from app.inference.experts.expert import Expert, require_positive
from app.inference.types import Floats


def make(alpha: float = 4.0, beta: float = 0.5, b: float = 2.0) -> Expert:
    require_positive("alpha", alpha)
    require_positive("b", b)
    steepest = 1.0 / b

    def residual(d: Floats, p: Floats) -> Floats:
        return alpha * (p - beta) - d

    def log_density(d: Floats, p: Floats) -> Floats:
        return -steepest * np.abs(residual(d, p))

    def slope(d: Floats, p: Floats) -> Floats:
        return steepest * np.sign(residual(d, p))

    def curvature(d: Floats, p: Floats) -> Floats:
        return np.full_like(d, steepest**2)

    def expected(d: Floats) -> Floats:
        return np.clip(beta + d / alpha, 0.0, 1.0)

    def smoothed(multipliers: Floats, stiffness: float) -> Expert:
        def smooth_slope(d: Floats, p: Floats) -> Floats:
            return np.clip(multipliers + stiffness * residual(d, p), -steepest, steepest)

        def envelope(d: Floats, p: Floats) -> Floats:
            force, reach = smooth_slope(d, p), residual(d, p) + multipliers / stiffness
            return 0.5 * force**2 / stiffness - force * reach

        def smooth_curvature(d: Floats, p: Floats) -> Floats:
            return np.where(np.abs(multipliers + stiffness * residual(d, p)) < steepest, stiffness, 0.0)

        return Expert(envelope, smooth_slope, smooth_curvature, expected)

    return Expert(log_density, slope, curvature, expected, constant_curvature=True, smoothed=smoothed)
