"""Experts: densities of a score difference d = s_first - s_second given one comparison, p(d|C) = f'(d) ptilde(f(d)|C).

To add one, write a function of its parameters, with their defaults, and name it in MAKERS. All functions of (d, p) are
elementwise. d > 0: the first candidate is better. s is sigma, s' = s(d) s(-d), F is Phi, phi its density, and lambda
phi / F.

    name             l(d), up to a constant                      l'(d)                        w = -l''(d)
    soft-bt          p ln s(d) + (1 - p) ln s(-d)                p - s(d)                     s'               PoE 3.2
    hard-bt          soft-bt after p is rounded to 0, 1/2 or 1
    sigma-beta       (p + a) ln s(d) + (1 - p + b) ln s(-d)      p + a - (1 + a + b) s(d)     (1 + a + b) s'   GPM (1)
    phi-beta         -(1 - p) L(d) - p L(-d)                     p L'(-d) - (1 - p) L'(d)     (1 - p) L''(d) + p L''(-d)
    sigma-gaussian   -(s(d) - p)^2 / 2v + ln s'                  (p - s) s' / v + 1 - 2 s     its derivative   GPM 3.1
    phi-gaussian     -(F(d) - p)^2 / 2v - d^2 / 2                (p - F) phi / v - d          its derivative   GPM (2)
    gaussian         -(d - m)^2 / 2t, m = alpha (p - beta)       (m - d) / t                  1 / t            PoE 3.3
    logit-gaussian   the same, m = logit p                                                                     PoE (4)
    laplace          -|m - d| / b, m = alpha (p - beta)          sign(m - d) / b              1 / b^2          PoE-v1 B

    L(x) = ln F(x) + x^2 / 2,  L' = x + lambda(x) > 0,  L'' = 1 - lambda (x + lambda), in (0, 1): the variance of a
    standard normal cut off at x. (GPM 3.1: l = (p - 1) ln F(d) - p ln F(-d) - d^2 / 2.)
    t = v / (4 p (1 - p))^power       0: the same for every p, PoE 3.4; a verdict that leans weighs less the nearer
                                      power is to 1

With sigma-beta, a > b favours whoever is shown first. The two gaussians in p are log-concave for v >= 1. Of the
gaussian, alpha sets the scale of scores and beta the p of equals; with the defaults, slope and curvature at d = 0 are
those of soft-bt, so that prior and intervals mean the same. With v = 4 and power 1, logit-gaussian is Laplace's
approximation of soft-bt around its mode, logit p. Laplace's w is the Fisher information of d, as l'' is 0 wherever it
exists; at its kink l' is anything in [-1/b, 1/b].

Measured Bradley-Terry is soft-bt with learnt verdict weights (decision 42). A word (p is 0, 1/2 or 1) is a vote, as in
soft-bt. Any other p measures the difference, y = logit p held to +-LONGEST, with an error that is as large everywhere:
l = -(y - d)^2 / 2, a comparison's weight being 1 / sigma2 of its judge (fitting/weights.py).
"""

from collections.abc import Callable, Mapping
from inspect import signature
from math import inf
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, expit, log_expit, log_ndtr, logit, ndtr

from app.inference.types import Bools, Floats
from app.inference.verdicts import words

SATURATED = 1e-6  # p that experts cannot read is held so far from 0 and 1
LONGEST = 8.0  # y
FAR = -100.0  # below it x + lambda(x) is lost in rounding, and an asymptotic series serves

OfProbability = Callable[[Floats], Floats]
OfDifference = Callable[[Floats, Floats], Floats]  # of d and p


class Expert(NamedTuple):
    log_density: OfDifference  # l(d), up to a constant
    slope: OfDifference  # l'(d)
    curvature: OfDifference  # w = -l''(d), >= 0
    expected: Callable[[Floats], Floats]  # f: the p that d lets one expect
    fixed_curvature: bool = False  # w depends on p alone, not on d: rank-one updates are exact
    linear_in_p: bool = False  # l(d) - l(0) is linear in p: comparisons alike may be one, at their mean p
    kink: OfProbability | None = None  # t where l(d) = -c |t - d|, the slope c being the same everywhere
    as_soft_bt: OfProbability | None = None  # the p at which l is soft-bt's, so that sigma(d) is P(first)
    measurement: OfProbability | None = None  # y where l is -(y - d)^2 / 2, NaN where l is soft-bt's


