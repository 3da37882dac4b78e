"""Weights of verdicts, given the hyperparameters (methods 11), by row; added up, core/cells.py has them.

A measurement of judge j weighs 1 / sigma2_j and a vote phi_j, at most 1. Repeats of a pair of one item by one judge
share their error: each of m repeated votes carries 1 / (1 + (m - 1) rho_j) of its weight, and rho = 1 of measurements.

    tau2, sigma2, phi, rho  Hyperparameters.scale, .noise, .votes, .repeat_correlation     (), (J,), (J,), (J,)
"""

import numpy as np

from app.inference.core.cells import Hyperparameters, with_measured_words
from app.inference.experts import is_vote
from app.inference.fitting.model import Model, unit_prior
from app.inference.types import Comparisons, Floats, Ints
from app.inference.verdicts import numbered, pair_numbers


def weighed(comparisons: Comparisons, item: Ints, n: int, hyperparameters: Hyperparameters) -> Comparisons:
    """The comparisons with their weights in the model: 1 / sigma2 of a measurement, phi of a vote but at most 1.

    Args: `item` (K,) is what each was about.
    """
    comparisons = with_measured_words(comparisons)
    share, weight = (
        shares(comparisons, item, n, hyperparameters.repeat_correlation),
        _weight_of_verdicts(comparisons, hyperparameters),
    )
    return comparisons._replace(weight=comparisons.weight * share * weight)


def _weight_of_verdicts(comparisons: Comparisons, hyperparameters: Hyperparameters) -> Floats:
    of_measurement, of_vote = 1.0 / hyperparameters.noise, np.minimum(hyperparameters.votes, 1.0)
    judge = comparisons.judge
    return np.where(is_vote(comparisons.p), of_vote[judge], of_measurement[judge])


def shares(comparisons: Comparisons, item: Ints, n: int, repeat_correlation: Floats) -> Floats:
    """(K,) the share of each comparison's weight that counts where m votes of a group count as m / (1 + (m - 1) rho).

    Args: `repeat_correlation` (J,) is rho; of measurements it is 1.
    """
    group = same_question(comparisons, item, n)
    largest = np.zeros(group.max(initial=-1) + 1)
    np.maximum.at(largest, group, comparisons.weight)
    others = np.bincount(group, comparisons.weight) / largest - 1.0
    rho = np.where(is_vote(comparisons.p), repeat_correlation[comparisons.judge], 1.0)
    return np.asarray(1.0 / (1.0 + rho * others[group]), np.float64)


def same_question(comparisons: Comparisons, item: Ints, n: int) -> Ints:
    """(K,) numbers, without gaps, of the groups that share their error."""
    return numbered(comparisons.judge, item, pair_numbers(comparisons, n))


def at_scale(model: Model, scale: float) -> Model:
    """The model with tau2 = `scale`."""
    return model._replace(prior=unit_prior(model.n, scale, model.prior.precision[model.n :]))


def as_learnt(model: Model, comparisons: Comparisons, hyperparameters: Hyperparameters) -> Model:
    """The model with tau2, whose next answer carries what those so far do on average; one vote before the first."""
    votes = float(hyperparameters.votes[comparisons.judge].mean()) if comparisons.size else 1.0
    return at_scale(model, hyperparameters.scale)._replace(votes=votes)
