"""Components of candidates that comparisons connect, compiled: it is asked before every pair.

kernel        slow formula
joined        graph.components of the comparisons
"""

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Ints


@kernel
def joined(component: Ints, first: Ints, second: Ints) -> Ints:
    """(N,) component of each candidate, 0 for that of candidate 0, and so on upwards, once (K,) pairs join some.

    Args: `component` (N,) is that before, np.arange(N) of candidates that nothing joins.
    """
    n, many = len(component), 0
    root, number = np.empty(n, np.int64), np.full(n, -1)
    for i in range(n):
        if number[component[i]] < 0:
            number[component[i]], many = i, many + 1
        root[i] = number[component[i]]
    for k in range(len(first)):
        if many == 1:
            break
        i, j = _root(root, first[k]), _root(root, second[k])
        if i != j:
            root[max(i, j)] = min(i, j)
            many -= 1
    number[:], many = -1, 0
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
