"""The next pairs, each with its order of presentation, from a posterior and the pairs that are out.

A pure function of the log, the leases and the seed: the service, a preview, a simulation and any other process come to
the same pairs. Pairs out on a lease are fantasised before choosing (methods 5, "Batches"). Where positional bias is
estimated, selection reads the scores' marginal posterior and fantasises as if the bias were known. With balanced
orders, what a single pair tells about the bias cancels.

Which of its two candidates comes first:

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
from functools import cached_property
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName

from app.inference.choosing.criteria import Criterion, Policy
from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.knowledge import JudgedRound, Questions, expecting
from app.inference.choosing.overlap import Overlap
from app.inference.choosing.picking import Choice, connected, fantasise, select
from app.inference.fitting.model import Model
from app.inference.gaussian import Scores
from app.inference.pair_sets import PairSet
from app.inference.types import Chance, Comparisons, Ints
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

    @property
    def knows_the_round(self) -> bool:
        """Whether a pair is worth what its answer adds to the round of all pairs, of which some is answered."""
        return self.target == "all-pairs" and self.policy.criterion is Criterion.KNOWLEDGE


class Leased(NamedTuple):
    """L pairs that are out, oldest first, in the order shown."""

    first: Ints  # (L,)
    second: Ints  # (L,)


class Presented(NamedTuple):
    first: int
    second: int
    choice: Choice
    order_chance: float  # with which they were drawn in this order


class Tally(NamedTuple):
    """Counts of comparisons, whatever was answered."""

    leads: Ints  # (N,) how many times more often each candidate was shown first than second
    component: Ints  # (N,) whom they connect, 0 for who is connected with candidate 0


NONE_LEASED = Leased(np.empty(0, np.int64), np.empty(0, np.int64))


class Draws:
    """The random source of one ask: the same question at the same state draws the same pairs.

    It is made when it is first needed.

    Args: `out` tells states apart that have other pairs out; leases that end without a verdict leave the version as it
        is, and no two pairs should hang on one coin.
    """

    def __init__(self, plan: Plan, version: int, out: int) -> None:
        self._seed = (plan.seed, version, out)

    @cached_property
    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self._seed)

    def random(self) -> float:
        return self._generator.random()

    def integers(self, high: int) -> int:
        return int(self._generator.integers(high))

    def choice(self, values: Ints) -> int:
        return int(self._generator.choice(values))


def tally(new: Comparisons, n: int, before: Tally | None = None) -> Tally:
    """The tally of n candidates once there are these comparisons, too."""
    leads, component = before or (np.zeros(n, np.int64), np.arange(n))
    return Tally(lead(new.first, new.second, leads), joined(component, new.first, new.second))


def next_pairs(
    scores: Scores,
    model: Model,
    comparisons: Comparisons,
    leased: Leased,
    open_pairs: PairSet,
    plan: Plan,
    count: int,
    rng: Chance,
    known: Tally | None = None,
    questions: Questions | None = None,
) -> list[Presented]:
    """Up to `count` different pairs, best first.

    Args:
        known: the comparisons' tally, if somebody has kept it.
        questions: what each comparison answers; by default there is one question about each pair.
    """
    leads, component = known or tally(comparisons, model.n)
    mean = scores.mean
    sigma = fantasise(scores.covariance, mean, model, leased.first, leased.second)
    component = connected(component, leased.first, leased.second, model, plan.goal, plan.policy.criterion)
    judged = None
    if plan.knows_the_round:
        questions = questions or Questions(np.zeros(comparisons.size, np.int64), 1)
        judged = expecting(JudgedRound(comparisons, questions), mean, leased.first, leased.second)
    choices = select(mean, sigma, model, open_pairs, component, plan.policy, plan.goal, count, rng, judged)
    counted = leads_of(lead(leased.first, leased.second, leads), plan)
    return [presented(choice, counted, plan.order, rng) for choice in choices]


def leads_of(leads: Ints, plan: Plan) -> Ints | None:
    """A copy of those that decide who goes first: none where the question is about prompts to come."""
    return None if plan.target == "new-items" else leads.copy()


def lead(first: Ints, second: Ints, before: Ints) -> Ints:
    """(N,) how many times more often each was shown first than second, once these (K,) pairs were shown too."""
    n = len(before)
    return before + np.bincount(first, minlength=n) - np.bincount(second, minlength=n)


def present(i: int, j: int, leads: Ints | None, order: Order, rng: Chance) -> tuple[int, int, float]:
    """(first, second) for the pair i < j, and the chance of this order; None of `leads` is a fair coin."""
    if order is Order.AS_SELECTED:
        return i, j, CERTAIN
    of_i, of_j = OF_LEADS[0 if leads is None else np.sign(leads[i] - leads[j])]
    return (i, j, of_i) if rng.random() < of_i else (j, i, of_j)


def presented(choice: Choice, leads: Ints | None, order: Order, rng: Chance) -> Presented:
    """Decide the order and count it in `leads`, so that the next pair of the batch sees it."""
    first, second, chance = present(choice.i, choice.j, leads, order, rng)
    if leads is not None:
        leads[first] += 1
        leads[second] -= 1
    return Presented(first, second, choice, chance)


def presented_beside(
    scores: Scores, low: int, high: int, score: float, propensity: float, leads: Ints | None, order: Order, rng: Chance
) -> Presented:
    """`presented`, of a pair that something else than the criterion chose: the scores explain it all the same."""
    return presented(_explained(scores, low, high, score, propensity), leads, order, rng)


def as_shown(scores: Scores, first: int, second: int) -> Presented:
    """A pair once more in the order in which it was shown."""
    return Presented(first, second, _explained(scores, min(first, second), max(first, second), 1.0, 1.0), CERTAIN)


def _explained(scores: Scores, low: int, high: int, score: float, propensity: float) -> Choice:
    m, v = float(scores.mean[low] - scores.mean[high]), scores.covariance.variance_of_difference(low, high)
    return Choice(low, high, score, m, float(np.sqrt(v)), propensity, random=False)
