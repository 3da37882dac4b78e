"""Rows of the design, and the size that a matrix may have: what both kinds of covariance share."""

from typing import NamedTuple

import numpy as np

from app.inference.regimes import MOST_DENSE
from app.inference.types import Floats, Ints


class TooMany(ValueError):
    """A matrix of all pairs is asked for, of more candidates than have one."""


class DesignRows(NamedTuple):
    """L rows of the design."""

    first: Ints  # (L,)
    second: Ints  # (L,)
    bias: Ints | None = None  # (L,) where biases are parameters

    def of(self, matrix: Floats) -> Floats:
        """R^T matrix, shape (L, ...)."""
        result: Floats = matrix[self.first] - matrix[self.second]
        return result if self.bias is None else result + matrix[self.bias]

    def distinct(self, values: Floats, n: int) -> "tuple[DesignRows, Floats]":
        """The different ones of these rows among n candidates, and the sums of their (L,) values.

        A judge who repeats a pair takes from the answer that it gave before what the new one weighs.
        """
        first, second, bias = self
        if len(values) < 2:
            return self, values
        row = np.minimum(first, second) * n + np.maximum(first, second)
        if bias is not None:
            row = (row * 2 + (first < second)) * (bias.max() + 1) + bias
        _, at, group = np.unique(row, return_index=True, return_inverse=True)
        different = DesignRows(first[at], second[at], None if bias is None else bias[at])
        return different, np.asarray(np.bincount(group, values), np.float64)


def require_matrix(size: int) -> None:
    """Raises TooMany where so many parameters would have a matrix too large for most machines."""
    if size > MOST_DENSE:
        raise TooMany(f"a matrix of {size:,} scores and biases, which this method needs; {MOST_DENSE:,} are the most")
