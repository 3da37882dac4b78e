"""Many runs: pairs chosen in every way, with every seed, on every case; how many comparisons does each way need?

efficiency curve  Spearman's correlation, the mean over the cases; a case that has run out of pairs keeps its last value
cost of a target  the fewest comparisons where the curve is at least target * full-set correlation
its error         the standard deviation of that, averaged over seeds, when the cases are drawn again (bootstrap)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, product
from math import ceil
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from app.files.tables import InputError
from app.inference.choosing import RANKING, Criterion
from app.inference.types import Floats
from app.offline.cases import Case, noisy
from app.offline.replay import Setup, agreement, full_set_scores, open_loop, pearson, replay, replay_together
from app.offline.tournaments import Tournament

POOL_FROM = 10_000  # comparisons, about 4 s
RESAMPLES = 200

Way = Criterion | Tournament  # of choosing pairs


class Job(NamedTuple):
    """One run."""

    case: Case
    setup: Setup
    limit: int  # comparisons


class Curves(NamedTuple):
    """The result of a simulation of C cases, with S seeds."""

    # (S, C, K) Spearman's correlation, or how far the goal is reached, after 1..K comparisons
    agreement: dict[Way, Floats]
    pearson: dict[Way, Floats]  # (S, C, K) Pearson's
    full: Floats  # (C,) the same from the full set, of a judge without noise
    full_pearson: Floats  # (C,)
    ordered_pairs: float  # N (N - 1), averaged over the cases
    constant: int  # cases left out because their truth is constant
    measure: str = "spearman"  # or "goal"

    @property
    def cases(self) -> int:
        return len(self.full)

    def mean(self, way: Way) -> Floats:
        """(S, K) the efficiency curve of each seed."""
        return np.asarray(self.agreement[way].mean(axis=1), dtype=np.float64)


class Cost(NamedTuple):
    """The price of reaching a target, for one way of choosing pairs."""

    criterion: Way
    comparisons: float | None  # mean over seeds; None unless every seed reached the target
    error: float | None  # of it
    share: float | None  # of N (N - 1)
    of_random: float | None
    reached: int  # seeds that reached it
    last: float  # agreement at the end, mean over seeds
    last_pearson: float


Fleet = tuple[Job, ...]  # runs that learn verdict weights together; mostly one alone
Runner = Callable[[Sequence[Fleet]], Iterable[list[Floats]]]


def ways(names: Iterable[str]) -> list[Way]:
    """The criteria and tournaments of these names, each once; `all` stands for all criteria. Raises InputError."""
    names, known = list(names), {way.value: way for way in (*Criterion, *Tournament)}
    if unknown := set(names) - {"all", *known}:
        raise InputError(f"no criterion {min(unknown)!r}; use {', '.join(known)} or all")
    return list(dict.fromkeys(way for name in names for way in (Criterion if name == "all" else [known[name]])))


def run(fleet: Fleet) -> list[Floats]:
    """The curves (2, K) of its jobs."""
    loops = [open_loop(job.case, job.setup) for job in fleet]
    if len(fleet) > 1:
        return replay_together(loops, [job.case for job in fleet], [job.limit for job in fleet])
    return [replay(loop, job.case, job.limit) for loop, job in zip(loops, fleet, strict=True)]


def one_by_one(fleets: Sequence[Fleet]) -> Iterable[list[Floats]]:
    return map(run, fleets)


def in_parallel(fleets: Sequence[Fleet]) -> Iterable[list[Floats]]:
    """Results of the fleets, in their order, from one process per core."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, fleets, chunksize=ceil(len(fleets) / 200))


def in_parallel_where_it_pays(fleets: Sequence[Fleet]) -> Iterable[list[Floats]]:
    work = sum(job.limit for fleet in fleets for job in fleet)
    return in_parallel(fleets) if work > POOL_FROM else one_by_one(fleets)


