"""Gaussian expert through sigma (GPM 3.1), with q = sigma(d) and q' = q (1 - q).

    l(d)  = -(q - p)^2 / (2 v) + log q'
    l'(d) = -(q - p) q' / v + 1 - 2 q
    w(d)  = (q'^2 + (q - p) q' (1 - 2 q)) / v + 2 q'

Log-concave for v >= 1.
"""

from scipy.special import expit, log_expit

from app.inference.experts.expert import Expert, require_at_least
from app.inference.types import Floats


def make(v: float = 1.0) -> Expert:
    require_at_least("v", v, 1.0, "or the density is not log-concave")

    def log_density(d: Floats, p: Floats) -> Floats:
        return -((expit(d) - p) ** 2) / (2.0 * v) + log_expit(d) + log_expit(-d)

    def slope(d: Floats, p: Floats) -> Floats:
        q, rate = expit(d), expit(d) * expit(-d)
        return -(q - p) * rate / v + expit(-d) - q

    def curvature(d: Floats, p: Floats) -> Floats:
        q, rate = expit(d), expit(d) * expit(-d)
        return rate * ((rate + (q - p) * (expit(-d) - q)) / v + 2.0)

    return Expert(log_density, slope, curvature, expit, linear_in_p=True)
