"""The weights of answers, given what they are worth (methods 11; how that is learnt: hyperparameters.py).

A measurement of judge j weighs 1 / sigma2_j and a vote phi_j, at most 1. Repeats of a pair of one item by one judge
share their error: each of m repeated votes carries 1 / (1 + (m - 1) rho_j) of its weight, and rho = 1 of measurements.

    tau2, sigma2, phi, rho  Hyperparameters.scale, .noise, .votes, .echo     (), (J,), (J,), (J,)
"""

from typing import NamedTuple

import numpy as np

from app.inference.experts.measured_bt import is_vote
from app.inference.fitting.model import Model, unit_prior
from app.inference.growing import appended
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import pair_numbers

FEW = 8  # comparisons that are looked for among all


class Hyperparameters(NamedTuple):
    scale: float  # tau2
    noise: Floats  # (J,) sigma2
    votes: Floats  # (J,) phi
    echo: Floats  # (J,) rho


def weighed(comparisons: Comparisons, item: Ints, n: int, hyperparameters: Hyperparameters) -> Comparisons:
    """The comparisons with their weights in the model: 1 / sigma2 of a measurement, phi of a vote but at most 1.

    Args: `item` (K,) is what each was about.
    """
    comparisons = with_measured_ties(comparisons)
    of_measurement, of_vote = 1.0 / hyperparameters.noise, np.minimum(hyperparameters.votes, 1.0)
    worth = np.where(is_vote(comparisons.p), of_vote[comparisons.judge], of_measurement[comparisons.judge])
    return comparisons._replace(weight=comparisons.weight * shares(comparisons, item, n, hyperparameters.echo) * worth)


def weighed_further(
    known: Comparisons, comparisons: Comparisons, item: Ints, n: int, hyperparameters: Hyperparameters
) -> Comparisons:
    """`weighed`, of which the first comparisons are `known`: they stay where the others leave them alone.

    Args: `item` (K,) is what each was about.
    """
    old, new = slice(known.size), slice(known.size, None)
    more = take(comparisons, new)
    if more.size > FEW or not _are_apart(known, item[old], more, item[new]):
        return weighed(comparisons, item, n, hyperparameters)
    _, _, p, _, weight = weighed(more, item[new], n, hyperparameters)
    return comparisons._replace(p=appended(known.p, p), weight=appended(known.weight, weight))


def _are_apart(known: Comparisons, item: Ints, new: Comparisons, new_item: Ints) -> bool:
    """Whether new answers neither repeat a known one of their judge nor change what the judge's ties mean."""
    for first, second, p, judge, about in zip(new.first, new.second, new.p, new.judge, new_item, strict=True):
        theirs = known.judge == judge
        between = ((known.first == first) & (known.second == second)) | (
            (known.first == second) & (known.second == first)
        )
        ties = known.p[theirs] == 0.5 if not is_vote(p) else (p == 0.5) & ~is_vote(known.p[theirs])
        if ties.any() or (theirs & between & (item == about)).any():
            return False
    return True


def shares(comparisons: Comparisons, item: Ints, n: int, echo: Floats) -> Floats:
    """(K,) what is left of each comparison's weight where m votes of a group count as m / (1 + (m - 1) rho).

    Args: `echo` (J,) is rho; of measurements it is 1.
    """
    group = same_question(comparisons, item, n)
    largest = np.zeros(group.max(initial=-1) + 1)
    np.maximum.at(largest, group, comparisons.weight)
    others = np.bincount(group, comparisons.weight) / largest - 1.0
    rho = np.where(is_vote(comparisons.p), echo[comparisons.judge], 1.0)
    return np.asarray(1.0 / (1.0 + rho * others[group]), np.float64)


def with_measured_ties(comparisons: Comparisons) -> Comparisons:
    """The comparisons with p next to 1/2 where a judge who says probabilities says 1/2: it measures 0."""
    p, judge = comparisons.p, comparisons.judge
    measures = np.bincount(judge, ~is_vote(p)) > 0
    return comparisons._replace(p=np.where((p == 0.5) & measures[judge], np.nextafter(0.5, 1.0), p))


def same_question(comparisons: Comparisons, item: Ints, n: int) -> Ints:
    """(K,) numbers, without gaps, of the groups that share their error."""
    pair = pair_numbers(comparisons, n)
    question = (comparisons.judge * (item.max(initial=0) + 1) + item) * n * n + pair
    return np.asarray(np.unique(question, return_inverse=True)[1], np.int64)


def usual_votes(comparisons: Comparisons, hyperparameters: Hyperparameters) -> float:
    """Votes that an answer carries, on average over those so far; 1 before the first."""
    return float(hyperparameters.votes[comparisons.judge].mean()) if comparisons.size else 1.0


def at_scale(model: Model, scale: float) -> Model:
    """The model with tau2 = `scale`."""
    return model._replace(prior=unit_prior(model.n, scale, model.size - model.n))
