"""Judges whose position bias a model allows for, given the log (decision 71).

    none            nobody's
    estimate        everybody's, as a parameter
    closed-form     everybody's, known before any score (closed_form.py)
    auto            as a parameter, that of judges with at least N verdicts: of those who give probabilities, and of
                    voters whom it can tell of; nobody's of other models than soft-bt with the prior unit, and of more
                    than RANKED_DENSE candidates

With fewer verdicts a bias is noise as any other, as orders are balanced. Judges whose probabilities count as votes vote
(saturation.py). It can tell of a voter who was shown pairs in orders that may be coins: with lead_i how much more often
i was first than second, of K votes

    sum_i lead_i^2 <= 2 K (1 + UNEVEN sqrt(2 / N))

Of coins the mean is 2 K, and its sd about 2 K sqrt(2 / N). It is of the order of K^2 where who is first follows from
who is shown: then merit and bias are one, and votes count as they are. A crowd of more than CROWD such voters has no
biases: they go either way. The prior of a voter's bias is N(0, VOTERS_BIAS_VARIANCE): a wider one makes 10 votes of 10
surer than they are, as scores must be farther apart than any bias that may be.
"""

from typing import cast

import numpy as np
from nextpair.words import PositionBias

from app.inference.experts import is_vote
from app.inference.fitting.closed_form import known_biases
from app.inference.fitting.model import (
    BIAS_VARIANCE,
    HELD_VARIANCE,
    VOTERS_BIAS_VARIANCE,
    Method,
    Model,
    build,
    usual_verdict_weight,
)
from app.inference.regimes import RANKED_DENSE
from app.inference.types import Bools, Comparisons, Floats, Ints, take

CROWD = 50  # voters
UNEVEN = 4.0  # standard deviations


def bias_variances(method: Method, n: int, comparisons: Comparisons, judges: int) -> Floats:
    """(J,) of the prior; HELD_VARIANCE where the bias is no parameter."""
    if method.position_bias == "estimate":
        return np.full(judges, BIAS_VARIANCE)
    variances = np.full(judges, HELD_VARIANCE)
    by_default = usual_verdict_weight(method.expert, method.prior) == "learnt" and n <= RANKED_DENSE
    if method.position_bias != "auto" or not by_default:
        return variances
    measures = np.bincount(comparisons.judge, ~is_vote(comparisons.p), judges) > 0.0
    has_many = np.bincount(comparisons.judge, comparisons.weight, judges) >= n
    variances[measures & has_many] = BIAS_VARIANCE
    votes = np.flatnonzero(~measures & has_many)
    if len(votes) <= CROWD:
        variances[votes[_shown_by_coins(comparisons, n, votes)]] = VOTERS_BIAS_VARIANCE
    return variances


def _shown_by_coins(comparisons: Comparisons, n: int, judges: Ints) -> Bools:
    """Whether the orders in which each of these judges was shown pairs may be coins."""
    place = np.full(comparisons.judge.max(initial=0) + 1, -1)
    place[judges] = np.arange(len(judges))
    first, second, _, judge, weight = take(comparisons, place[comparisons.judge] >= 0)
    of_each, size = n * place[judge], n * len(judges)
    leads = np.bincount(of_each + first, weight, size) - np.bincount(of_each + second, weight, size)
    uneven = np.square(leads).reshape(len(judges), n).sum(axis=1)
    of_coins = 2.0 * np.bincount(place[judge], weight, len(judges))
    return np.asarray(uneven <= of_coins * (1.0 + UNEVEN * np.sqrt(2.0 / max(n, 1))))


def position_bias_of(method: Method, model: Model) -> PositionBias:
    """Position bias in a model by `build_for`: the method's own word, or what auto came to."""
    if method.position_bias != "auto":
        return cast("PositionBias", method.position_bias)
    return "estimate" if model.has_biases else "none"


def build_for(method: Method, n: int, comparisons: Comparisons, judges: int, variances: Floats | None = None) -> Model:
    """The model of `method`, holding the biases that these comparisons give where it wants the closed form.

    Args: `variances` (J,) are as of `bias_variances`; by default, these comparisons tell them.
    """
    if variances is None:
        variances = bias_variances(method, n, comparisons, judges)
    model = build(method, n, judges, variances)
    if method.position_bias != "closed-form":
        return model
    return model._replace(known_biases=known_biases(model.expert, comparisons, judges))
