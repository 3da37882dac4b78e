"""Pairs that were shown, on which item and in which orders. Compiled: a set asks and marks all the time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.inference.kernels import kernel
from app.inference.types import Ints

LOWER_FIRST, HIGHER_FIRST = 1, 2
BOTH_ORDERS = LOWER_FIRST | HIGHER_FIRST

Orders = NDArray[np.uint8]  # bits


class ShownPairs(NamedTuple):
    """M pairs i < j of outputs of N candidates on I items."""

    items: int  # I
    n: int  # N
    code: Ints  # (M,) ascending, (item N + i) N + j
    orders: Orders  # (M,)


def none_shown(items: int, n: int) -> ShownPairs:
    return ShownPairs(items, n, np.empty(0, np.int64), np.empty(0, np.uint8))


@kernel
def mark(shown: ShownPairs, item: Ints, first: Ints, second: Ints) -> ShownPairs:
    """`shown` once these (B,) pairs have been shown. Raises IndexError for an item or candidate that is not there."""
    items, n, old, orders = shown
    new = codes(item, first, second, n)
    if len(new) and (item.max() >= items or max(first.max(), second.max()) >= n):
        raise IndexError("there are not as many items or candidates")
    code, bits = np.empty(len(old) + len(new), np.int64), np.empty(len(old) + len(new), np.uint8)
    many, a = 0, 0
    for b in np.argsort(new):
        upto = a + np.searchsorted(old[a:], new[b], side="right")
        code[many : many + upto - a], bits[many : many + upto - a] = old[a:upto], orders[a:upto]
        many, a = many + upto - a, upto
        if many == 0 or code[many - 1] < new[b]:
            code[many], bits[many] = new[b], 0
            many += 1
        bits[many - 1] |= LOWER_FIRST if first[b] < second[b] else HIGHER_FIRST
    rest = len(old) - a
    code[many : many + rest], bits[many : many + rest] = old[a:], orders[a:]
    return ShownPairs(items, n, code[: many + rest], bits[: many + rest])


@kernel
def codes(item: Ints, first: Ints, second: Ints, n: int) -> Ints:
    """(B,) the codes of these pairs."""
    return (item * n + np.minimum(first, second)) * n + np.maximum(first, second)
