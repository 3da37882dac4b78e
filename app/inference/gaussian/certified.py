"""The covariance of very many scores: H in rows, Sigma_ii in certified intervals, other entries when asked for.

Intervals are kept from one vote to the next (graphs/push.py). Changes of a weight beyond DRIFT are followed, one push
each; smaller ones wait, and widen what is read by (5). A candidate whose interval has grown too wide is measured again,
which after a vote means the two and some of those they were compared with. Where following takes more pushes than
measuring all, all are measured.

    H            CertifiedCovariance.precision            (N, N) in rows
    Sigma_ii     .lower, .upper; .ends of the posterior   (N,)
"""

from typing import NamedTuple

import numpy as np

from app.inference.gaussian.rows import NARROW, DesignRows, TooMany
from app.inference.graphs.comparison_graph import Precision, answered
from app.inference.graphs.conjugate_gradients import solve
from app.inference.graphs.push import differences, follow, variances
from app.inference.regimes import DENSE
from app.inference.types import Floats, Ints

DRIFT = 0.01  # of a weight since it was followed
WIDTH = 0.05  # of an interval when it is measured, relative to its lower end
WIDEST = 0.1  # and when it is measured again
EFFORT = 20_000  # neighbours visited by one push
EFFORT_FOR_A_PAIR = 100_000
SOLVED, ITERATIONS = 1e-8, 2_000


class CertifiedCovariance(NamedTuple):
    """The inverse of a precision whose weights are within DRIFT of those of the posterior."""

    precision: Precision
    lower: Floats  # (N,)
    upper: Floats  # (N,)

    @property
    def diagonal(self) -> Floats:
        return 0.5 * (self.lower + self.upper)

    @property
    def log_det(self) -> float:
        return np.nan

    @property
    def has_matrix(self) -> bool:
        return False

    @property
    def size_bytes(self) -> int:
        return sum(each.nbytes for each in (*self.precision, self.lower, self.upper))

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """(N,) lower and (N,) upper ends of Sigma_ii of the posterior."""
        return self.lower / (1.0 + DRIFT), self.upper / (1.0 - DRIFT)

    def matrix(self) -> Floats:
        """Raises TooMany."""
        raise TooMany(f"a matrix of all pairs of {len(self.lower):,} candidates; there is one of up to {DENSE:,}")

    def times(self, x: Floats) -> Floats:
        return np.asarray(solve(self.precision, x[:, None], SOLVED, ITERATIONS)[0][:, 0])

    def variance_of_difference(self, i: int, j: int) -> float:
        return float(self.variances(np.array([i]), np.array([j]))[0])

    def variances(self, first: Ints, second: Ints, width: float = NARROW) -> Floats:
        lower, upper = differences(self.precision, first, second, width, EFFORT_FOR_A_PAIR)
        return np.asarray(0.5 * (lower + upper))

    def condition(self, rows: DesignRows, weights: Floats) -> "CertifiedCovariance":
        """Measure, of Sigma_ii, only those of the two.

        The upper ends of the others hold all the more, the lower ones no longer.
        """
        if not len(weights):
            return self
        who, lower = np.unique(np.append(rows.first, rows.second)), self.lower.copy()
        precision = answered(self.precision, rows.first, rows.second, weights)
        lower[who] = 1.0 / precision.diagonal[who]
        return _measured(self._replace(precision=precision, lower=lower), who)

    def compact(self) -> "CertifiedCovariance":
        return self

    def block(self, n: int, log_det: float) -> "CertifiedCovariance":
        """All of it: no bias is a parameter."""
        assert n == len(self.lower)
        return self


def unmeasured(precision: Precision) -> CertifiedCovariance:
    """Intervals that hold whatever was compared."""
    return CertifiedCovariance(precision, 1.0 / precision.diagonal, 1.0 / precision.precision)


def measured(precision: Precision, mean: Floats) -> CertifiedCovariance:
    """The intervals of all candidates.

    Args: the (N,) means say who is likely to have been compared with the same ones, which is quicker.
    """
    return _measured(unmeasured(precision), np.argsort(mean))


def followed(before: CertifiedCovariance, now: Precision, mean: Floats) -> CertifiedCovariance:
    """The intervals once weights have moved, and comparisons and candidates have come.

    Equivalent to `measured(now, mean)`, except for the widths. Each row of `now` begins with the comparisons it had.
    """
    most, space = len(mean) // 2, np.empty(len(now.weight))
    precision, lower, upper, changes = follow(
        before.precision, now, before.lower, before.upper, DRIFT, EFFORT, most, space
    )
    if changes > most:
        return measured(now, mean)
    return _measured(CertifiedCovariance(precision, lower, upper), np.flatnonzero(upper > (1.0 + WIDEST) * lower))


def _measured(sigma: CertifiedCovariance, who: Ints) -> CertifiedCovariance:
    """The intervals with those of `who` measured again, where that makes them narrower."""
    lower, upper = sigma.lower.copy(), sigma.upper.copy()
    low, high = variances(sigma.precision, who, WIDTH, EFFORT)
    lower[who], upper[who] = np.maximum(lower[who], low), np.minimum(upper[who], high)
    return sigma._replace(lower=lower, upper=upper)
