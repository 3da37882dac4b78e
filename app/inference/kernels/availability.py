"""Which pairs on which items have been shown, and which may be shown now. Compiled: a set asks and marks all the time.

`asked` is (I, N, N) and holds bits at [item, i, j], i < j: the orders in which the pair was shown.
"""

import numpy as np
from numpy.typing import NDArray

from app.inference.kernels.bradley_terry import kernel
from app.inference.types import Bools, Ints

LOWER_FIRST, HIGHER_FIRST = 1, 2
BOTH_ORDERS = LOWER_FIRST | HIGHER_FIRST

Asked = NDArray[np.uint8]


@kernel
def mark(asked: Asked, item: Ints, first: Ints, second: Ints) -> Asked:
    """`asked` once these (B,) pairs have been shown."""
    marked = asked.copy()
    for k in range(len(item)):
        i, j = first[k], second[k]
        if i < j:
            marked[item[k], i, j] |= LOWER_FIRST
        else:
            marked[item[k], j, i] |= HIGHER_FIRST
    return marked


@kernel
def unused(asked: Asked, has: Bools, item: Ints, first: Ints, second: Ints, full: int) -> Bools:
    """(I, N, N), True at [item, i, j], i < j, where both have an output and the pair may be shown still.

    Args: the (B,) pairs may not; `full` is the least that `asked` holds where a pair is used up.
    """
    slots = np.zeros(asked.shape, np.bool_)
    for a in range(len(asked)):
        for i in range(asked.shape[1]):
            for j in range(i + 1, asked.shape[1]):
                slots[a, i, j] = has[a, i] and has[a, j] and asked[a, i, j] < full
    for k in range(len(item)):
        slots[item[k], min(first[k], second[k]), max(first[k], second[k])] = False
    return slots
