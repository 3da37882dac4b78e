"""Runs of active learning against a judge whose answers are all known.

A loop asks for pairs and receives verdicts. After each batch its scores are compared with the truth by Spearman's rank
correlation (ties share the mean rank) and by Pearson's, 0 where all scores are equal. Where the goal is not the
ranking, how far it is reached (goals.py) stands for Spearman's.

    efficiency curve      these correlations after 1, 2, ... comparisons; it stands still within a batch
    full-set correlation  the same from every comparison that the judge offers, at once
"""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np

from app.inference import fitting
from app.inference.choosing import IN_BOTH_ORDERS, RANKING, Order, Plan, Policy, present
from app.inference.fitting import BASELINES, Hyperprior, Posterior
from app.inference.reporting import ranks
from app.inference.state import (
    NONE_BLOCKED,
    ComparisonRow,
    Interpretation,
    Log,
    LogContribution,
    ScoreRow,
    SharedPriors,
    advance,
    ask,
    compute_due,
    contribution_of,
    empty,
    log_from_rows,
    pooled,
    without_pairs,
)
from app.inference.types import Floats, by_one_judge
from app.offline.cases import Case
from app.offline.goals import reached
from app.offline.ranking import RankingMethod, definition_of
from app.offline.tournaments import PAIRINGS, Tournament

Pair = tuple[int, int]  # as shown


class Setup(NamedTuple):
    """The choices of one run: all but its case."""

    policy: Policy
    order: Order
    seed: int
    method: RankingMethod
    batch: int = 1
    pooled: bool = False  # where verdict weights are learnt: from all cases together
    tournament: Tournament | None = None  # which pairs candidates instead of the policy


class Loop(Protocol):
    """Something that hands out pairs and learns from answers: this process, or a service behind HTTP."""

    def ask(self) -> list[Pair]:
        """The next batch, empty when no pair is left."""

    def tell(self, pairs: Sequence[Pair], p: Floats) -> None: ...

    def scores(self) -> Floats:
        """(N,) from every answer so far."""


class LocalLoop:
    """The loop in this process: the snapshot of a set of the service and its `ask`, without leases.

    What a service computes beside its requests is there at once.
    """

    def __init__(self, case: Case, setup: Setup) -> None:
        n, absolute = len(case.keys), case.absolute
        self._setup, self._plan = setup, Plan(setup.policy, setup.order, setup.seed, case.goal)
        self._has = np.ones((1, n), np.bool_)
        self._pooled_at = 0  # comparisons
        never_judged = np.nonzero(np.isnan(case.answers) & ~np.eye(n, dtype=np.bool_))
        interpretation = Interpretation(definition_of(choosing(setup.method)), {})
        self.snapshot = without_pairs(empty(interpretation, n, 1), *never_judged)
        scores = zip(*(column.tolist() for column in absolute), strict=True)
        if absolute.size:
            rows = (ScoreRow(seq, 0, who, 1 + judge, *score) for seq, (who, judge, *score) in enumerate(scores, 1))
            self._advance(absolute.size, log_from_rows([], rows))

    def ask(self) -> list[Pair]:
        chosen = ask(self.snapshot, self._has, NONE_BLOCKED, self._plan, self._setup.batch)
        return [(each.pair.first, each.pair.second) for each in chosen]

    def tell(self, pairs: Sequence[Pair], p: Floats) -> None:
        seqs = range(self.snapshot.version + 1, self.snapshot.version + 1 + len(pairs))
        rows = (ComparisonRow(seq, 0, *pair, one, 0) for seq, pair, one in zip(seqs, pairs, p.tolist(), strict=True))
        self._advance(seqs[-1], log_from_rows(rows))

    def _advance(self, version: int, new: Log) -> None:
        self.snapshot = advance(self.snapshot, version, new, ())
        while self.snapshot.due:
            self.snapshot = compute_due(self.snapshot)

    @property
    def posterior(self) -> Posterior:
        return self.snapshot.posterior

    @property
    def is_due(self) -> bool:
        """Whether it is time to learn verdict weights from a pool again."""
        return self.snapshot.learnt is not None and self.snapshot.stage.learnt_at != self._pooled_at

    def learn(self, hyperprior: Hyperprior) -> None:
        """Learn verdict weights, given what a pool says of them."""
        self._pooled_at, version = self.snapshot.stage.learnt_at, self.snapshot.version + 1
        self._advance(version, log_from_rows([], pooled=SharedPriors(version, hyperprior)))

    def contribution(self) -> LogContribution:
        """Contribution of the answers to the pool."""
        return contribution_of(self.snapshot.log, (), self.snapshot.interpretation, self.snapshot.model.n)

    def scores(self) -> Floats:
        answers, n, name = self.snapshot.evidence.answers, self.snapshot.model.n, self._setup.method.name
        return BASELINES[name](answers, n).score if name in BASELINES else self.posterior.mean[:n]


