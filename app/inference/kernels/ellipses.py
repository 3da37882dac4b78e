"""Elliptical slices of the posterior of votes, compiled: a step of each draw, and by what it differs from a normal.

The equations and signs are those of targets/drawing.py; tests have the slow formula.
"""

import math

import numpy as np

from app.inference.kernels import unchecked_kernel
from app.inference.types import Floats, Ints

NARROWEST = 1e-9  # bracket of angles, at which a draw stays where it is
LARGEST = 1e200  # product whose logarithm is taken


@unchecked_kernel
def _log_ratio(
    x: Floats, first: Ints, second: Ints, bias: Ints, wins: Floats, losses: Floats, difference: Floats, slope: Floats,
    precision: Floats,
) -> float:  # fmt: skip
    """r(x)."""
    total, product = 0.0, 1.0
    for m in range(len(wins)):
        moved = x[first[m]] - x[second[m]]
        if len(bias):
            moved += x[bias[m]]
        d, votes = difference[m] + moved, wins[m] + losses[m]
        flatter = 1.0 + math.exp(-abs(d))
        total += wins[m] * min(d, 0.0) - losses[m] * max(d, 0.0) - (slope[m] - 0.5 * precision[m] * moved) * moved
        if votes == 1.0:  # one logarithm for many
            product *= flatter
            if product > LARGEST:
                total -= math.log(product)
                product = 1.0
        else:
            total -= votes * math.log(flatter)
    return total - math.log(product)


@unchecked_kernel
def log_ratios(
    x: Floats, first: Ints, second: Ints, bias: Ints, wins: Floats, losses: Floats, difference: Floats, slope: Floats,
    precision: Floats,
) -> Floats:  # fmt: skip
    """(D,) r of (D, P) draws less the mean; the others (M,) as in gaussian.Votes."""
    ratios = np.empty(len(x))
    for k in range(len(x)):
        ratios[k] = _log_ratio(x[k], first, second, bias, wins, losses, difference, slope, precision)
    return ratios


@unchecked_kernel
def turn(
    x: Floats, ratio: Floats, z: Floats, first: Ints, second: Ints, bias: Ints, wins: Floats, losses: Floats,
    difference: Floats, slope: Floats, precision: Floats, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Move each draw along an ellipse, in place.

    Args: `x` (D, P) are draws less the mean, `ratio` (D,) r of them, `z` (D, P) draws of N(0, Sigma).
    """
    turned = np.empty(x.shape[1])
    for k in range(len(x)):
        level = ratio[k] + math.log(1.0 - rng.random())
        angle = 2.0 * math.pi * rng.random()
        low, high = angle - 2.0 * math.pi, angle
        while high - low > NARROWEST:
            along, across = math.cos(angle), math.sin(angle)
            for p in range(len(turned)):
                turned[p] = along * x[k, p] + across * z[k, p]
            reached = _log_ratio(turned, first, second, bias, wins, losses, difference, slope, precision)
            if reached > level:
                x[k], ratio[k] = turned, reached
                break
            low, high = (angle, high) if angle < 0.0 else (low, angle)
            angle = low + (high - low) * rng.random()
