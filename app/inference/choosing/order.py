"""Order of showing a pair: which of its two candidates comes first.

balanced      whoever has led less often among its appearances goes first, a coin decides between equals
as_selected   the candidate that joined the set earlier goes first
both          every pair in both orders, one after the other; the first of the two is balanced
each          each of the N (N - 1) ordered pairs is a question of its own (GPM 6.1): once a pair was judged in one
              order, the criterion says when it comes in the other; the first of the two is balanced
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from app.inference.choosing.picking import Choice
from app.inference.gaussian import Scores
from app.inference.kernels import kernel
from app.inference.types import Chance, Ints


class Order(StrEnum):
    BALANCED = "balanced"
    BOTH = "both"
    EACH = "each"
    AS_SELECTED = "as_selected"


IN_BOTH_ORDERS = Order.BOTH, Order.EACH  # whose pairs are shown both ways round


class Presented(NamedTuple):
    first: int
    second: int
    choice: Choice


@kernel
def lead(first: Ints, second: Ints, before: Ints) -> Ints:
    """(N,) how many times more often each candidate was shown first than second, once these (K,) pairs were shown too.

    Equivalent to before + np.bincount(first, minlength=N) - np.bincount(second, minlength=N).
    """
    leads = before.copy()
    for k in range(len(first)):
        leads[first[k]] += 1
        leads[second[k]] -= 1
    return leads


def present(i: int, j: int, leads: Ints, order: Order, rng: Chance) -> tuple[int, int]:
    """(first, second) for the pair i < j."""
    if order is Order.AS_SELECTED or leads[i] < leads[j]:
        return i, j
    if leads[i] > leads[j] or rng.random() < 0.5:
        return j, i
    return i, j


def presented(choice: Choice, leads: Ints, order: Order, rng: Chance) -> Presented:
    """Decide the order and count it in `leads`, so that the next pair of the batch sees it."""
    first, second = present(choice.i, choice.j, leads, order, rng)
    leads[first] += 1
    leads[second] -= 1
    return Presented(first, second, choice)


def presented_beside(
    scores: Scores, low: int, high: int, score: float, propensity: float, leads: Ints, order: Order, rng: Chance
) -> Presented:
    """`presented`, of a pair that something else than the criterion chose: the scores explain it all the same."""
    return presented(_explained(scores, low, high, score, propensity), leads, order, rng)


def as_shown(scores: Scores, first: int, second: int) -> Presented:
    """A pair once more in the order in which it was shown."""
    return Presented(first, second, _explained(scores, min(first, second), max(first, second), 1.0, 1.0))


def _explained(scores: Scores, low: int, high: int, score: float, propensity: float) -> Choice:
    m, v = float(scores.mean[low] - scores.mean[high]), scores.covariance.variance_of_difference(low, high)
    return Choice(low, high, score, m, float(np.sqrt(v)), propensity, random=False)
