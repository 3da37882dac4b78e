"""Sums over the eigenvalues of a matrix that is only multiplied by: Lanczos' quadrature (Golub and Meurant 1994).

    z^T f(A) z = sum_m weight_m f(node_m),       tr f(A) = E z^T f(A) z of random signs z

Nodes are the eigenvalues of Lanczos' tridiagonal matrices, weights the squares of their vectors' first entries times
|z|^2. The trace is a mean over a few z (Ubaru, Chen and Saad 2017), which are always the same, so that it is a smooth
function of A.
"""

from collections.abc import Callable

import numpy as np

from app.inference.types import Floats

NOTHING = 1e-300


def random_signs(n: int, count: int) -> Floats:
    """(N, C), always the same."""
    return np.random.default_rng(0).choice([-1.0, 1.0], size=(count, n)).T


def quadrature(times: Callable[[Floats], Floats], start: Floats, steps: int) -> tuple[Floats, Floats]:
    """Nodes and weights (C, M) for z^T f(A) z of each column z of `start` (N, C); exact where f has degree below 2 M.

    Args: `times` is the product with A; `steps` is M.
    """
    length = np.linalg.norm(start, axis=0)
    before, now, beta = np.zeros_like(start), start / np.maximum(length, NOTHING), np.zeros(len(length))
    tridiagonal = np.zeros((len(length), steps, steps + 1))
    for m in range(steps):
        ahead = times(now) - beta * before
        tridiagonal[:, m, m] = alpha = np.einsum("nc,nc->c", now, ahead)
        ahead -= alpha * now
        tridiagonal[:, m, m + 1] = beta = np.sqrt(np.einsum("nc,nc->c", ahead, ahead))
        before, now = now, ahead / np.maximum(beta, NOTHING)
    nodes, vectors = np.linalg.eigh(tridiagonal[:, :, :steps], UPLO="U")
    return nodes, length[:, None] ** 2 * vectors[:, 0] ** 2