class TournamentLoop(LocalLoop):
    """A loop whose pairs come from a tournament; scores, and who is shown first, come about as in any other."""

    def __init__(self, case: Case, setup: Setup) -> None:
        super().__init__(case, setup)
        assert setup.tournament is not None
        n, self._rng = len(case.keys), np.random.default_rng(setup.seed)
        self._points, self._leads = np.zeros(n), np.zeros(n, np.int64)
        self._pairs = PAIRINGS[setup.tournament](~np.isnan(case.answers), self._points, self._rng)

    def ask(self) -> list[Pair]:
        return [shown for pair in islice(self._pairs, self._setup.batch) for shown in self._shown(*sorted(pair))]

    def tell(self, pairs: Sequence[Pair], p: Floats) -> None:
        super().tell(pairs, p)
        first, second = np.array(pairs).T
        np.add.at(self._points, first, p - 0.5)
        np.add.at(self._points, second, 0.5 - p)

    def _shown(self, i: int, j: int) -> list[Pair]:
        first, second, _ = present(i, j, self._leads, self._plan.order, self._rng)
        if self._plan.order in IN_BOTH_ORDERS:
            return [(first, second), (second, first)]
        self._leads[[first, second]] += [1, -1]
        return [(first, second)]


def open_loop(case: Case, setup: Setup) -> LocalLoop:
    """The loop of this process that `setup` wants."""
    return TournamentLoop(case, setup) if setup.tournament else LocalLoop(case, setup)


def choosing(method: RankingMethod) -> RankingMethod:
    """The posterior that chooses pairs: soft Bradley-Terry where scores come from a baseline."""
    return RankingMethod("soft-bt", method.prior_variance) if method.name in BASELINES else method


class Run:
    """A loop on its way, and how well it does: Spearman's and Pearson's correlation after each comparison."""

    def __init__(self, loop: Loop, case: Case, limit: int) -> None:
        self._loop, self._case, self._limit = loop, case, limit
        self._answers = case.answers
        self._curve: list[tuple[float, float]] = []

    def step(self) -> int:
        """Ask and tell a batch; how many comparisons that were."""
        pairs = self._loop.ask()[: self._limit - len(self._curve)]
        if pairs:
            self._loop.tell(pairs, self._answers[tuple(np.array(pairs).T)])
        return len(pairs)

    def measure(self, comparisons: int) -> None:
        """Hold the scores after a batch of so many comparisons against the truth."""
        before, scores = self._curve[-1] if self._curve else (0.0, 0.0), self._loop.scores()
        now = agreement(scores, self._case), pearson(scores, self._case.truth)
        self._curve += [before] * (comparisons - 1) + [now]

    @property
    def curve(self) -> Floats:
        """(2, K)"""
        return np.array(self._curve).reshape(-1, 2).T


def replay(loop: Loop, case: Case, limit: int) -> Floats:
    """(2, K) Spearman's and Pearson's correlation with the truth after 1..K comparisons, K at most `limit`."""
    run = Run(loop, case, limit)
    while comparisons := run.step():
        run.measure(comparisons)
    return run.curve


def replay_together(loops: Sequence[LocalLoop], cases: Sequence[Case], limits: Sequence[int]) -> list[Floats]:
    """`replay` of several, batch by batch, which learn verdict weights together."""
    runs = [Run(loop, case, limit) for loop, case, limit in zip(loops, cases, limits, strict=True)]
    going = [(run, run.step()) for run in runs]
    while going := [(run, comparisons) for run, comparisons in going if comparisons]:
        if due := [loop for loop in loops if loop.is_due]:
            hyperprior = pooled([loop.contribution() for loop in loops])
            for loop in due:
                loop.learn(hyperprior)
        for run, comparisons in going:
            run.measure(comparisons)
        going = [(run, run.step()) for run, _ in going]
    return [run.curve for run in runs]


def full_set_scores(case: Case, method: RankingMethod) -> Floats:
    """(N,) from every ordered pair that the judge offers, each of one vote, and all absolute scores."""
    first, second = np.nonzero(~np.isnan(case.offered))
    comparisons, n = by_one_judge(first, second, case.offered[first, second]), len(case.keys)
    method = method._replace(verdict_weight="one-vote")
    if method.name in BASELINES:
        return BASELINES[method.name](comparisons, n).score
    item = np.zeros(comparisons.size, np.int64)
    return fitting.publish(comparisons, item, case.absolute, definition_of(method), n, 1).posterior.mean[:n]


def agreement(scores: Floats, case: Case) -> float:
    """Spearman's correlation of (N,) scores with the truth, or how far they reach another goal than the ranking."""
    if case.goal == RANKING:
        return spearman(scores, case.truth)
    return reached(scores, case.truth, case.goal)


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
