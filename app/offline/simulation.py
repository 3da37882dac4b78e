"""Replay active learning against a judge whose answers are all known.

A problem is one group of candidates with a true value each and the judge's answer to every pair that may be
asked. A loop asks for pairs and is told the answers; after each answer its scores are held against the truth
by Spearman's rank correlation (ties share the mean rank; 0 where all scores are equal).

    efficiency curve      that correlation after 1, 2, ... comparisons, averaged over the problems
    full-set correlation  the same from every comparison that the judge offers, at once
    cost of a target      the fewest comparisons where the curve is at least target * full-set correlation

A problem that has run out of pairs keeps its last value.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, product
from math import ceil
from multiprocessing import get_context
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import expit

from app.files.columns import Labels
from app.files.tables import InputError
from app.inference.choosing.asking import NONE_LEASED, Draws, Plan, next_pairs
from app.inference.choosing.order import Order
from app.inference.choosing.selection import Criterion, Policy
from app.inference.fitting import posterior
from app.inference.fitting.baselines import BASELINES
from app.inference.reporting.ranking import ranks
from app.inference.types import Bools, Comparisons, Floats, by_one_judge, join, no_comparisons
from app.offline.ranking import Group, Method, model_of

WORTH_A_POOL = 10_000  # comparisons, about 4 s


class Problem(NamedTuple):
    """One group: N candidates, their true values, and what the judge says of each ordered pair."""

    labels: Labels
    keys: list[str]  # (N,)
    truth: Floats  # (N,)
    offered: Floats  # (N, N) p that i beats j when i is shown first; NaN where the judge was not asked

    @property
    def answers(self) -> Floats:
        """(N, N) `offered`, and 1 - p where only the other order is known."""
        return np.where(np.isnan(self.offered), 1.0 - self.offered.T, self.offered)

    @property
    def ordered_pairs(self) -> int:
        return len(self.keys) * (len(self.keys) - 1)


class Setup(NamedTuple):
    """What one run is made of, besides its problem."""

    policy: Policy
    order: Order
    seed: int
    method: Method
    batch: int = 1


class Loop(Protocol):
    """Whatever hands out pairs and learns from answers: this process, or a service behind HTTP."""

    def ask(self) -> tuple[int, int] | None:
        """(first, second) as shown, or None when no pair is left."""

    def tell(self, first: int, second: int, p: float) -> None: ...

    def scores(self) -> Floats:
        """(N,) from every answer so far."""


Open = Callable[[Problem, Setup], Loop]


class Curves(NamedTuple):
    """What a simulation found."""

    curve: dict[Criterion, Floats]  # (S, K) mean correlation per seed after 1..K comparisons
    full: float  # full-set correlation
    ordered_pairs: float  # N (N - 1), averaged over the problems
    problems: int
    constant: int  # problems left out because their truth is constant


class Cost(NamedTuple):
    """What it takes to reach a target, for one criterion."""

    criterion: Criterion
    comparisons: float | None  # mean over seeds; None unless every seed reached the target
    share: float | None  # of N (N - 1)
    of_random: float | None
    reached: int  # seeds that reached it
    last: float  # correlation at the end, mean over seeds


# Problems


def from_pairs(group: Group, truth: Mapping[str, float]) -> Problem:
    """A judge that was asked pairs; answers to the same ordered pair are averaged by weight. Raises InputError."""
    n, (first, second, p, _, weight) = len(group.keys), group.comparisons
    at = first * n + second
    votes, total = np.bincount(at, weight, n * n), np.bincount(at, weight * p, n * n)
    mean = np.divide(total, votes, out=np.full(n * n, np.nan), where=votes > 0.0)
    truths = true_values(group.labels, group.keys, truth)
    return Problem(group.labels, group.keys, truths, mean.reshape(n, n))


def from_scores(labels: Labels, scores: Mapping[str, float], truth: Mapping[str, float], temperature: float) -> Problem:
    """A judge that gave absolute scores: p_ij = sigmoid((s_i - s_j) / temperature). Raises InputError."""
    keys, s = list(scores), np.array(list(scores.values()))
    offered = expit((s[:, None] - s[None, :]) / temperature)
    np.fill_diagonal(offered, np.nan)
    return Problem(labels, keys, true_values(labels, keys, truth), offered)


def true_values(labels: Labels, keys: Sequence[str], truth: Mapping[str, float]) -> Floats:
    if missing := [key for key in keys if key not in truth]:
        name = " / ".join([*labels, missing[0]])
        raise InputError(f"the judge knows {name} but the truth file has no value for it; add one")
    return np.array([truth[key] for key in keys])


# One run


class Local:
    """The loop in this process: the numerics of the service, without its log and leases."""

    def __init__(self, problem: Problem, setup: Setup) -> None:
        self.model = model_of(choosing(setup.method), len(problem.keys))
        self._plan = Plan(setup.policy, setup.order, setup.seed)
        self._setup = setup
        self._open: Bools = ~np.isnan(problem.answers)
        self.comparisons = no_comparisons()
        self.posterior = posterior.prior(self.model)
        self._queue: list[tuple[int, int]] = []

    def ask(self) -> tuple[int, int] | None:
        if not self._queue:
            self._queue = self._next_pairs()
        return self._queue.pop(0) if self._queue else None

    def tell(self, first: int, second: int, p: float) -> None:
        self.comparisons = _append(self.comparisons, first, second, p)
        self.posterior = posterior.fold(self.posterior, self.comparisons, self.model)

    def scores(self) -> Floats:
        if self._setup.method.name in BASELINES:
            return BASELINES[self._setup.method.name](self.comparisons, self.model.n).score
        return self.posterior.mean[: self.model.n]

    def _next_pairs(self) -> list[tuple[int, int]]:
        chosen = next_pairs(
            self.posterior,
            self.model,
            self.comparisons,
            NONE_LEASED,
            self._open,
            self._plan,
            self._setup.batch,
            Draws(self._plan, self.comparisons.size, leased=0),
        )
        pairs = [pair for shown in chosen for pair in _orders(shown.first, shown.second, self._plan.order)]
        for i, j in pairs:
            self._open[i, j] = self._open[j, i] = False
        return pairs


def choosing(method: Method) -> Method:
    """The posterior that chooses pairs: soft Bradley-Terry where scores come from a baseline."""
    return Method("soft-bt", method.prior_variance) if method.name in BASELINES else method


def _orders(first: int, second: int, order: Order) -> list[tuple[int, int]]:
    return [(first, second), (second, first)] if order is Order.BOTH else [(first, second)]


def _append(comparisons: Comparisons, first: int, second: int, p: float) -> Comparisons:
    return join(comparisons, by_one_judge(np.array([first]), np.array([second]), np.array([p])))


def replay(loop: Loop, problem: Problem, limit: int) -> Floats:
    """(K,) correlation with the truth after 1..K comparisons, K at most `limit`."""
    answers = problem.answers
    curve: list[float] = []
    while len(curve) < limit and (pair := loop.ask()):
        loop.tell(*pair, float(answers[pair]))
        curve.append(spearman(loop.scores(), problem.truth))
    return np.array(curve)


def full_set(problem: Problem, method: Method) -> float:
    """The correlation from every ordered pair that the judge offers."""
    first, second = np.nonzero(~np.isnan(problem.offered))
    comparisons, n = by_one_judge(first, second, problem.offered[first, second]), len(problem.keys)
    if method.name in BASELINES:
        return spearman(BASELINES[method.name](comparisons, n).score, problem.truth)
    model = model_of(method, n)
    return spearman(posterior.fit(comparisons, model).mean[:n], problem.truth)


def spearman(scores: Floats, truth: Floats) -> float:
    """Spearman's rank correlation of two (N,) arrays; 0 where one of them is constant."""
    x, y = _mean_ranks(scores), _mean_ranks(truth)
    norm = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / norm if norm else 0.0


