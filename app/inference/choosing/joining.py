"""Pairs that connect components of the comparison graph (decision 47).

It is for the ranking of more than SMALL candidates. Between two components of the graph of comparisons the
prior alone says who is ahead, so that no criterion has anything to go by. Until all are connected pairs are drawn:

    two candidates that were never compared, while any such pair is open
    else a candidate of the largest component and one that is outside it

Candidates with an absolute score are connected by it: it says who is ahead.

The criterion `covering` begins like this in every set, for every goal and whatever the absolute scores, but it goes on
with a candidate that was never compared and one that was. It joins nothing else.
"""

import numpy as np

from app.inference.choosing.criteria import Criterion
from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.pair_sets import among
from app.inference.fitting.model import Model
from app.inference.kernels.pair_sets import Kinds, PairSet, size
from app.inference.regimes import SMALL
from app.inference.types import Ints
from app.inference.verdicts import joined


def connected(component: Ints, first: Ints, second: Ints, model: Model, goal: Goal, criterion: Criterion) -> Ints:
    """(N,) the component of each, once these (L,) pairs are answered too; one of all where nothing is to be joined.

    Args: `component` (N,) are those by the comparisons.
    """
    if criterion is Criterion.COVERING:
        return joined(component, first, second)
    if criterion is Criterion.RANDOM or goal != RANKING or model.n <= SMALL:
        return np.zeros(model.n, np.int64)
    scored = np.flatnonzero(model.prior.absolute[: model.n])
    if not len(first) and len(scored) < 2:
        return component
    ones, others = np.append(first, scored[:-1]), np.append(second, scored[1:])
    return joined(component, ones, others)


def joining(component: Ints, open_pairs: PairSet, criterion: Criterion) -> PairSet | None:
    """The open pairs to draw from; none if all is connected, or covered, or no open pair is such."""
    if (component == component[0]).all():
        return None
    sizes = np.bincount(component)[component]
    alone = sizes == 1
    apart = alone if criterion is Criterion.COVERING else component != component[np.argmax(sizes)]
    never_compared = among(open_pairs, Kinds(alone.astype(np.int64), np.array([[False, False], [False, True]])))
    across = among(open_pairs, Kinds(apart.astype(np.int64), np.array([[False, True], [True, False]])))
    return next((pairs for pairs in (never_compared, across) if size(pairs)), None)
