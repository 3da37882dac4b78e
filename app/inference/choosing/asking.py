"""The next pairs, each with its order of presentation, from a posterior and the pairs that are out.

A pure function of the log, the leases and the seed: the service, a preview, a simulation and any other process come to
the same pairs. Pairs out on a lease are fantasised before choosing (methods 5, "Batches"). Where positional bias is
estimated, selection reads the scores' marginal posterior and fantasises as if the bias were known. With balanced
orders, what a single pair tells about the bias cancels.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName

from app.inference.choosing.criteria import Criterion, Policy
from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.joining import connected
from app.inference.choosing.knowledge import JudgedRound, Questions, expecting
from app.inference.choosing.order import Order, Presented, lead, presented
from app.inference.choosing.overlap import Overlap
from app.inference.choosing.picking import fantasise
from app.inference.choosing.selection import select
from app.inference.fitting.model import Model
from app.inference.gaussian import Scores
from app.inference.kernels import contiguous
from app.inference.kernels.pair_sets import PairSet
from app.inference.types import Chance, Comparisons, Ints
from app.inference.verdicts import joined


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
    first, second = contiguous(new.first), contiguous(new.second)
    return Tally(lead(first, second, leads), joined(component, first, second))


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
