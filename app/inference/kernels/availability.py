"""Pairs that were shown on each item, and those that may be shown now. Compiled: a set asks and marks all the time.

`shown` is (I, N, N) and holds bits at [item, i, j], i < j: the orders in which the pair was shown.
"""

import numpy as np
from numpy.typing import NDArray

from app.inference.kernels import kernel
from app.inference.types import Bools, Ints

LOWER_FIRST, HIGHER_FIRST = 1, 2
BOTH_ORDERS = LOWER_FIRST | HIGHER_FIRST

OrdersShown = NDArray[np.uint8]


@kernel
def mark(shown: OrdersShown, item: Ints, first: Ints, second: Ints) -> OrdersShown:
    """`shown` once these (B,) pairs have been shown."""
    marked = shown.copy()
    for k in range(len(item)):
        i, j = first[k], second[k]
        if i < j:
            marked[item[k], i, j] |= LOWER_FIRST
        else:
            marked[item[k], j, i] |= HIGHER_FIRST
    return marked


@kernel
def still_open(shown: OrdersShown, has: Bools, item: Ints, first: Ints, second: Ints, full: int) -> Bools:
    """(I, N, N), True at [item, i, j], i < j, where both have an output and the pair may be shown still.

    Args: the (B,) pairs may not; `full` is the least that `shown` holds where a pair is used up.
    """
    is_open = np.zeros(shown.shape, np.bool_)
    for a in range(len(shown)):
        for i in range(shown.shape[1]):
            for j in range(i + 1, shown.shape[1]):
                is_open[a, i, j] = has[a, i] and has[a, j] and shown[a, i, j] < full
    for k in range(len(item)):
        is_open[item[k], min(first[k], second[k]), max(first[k], second[k])] = False
    return is_open
