"""The variances Sigma_ii of very many scores, kept in certified intervals from one vote to the next (kernels/push.py).

Changes of a weight beyond DRIFT are followed, one push each; smaller ones wait, and widen what is read by (5). A
candidate whose interval has grown too wide is measured anew, which after a vote means the two and some of those they
were compared with. Where following takes more pushes than measuring all, all are measured.
"""

from typing import NamedTuple

import numpy as np

from app.inference.kernels.push import Precision, extended, follow, variances
from app.inference.types import Floats, Ints

DRIFT = 0.01  # of a weight since it was followed
WIDTH = 0.05  # of an interval when it is measured, relative to its lower end
WIDEST = 0.1  # and when it is measured anew
EFFORT = 20_000  # neighbours visited by one push


class Intervals(NamedTuple):
    """Intervals of the inverse of a precision whose weights are within DRIFT of those of the posterior."""

    held: Precision
    lower: Floats  # (N,)
    upper: Floats  # (N,)


def unmeasured(precision: Precision) -> Intervals:
    """Intervals that hold whatever was compared."""
    return Intervals(precision, 1.0 / precision.diagonal, 1.0 / precision.precision)


def measured(precision: Precision, mean: Floats) -> Intervals:
    """The intervals of all candidates.

    Args: the (N,) means say who is likely to have been compared with the same ones, which is quicker.
    """
    return _measure(unmeasured(precision), np.argsort(mean))


def followed(before: Intervals, now: Precision, mean: Floats) -> Intervals:
    """The intervals once weights have moved, and comparisons and candidates have come.

    Equivalent to `measured(now, mean)`, but for the widths. Each row of `now` begins with the comparisons it had.
    """
    most, room = len(mean) // 2, np.empty(len(now.weight))
    held, lower, upper, changes = follow(before.held, now, before.lower, before.upper, DRIFT, EFFORT, most, room)
    if changes > most:
        return measured(now, mean)
    return _measure(Intervals(held, lower, upper), np.flatnonzero(upper > (1.0 + WIDEST) * lower))


def _measure(intervals: Intervals, who: Ints) -> Intervals:
    """The intervals with those of `who` measured anew, where that makes them narrower."""
    lower, upper = intervals.lower.copy(), intervals.upper.copy()
    low, high = variances(intervals.held, who, WIDTH, EFFORT)
    lower[who], upper[who] = np.maximum(lower[who], low), np.minimum(upper[who], high)
    return intervals._replace(lower=lower, upper=upper)


def ends(intervals: Intervals) -> tuple[Floats, Floats]:
    """(N,) lower and (N,) upper ends of Sigma_ii of the posterior."""
    return intervals.lower / (1.0 + DRIFT), intervals.upper / (1.0 - DRIFT)


def answered(intervals: Intervals, first: Ints, second: Ints, weights: Floats) -> Intervals:
    """The intervals once these (L,) pairs are answered with these weights, as fantasies.

    Only those of the two are measured: the upper ends of the others hold all the more, the lower ones no longer.
    """
    precision = extended(intervals.held, first, second, weights)
    return _measure(intervals._replace(held=precision), np.unique(np.append(first, second)))