def simulate(
    cases: Sequence[Case],
    ways: Sequence[Way],
    seeds: int,
    setup: Setup,
    limit_share: float = 1.0,
    run_all: Runner = one_by_one,
    noise: float = 0.0,
) -> Curves:
    """Pairs chosen in every way, with every seed from 0 on, on every case whose truth is not constant.

    Args:
        setup: the way and the seed in it are replaced.
        limit_share: where to stop, as a share of the N (N - 1) ordered pairs.
        noise: standard deviation of what is added to the judge's logits, drawn once for a pair and seed.

    Raises InputError where no case is left.
    """
    usable = [case for case in cases if np.ptp(case.truth) > 0.0]
    if not usable:
        raise InputError("the truth is the same for every candidate; nothing to compare a ranking with")
    setups = [_choosing_by(way, setup)._replace(seed=seed) for way, seed in product(ways, range(seeds))]
    fleets = [fleet for each in setups for fleet in _fleets(usable, each, limit_share, noise)]
    curves = (curve for of_fleet in run_all(fleets) for curve in of_fleet)
    by_run = iter([_stack(of_cases) for of_cases in _chunks(curves, len(usable))])
    both = {way: np.array([next(by_run) for _ in range(seeds)]) for way in ways}
    full = [(full_set_scores(case, setup.method), case) for case in usable]
    return Curves(
        {way: np.ascontiguousarray(of_way[:, :, 0]) for way, of_way in both.items()},
        {way: np.ascontiguousarray(of_way[:, :, 1]) for way, of_way in both.items()},
        np.array([agreement(scores, case) for scores, case in full]),
        np.array([pearson(scores, case.truth) for scores, case in full]),
        float(np.mean([case.ordered_pairs for case in usable])),
        len(cases) - len(usable),
        "spearman" if usable[0].goal == RANKING else "goal",
    )


def _choosing_by(way: Way, setup: Setup) -> Setup:
    if isinstance(way, Tournament):
        return setup._replace(tournament=way)
    return setup._replace(policy=setup.policy._replace(criterion=way), tournament=None)


def _fleets(cases: Sequence[Case], setup: Setup, limit_share: float, noise: float) -> list[Fleet]:
    """A job for each case, which draws independently of the others."""
    jobs = []
    for k, case in enumerate(cases):
        noisy_case = noisy(case, noise, np.random.default_rng([setup.seed, k]))
        limit = ceil(limit_share * case.ordered_pairs)
        jobs.append(Job(noisy_case, setup._replace(seed=case_seed(setup.seed, k)), limit))
    return [tuple(jobs)] if setup.pooled else [(job,) for job in jobs]


def case_seed(seed: int, case: int) -> int:
    """A seed below 2**32 for a case by its number; cases draw independently of each other."""
    return int(np.random.SeedSequence([seed, case]).generate_state(1)[0])


def _chunks(curves: Iterable[Floats], size: int) -> Iterator[list[Floats]]:
    curves = iter(curves)
    while chunk := list(islice(curves, size)):
        yield chunk


def _stack(curves: Sequence[Floats]) -> Floats:
    """(C, 2, K) the curves one after the other, the shorter ones drawn out with their last value."""
    longest = max(curve.shape[1] for curve in curves)
    return np.array([np.pad(curve, ((0, 0), (0, longest - curve.shape[1])), mode="edge") for curve in curves])


def costs(curves: Curves, target: float) -> list[Cost]:
    """The comparisons that each way needs for `target` times the full-set correlation."""
    needed = {way: reach(curves.mean(way), target * float(curves.full.mean())) for way in curves.agreement}
    mean = {way: _mean(counts) for way, counts in needed.items()}
    return [
        Cost(
            way,
            mean[way],
            error(curves, way, target) if mean[way] else None,
            _ratio(mean[way], curves.ordered_pairs),
            _ratio(mean[way], mean.get(Criterion.RANDOM)),
            sum(count is not None for count in counts),
            float(curves.mean(way)[:, -1].mean()),
            float(curves.pearson[way][:, :, -1].mean()),
        )
        for way, counts in needed.items()
    ]


def error(curves: Curves, way: Way, target: float) -> float | None:
    """Standard error of the mean cost over seeds; a single case says nothing of it."""
    return float(np.std(resampled_costs(curves, way, target))) if curves.cases > 1 else None


def resampled_costs(curves: Curves, way: Way, target: float) -> Floats:
    """(RESAMPLES,) mean cost over seeds with the cases drawn again, which are the same for every way.

    A curve that never gets there counts as one comparison more than it has.
    """
    agreement, cases = curves.agreement[way], curves.cases
    share = np.random.default_rng(0).multinomial(cases, np.full(cases, 1.0 / cases), RESAMPLES) / cases
    levels = target * share @ curves.full
    there = np.einsum("bc,sck->bsk", share, agreement) >= levels[:, None, None]
    return np.asarray(np.where(there.any(-1), there.argmax(-1) + 1, there.shape[-1] + 1).mean(axis=1), np.float64)


def _mean(counts: Sequence[int | None]) -> float | None:
    """The mean count, None where one is missing."""
    known = [count for count in counts if count is not None]
    return float(np.mean(known)) if len(known) == len(counts) else None


def reach(curves: Floats, level: float) -> list[int | None]:
    """(S,) per row of (S, K) curves, the fewest comparisons where it is at least `level`, if any."""
    return [int(np.argmax(curve >= level)) + 1 if curve.max() >= level else None for curve in curves]


def _ratio(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a / b
