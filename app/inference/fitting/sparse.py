"""The posterior of very many scores, N(mu, H^-1), with H in compressed rows and no matrix of all candidates.

Of H^-1 only what is asked for is worked out: single entries (kernels/push.py), columns (kernels/solving.py), draws
(sampling.py). All three need every prior to say something, and H to be an M-matrix: no biases among the parameters.
"""

from typing import NamedTuple

from app.inference.covariance import DENSE
from app.inference.fitting import newton
from app.inference.fitting.model import Model
from app.inference.kernels import contiguous
from app.inference.kernels.push import Precision, precision_of
from app.inference.types import Comparisons, Convergence, Floats

VAGUEST = 1e4  # prior variance of scores


class SparsePosterior(NamedTuple):
    mean: Floats  # (N,) MAP
    precision: Precision  # H
    convergence: Convergence

    @property
    def prior_variance(self) -> float:
        """Of each score; it is also what Sigma multiplies a vector of ones by, as H 1 = 1 / variance."""
        return float(1.0 / self.precision.precision[0])


def is_sparse(model: Model) -> bool:
    """True of more than DENSE candidates, where scores alone are parameters, under one prior that is not too vague."""
    precision = model.prior.precision
    return (
        model.n > DENSE
        and not model.allows_for_biases
        and model.expert.kink is None
        and bool((precision == precision[0]).all() and precision[0] >= 1.0 / VAGUEST)
    )


def fit_sparse(comparisons: Comparisons, model: Model) -> SparsePosterior:
    """The posterior of all `comparisons`, for a model that has one.

    Conceptually: posterior.fit, whose covariance is np.linalg.inv(H).
    """
    mean, weights, convergence = newton.fit(comparisons, model)
    return SparsePosterior(mean, in_rows(weights, comparisons, model), convergence)


def in_rows(weights: Floats, comparisons: Comparisons, model: Model) -> Precision:
    """H at these (K,) weights."""
    first, second = contiguous(comparisons.first), contiguous(comparisons.second)
    return precision_of(first, second, contiguous(weights), model.prior.precision)
