"""Soft Bradley-Terry (PoE 3.2): the judge's probability enters as a fractional win.

    l(d)  = p log sigma(d) + (1 - p) log sigma(-d)
    l'(d) = p - sigma(d)
    w(d)  = sigma(d) sigma(-d)

d > 0 means that the first candidate is better. Sound for every p in [0, 1], the ends included; as a density its
normaliser is pi / sin(pi p).
"""

from scipy.special import expit, log_expit

from app.inference.experts.expert import Expert
from app.inference.types import Floats


def log_density(d: Floats, p: Floats) -> Floats:
    return p * log_expit(d) + (1.0 - p) * log_expit(-d)


def slope(d: Floats, p: Floats) -> Floats:
    return p - expit(d)


def curvature(d: Floats, p: Floats) -> Floats:
    return expit(d) * expit(-d)


def make() -> Expert:
    return Expert(log_density, slope, curvature, expit, linear_in_p=True, as_soft_bt=lambda p: p)
