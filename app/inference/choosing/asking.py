"""The next pairs, each with its order of presentation, from a posterior and the pairs that are out.

A pure function of the log, the leases and the seed: any process comes to the same pairs. Pairs out on a lease are
fantasised before choosing (methods 5, "Batches"). Where positional bias is estimated, selection reads the scores'
marginal posterior and fantasises as if the bias were known. Which of its two candidates comes first:

balanced      a coin: whoever has led less often among its appearances goes first with probability 2/3, of equals 1/2;
              where the question is about prompts to come always 1/2, as evidence turns all orders of a prompt at once
as_selected   the candidate that joined the set earlier goes first, for certain
both          every pair in both orders, one after the other; the first of the two is balanced
each          each of the N (N - 1) ordered pairs is a question of its own (GPM 6.1): once a pair was judged in one
              order, the criterion says when it comes in the other; the first of the two is balanced

The chance of the order that is shown is recorded, so that winners can be told from who was shown first
(reporting/signal.py). Leads that count stay bounded: they drift towards 0 by 1/3 for each appearance.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName

from app.inference.choosing.criteria import RANKING, Goal, Policy
from app.inference.choosing.knowledge import JudgedRound, expecting
from app.inference.choosing.picking import Choice, connected, fantasise, select
from app.inference.choosing.second_opinions import Overlap
from app.inference.fitting.model import Model
from app.inference.gaussian import Scores
from app.inference.pair_sets import PairSet
from app.inference.types import Comparisons, Ints
from app.inference.verdicts import joined


class Order(StrEnum):
    BALANCED = "balanced"
    BOTH = "both"
    EACH = "each"
    AS_SELECTED = "as_selected"


IN_BOTH_ORDERS = Order.BOTH, Order.EACH  # whose pairs are shown both ways round
CERTAIN = 1.0
OF_LEADS = (1 / 2, 1 / 2), (1 / 3, 2 / 3), (2 / 3, 1 / 3)  # that i, and that j, goes first; [sign of i's lead on j]


class Plan(NamedTuple):
    """A set's rules for choosing its pairs."""

    policy: Policy
    order: Order
    seed: int
    goal: Goal = RANKING
    overlap: Overlap | None = None
    target: InferenceTargetName = "latent"  # what confidence is about


class Presented(NamedTuple):
    first: int
    second: int
    choice: Choice
    order_chance: float  # with which they were drawn in this order


class Tally(NamedTuple):
    """Counts of comparisons, whatever was answered."""

    leads: Ints  # (N,) how many times more often each candidate was shown first than second
    component: Ints  # (N,) whom they connect, 0 for who is connected with candidate 0


def tally(new: Comparisons, n: int, before: Tally | None = None) -> Tally:
    """The tally of n candidates once there are these comparisons, too."""
    leads, component = before or (np.zeros(n, np.int64), np.arange(n))
    return Tally(lead(new.first, new.second, leads), joined(component, new.first, new.second))


def next_pairs(
    scores: Scores,
    model: Model,
    known: Tally,
    leased: tuple[Ints, Ints],
    open_pairs: PairSet,
    plan: Plan,
    count: int,
    rng: np.random.Generator,
    judged: JudgedRound | None = None,
) -> list[Presented]:
    """Up to `count` different pairs, best first.

    Args:
        known: the tally of the comparisons.
        leased: (L,) and (L,) first and second of the pairs that are out.
        judged: what is there of the round of all pairs, where a pair is worth what its answer adds to that.
    """
    mean, policy = scores.mean, plan.policy
    sigma = fantasise(scores.covariance, mean, model, *leased)
    component = connected(known.component, *leased, model, plan.goal, policy.criterion)
    judged = judged and expecting(judged, mean, *leased)
    choices = select(mean, sigma, model, open_pairs, component, policy, plan.goal, count, rng, judged)
    leads = leads_of(lead(*leased, known.leads), plan)
    return [presented(choice, leads, plan.order, rng) for choice in choices]


def leads_of(leads: Ints, plan: Plan) -> Ints | None:
    """A copy of those that decide who goes first: none where the question is about prompts to come."""
    return None if plan.target == "new-items" else leads.copy()


def lead(first: Ints, second: Ints, before: Ints) -> Ints:
    """(N,) how many times more often each was shown first than second, once these (K,) pairs were shown too."""
    n = len(before)
    return before + np.bincount(first, minlength=n) - np.bincount(second, minlength=n)


def present(i: int, j: int, leads: Ints | None, order: Order, rng: np.random.Generator) -> tuple[int, int, float]:
    """(first, second) for the pair i < j, and the chance of this order; None of `leads` is a fair coin."""
    if order is Order.AS_SELECTED:
        return i, j, CERTAIN
    of_i, of_j = OF_LEADS[0 if leads is None else np.sign(leads[i] - leads[j])]
    return (i, j, of_i) if rng.random() < of_i else (j, i, of_j)


def presented(choice: Choice, leads: Ints | None, order: Order, rng: np.random.Generator) -> Presented:
    """Decide the order and count it in `leads`, so that the next pair of the batch sees it."""
    first, second, chance = present(choice.i, choice.j, leads, order, rng)
    if leads is not None:
        leads[first] += 1
        leads[second] -= 1
    return Presented(first, second, choice, chance)


def explained(scores: Scores, i: int, j: int, score: float, propensity: float = 1.0) -> Choice:
    """Choice of a pair i < j by something else than the criterion: the scores explain it all the same."""
    m, v = float(scores.mean[i] - scores.mean[j]), scores.covariance.variance_of_difference(i, j)
    return Choice(i, j, score, m, float(np.sqrt(v)), propensity, random=False)
