"""Bradley-Terry with few parameters, compiled by numba: there numpy spends more on being called than on arithmetic.

Every kernel has its slow formula in numpy, which the other experts and larger sets go by, and tests compare the two:

    fit            laplace.fit, then laplace.covariance and laplace.weights
    conditioned    covariance.condition for one pair after the other
    best_pairs     selection.score of every open pair

The equations and signs are those of laplace.py, soft_bt.py and selection.py. Kernels take contiguous arrays of one
type each, so that each is compiled once; the result is cached on disk where there is a place for it. What is not finite
or not positive definite comes back as such: whoever calls a kernel then goes the slow way.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from app.inference.experts import Expert
from app.inference.fitting.newton import FEW, MAX_ITERATIONS
from app.inference.types import Bools, Floats, Ints

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> "Dispatcher[F]":
    """The compiled function, which raises IndexError as numpy does.

    It is cached on disk, unless neither the folder of its file nor a home can be written to.
    """
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", boundscheck=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True, error_model="numpy", boundscheck=True)(function)


def serves(expert: Expert, parameters: int) -> bool:
    """Whether the kernels know the expert and are quicker than numpy."""
    return expert.as_soft_bt is not None and parameters <= FEW


@kernel
def fit(
    first: Ints,
    second: Ints,
    bias: Ints,
    p: Floats,
    weight: Floats,
    precision: Floats,
    pull: Floats,
    start: Floats,
    tolerance: float,
) -> tuple[Floats, Floats, float, Floats, int, float]:
    """The mean (P,), Sigma (P, P), its ln det, the weights (K,), the iterations and the gradient norm of soft-bt.

    Args: `bias` (K,) is the place of the judge's bias among the parameters; (0,) where there is none.
    """
    theta, iterations = start, 0
    level, g, w = _at(theta, first, second, bias, p, weight, precision, pull)
    while np.abs(g).max() > tolerance and iterations < MAX_ITERATIONS:
        step, t = _solve(_cholesky(_hessian(w, first, second, bias, precision)), g), 1.0
        rise = np.sum(g * step)
        reached, g, w = _at(theta + step, first, second, bias, p, weight, precision, pull)
        while reached < level + 1e-4 * t * rise and rise >= 1e-9 and t > 1e-8:
            t *= 0.5
            reached, g, w = _at(theta + t * step, first, second, bias, p, weight, precision, pull)
        theta, level, iterations = theta + t * step, reached, iterations + 1
    upper = _cholesky(_hessian(w, first, second, bias, precision))
    log_det = -2.0 * np.log(np.diag(upper)).sum()
    return theta, _inverse(upper), log_det, w, iterations, np.abs(g).max()


@kernel
def _at(
    theta: Floats, first: Ints, second: Ints, bias: Ints, p: Floats, weight: Floats, precision: Floats, pull: Floats
) -> tuple[float, Floats, Floats]:
    """L(theta), its gradient (P,) and the weights (K,)."""
    level, g, w = np.sum(theta * (pull - 0.5 * precision * theta)), pull - precision * theta, np.empty(len(p))
    for k in range(len(p)):
        i, j = first[k], second[k]
        d = theta[i] - theta[j]
        if len(bias):
            d += theta[bias[k]]
        e = math.exp(-abs(d))
        level += weight[k] * ((p[k] - 1.0) * d + min(d, 0.0) - math.log(1.0 + e))
        w[k] = weight[k] * e / (1.0 + e) ** 2
        slope = weight[k] * (p[k] - (1.0 if d > 0.0 else e) / (1.0 + e))
        g[i] += slope
        g[j] -= slope
        if len(bias):
            g[bias[k]] += slope
    return level, g, w


@kernel
def _curvature(d: float) -> float:
    e = math.exp(-abs(d))
    return e / (1.0 + e) ** 2


@kernel
def _hessian(w: Floats, first: Ints, second: Ints, bias: Ints, precision: Floats) -> Floats:
    """(P, P); the upper triangle is enough, and all of it that is complete."""
    h = np.diag(precision)
    for k in range(len(w)):
        i, j = first[k], second[k]
        h[i, i] += w[k]
        h[j, j] += w[k]
        h[min(i, j), max(i, j)] -= w[k]
        if len(bias):
            b = bias[k]
            h[b, b] += w[k]
            h[i, b] += w[k]
            h[j, b] -= w[k]
    return h


@kernel
def _cholesky(h: Floats) -> Floats:
    """U with H = U^T U, in the upper triangle and in the place of H."""
    for k in range(len(h)):
        h[k, k] = math.sqrt(h[k, k])
        for j in range(k + 1, len(h)):
            h[k, j] /= h[k, k]
        for i in range(k + 1, len(h)):
            for j in range(i, len(h)):
                h[i, j] -= h[k, i] * h[k, j]
    return h


@kernel
def _solve(upper: Floats, g: Floats) -> Floats:
    """x with U^T U x = g, shape (P,)."""
    x = g.copy()
    for k in range(len(x)):
        x[k] /= upper[k, k]
        for i in range(k + 1, len(x)):
            x[i] -= upper[k, i] * x[k]
    for k in range(len(x) - 1, -1, -1):
        for i in range(k + 1, len(x)):
            x[k] -= upper[k, i] * x[i]
        x[k] /= upper[k, k]
    return x


@kernel
def _inverse(upper: Floats) -> Floats:
    """(U^T U)^-1 = X^T X with X = U^-T, which is lower triangular; (P, P)."""
    x, inverse = np.eye(len(upper)), np.zeros(upper.shape)
    for i in range(len(x)):
        for k in range(i):
            for j in range(k + 1):
                x[i, j] -= upper[k, i] * x[k, j]
        for j in range(i + 1):
            x[i, j] /= upper[i, i]
    for k in range(len(x)):
        for i in range(k + 1):
            for j in range(k + 1):
                inverse[i, j] += x[k, i] * x[k, j]
    return inverse


@kernel
def conditioned(sigma: Floats, mean: Floats, first: Ints, second: Ints) -> tuple[Floats, float]:
    """Sigma (N, N) once these (L,) pairs are answered as soft-bt expects, and what its ln det falls by."""
    sigma, fall = sigma.copy(), 0.0
    for k in range(len(first)):
        i, j = first[k], second[k]
        column = sigma[i] - sigma[j]
        w = _curvature(mean[i] - mean[j])
        growth = w * (column[i] - column[j])
        column *= math.sqrt(w / (1.0 + growth))
        fall += math.log1p(growth)
        for a in range(len(column)):
            for b in range(len(column)):
                sigma[a, b] -= column[a] * column[b]
    return sigma, fall


@kernel
def best_pairs(
    mean: Floats, sigma: Floats, open_pairs: Bools, determinant: bool, power: float, floor: float, tie: float
) -> tuple[Bools, int]:
    """(N, N), True at the open pairs i < j whose score is the best one or tied with it; and how many these are.

    Args: `determinant` takes w(m) v as the score, else it is v / (m^2 + floor)^power.
    """
    scores, best = np.full(sigma.shape, np.nan), -np.inf
    for i in range(len(mean)):
        for j in range(i + 1, len(mean)):
            if open_pairs[i, j]:
                m, v = mean[i] - mean[j], max(sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j], 0.0)
                scores[i, j] = _curvature(m) * v if determinant else v / (m * m + floor) ** power
                best = max(best, scores[i, j])
    tied = scores >= best * (1.0 - tie)
    return tied, tied.sum()


@kernel
def nth_pair(pairs: Bools, k: int) -> tuple[int, int]:
    """Row and column of the k-th True entry, row by row."""
    for i in range(pairs.shape[0]):
        for j in range(pairs.shape[1]):
            k -= pairs[i, j]
            if k < 0:
                return i, j
    raise IndexError("there are not as many pairs")
