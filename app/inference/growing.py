"""Arrays that grow at their end without being copied: each one is the beginning of an array with room behind it.

Arrays stay values. What is appended lies behind all that older arrays can see, and where two go on from the same one,
the second gets a copy. No array that came from here may be written to.
"""

from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

LONG = 10_000  # entries: shorter arrays are copied sooner than their room is looked up
ROOM = 0.25  # behind a copy, of its length

Number = TypeVar("Number", np.float64, np.int64)
_claim = Lock()


class _Room(np.ndarray):
    """Memory that arrays begin with."""

    used: int  # by the longest of them


def appended(old: NDArray[Number], new: NDArray[Number]) -> NDArray[Number]:
    """`new` behind `old`, along the first axis.

    Equivalent to np.concatenate([old, new]), which takes time for the old ones, too.
    """
    many = len(old) + len(new)
    if old.size < LONG:
        return np.concatenate([old, new])
    room = _room_behind(old, many)
    if room is None:
        room = _Room((many + int(ROOM * many), *old.shape[1:]), old.dtype)
        room.used = many
        room[: len(old)] = old
    room[len(old) : many] = new
    return np.ndarray((many, *old.shape[1:]), old.dtype, room)


def _room_behind(old: NDArray[Number], many: int) -> _Room | None:
    """Where `old` begins, if it may go on there up to `many` entries, as nobody else may from now on."""
    room = old.base
    if not isinstance(room, _Room):
        return None
    with _claim:
        if room.used != len(old) or many > len(room):
            return None
        room.used = many
    return room