def is_vote(p: Floats) -> Bools:
    """True where an answer is a word, not a probability."""
    return np.asarray((p == 0.0) | (p == 0.5) | (p == 1.0))


def measurement(p: Floats) -> Floats:
    """y, NaN where p is a vote."""
    return np.where(is_vote(p), np.nan, np.clip(logit(p), -LONGEST, LONGEST))


SOFT_BT = Expert(
    lambda d, p: p * log_expit(d) + (1.0 - p) * log_expit(-d),
    lambda d, p: p - expit(d),
    lambda d, p: expit(d) * expit(-d),
    expit,
    linear_in_p=True,
    as_soft_bt=np.asarray,
)
HARD_BT = SOFT_BT._replace(
    log_density=lambda d, p: SOFT_BT.log_density(d, words(p)),
    slope=lambda d, p: SOFT_BT.slope(d, words(p)),
    linear_in_p=False,
    as_soft_bt=words,
)
MEASURED_BT = Expert(
    lambda d, p: np.where(is_vote(p), SOFT_BT.log_density(d, p), -0.5 * (measurement(p) - d) ** 2),
    lambda d, p: np.where(is_vote(p), SOFT_BT.slope(d, p), measurement(p) - d),
    lambda d, p: np.where(is_vote(p), SOFT_BT.curvature(d, p), 1.0),
    expit,
    as_soft_bt=np.asarray,
    measurement=measurement,
)


def sigma_beta(a: float = 1.0, b: float = 1.0) -> Expert:
    require(0.0 <= a < inf, f"a is {a:g}; it must be at least 0 and finite, a number of wins")
    require(0.0 <= b < inf, f"b is {b:g}; it must be at least 0 and finite, a number of losses")
    return Expert(
        lambda d, p: (p + a) * log_expit(d) + (1.0 - p + b) * log_expit(-d),
        lambda d, p: p + a - (1.0 + a + b) * expit(d),
        lambda d, p: (1.0 + a + b) * expit(d) * expit(-d),
        expit,
        linear_in_p=True,
    )


def phi_beta() -> Expert:
    return Expert(
        lambda d, p: -(1.0 - p) * log_tail(d) - p * log_tail(-d),
        lambda d, p: p * excess(-d) - (1.0 - p) * excess(d),
        lambda d, p: (1.0 - p) * truncated_variance(d) + p * truncated_variance(-d),
        ndtr,
        linear_in_p=True,
    )


def log_tail(x: Floats) -> Floats:
    """L, without the square that cancels in it where x < 0."""
    below = np.minimum(x, 0.0)
    near_or_below = np.log(0.5 * erfcx(-below / np.sqrt(2.0)))
    return np.where(x < 0.0, near_or_below, log_ndtr(x) + 0.5 * x * x)


def hazard(x: Floats) -> Floats:
    """lambda, the slope of ln F."""
    return np.asarray(np.sqrt(2.0 / np.pi) / erfcx(-x / np.sqrt(2.0)), dtype=np.float64)


def excess(x: Floats) -> Floats:
    """L'."""
    z = 1.0 / np.minimum(x, FAR) ** 2
    series = -z * np.minimum(x, FAR) * (1.0 - z * (2.0 - z * (10.0 - 74.0 * z)))
    return np.where(x < FAR, series, x + hazard(x))


def truncated_variance(x: Floats) -> Floats:
    """L''."""
    z = 1.0 / np.minimum(x, FAR) ** 2
    series = z * (1.0 - z * (6.0 - z * (50.0 - 518.0 * z)))
    return np.where(x < FAR, series, 1.0 - hazard(x) * (x + hazard(x)))


def sigma_gaussian(v: float = 1.0) -> Expert:
    require(1.0 <= v < inf, f"v is {v:g}; it must be at least 1 and finite, or the density is not log-concave")

    def curvature(d: Floats, p: Floats) -> Floats:
        q, rate = expit(d), expit(d) * expit(-d)
        return np.asarray(rate * ((rate + (q - p) * (expit(-d) - q)) / v + 2.0))

    return Expert(
        lambda d, p: -((expit(d) - p) ** 2) / (2.0 * v) + log_expit(d) + log_expit(-d),
        lambda d, p: -(expit(d) - p) * expit(d) * expit(-d) / v + expit(-d) - expit(d),
        curvature,
        expit,
        linear_in_p=True,
    )


