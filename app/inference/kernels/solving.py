"""H x = b for several b at once, by conjugate gradients on compressed rows, H's diagonal before them.

The columns of b (N, B) share every look at a row of H, which is what one look costs. Each has its own steps and ends
where no entry of x can be farther from Sigma b than the tolerance: by (3) of push.py that is max_v |r_v| / q_v.

    kernel       slow formula
    solve        np.linalg.solve(H, b)
    spread       sqrt(q) e + R^T (sqrt(w) f)
"""

import numpy as np

from app.inference.kernels import kernel, unchecked_kernel
from app.inference.kernels.push import Precision
from app.inference.types import Floats


@unchecked_kernel
def solve(precision: Precision, b: Floats, tolerance: float, most: int) -> tuple[Floats, Floats]:
    """x (N, B), and how far an entry of each column may be from Sigma b, (B,); the latter says whether `most` sufficed.

    Args: `most` is how many iterations there may be.
    """
    q, diagonal = precision.precision, precision.diagonal
    n, columns = len(b), b.shape[1]
    x, residual, product, direction = np.zeros((n, columns)), b.copy(), np.empty((n, columns)), np.empty((n, columns))
    for a in range(n):
        direction[a] = b[a] / diagonal[a]
    square, off = _square(residual, diagonal), _off(residual, q)
    for _ in range(most):
        if off.max() <= tolerance:
            break
        _times(precision, direction, product)
        bend = np.zeros(columns)
        for a in range(n):
            for c in range(columns):
                bend[c] += direction[a, c] * product[a, c]
        step = np.where(bend > 0.0, square / bend, 0.0)
        for a in range(n):
            for c in range(columns):
                x[a, c] += step[c] * direction[a, c]
                residual[a, c] -= step[c] * product[a, c]
        before, square, off = square, _square(residual, diagonal), _off(residual, q)
        turn = np.where(before > 0.0, square / before, 0.0)
        for a in range(n):
            for c in range(columns):
                direction[a, c] = residual[a, c] / diagonal[a] + turn[c] * direction[a, c]
    return x, off


@kernel
def spread(precision: Precision, e: Floats, f: Floats) -> Floats:
    """(N, B) sqrt(q) e + R^T (sqrt(w) f), whose covariance is H where e (N, B) and f (K, B) are standard normal."""
    start, rival, weight, q, _ = precision
    b, k = np.empty(e.shape), 0
    for a in range(len(q)):
        b[a] = np.sqrt(q[a]) * e[a]
    for u in range(len(q)):
        for t in range(start[u], start[u + 1]):
            v = rival[t]
            if v > u:
                root = np.sqrt(weight[t])
                for c in range(len(b[u])):
                    b[u, c] += root * f[k, c]
                    b[v, c] -= root * f[k, c]
                k += 1
    return b


@unchecked_kernel
def _times(precision: Precision, x: Floats, product: Floats) -> None:
    """Write H x, (N, B)."""
    start, rival, weight, _, diagonal = precision
    for a in range(len(diagonal)):
        row = product[a]
        row[:] = diagonal[a] * x[a]
        for t in range(start[a], start[a + 1]):
            other, w = x[rival[t]], weight[t]
            for c in range(len(row)):
                row[c] -= w * other[c]


@unchecked_kernel
def _square(residual: Floats, diagonal: Floats) -> Floats:
    """r^T D^-1 r of each column."""
    square = np.zeros(len(residual[0]))
    for a in range(len(diagonal)):
        for c in range(len(square)):
            square[c] += residual[a, c] * residual[a, c] / diagonal[a]
    return square


@unchecked_kernel
def _off(residual: Floats, q: Floats) -> Floats:
    """max_v |r_v| / q_v of each column."""
    off = np.zeros(len(residual[0]))
    for a in range(len(q)):
        for c in range(len(off)):
            off[c] = max(off[c], abs(residual[a, c]) / q[a])
    return off
