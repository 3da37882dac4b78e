"""Positional biases in closed form, known before any score (PoE 3.5, A.8, A.9).

Where a judge's pairs and their orders are drawn at random, differences of scores average out, and its verdicts alone
show its bias. delta_j is where they balance if all scores are alike,

    sum_k c_k l'(delta_j; p_k) = 0        over the judge's comparisons

    soft-bt           delta = logit(mean p)                (A.9 misses a minus: methods, erratum 3)
    gaussian          delta = alpha (mean p - beta): as if beta were the judge's mean p
    logit-gaussian    delta = mean logit p                 (eq. 12, power 0)

and any other expert likewise. The standard error is that of such a root, sqrt(sum (c l')^2) / sum c w, which takes
differences of scores for noise, but at least that of so many votes, 1 / sqrt(sum c w).

    delta      Model.known_biases      (J,)
"""

import numpy as np

from app.inference.experts import Expert
from app.inference.fitting.model import BIAS_VARIANCE, Model
from app.inference.types import Comparisons, Floats

FARTHEST = 100.0  # a judge that only ever names one position ends here


def with_biases_as_parameters(model: Model, judges: int) -> Model:
    """The same model, did it not know the biases; without covariates."""
    none, prior = np.zeros(judges), model.prior
    precision = np.concatenate([prior.precision[: model.n], none + 1.0 / BIAS_VARIANCE])
    pull, absolute = (np.concatenate([each[: model.n], none]) for each in (prior.pull, prior.absolute))
    wider = prior._replace(precision=precision, pull=pull, absolute=absolute)
    return model._replace(prior=wider, known_biases=None, covariates=None)


def known_biases(expert: Expert, comparisons: Comparisons, judges: int) -> Floats:
    """(J,) in closed form; 0 for a judge who made none of the comparisons."""
    biases = np.zeros(judges)
    for judge in np.unique(comparisons.judge):
        own = comparisons.judge == judge
        biases[judge] = _balance(expert, comparisons.p[own], comparisons.weight[own])
    return biases


def standard_errors(expert: Expert, comparisons: Comparisons, biases: Floats) -> Floats:
    """(J,) of biases (J,), at most FARTHEST."""
    judge, weight, d = comparisons.judge, comparisons.weight, biases[comparisons.judge]
    noise = np.bincount(judge, (weight * expert.slope(d, comparisons.p)) ** 2, len(biases))
    information = np.bincount(judge, weight * expert.curvature(d, comparisons.p), len(biases))
    information = np.maximum(information, FARTHEST**-2)
    return np.asarray(np.sqrt(np.maximum(noise / information, 1.0) / information), np.float64)


def _balance(expert: Expert, p: Floats, weight: Floats) -> float:
    """The delta at which the slopes of (K,) verdicts add up to 0."""
    from scipy.optimize import brentq  # slow to load, and few need it

    def pull(delta: float) -> float:
        return float(weight @ expert.slope(np.full_like(p, delta), p))

    if pull(-FARTHEST) <= 0.0:
        return -FARTHEST
    if pull(FARTHEST) >= 0.0:
        return FARTHEST
    return float(brentq(pull, -FARTHEST, FARTHEST))
