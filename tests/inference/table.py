"""The table of experts (methods 2), written once more: what tests hold app.inference.experts against.

A new expert is one more row here and no other test.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit, ndtr

from app.inference.experts import Expert, make
from app.inference.types import Floats

Formula = Callable[[Floats, Floats], Floats]


class Row(NamedTuple):
    """An expert p(d|C) = f'(d) ptilde(f(d)|C)."""

    name: str
    parameters: Mapping[str, float]
    density: Formula  # log f'(d) + log ptilde(f(d)|C) up to a constant, from the definition, for |d| <= 5
    log_density: Formula  # l(d) up to a constant, stable for every d
    curvature: Formula | None = None  # w(d), where the table gives it
    symmetric: bool = True  # the other order with the other p says the same

    @property
    def expert(self) -> Expert:
        return make(self.name, self.parameters)

    @property
    def label(self) -> str:
        return ",".join([self.name, *(f"{key}={value:g}" for key, value in self.parameters.items())])


def log_beta(q: Floats, wins: Floats, losses: Floats) -> Floats:
    """Log density of Beta(wins, losses), which is improper where one of them is 0."""
    return (wins - 1.0) * np.log(q) + (losses - 1.0) * np.log1p(-q)


def log_normal(x: Floats, mean: Floats | float, sd: Floats | float) -> Floats:
    return np.asarray(stats.norm.logpdf(x, mean, sd), np.float64)


def log_sigma(d: Floats) -> Floats:
    return -np.logaddexp(0.0, -d)


def clipped(p: Floats) -> Floats:
    return np.clip(p, 1e-6, 1.0 - 1e-6)


def rounded(p: Floats) -> Floats:
    return np.where(p == 0.5, 0.5, p > 0.5)


def gaussian(alpha: float = 4.0, beta: float = 0.5, v: float = 4.0, power: float = 0.0) -> Row:
    return Row(
        "gaussian",
        {"alpha": alpha, "beta": beta, "v": v, "power": power},
        *linear_gaussian(lambda p: alpha * (p - beta), v, power),
        symmetric=beta == 0.5,
    )


def logit_gaussian(v: float = 4.0, power: float = 0.0) -> Row:
    return Row("logit-gaussian", {"v": v, "power": power}, *linear_gaussian(lambda p: logit(clipped(p)), v, power))


def linear_gaussian(mean: Callable[[Floats], Floats], v: float, power: float) -> tuple[Formula, Formula, Formula]:
    """Density, log-density and curvature of N(d; f_mu(p), f_sigma(p)), PoE eq. 4."""

    def variance(p: Floats) -> Floats:
        return np.asarray(v * (4.0 * clipped(p) * clipped(1.0 - p)) ** -power)

    return (
        lambda d, p: log_normal(d, mean(p), np.sqrt(variance(p))),
        lambda d, p: -((d - mean(p)) ** 2) / (2.0 * variance(p)),
        lambda d, p: 1.0 / variance(p) + 0.0 * d,
    )


def soft_bt() -> Row:
    return Row(
        "soft-bt",
        {},
        lambda d, p: stats.logistic.logpdf(d) + log_beta(expit(d), p, 1.0 - p),
        lambda d, p: p * log_sigma(d) + (1.0 - p) * log_sigma(-d),
        lambda d, p: expit(d) * expit(-d),
    )


def sigma_beta(a: float = 1.0, b: float = 1.0) -> Row:
    return Row(
        "sigma-beta",
        {"a": a, "b": b},
        lambda d, p: stats.logistic.logpdf(d) + log_beta(expit(d), p + a, 1.0 - p + b),
        lambda d, p: (p + a) * log_sigma(d) + (1.0 - p + b) * log_sigma(-d),
        lambda d, p: (1.0 + a + b) * expit(d) * expit(-d),
        symmetric=a == b,
    )


def phi_beta() -> Row:
    def h(d: Floats) -> Floats:
        ratio = np.exp(stats.norm.logpdf(d) - stats.norm.logcdf(d))
        return np.asarray(ratio * (d + ratio), np.float64)

    return Row(
        "phi-beta",
        {},
        lambda d, p: stats.norm.logpdf(d) + log_beta(ndtr(d), p, 1.0 - p),
        lambda d, p: (p - 1.0) * stats.norm.logcdf(d) - p * stats.norm.logcdf(-d) - d**2 / 2.0,
        lambda d, p: 1.0 - (1.0 - p) * h(d) - p * h(-d),
    )


def sigma_gaussian(v: float = 1.0) -> Row:
    return Row(
        "sigma-gaussian",
        {"v": v},
        lambda d, p: stats.logistic.logpdf(d) + log_normal(expit(d), p, v**0.5),
        lambda d, p: -((expit(d) - p) ** 2) / (2.0 * v) + log_sigma(d) + log_sigma(-d),
    )


def phi_gaussian(v: float = 1.0) -> Row:
    return Row(
        "phi-gaussian",
        {"v": v},
        lambda d, p: stats.norm.logpdf(d) + log_normal(ndtr(d), p, v**0.5),
        lambda d, p: -((ndtr(d) - p) ** 2) / (2.0 * v) - d**2 / 2.0,
        lambda d, p: stats.norm.pdf(d) ** 2 / v - d * stats.norm.pdf(d) * (ndtr(d) - p) / v + 1.0,
    )


def laplace(alpha: float = 4.0, beta: float = 0.5, b: float = 2.0) -> Row:
    """The curvature is the Fisher information of the location of a Laplace density, E[(l')^2] = 1 / b^2."""
    return Row(
        "laplace",
        {"alpha": alpha, "beta": beta, "b": b},
        lambda d, p: np.asarray(stats.laplace.logpdf(d, alpha * (p - beta), b), np.float64),
        lambda d, p: -np.abs(d - alpha * (p - beta)) / b,
        lambda d, p: np.full(np.shape(d), b**-2.0),
        symmetric=beta == 0.5,
    )


def hard_bt() -> Row:
    soft = soft_bt()
    return Row(
        "hard-bt",
        {},
        lambda d, p: soft.density(d, rounded(p)),
        lambda d, p: soft.log_density(d, rounded(p)),
        soft.curvature,
    )


BY_DEFAULT = [
    soft_bt(),
    gaussian(),
    logit_gaussian(),
    sigma_beta(),
    phi_beta(),
    sigma_gaussian(),
    phi_gaussian(),
    laplace(),
    hard_bt(),
]
OTHERWISE = [
    gaussian(alpha=1.0, beta=0.6, v=0.3),
    gaussian(power=0.5),
    logit_gaussian(v=0.3, power=1.0),
    sigma_beta(a=0.0, b=0.0),
    sigma_beta(a=2.0, b=0.5),
    sigma_gaussian(v=7.0),
    phi_gaussian(v=7.0),
    laplace(alpha=1.0, beta=0.4, b=0.3),
]
each_row = pytest.mark.parametrize("row", BY_DEFAULT + OTHERWISE, ids=lambda row: row.label)
each_default = pytest.mark.parametrize("row", BY_DEFAULT, ids=lambda row: row.name)
each_smooth_row = pytest.mark.parametrize(
    "row", [row for row in BY_DEFAULT + OTHERWISE if row.expert.kink is None], ids=lambda row: row.label
)