def _mean_ranks(values: Floats) -> Floats:
    """(N,) centred ranks; equal values share the mean of the best and the worst rank that they could have."""
    return np.asarray(0.5 * (ranks(values) - ranks(-values)), dtype=np.float64)


# Many runs


def criteria(names: Iterable[str]) -> list[Criterion]:
    """The criteria of these names, each once; `all` stands for all of them. Raises InputError."""
    names = list(names)
    if unknown := set(names) - {"all", *Criterion}:
        raise InputError(f"no criterion {min(unknown)!r}; use {', '.join(Criterion)} or all")
    chosen = [criterion for name in names for criterion in (Criterion if name == "all" else [Criterion(name)])]
    return list(dict.fromkeys(chosen))


class Job(NamedTuple):
    problem: Problem
    setup: Setup
    limit: int  # comparisons


Runner = Callable[[Sequence[Job]], Iterable[Floats]]


def run(job: Job, open_loop: Open = Local) -> Floats:
    return replay(open_loop(job.problem, job.setup), job.problem, job.limit)


def one_by_one(jobs: Sequence[Job]) -> Iterable[Floats]:
    return map(run, jobs)


def in_parallel(jobs: Sequence[Job]) -> Iterable[Floats]:
    """The same results in the same order, from one process per core."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, jobs, chunksize=ceil(len(jobs) / 200))


def in_parallel_where_it_pays(jobs: Sequence[Job]) -> Iterable[Floats]:
    return in_parallel(jobs) if sum(job.limit for job in jobs) > WORTH_A_POOL else one_by_one(jobs)


def simulate(
    problems: Sequence[Problem],
    criteria: Sequence[Criterion],
    seeds: int,
    setup: Setup,
    limit_share: float = 1.0,
    run_all: Runner = one_by_one,
) -> Curves:
    """Every criterion, with every seed from 0 on, on every problem whose truth is not constant.

    Args:
        setup: the criterion and the seed in it are replaced.
        limit_share: where to stop, as a share of the N (N - 1) ordered pairs.

    Raises InputError where no problem is left.
    """
    usable = [problem for problem in problems if np.ptp(problem.truth) > 0.0]
    if not usable:
        raise InputError("the truth is the same for every candidate; nothing to compare a ranking with")
    curves = run_all(list(_jobs(usable, criteria, seeds, setup, limit_share)))
    means = iter([mean_curve(curve) for curve in _chunks(curves, len(usable))])
    return Curves(
        {criterion: _stack([next(means) for _ in range(seeds)]) for criterion in criteria},
        float(np.mean([full_set(problem, setup.method) for problem in usable])),
        float(np.mean([problem.ordered_pairs for problem in usable])),
        len(usable),
        len(problems) - len(usable),
    )


def _jobs(
    problems: Sequence[Problem], criteria: Sequence[Criterion], seeds: int, setup: Setup, limit_share: float
) -> Iterator[Job]:
    for criterion, seed, (k, problem) in product(criteria, range(seeds), enumerate(problems)):
        policy = setup.policy._replace(criterion=criterion)
        limit = ceil(limit_share * problem.ordered_pairs)
        yield Job(problem, setup._replace(policy=policy, seed=problem_seed(seed, k)), limit)


def problem_seed(seed: int, problem: int) -> int:
    """Below 2**32; problems draw independently of each other."""
    return int(np.random.SeedSequence([seed, problem]).generate_state(1)[0])


def _chunks(curves: Iterable[Floats], size: int) -> Iterator[list[Floats]]:
    curves = iter(curves)
    while chunk := list(islice(curves, size)):
        yield chunk


def mean_curve(curves: Sequence[Floats]) -> Floats:
    """(K,) mean over curves of different lengths, each of which keeps its last value."""
    return np.asarray(_stack(curves).mean(axis=0), dtype=np.float64)


def _stack(curves: Sequence[Floats]) -> Floats:
    """(C, K) the curves as rows, the shorter ones drawn out with their last value."""
    longest = max(map(len, curves))
    return np.array([np.pad(curve, (0, longest - len(curve)), mode="edge") for curve in curves])


def costs(curves: Curves, target: float) -> list[Cost]:
    """What each criterion needs for `target` times the full-set correlation."""
    needed = {criterion: reach(curve, target * curves.full) for criterion, curve in curves.curve.items()}
    mean = {criterion: _mean(counts) for criterion, counts in needed.items()}
    return [
        Cost(
            criterion,
            mean[criterion],
            _ratio(mean[criterion], curves.ordered_pairs),
            _ratio(mean[criterion], mean.get(Criterion.RANDOM)),
            sum(count is not None for count in counts),
            float(curves.curve[criterion][:, -1].mean()),
        )
        for criterion, counts in needed.items()
    ]


def _mean(counts: Sequence[int | None]) -> float | None:
    """None where a count is missing."""
    known = [count for count in counts if count is not None]
    return float(np.mean(known)) if len(known) == len(counts) else None


def reach(curves: Floats, level: float) -> list[int | None]:
    """(S,) per row of (S, K) curves, the fewest comparisons where it is at least `level`, if any."""
    return [int(np.argmax(curve >= level)) + 1 if curve.max() >= level else None for curve in curves]


def _ratio(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a / b
