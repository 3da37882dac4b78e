"""Judges whose position bias a model allows for, given the log (decision 71).

    none            nobody's
    estimate        everybody's, as a parameter
    closed-form     everybody's, known before any score (closed_form.py)
    auto            as a parameter, that of judges who give probabilities; nobody's of other models than soft-bt with
                    the prior unit, and of more than BIASED_BY_DEFAULT candidates

People vote, and so do judges whose probabilities count as votes (saturation.py). One verdict in each order tells little
of a bias, and a possible bias takes more from the confidence than most biases do.
"""

from typing import cast

import numpy as np
from nextpair.words import PositionBias

from app.inference.experts.measured_bt import is_vote
from app.inference.fitting.closed_form import known_biases
from app.inference.fitting.model import Method, Model, build, usual_verdict_weight
from app.inference.regimes import BIASED_BY_DEFAULT
from app.inference.types import Bools, Comparisons


def biased_judges(method: Method, n: int, comparisons: Comparisons, judges: int) -> Bools:
    """(J,) whose bias is a parameter."""
    if method.position_bias != "auto":
        return np.full(judges, method.position_bias == "estimate")
    if usual_verdict_weight(method.expert, method.prior) != "learnt" or n > BIASED_BY_DEFAULT:
        return np.zeros(judges, np.bool_)
    return np.bincount(comparisons.judge, ~is_vote(comparisons.p), judges) > 0.0


def position_bias_of(method: Method, model: Model) -> PositionBias:
    """Position bias in a model by `build_for`: the method's own word, or what auto came to."""
    if method.position_bias != "auto":
        return cast("PositionBias", method.position_bias)
    return "estimate" if model.has_biases else "none"


def build_for(method: Method, n: int, comparisons: Comparisons, judges: int, biased: Bools | None = None) -> Model:
    """The model of `method`, holding the biases that these comparisons give where it wants the closed form.

    Args: `biased` (J,) tells whose bias is a parameter; by default, these comparisons do.
    """
    if biased is None:
        biased = biased_judges(method, n, comparisons, judges)
    model = build(method, n, judges, biased)
    if method.position_bias != "closed-form":
        return model
    return model._replace(known_biases=known_biases(model.expert, comparisons, judges))
