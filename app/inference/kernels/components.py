"""Which candidates comparisons connect, compiled: it is asked before every pair.

kernel        slow formula
connected     graph.components of the comparisons
"""

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Ints


@kernel
def connected(first: Ints, second: Ints, n: int) -> Ints:
    """(N,) component of each candidate, 0 for that of candidate 0, and so on upwards; from (K,) pairs."""
    root, number = np.arange(n), np.full(n, -1)
    for k in range(len(first)):
        i, j = _root(root, first[k]), _root(root, second[k])
        root[max(i, j)] = min(i, j)
    many = 0
    for i in range(n):
        r = _root(root, i)
        if number[r] < 0:
            number[r] = many
            many += 1
        number[i] = number[r]
    return number


@kernel
def _root(root: Ints, i: int) -> int:
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i
