"""Pairs that connect components of the comparison graph (decision 47).

It is for the ranking of more than FULLY_SUMMED candidates. Between two components of the graph of comparisons the
prior alone says who is ahead, so that no criterion has anything to go by. Until all are connected pairs are drawn:

    two candidates that were never compared, while any such pair is open
    else a candidate of the largest component and one that is outside it

Candidates with an absolute score are connected by it: it says who is ahead.
"""

import numpy as np

from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.pair_sets import among
from app.inference.fitting.model import Model
from app.inference.kernels import components
from app.inference.kernels.pair_sets import Kinds, PairSet, size
from app.inference.regimes import FULLY_SUMMED
from app.inference.types import Ints


def connected(component: Ints, first: Ints, second: Ints, model: Model, goal: Goal) -> Ints:
    """(N,) the component of each, once these (L,) pairs are answered too; one of all where nothing is to be joined.

    Args: `component` (N,) are those by the comparisons.
    """
    if goal != RANKING or model.n <= FULLY_SUMMED:
        return np.zeros(model.n, np.int64)
    scored = np.flatnonzero(model.prior.absolute[: model.n])
    if not len(first) and len(scored) < 2:
        return component
    ones, others = np.append(first, scored[:-1]), np.append(second, scored[1:])
    return np.asarray(components.joined(component, ones, others))


def joining(component: Ints, open_pairs: PairSet) -> PairSet | None:
    """The open pairs to draw from; none if all is connected, or no open pair is such."""
    if (component == component[0]).all():
        return None
    sizes = np.bincount(component)[component]
    alone, in_largest = (sizes == 1).astype(np.int64), (component == component[np.argmax(sizes)]).astype(np.int64)
    never_compared = among(open_pairs, Kinds(alone, np.array([[False, False], [False, True]])))
    across = among(open_pairs, Kinds(in_largest, np.array([[False, True], [True, False]])))
    return next((pairs for pairs in (never_compared, across) if size(pairs)), None)
