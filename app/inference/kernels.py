"""Loops over small arrays, compiled by numba where numpy spends more on being called than on arithmetic (decision 23).

Every kernel has its slow formula in numpy; tests compare the two. All that it calls is in its own file: the result that
is cached on disk is compiled again when that file changes, and looks at no other. Arguments are contiguous arrays of
one type each, so that a kernel is compiled once.

Numba tells compiled functions apart by a number that it counts up from 1 in each process: two that came to the cache
from two processes could share one (numba issue 10486). Here each process counts from a number that it draws.
"""

import secrets
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import TypeVar

import numba
import numpy as np
from numba.core.bytecode import FunctionIdentity
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

FunctionIdentity._unique_ids = count(secrets.randbits(62))

F = TypeVar("F", bound=Callable[..., object])
Number = TypeVar("Number", np.float64, np.int64)


def kernel(function: F, *, boundscheck: bool = True, fastmath: bool | set[str] = False) -> "Dispatcher[F]":
    """The compiled function, which raises IndexError as numpy does.

    It is cached on disk, unless neither the folder of its file nor a home can be written to.
    """
    njit = partial(numba.njit, nogil=True, error_model="numpy", boundscheck=boundscheck, fastmath=fastmath)
    try:
        return njit(cache=True)(function)
    except RuntimeError:
        return njit()(function)


def unchecked_kernel(function: F) -> "Dispatcher[F]":
    """`kernel` for loops whose every index was made by a kernel that checks its own; sums go in the quickest order.

    What is not finite is found all the same: of the flags of fastmath, neither `nnan` nor `ninf`.
    """
    return kernel(function, boundscheck=False, fastmath={"reassoc", "contract"})


def contiguous(array: NDArray[Number]) -> NDArray[Number]:
    """The array, or a copy where its layout is not the one that kernels are compiled for."""
    return array if array.flags.carray else array.copy()
