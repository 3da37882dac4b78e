"""Linear-Gaussian experts (PoE 3.3): the judge's probability is a noisy reading of the difference.

    l(d)  = -(d - f_mu(p))^2 / (2 f_sigma(p))
    l'(d) = (f_mu(p) - d) / f_sigma(p)
    w     = 1 / f_sigma(p), whatever d is

PoE leaves f_mu and f_sigma open (eq. 4 to 10). Here

    f_mu(p)    = alpha (p - beta)              PoE 3.4; logit p is that of logit_gaussian.py
    f_sigma(p) = v / (4 p (1 - p))^power       power 0: the same for every p, PoE 3.4; a verdict that leans weighs less
                                               the nearer power is to 1

alpha sets the scale of scores and beta the p of equals. With the defaults, alpha = v = 4 and beta = 1/2, slope and
curvature at d = 0 are those of soft-bt, so that the prior and the intervals of the two mean the same. Where power > 0,
f_sigma reads p clipped to [1e-6, 1 - 1e-6].
"""

from collections.abc import Callable

import numpy as np

from app.inference.experts.expert import Expert, require_positive, require_probability, unsaturated
from app.inference.types import Floats

OfProbability = Callable[[Floats], Floats]


def make(alpha: float = 4.0, beta: float = 0.5, v: float = 4.0, power: float = 0.0) -> Expert:
    require_positive("alpha", alpha)
    require_probability("beta", beta)

    def expected(d: Floats) -> Floats:
        return np.clip(beta + d / alpha, 0.0, 1.0)

    expert = linear_gaussian(lambda p: alpha * (p - beta), variance(v, power), expected)
    return expert._replace(linear_in_p=power == 0.0)


def linear_gaussian(f_mu: OfProbability, f_sigma: OfProbability, expected: OfProbability) -> Expert:
    """The expert N(d; f_mu(p), f_sigma(p)), each function elementwise over shape (K,)."""

    def slope(d: Floats, p: Floats) -> Floats:
        return (f_mu(p) - d) / f_sigma(p)

    def log_density(d: Floats, p: Floats) -> Floats:
        return -0.5 * f_sigma(p) * slope(d, p) ** 2

    def curvature(d: Floats, p: Floats) -> Floats:
        return 1.0 / f_sigma(p)

    return Expert(log_density, slope, curvature, expected, fixed_curvature=True)


def variance(v: float, power: float) -> OfProbability:
    """f_sigma."""
    require_positive("v", v)
    if not 0.0 <= power <= 1.0:
        raise ValueError(f"power is {power:g}; it must be from 0, every verdict weighs alike, to 1")
    if power == 0.0:
        return lambda p: np.full_like(p, v)

    def f_sigma(p: Floats) -> Floats:
        inner = unsaturated(p)
        return np.asarray(v / (4.0 * inner * (1.0 - inner)) ** power)

    return f_sigma
