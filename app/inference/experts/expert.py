"""What every expert is made of."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from app.inference.types import Floats


class OfDifference(Protocol):
    def __call__(self, d: Floats, p: Floats, /) -> Floats: ...


class Expert(NamedTuple):
    log_density: OfDifference  # l(d), up to a constant
    slope: OfDifference  # l'(d)
    curvature: OfDifference  # w = -l''(d), >= 0
    expected: Callable[[Floats], Floats]  # the p that d lets one expect
    constant_curvature: bool = False  # w depends on neither d nor p: rank-one updates are exact for ever
    smoothed: Callable[[Floats, float], "Expert"] | None = None  # (multipliers, stiffness), where l has a kink


def require_at_least(name: str, value: float, least: float, why: str) -> None:
    if not value >= least:
        raise ValueError(f"{name} is {value:g}; it must be at least {least:g}, {why}")


def require_positive(name: str, value: float) -> None:
    if not value > 0.0:
        raise ValueError(f"{name} is {value:g}; it must be positive")
