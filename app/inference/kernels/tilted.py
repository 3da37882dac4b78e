"""Moments of a normal difference d ~ N(m, v) once votes on it are known.

    g(d) = sigma(d)^a sigma(-d)^b N(d; m, v)        a votes for the first, b for the second, of any fraction

By the trapezoidal rule in u, d = NARROW sinh u, from the mode outwards until g is NEGLIGIBLE of its maximum: steps are
about 1 where sigma bends, and grow with |d| up to a standard deviation of N. A rule of even steps is exact to about
exp(-2 pi^2 (width / step)^2) on a smooth bell, and what is summed is log-concave and falls as fast as N.

Slow formula: scipy.integrate.quad of g, d g and d^2 g.
"""

import math

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Floats

NARROW, LONGEST = 5.0, 0.2  # where steps begin to grow, and the longest one there, in u
FAR = 6.0  # standard deviations
NEGLIGIBLE = -18.0  # logarithm
NEAR = 0.1  # of the mode, in standard deviations
ROUNDS = 60


@kernel
def moments(mean: Floats, variance: Floats, wins: Floats, losses: Floats) -> tuple[Floats, Floats, Floats]:
    """ln of the integral of g, its mean and its variance, (M,) each, of these (M,) m, v, a and b."""
    size = len(mean)
    log_total, tilted_mean, tilted_variance = np.empty(size), np.empty(size), np.empty(size)
    for k in range(size):
        m, v, a, b = mean[k], variance[k], wins[k], losses[k]
        centre, curvature = mode(m, v, a, b)
        at_centre, sd = math.sqrt(centre * centre + NARROW * NARROW), math.sqrt(v)
        step = min(LONGEST, 1.0 / (math.sqrt(curvature) * at_centre), sd / (abs(centre) + FAR * sd))
        top, start = log_density(centre, m, v, a, b), (centre + at_centre) / NARROW  # e^u
        total, first, second = at_centre, 0.0, 0.0
        for ratio in (math.exp(step), math.exp(-step)):
            e, rise = start * ratio, 0.0
            while rise > NEGLIGIBLE:
                d = 0.5 * NARROW * (e - 1.0 / e)
                rise = log_density(d, m, v, a, b) - top
                density = math.exp(rise) * 0.5 * NARROW * (e + 1.0 / e)
                total += density
                first += density * (d - centre)
                second += density * (d - centre) ** 2
                e *= ratio
        first /= total
        log_total[k] = top + math.log(total * step / math.sqrt(2.0 * math.pi * v))
        tilted_mean[k] = centre + first
        tilted_variance[k] = second / total - first * first
    return log_total, tilted_mean, tilted_variance


@kernel
def log_density(d: float, m: float, v: float, a: float, b: float) -> float:
    """ln g, up to N's constant."""
    of_votes = -(a + b) * math.log1p(math.exp(-abs(d))) + (a * min(d, 0.0) - b * max(d, 0.0))
    return of_votes - 0.5 * (d - m) ** 2 / v


@kernel
def mode(m: float, v: float, a: float, b: float) -> tuple[float, float]:
    """About where g is largest, and -(ln g)'' there: Newton's steps inside a bracket."""
    low, high = m - b * v, m + a * v
    d = min(max(m, low), high)
    curvature = 1.0 / v
    for _ in range(ROUNDS):
        e = math.exp(-abs(d))
        above = (1.0 if d > 0.0 else e) / (1.0 + e)  # sigma(d)
        slope = a - (a + b) * above - (d - m) / v
        curvature = 1.0 / v + (a + b) * e / (1.0 + e) ** 2
        if slope > 0.0:
            low = d
        else:
            high = d
        if slope * slope <= NEAR * NEAR * curvature:
            break
        d += slope / curvature
        if not low < d < high:
            d = 0.5 * (low + high)
    return d, curvature
