"""Densities on grids: their moments, and points that stand for them.

A grid is moved and narrowed until it resolves the density. What is integrated over it later takes its finer points.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from app.inference.types import Floats

SHARP = 0.15  # sd of a logarithm below which one point is enough
NEGLIGIBLE = 1e-3  # weight of a point, relative to the largest

LogDensity = Callable[..., Floats]  # one axis (A,), or two (A,), (B,), to (A,) or (A, B)


class Normal(NamedTuple):
    mean: float
    sd: float


def zoom(
    log_density: LogDensity, start: Sequence[Normal], coarse: int, fine: int
) -> tuple[list[float], Floats, Floats]:
    """The mean (D,), and points (G, D) with their weights (G,), of a density on D axes.

    A grid of `coarse` points on each axis is moved and narrowed until it resolves the density; of the `fine` one that
    follows, points of negligible weight are left out. Where all axes are sharp, the mean is the only point.
    """
    reach = 4.0 * np.linspace(-1.0, 1.0, coarse)
    mean, sd = np.array([each.mean for each in start]), np.array([each.sd for each in start])
    while True:
        spacing = sd * (reach[1] - reach[0])
        mean, sd = _moments([m + s * reach for m, s in zip(mean, sd, strict=True)], log_density)
        if (spacing <= 1.1 * sd).all():
            break
        sd = np.maximum(sd, 0.25 * spacing)
    if fine == 1 or (sd < SHARP).all():
        return mean.tolist(), mean[None, :], np.ones(1)
    axes = [m + s * np.linspace(-2.7, 2.7, fine) for m, s in zip(mean, sd, strict=True)]
    weight = _normalised(log_density(*axes)).ravel()
    kept = weight > NEGLIGIBLE * weight.max()
    at = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))[kept]
    return mean.tolist(), at, weight[kept] / weight[kept].sum()


def _moments(axes: Sequence[Floats], log_density: LogDensity) -> tuple[Floats, Floats]:
    """Mean and sd (D,) of a density on a grid."""
    weight = _normalised(log_density(*axes))
    mean, sd = np.empty(len(axes)), np.empty(len(axes))
    for k, axis in enumerate(axes):
        marginal = weight.sum(axis=tuple(other for other in range(len(axes)) if other != k))
        mean[k] = marginal @ axis
        sd[k] = np.sqrt(marginal @ (axis - mean[k]) ** 2)
    return mean, sd


def _normalised(log_density: Floats) -> Floats:
    """The density at all points; the same everywhere where it is known nowhere."""
    largest = log_density.max()
    density = np.exp(log_density - largest) if np.isfinite(largest) else np.ones_like(log_density)
    return np.asarray(density / density.sum())
