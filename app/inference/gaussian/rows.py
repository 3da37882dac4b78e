"""Rows of the design, and the size that a matrix may have: what both kinds of covariance share."""

from typing import NamedTuple

from app.inference.regimes import MOST_DENSE
from app.inference.types import Floats, Ints

NARROW = 1e-3  # relative width of an interval of v_ij


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


def require_matrix(size: int) -> None:
    """Raises TooMany where so many parameters would have a matrix too large for most machines."""
    if size > MOST_DENSE:
        raise TooMany(f"a matrix of {size:,} scores and biases, which this method needs; {MOST_DENSE:,} are the most")
