"""Beta expert through Phi (GPM 3.1), with L(x) = log Phi(x) + x^2 / 2 (normal.py) and lambda = phi / Phi.

l(d)  = (p - 1) log Phi(d) - p log Phi(-d) - d^2 / 2 = -(1 - p) L(d) - p L(-d)
l'(d) = (p - 1) lambda(d) + p lambda(-d) - d         = -(1 - p) L'(d) + p L'(-d)
w(d)  = 1 - (1 - p) h(d) - p h(-d)                   = (1 - p) L''(d) + p L''(-d) > 0,  h(x) = lambda(x) (x + lambda(x))
"""

from scipy.special import ndtr

from app.inference.experts.expert import Expert
from app.inference.experts.normal import excess, log_tail, truncated_variance
from app.inference.types import Floats


def log_density(d: Floats, p: Floats) -> Floats:
    return -(1.0 - p) * log_tail(d) - p * log_tail(-d)


def slope(d: Floats, p: Floats) -> Floats:
    return p * excess(-d) - (1.0 - p) * excess(d)


def curvature(d: Floats, p: Floats) -> Floats:
    return (1.0 - p) * truncated_variance(d) + p * truncated_variance(-d)


def make() -> Expert:
    return Expert(log_density, slope, curvature, ndtr, linear_in_p=True)
