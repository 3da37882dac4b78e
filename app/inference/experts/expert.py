"""The parts of an expert, and the checks of its parameters."""

from collections.abc import Callable
from math import inf
from typing import NamedTuple, Protocol

import numpy as np

from app.inference.types import Floats

SATURATED = 1e-6


class OfDifference(Protocol):
    def __call__(self, d: Floats, p: Floats, /) -> Floats: ...


class Kink(NamedTuple):
    """l(d) = -steepest |t - d|."""

    at: Callable[[Floats], Floats]  # t, given p
    steepest: float


class Expert(NamedTuple):
    log_density: OfDifference  # l(d), up to a constant
    slope: OfDifference  # l'(d)
    curvature: OfDifference  # w = -l''(d), >= 0
    expected: Callable[[Floats], Floats]  # the p that d lets one expect
    fixed_curvature: bool = False  # w depends on p alone, not on d: rank-one updates are exact
    linear_in_p: bool = False  # l(d) - l(0) is linear in p: comparisons alike may be one, at their mean p
    kink: Kink | None = None  # where l is that
    as_soft_bt: Callable[[Floats], Floats] | None = None  # the p at which l is soft-bt's, so that sigma(d) is P(first)
    measurement: Callable[[Floats], Floats] | None = None  # y where l is -(y - d)^2 / 2, NaN where l is soft-bt's


def unsaturated(p: Floats) -> Floats:
    """p where 0 and 1 cannot be."""
    return np.clip(p, SATURATED, 1.0 - SATURATED)


def require_at_least(name: str, value: float, least: float, why: str) -> None:
    if not least <= value < inf:
        raise ValueError(f"{name} is {value:g}; it must be at least {least:g} and finite, {why}")


def require_positive(name: str, value: float) -> None:
    if not 0.0 < value < inf:
        raise ValueError(f"{name} is {value:g}; it must be positive and finite")


def require_probability(name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} is {value:g}; it is a probability, from 0 to 1")
