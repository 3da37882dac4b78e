"""Runs of active learning against a judge whose answers are all known.

A loop asks for pairs and is told the answers; after each batch its scores are held against the truth by Spearman's
rank correlation (ties share the mean rank) and by Pearson's, 0 where all scores are equal.

    efficiency curve      these correlations after 1, 2, ... comparisons; it stands still within a batch
    full-set correlation  the same from every comparison that the judge offers, at once
"""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np

from app.inference import fitting
from app.inference.choosing import IN_BOTH_ORDERS, NONE_LEASED, Draws, Order, Plan, Policy, next_pairs, present
from app.inference.fitting import BASELINES
from app.inference.reporting import ranks
from app.inference.types import Bools, Floats, by_one_judge, join, no_comparisons
from app.offline.cases import Case
from app.offline.ranking import RankingMethod, model_of
from app.offline.tournaments import PAIRINGS, Tournament

Pair = tuple[int, int]  # as shown


class Setup(NamedTuple):
    """The choices of one run: all but its case."""

    policy: Policy
    order: Order
    seed: int
    method: RankingMethod
    batch: int = 1
    tournament: Tournament | None = None  # which pairs candidates instead of the policy


class Loop(Protocol):
    """Something that hands out pairs and learns from answers: this process, or a service behind HTTP."""

    def ask(self) -> list[Pair]:
        """The next batch, empty when no pair is left."""

    def tell(self, pairs: Sequence[Pair], p: Floats) -> None: ...

    def scores(self) -> Floats:
        """(N,) from every answer so far."""


class LocalLoop:
    """The loop in this process: the numerics of the service, without its log and leases."""

    def __init__(self, case: Case, setup: Setup) -> None:
        self.model = model_of(choosing(setup.method), len(case.keys))
        self._plan = Plan(setup.policy, setup.order, setup.seed)
        self._setup = setup
        self._open: Bools = ~np.isnan(case.answers)
        self.comparisons = no_comparisons()
        self.posterior = fitting.prior(self.model)

    def ask(self) -> list[Pair]:
        chosen = next_pairs(
            self.posterior,
            self.model,
            self.comparisons,
            NONE_LEASED,
            self._open | self._open.T,
            self._plan,
            self._setup.batch,
            Draws(self._plan, self.comparisons.size, leased=0),
        )
        pairs = [self._in_open_order(pair.first, pair.second) for pair in chosen]
        for i, j in pairs:
            self._open[i, j] = False
            self._open[j, i] &= self._plan.order is Order.EACH
        if self._plan.order is Order.BOTH:
            return [shown for i, j in pairs for shown in ((i, j), (j, i))]
        return pairs

    def tell(self, pairs: Sequence[Pair], p: Floats) -> None:
        first, second = np.array(pairs).T
        self.comparisons = join(self.comparisons, by_one_judge(first, second, p))
        if self._setup.batch > 1:
            self.posterior = fitting.fit(self.comparisons, self.model, start=self.posterior.mean)
        else:
            self.posterior = fitting.fold(self.posterior, self.comparisons, self.model)

    def scores(self) -> Floats:
        if self._setup.method.name in BASELINES:
            return BASELINES[self._setup.method.name](self.comparisons, self.model.n).score
        return self.posterior.mean[: self.model.n]

    def _in_open_order(self, first: int, second: int) -> tuple[int, int]:
        return (first, second) if self._open[first, second] else (second, first)


class TournamentLoop(LocalLoop):
    """A loop whose pairs come from a tournament; scores, and who is shown first, come about as in any other."""

    def __init__(self, case: Case, setup: Setup) -> None:
        super().__init__(case, setup)
        assert setup.tournament is not None
        n, self._rng = len(case.keys), np.random.default_rng(setup.seed)
        self._points, self._leads = np.zeros(n), np.zeros(n, np.int64)
        self._pairs = PAIRINGS[setup.tournament](self._open, self._points, self._rng)

    def ask(self) -> list[Pair]:
        return [shown for pair in islice(self._pairs, self._setup.batch) for shown in self._shown(*sorted(pair))]

    def tell(self, pairs: Sequence[Pair], p: Floats) -> None:
        super().tell(pairs, p)
        first, second = np.array(pairs).T
        np.add.at(self._points, first, p - 0.5)
        np.add.at(self._points, second, 0.5 - p)

    def _shown(self, i: int, j: int) -> list[Pair]:
        first, second = present(i, j, self._leads, self._plan.order, self._rng)
        if self._plan.order in IN_BOTH_ORDERS:
            return [(first, second), (second, first)]
        self._leads[[first, second]] += [1, -1]
        return [(first, second)]


def open_loop(case: Case, setup: Setup) -> Loop:
    """The loop of this process that `setup` wants."""
    return TournamentLoop(case, setup) if setup.tournament else LocalLoop(case, setup)


def choosing(method: RankingMethod) -> RankingMethod:
    """The posterior that chooses pairs: soft Bradley-Terry where scores come from a baseline."""
    return RankingMethod("soft-bt", method.prior_variance) if method.name in BASELINES else method


def replay(loop: Loop, case: Case, limit: int) -> Floats:
    """(2, K) Spearman's and Pearson's correlation with the truth after 1..K comparisons, K at most `limit`."""
    answers = case.answers
    curve: list[tuple[float, float]] = []
    while len(curve) < limit and (pairs := loop.ask()[: limit - len(curve)]):
        loop.tell(pairs, answers[tuple(np.array(pairs).T)])
        before, scores = curve[-1] if curve else (0.0, 0.0), loop.scores()
        curve += [before] * (len(pairs) - 1) + [(spearman(scores, case.truth), pearson(scores, case.truth))]
    return np.array(curve).reshape(-1, 2).T


def full_set(case: Case, method: RankingMethod) -> float:
    """Spearman's correlation from every ordered pair that the judge offers."""
    return spearman(full_set_scores(case, method), case.truth)


def full_set_scores(case: Case, method: RankingMethod) -> Floats:
    """(N,) from every ordered pair that the judge offers."""
    first, second = np.nonzero(~np.isnan(case.offered))
    comparisons, n = by_one_judge(first, second, case.offered[first, second]), len(case.keys)
    if method.name in BASELINES:
        return BASELINES[method.name](comparisons, n).score
    return fitting.fit(comparisons, model_of(method, n)).mean[:n]


def spearman(scores: Floats, truth: Floats) -> float:
    """Spearman's rank correlation of two (N,) arrays; 0 where one of them is constant."""
    return pearson(_mean_ranks(scores), _mean_ranks(truth))


def pearson(scores: Floats, truth: Floats) -> float:
    """Pearson's correlation of two (N,) arrays; 0 where one of them is constant."""
    if not np.ptp(scores) or not np.ptp(truth):
        return 0.0
    x, y = scores - scores.mean(), truth - truth.mean()
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def _mean_ranks(values: Floats) -> Floats:
    """(N,) centred ranks; equal values share the mean of the best and the worst rank that they could have."""
    return np.asarray(0.5 * (ranks(values) - ranks(-values)), dtype=np.float64)
