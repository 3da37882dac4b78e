"""Beta expert through sigma (GPM eq. 1): soft Bradley-Terry with a wins and b losses added to every comparison.

    l(d)  = (p + a) log sigma(d) + (1 - p + b) log sigma(-d)
    l'(d) = p + a - (1 + a + b) sigma(d)
    w(d)  = (1 + a + b) sigma(d) sigma(-d)

a = b = 0 is soft-bt; a > b favours whoever is shown first.
"""

from scipy.special import expit, log_expit

from app.inference.experts.expert import Expert, require_at_least
from app.inference.types import Floats


def make(a: float = 1.0, b: float = 1.0) -> Expert:
    require_at_least("a", a, 0.0, "a number of wins")
    require_at_least("b", b, 0.0, "a number of losses")

    def log_density(d: Floats, p: Floats) -> Floats:
        return (p + a) * log_expit(d) + (1.0 - p + b) * log_expit(-d)

    def slope(d: Floats, p: Floats) -> Floats:
        return p + a - (1.0 + a + b) * expit(d)

    def curvature(d: Floats, p: Floats) -> Floats:
        return (1.0 + a + b) * expit(d) * expit(-d)

    return Expert(log_density, slope, curvature, expit, linear_in_p=True)
