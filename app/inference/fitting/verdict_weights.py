"""Weights of verdicts, given the hyperparameters (methods 11; how they are learnt: hyperparameters.py).

A measurement of judge j weighs 1 / sigma2_j and a vote phi_j, at most 1. Repeats of a pair of one item by one judge
share their error: each of m repeated votes carries 1 / (1 + (m - 1) rho_j) of its weight, and rho = 1 of measurements.

The words of a judge who also says probabilities measure. 1/2 is 0. Where it says more probabilities than 0 and 1, these
are such as were rounded: half as far from the end as the nearest that it says, so that 1.00 beside .99 is .995.

    tau2, sigma2, phi, rho  Hyperparameters.scale, .noise, .votes, .repeat_correlation     (), (J,), (J,), (J,)
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.experts.measured_bt import LONGEST, is_vote
from app.inference.fitting.model import Model, unit_prior
from app.inference.growing import appended
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import pair_numbers

LEAST_SHARE = 0.5  # of probabilities, in answers but ties
TIE = np.nextafter(0.5, 1.0)  # as it measures


class Hyperparameters(NamedTuple):
    scale: float  # tau2
    noise: Floats  # (J,) sigma2
    votes: Floats  # (J,) phi
    repeat_correlation: Floats  # (J,) rho


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


def weighed_further(
    known: Comparisons, comparisons: Comparisons, item: Ints, n: int, hyperparameters: Hyperparameters
) -> Comparisons:
    """`weighed`, of which the first comparisons are `known`. One more that leaves them alone is all that is weighed.

    Args: `item` (K,) is what each was about.
    """
    read = with_measured_words(comparisons)
    one = take(read, slice(known.size, None))
    reads_alike = np.array_equal(read.p[: known.size], known.p)
    if one.size != 1 or not reads_alike or _is_repeated(known, item, one):
        return weighed(comparisons, item, n, hyperparameters)
    weight = one.weight * _weight_of_verdicts(one, hyperparameters)
    return comparisons._replace(p=appended(known.p, one.p), weight=appended(known.weight, weight))


def _is_repeated(known: Comparisons, item: Ints, one: Comparisons) -> bool:
    """Whether an answer repeats a known one of its judge."""
    (first,), (second,), _, (judge,), _ = one
    theirs, about = known.judge == judge, item[: known.size] == item[-1]
    between = ((known.first == first) & (known.second == second)) | ((known.first == second) & (known.second == first))
    return bool((theirs & between & about).any())


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


def with_measured_words(comparisons: Comparisons, least: float = LEAST_SHARE) -> Comparisons:
    """The comparisons in which the words of judges who measure are probabilities themselves.

    Args: `least` is the share that probabilities must exceed, of a judge's answers but ties, for 0 and 1 to be some.
    """
    p, judge, words = comparisons.p, comparisons.judge, is_vote(comparisons.p)
    if words.all() or not words.any():
        return comparisons
    decided = (p != 0.5) & (p != TIE)
    inside, of_decided = np.bincount(judge, decided & ~words), np.bincount(judge, decided)
    nearest = np.full(len(inside), 0.5)  # to 0 or 1, of the probabilities of each judge
    np.minimum.at(nearest, judge[~words], np.minimum(p, 1.0 - p)[~words])
    end = np.maximum(0.5 * nearest, expit(-LONGEST))[judge]
    is_end = words & decided & (inside > least * of_decided)[judge]
    is_tie = (p == 0.5) & (np.bincount(judge, ~words) > 0)[judge]
    return comparisons._replace(p=np.where(is_tie, TIE, np.where(is_end, np.where(p == 0.0, end, 1.0 - end), p)))


def same_question(comparisons: Comparisons, item: Ints, n: int) -> Ints:
    """(K,) numbers, without gaps, of the groups that share their error."""
    pair = pair_numbers(comparisons, n)
    question = (comparisons.judge * (item.max(initial=0) + 1) + item) * n * n + pair
    return np.asarray(np.unique(question, return_inverse=True)[1], np.int64)


def at_scale(model: Model, scale: float) -> Model:
    """The model with tau2 = `scale`."""
    return model._replace(prior=unit_prior(model.n, scale, model.prior.precision[model.n :]))


def as_learnt(model: Model, comparisons: Comparisons, hyperparameters: Hyperparameters) -> Model:
    """The model with tau2, whose next answer carries what those so far do on average; one vote before the first."""
    votes = float(hyperparameters.votes[comparisons.judge].mean()) if comparisons.size else 1.0
    return at_scale(model, hyperparameters.scale)._replace(votes=votes)
