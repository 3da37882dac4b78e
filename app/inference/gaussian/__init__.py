"""The covariance Sigma of P scores and biases, the inverse of H: dense or certified behind one interface.

    DenseCovariance        an array, and one column for each comparison since it was made
    CertifiedCovariance    H in rows; Sigma_ii in certified intervals, other entries when they are asked for

    diagonal                        (P,) Sigma_ii; of a certified one the middles of their intervals
    log_det                         ln det Sigma; NaN of a certified one
    has_matrix                      whether `matrix` gives one
    matrix()                        (P, P) Sigma, not to be written to; a certified one raises TooMany
    times(x)                        (P,) Sigma x
    variance_of_difference(i, j)    v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij
    variances(first, second)        (L,) v_ij; of a certified one the middles of intervals of a relative `width`
    condition(rows, weights)        inv(inv(Sigma) + R^T diag(weights) R): Sigma after L comparisons
    compact()                       the same in no more space than it needs
    block(n, log_det)               of the first n parameters alone, whose ln det the caller knows

Not here: the mean, and what Sigma is made from (fitting).
"""

from typing import NamedTuple, TypeVar

from app.inference.gaussian.certified import CertifiedCovariance
from app.inference.gaussian.dense import DenseCovariance, from_precision, plain
from app.inference.gaussian.rows import DesignRows, TooMany, require_matrix
from app.inference.types import Floats

Covariance = DenseCovariance | CertifiedCovariance
OneCovariance = TypeVar("OneCovariance", DenseCovariance, CertifiedCovariance, Covariance)


class Scores(NamedTuple):
    """The marginal posterior of the N scores, biases integrated out: what selection and rankings read."""

    mean: Floats  # (N,)
    covariance: Covariance  # (N, N)
    parts: "tuple[tuple[float, Scores], ...]" = ()  # weights and posteriors of the mixture that it is, if it is one
    scale: float | None = None  # tau2 of a part
    noise: float = 1.0  # sigma2 of a part, relative to that learnt