def phi_gaussian(v: float = 1.0) -> Expert:
    require(1.0 <= v < inf, f"v is {v:g}; it must be at least 1 and finite, or the density is not log-concave")

    def phi(d: Floats) -> Floats:
        return np.asarray(np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi), dtype=np.float64)

    return Expert(
        lambda d, p: -((ndtr(d) - p) ** 2) / (2.0 * v) - 0.5 * d * d,
        lambda d, p: -(ndtr(d) - p) * phi(d) / v - d,
        lambda d, p: (phi(d) * phi(d) - d * phi(d) * (ndtr(d) - p)) / v + 1.0,
        ndtr,
        linear_in_p=True,
    )


def gaussian(alpha: float = 4.0, beta: float = 0.5, v: float = 4.0, power: float = 0.0) -> Expert:
    at, expected = _line(alpha, beta)
    return linear_gaussian(at, variance(v, power), expected)._replace(linear_in_p=power == 0.0)


def logit_gaussian(v: float = 4.0, power: float = 0.0) -> Expert:
    return linear_gaussian(lambda p: logit(unsaturated(p)), variance(v, power), expit)


def linear_gaussian(f_mu: OfProbability, f_sigma: OfProbability, expected: Callable[[Floats], Floats]) -> Expert:
    """The expert N(d; f_mu(p), f_sigma(p)), each function elementwise over shape (K,)."""
    return Expert(
        lambda d, p: -0.5 * (f_mu(p) - d) ** 2 / f_sigma(p),
        lambda d, p: (f_mu(p) - d) / f_sigma(p),
        lambda d, p: 1.0 / f_sigma(p),
        expected,
        fixed_curvature=True,
    )


def variance(v: float, power: float) -> OfProbability:
    """t, of p that is held off 0 and 1."""
    require(0.0 < v < inf, f"v is {v:g}; it must be positive and finite")
    require(0.0 <= power <= 1.0, f"power is {power:g}; it must be from 0, every verdict weighs alike, to 1")
    return lambda p: np.asarray(v / (4.0 * unsaturated(p) * (1.0 - unsaturated(p))) ** power)


def laplace(alpha: float = 4.0, beta: float = 0.5, b: float = 2.0) -> Expert:
    at, expected = _line(alpha, beta)
    require(0.0 < b < inf, f"b is {b:g}; it must be positive and finite")
    return Expert(
        lambda d, p: -np.abs(at(p) - d) / b,
        lambda d, p: np.sign(at(p) - d) / b,
        lambda d, p: np.full_like(d, b**-2),
        expected,
        fixed_curvature=True,
        kink=at,
    )


def _line(alpha: float, beta: float) -> tuple[OfProbability, Callable[[Floats], Floats]]:
    """m, and the p that d lets one expect."""
    require(0.0 < alpha < inf, f"alpha is {alpha:g}; it must be positive and finite")
    require(0.0 <= beta <= 1.0, f"beta is {beta:g}; it is a probability, from 0 to 1")
    return lambda p: alpha * (p - beta), lambda d: np.clip(beta + d / alpha, 0.0, 1.0)


def unsaturated(p: Floats) -> Floats:
    """p where 0 and 1 cannot be."""
    return np.clip(p, SATURATED, 1.0 - SATURATED)


def require(is_allowed: bool, otherwise: str) -> None:
    if not is_allowed:
        raise ValueError(otherwise)


MAKERS: dict[str, Callable[..., Expert]] = {
    "soft-bt": lambda: SOFT_BT,
    "gaussian": gaussian,
    "logit-gaussian": logit_gaussian,
    "sigma-beta": sigma_beta,
    "phi-beta": phi_beta,
    "sigma-gaussian": sigma_gaussian,
    "phi-gaussian": phi_gaussian,
    "laplace": laplace,
    "hard-bt": lambda: HARD_BT,
}


def parameters(name: str) -> dict[str, float]:
    """The parameters of an expert with their defaults. Raises KeyError."""
    return {key: value.default for key, value in signature(MAKERS[name]).parameters.items()}


def make(name: str, values: Mapping[str, float] | None = None) -> Expert:
    """The expert of this name; what `values` leaves out keeps its default.

    Raises KeyError for an unknown expert, ValueError for a parameter that it does not have or cannot have.
    """
    known, values = parameters(name), values or {}
    if unknown := sorted(values.keys() - known.keys()):
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise ValueError(f"{name} has no parameter {unknown[0]!r}; {has}")
    return MAKERS[name](**values)
