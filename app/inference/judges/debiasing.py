"""Verdicts without position bias, and as sure as people prove them to be (PoE 3.5 and App. B of GPM).

Judge j gives p to what it is shown first, x = logit p. Debiased, that is

    logit p' = (x - delta_j) / T_j

    delta_j   the mean of x over the pairs that the judge was shown in both orders, each order alike, so that what it
              thinks of the pairs cancels; 0 where there are none
    T_j       the temperature by which people's labels are predicted best, in log loss; 1 of a judge with fewer than
              FEWEST_ANSWERS labelled answers, or who only ever names a winner or a tie

Both orders of a pair together are the mean of p' and 1 - p': two words against each other are half a vote for each.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from app.inference.experts import unsaturated
from app.inference.reporting.calibration import tells_temperature, temperature
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import lean_to_lower, means, numbered, pair_numbers


class ShownAnswers(NamedTuple):
    """R answers of K judges to M pairs."""

    p: Floats  # (R,) of what was shown first
    judge: Ints  # (R,)
    pair: Ints  # (R,)
    swapped: Bools  # (R,) whether the pair was shown the other way round


class Debiased(NamedTuple):
    p: Floats  # (R,) p' of what was shown first
    temperature: Floats  # (K,)
    delta: Floats  # (K,) logit


def debias(answers: ShownAnswers, labels: Floats, judges: int) -> Debiased:
    """Args: `labels` (M,) is people's share for what comes first if not swapped, NaN where nobody labelled."""
    x = logit(unsaturated(answers.p))
    delta = _position_bias(answers, x, judges, len(labels))
    x = x - delta[answers.judge]
    temperatures = np.array([_temperature(answers, expit(x), labels, judge) for judge in range(judges)])
    return Debiased(expit(x / temperatures[answers.judge]), temperatures, delta)


def debiased_comparisons(comparisons: Comparisons, item: Ints, n: int, people: Bools) -> Comparisons:
    """The comparisons with p debiased; those of `people` (J,) are the labels of their pairs of outputs."""
    pair, lean = numbered(item, pair_numbers(comparisons, n)), lean_to_lower(comparisons)
    by_people = people[comparisons.judge]
    labels = means(0.5 + lean[by_people], pair[by_people], pair.max(initial=-1) + 1)
    answers = ShownAnswers(comparisons.p, comparisons.judge, pair, comparisons.first > comparisons.second)
    return comparisons._replace(p=debias(answers, labels, len(people)).p)


def _temperature(answers: ShownAnswers, p: Floats, labels: Floats, judge: int) -> float:
    """T_j, by p without position bias."""
    outcome = np.where(answers.swapped, 1.0 - labels[answers.pair], labels[answers.pair])
    labelled = (answers.judge == judge) & ~np.isnan(outcome)
    if not tells_temperature(answers.p[labelled]):
        return 1.0
    return temperature(p[labelled], outcome[labelled]).temperature


def _position_bias(answers: ShownAnswers, x: Floats, judges: int, pairs: int) -> Floats:
    """(K,) delta."""
    place, size = answers.judge * pairs + answers.pair, judges * pairs
    ways = (~answers.swapped, answers.swapped)
    bias = np.mean([means(x[way], place[way], size) for way in ways], axis=0).reshape(judges, pairs)
    return np.asarray(np.nansum(bias, axis=1) / np.maximum((~np.isnan(bias)).sum(axis=1), 1))
