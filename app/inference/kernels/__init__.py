"""Loops over small arrays, compiled by numba where numpy spends more on being called than on arithmetic (decision 23).

Not here: models, logs, and whatever has no loop. Every kernel has its slow formula in numpy; tests compare the two.

All that a kernel calls is in its own file: the result that is cached on disk is made afresh when that file changes, and
looks at no other. Kernels take contiguous arrays of one type each, so that each is compiled once.
"""

from collections.abc import Callable
from typing import TypeVar

import numba
from numba.core.dispatcher import Dispatcher

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> "Dispatcher[F]":
    """The compiled function, which raises IndexError as numpy does.

    It is cached on disk, unless neither the folder of its file nor a home can be written to.
    """
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", boundscheck=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True, error_model="numpy", boundscheck=True)(function)


__all__ = ["kernel"]
