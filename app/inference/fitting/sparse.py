"""The posterior of very many scores, N(mu, H^-1), with H in compressed rows and no matrix of all candidates.

Of H^-1 only what is asked for is worked out: single entries (kernels/push.py), columns (kernels/solving.py), draws
(sampling.py). All three need every prior to say something, and H to be an M-matrix: no biases among the parameters.
"""

from typing import NamedTuple

import numpy as np

from app.inference.fitting import newton
from app.inference.fitting.model import Model
from app.inference.kernels import comparison_graph, contiguous
from app.inference.kernels.comparison_graph import Graph, without_room
from app.inference.kernels.push import Precision, precision_of
from app.inference.regimes import DENSE
from app.inference.types import Comparisons, Convergence, Floats

VAGUEST = 1e4  # prior variance of scores


class SparsePosterior(NamedTuple):
    mean: Floats  # (N,) MAP
    precision: Precision  # H
    convergence: Convergence
    graph: Graph | None = None  # the comparisons in the same rows, where all are votes

    @property
    def prior_variance(self) -> float:
        """Of each score; it is also what Sigma multiplies a vector of ones by, as H 1 = 1 / variance."""
        return float(1.0 / self.precision.precision[0])


def is_sparse(model: Model, dense: int | None = None) -> bool:
    """True of more than `dense` candidates, where scores alone are parameters, under one prior that is not too vague.

    Args: `dense` is DENSE by default.
    """
    precision = model.prior.precision
    return (
        model.n > (DENSE if dense is None else dense)
        and not model.allows_for_biases
        and model.expert.kink is None
        and bool((precision == precision[0]).all() and precision[0] >= 1.0 / VAGUEST)
    )


def fit_sparse(
    comparisons: Comparisons, model: Model, *, start: Floats | None = None, before: Graph | None = None
) -> SparsePosterior:
    """The posterior of all `comparisons`, for a model that has one.

    Args:
        start: (N,) is where to begin; zeros by default.
        before: the first comparisons in rows, whose MAP `start` is.

    Conceptually: posterior.fit, whose covariance is np.linalg.inv(H).
    """
    start = np.zeros(model.size) if start is None else start
    climbed = newton.fit_in_rows(comparisons, model, start=start, before=before)
    if climbed and (climbed.graph.middle == climbed.graph.start[1:]).all():  # votes alone
        mean, graph, convergence = climbed
        return SparsePosterior(mean, precision_in(graph), convergence, without_room(graph))
    mean, weights, convergence = newton.fit(comparisons, model, start=start)
    return SparsePosterior(mean, in_rows(weights, comparisons, model), convergence)


def precision_at(mean: Floats, comparisons: Comparisons, model: Model, graph: Graph | None) -> Precision:
    """H at these (N,) scores, the graph being that of the comparisons if they stand in rows."""
    if graph is None:
        return in_rows(newton.weights(mean, comparisons, model), comparisons, model)
    evaluated = comparison_graph.with_room(graph)
    comparison_graph.evaluate(mean, evaluated)
    return precision_in(evaluated)


def precision_in(evaluated: Graph) -> Precision:
    """H where the graph was evaluated last, in its room."""
    return Precision(evaluated.start, evaluated.rival, evaluated.weights, evaluated.precision, evaluated.diagonal)


def in_rows(weights: Floats, comparisons: Comparisons, model: Model) -> Precision:
    """H at these (K,) weights."""
    first, second = contiguous(comparisons.first), contiguous(comparisons.second)
    return precision_of(first, second, contiguous(weights), contiguous(model.prior.precision))
