"""Experts: densities of a score difference d = s_first - s_second given one comparison.

An expert is one file with three functions of (d, p), each elementwise over shape (K,).
"""

from typing import NamedTuple, Protocol

from app.inference.experts import soft_bt
from app.inference.types import Floats


class OfDifference(Protocol):
    def __call__(self, d: Floats, p: Floats, /) -> Floats: ...


class Expert(NamedTuple):
    log_density: OfDifference  # l(d), up to a constant
    slope: OfDifference  # l'(d)
    curvature: OfDifference  # w = -l''(d), >= 0


EXPERTS = {"soft-bt": Expert(soft_bt.log_density, soft_bt.slope, soft_bt.curvature)}
