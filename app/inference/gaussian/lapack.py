"""LAPACK on large matrices, in place, while other threads go on: scipy's own wrappers hold Python's lock all the time.

A matrix of 4,000 candidates takes a second, in which no other set could give a pair or take a verdict.

    dpotrf    U^T U = A (N, N), Cholesky's factor in the upper triangle    scipy.linalg.lapack.dpotrf
    dpotri    A^-1 from U, its upper triangle                              scipy.linalg.lapack.dpotri
"""

import ctypes
from collections.abc import Callable

import numpy as np
from numba.extending import get_cython_function_address

from app.inference.types import Floats

_INT = ctypes.POINTER(ctypes.c_int)
_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_char_p, _INT, ctypes.c_void_p, _INT, _INT)
LOWER = b"L"  # as Fortran sees it, by columns: the upper triangle of rows


def _routine(name: str) -> Callable[[Floats], None]:
    """The routine of that name, which overwrites the upper triangle of a matrix in rows. It raises LinAlgError."""
    call = _PROTOTYPE(get_cython_function_address("scipy.linalg.cython_lapack", name))

    def in_place(matrix: Floats) -> None:
        assert matrix.flags.carray
        assert (matrix.dtype.char, matrix.shape) == ("d", (len(matrix), len(matrix)))
        n, stride, failed = ctypes.c_int(len(matrix)), ctypes.c_int(max(len(matrix), 1)), ctypes.c_int()
        call(LOWER, n, matrix.ctypes.data, stride, failed)
        if failed.value:
            raise np.linalg.LinAlgError("the matrix is not positive definite")

    return in_place


factor_in_place, invert_in_place = _routine("dpotrf"), _routine("dpotri")
