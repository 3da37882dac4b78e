"""Runs of active learning against a judge whose answers are all known.

A loop asks for pairs and is told the answers; after each batch its scores are held against the truth by Spearman's
rank correlation (ties share the mean rank) and by Pearson's, 0 where all scores are equal. Where the goal is not the
ranking, how far it is reached (goals.py) stands for Spearman's.

    efficiency curve      these correlations after 1, 2, ... comparisons; it stands still within a batch
    full-set correlation  the same from every comparison that the judge offers, at once
"""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np

from app.inference import fitting
from app.inference.choosing import (
    IN_BOTH_ORDERS,
    NONE_LEASED,
    RANKING,
    Draws,
    Order,
    Plan,
    Policy,
    next_pairs,
    of_mask,
    present,
)
from app.inference.fitting import BASELINES, WEAK, Hyperparameters, Hyperprior, Model, Told
from app.inference.reporting import ranks
from app.inference.state import DIGITS, leading, learnt_from
from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge, join, no_comparisons, take
from app.offline.cases import Case
from app.offline.goals import reached
from app.offline.ranking import RankingMethod, definition_of, model_of
from app.offline.tournaments import PAIRINGS, Tournament

Pair = tuple[int, int]  # as shown


class Setup(NamedTuple):
    """The choices of one run: all but its case."""

    policy: Policy
    order: Order
    seed: int
    method: RankingMethod
    batch: int = 1
    pooled: bool = False  # where it is learnt what answers are worth: from all cases together
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
        self.model = self._plain = self._base = model_of(choosing(setup.method), len(case.keys))
        self._plan = Plan(setup.policy, setup.order, setup.seed, case.goal)
        self._setup = setup
        self._open: Bools = ~np.isnan(case.answers)
        self.answers = self.comparisons = no_comparisons()  # as they came, and as they weigh
        self._learnt: Hyperparameters | None = None
        self._learnt_from = self._known_from = 0  # answers
        self._absolute = case.absolute
        self._scored: tuple[int, Model] | None = None  # the last stage of absolute scores, and the model before them
        self.model = self._with_scores()
        self.posterior = fitting.prior(self.model)
        if case.absolute.size and choosing(setup.method).evidence == "learnt":
            self.learn(WEAK)

    def ask(self) -> list[Pair]:
        chosen = next_pairs(
            fitting.scores(self.posterior, self.comparisons, self.model),
            self.model,
            self.comparisons,
            NONE_LEASED,
            of_mask(self._open | self._open.T),
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
        self.answers = join(self.answers, by_one_judge(first, second, p))
        self._know_biases()
        if self.is_due and not self._setup.pooled:
            self.learn(WEAK)
        else:
            self._update()

    @property
    def is_due(self) -> bool:
        """Whether it is time to learn anew what answers are worth, as a set of the service does."""
        learns = choosing(self._setup.method).evidence == "learnt"
        return learns and self._stage() != self._learnt_from

    def learn(self, hyperprior: Hyperprior) -> None:
        """Learn what answers are worth, given what a pool says of it."""
        self._learnt_from = self._stage()
        first = take(self.answers, slice(self._learnt_from))
        self._learnt = fitting.learn(first, _one_item(first), self._plain, 1, hyperprior).hyperparameters
        at_scale = fitting.at_scale(self._plain, self._learnt.scale)
        self._base = at_scale._replace(votes=fitting.usual_votes(first, self._learnt))
        self._update()

    def _stage(self) -> int:
        """How many answers it is learnt from, as in a set of the service."""
        if choosing(self._setup.method).evidence == "learnt":
            return learnt_from(self.answers.size, self.model.n)
        return leading(self.answers.size, DIGITS)

    def told(self) -> list[Told]:
        """What the answers say by themselves, for the pool."""
        return fitting.evidence_apart(self.answers, _one_item(self.answers), self._plain, np.zeros(1, np.int64))

    def _update(self) -> None:
        if self._learnt is None:
            self.comparisons = self.answers
        else:
            self.comparisons = fitting.weighed(self.answers, _one_item(self.answers), self.model.n, self._learnt)
        before, self.model = self.model, self._with_scores()
        if self.model is not before or self._learnt is not None or self._setup.batch > 1:
            self.posterior = fitting.fit(self.comparisons, self.model, start=self.posterior.mean)
        else:
            self.posterior = fitting.fold(self.posterior, self.comparisons, self.model)

    def _know_biases(self) -> None:
        """Take biases in closed form from the answers, at the sizes at which a set of the service does."""
        first, method = self._stage(), choosing(self._setup.method)
        if method.position_bias == "closed-form" and first != self._known_from:
            self._known_from = first
            answers = take(self.answers, slice(first))
            self._plain = fitting.build_for(definition_of(method), self._plain.n, answers, 1)
            self._base = self._plain if self._learnt is None else self._base

    def _with_scores(self) -> Model:
        """The model that absolute scores enter, on a scale as a set of the service has it."""
        if not self._absolute.size:
            return self._base
        first = leading(self.answers.size, 1)
        if self._scored is not None and self._scored[0] == first and self._scored[1] is self._base:
            return self.model
        self._scored = first, self._base
        is_given = choosing(self._setup.method).absolute_scale == "given"
        answers = take(self.comparisons, slice(first))
        return fitting.combine(answers, self._base, self._absolute, is_given=is_given).model

    def scores(self) -> Floats:
        if self._setup.method.name in BASELINES:
            return BASELINES[self._setup.method.name](self.answers, self.model.n).score
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
    """`replay` of several, batch by batch, which learn together what answers are worth."""
    runs = [Run(loop, case, limit) for loop, case, limit in zip(loops, cases, limits, strict=True)]
    going = [(run, run.step()) for run in runs]
    while going := [(run, comparisons) for run, comparisons in going if comparisons]:
        if due := [loop for loop in loops if loop.is_due]:
            hyperprior = fitting.pool([told for loop in loops for told in loop.told()])
            for loop in due:
                loop.learn(hyperprior)
        for run, comparisons in going:
            run.measure(comparisons)
        going = [(run, run.step()) for run, _ in going]
    return [run.curve for run in runs]


def _one_item(comparisons: Comparisons) -> Ints:
    """(K,) every comparison is about the same."""
    return np.zeros(comparisons.size, np.int64)


def full_set_scores(case: Case, method: RankingMethod) -> Floats:
    """(N,) from every ordered pair that the judge offers, each of them worth one vote, and all absolute scores."""
    first, second = np.nonzero(~np.isnan(case.offered))
    comparisons, n = by_one_judge(first, second, case.offered[first, second]), len(case.keys)
    method = method._replace(evidence="one-vote")
    if method.name in BASELINES:
        return BASELINES[method.name](comparisons, n).score
    item = _one_item(comparisons)
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
