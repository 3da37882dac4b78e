"""Beta expert through Phi (GPM 3.1), with lambda = phi / Phi and h(x) = lambda(x) (x + lambda(x)).

l(d)  = (p - 1) log Phi(d) - p log Phi(-d) - d^2 / 2
l'(d) = (p - 1) lambda(d) + p lambda(-d) - d
w(d)  = 1 - (1 - p) h(d) - p h(-d) = (1 - p) (1 - h(d)) + p (1 - h(-d)) > 0
"""

from scipy.special import log_ndtr, ndtr

from app.inference.experts.expert import Expert
from app.inference.experts.normal import hazard, truncated_variance
from app.inference.types import Floats


def log_density(d: Floats, p: Floats) -> Floats:
    return (p - 1.0) * log_ndtr(d) - p * log_ndtr(-d) - 0.5 * d * d


def slope(d: Floats, p: Floats) -> Floats:
    return (p - 1.0) * hazard(d) + p * hazard(-d) - d


def curvature(d: Floats, p: Floats) -> Floats:
    return (1.0 - p) * truncated_variance(d) + p * truncated_variance(-d)


def make() -> Expert:
    return Expert(log_density, slope, curvature, ndtr)
