"""Linear-Gaussian expert of the logit (PoE eq. 4 to 10), for a judge whose p is a noisy sigma(d).

    f_mu(p)    = logit p
    f_sigma(p) = v / (4 p (1 - p))^power

l, l' and w are those of gaussian.py; p is clipped to [1e-6, 1 - 1e-6]. v = 4 makes slope and curvature those of soft-bt
where equals tie. With power 1 as well, the expert is Laplace's approximation of soft-bt around its mode, logit p:
f_sigma(p) = 1 / (p (1 - p)), so that verdicts that are nearly certain weigh next to nothing.
"""

from scipy.special import expit, logit

from app.inference.experts.expert import Expert, unsaturated
from app.inference.experts.gaussian import linear_gaussian, variance


def make(v: float = 4.0, power: float = 0.0) -> Expert:
    return linear_gaussian(lambda p: logit(unsaturated(p)), variance(v, power), expit)
