"""Bradley-Terry on hard verdicts: soft-bt after p is rounded to 0, 1/2 or 1."""

import numpy as np

from app.inference.experts import soft_bt
from app.inference.experts.expert import Expert
from app.inference.types import Floats


def rounded(p: Floats) -> Floats:
    return 0.5 + 0.5 * np.sign(p - 0.5)


def log_density(d: Floats, p: Floats) -> Floats:
    return soft_bt.log_density(d, rounded(p))


def slope(d: Floats, p: Floats) -> Floats:
    return soft_bt.slope(d, rounded(p))


def make() -> Expert:
    return soft_bt.make()._replace(log_density=log_density, slope=slope, linear_in_p=False, as_soft_bt=rounded)
