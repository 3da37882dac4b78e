"""Arrays that grow at their end without being copied: each one is the beginning of a buffer.

Arrays stay values. What is appended lies behind all that older arrays can see, and where two go on from the same one,
the second gets a copy. No array that came from here may be written to.
"""

from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

LONG = 10_000  # entries: shorter arrays are copied sooner than their buffer is looked up
SPARE = 0.25  # behind a copy, of its length

Number = TypeVar("Number", np.float64, np.int64)
_claim = Lock()


class _Buffer(np.ndarray):
    """Memory that arrays begin with."""

    used: int  # by the longest of them


def appended(old: NDArray[Number], new: NDArray[Number]) -> NDArray[Number]:
    """`new` behind `old`, along the first axis.

    Equivalent to np.concatenate([old, new]), which takes time for the old ones, too.
    """
    many = len(old) + len(new)
    if old.size < LONG:
        return np.concatenate([old, new])
    buffer = _buffer_of(old, many)
    if buffer is None:
        buffer = _Buffer((many + int(SPARE * many), *old.shape[1:]), old.dtype)
        buffer.used = many
        buffer[: len(old)] = old
    buffer[len(old) : many] = new
    return np.ndarray((many, *old.shape[1:]), old.dtype, buffer)


def _buffer_of(old: NDArray[Number], many: int) -> _Buffer | None:
    """Place where `old` begins, if it may go on there up to `many` entries, as no other array may from now on."""
    buffer = old.base
    if not isinstance(buffer, _Buffer):
        return None
    with _claim:
        if buffer.used != len(old) or many > len(buffer):
            return None
        buffer.used = many
    return buffer
