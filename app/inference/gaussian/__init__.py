"""The covariance Sigma of P scores and biases, the inverse of H: an array, or in rows behind the same interface.

    DenseCovariance        an array, and one column for each comparison since it was made
    SparseCovariance       H in rows; variances by the first terms of a series, and draws

    diagonal                        (P,) Sigma_ii
    log_det                         ln det Sigma; NaN of a sparse one
    has_matrix                      whether `matrix` gives one
    matrix()                        (P, P) Sigma, not to be written to; a sparse one raises TooMany
    times(x)                        (P,) Sigma x
    variance_of_difference(i, j)    v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij
    variances(first, second)        (L,) v_ij
    condition(rows, weights)        inv(inv(Sigma) + R^T diag(weights) R): Sigma after L comparisons
    compact()                       the same in no more space than it needs
    block(n, log_det)               of the first n parameters alone, whose ln det the caller knows

Not here: the mean, and what Sigma is made from (fitting).
"""

from typing import NamedTuple, TypeVar

from app.inference.gaussian.dense import DenseCovariance, from_precision, plain
from app.inference.gaussian.sparse import SparseCovariance
from app.inference.types import Floats, Ints

Covariance = DenseCovariance | SparseCovariance
OneCovariance = TypeVar("OneCovariance", DenseCovariance, SparseCovariance, Covariance)


class Votes(NamedTuple):
    """M rows of votes, and the normal posterior of all P parameters in which a site stands for each."""

    mean: Floats  # (P,)
    covariance: Floats  # (P, P)
    first: Ints  # (M,)
    second: Ints  # (M,)
    bias: Ints  # (M,) the place of the judge's bias among the parameters; (0,) where there is none
    wins: Floats  # (M,) of the first
    losses: Floats  # (M,)
    difference: Floats  # (M,) d at the mean, with known biases
    slope: Floats  # (M,) of the site's logarithm there
    precision: Floats  # (M,) of the site


class Scores(NamedTuple):
    """The marginal posterior of the N scores, biases integrated out: what selection and rankings read."""

    mean: Floats  # (N,)
    covariance: Covariance  # (N, N)
    parts: "tuple[tuple[float, Scores], ...]" = ()  # weights and posteriors of the mixture that it is, if it is one
    scale: float | None = None  # tau2 of a part
    noise: float = 1.0  # sigma2 of a part, relative to that learnt
    votes: Votes | None = None  # of a part, or of what is no mixture: draws are of what they say (targets/drawing.py)

    @property
    def has_votes(self) -> bool:
        """Whether votes are behind it, so that figures of it are read from draws and not from the normal."""
        return any(part.votes is not None for _, part in self.parts or ((1.0, self),))
