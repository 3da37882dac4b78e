"""Many runs: every criterion, with every seed, on every case; how many comparisons does each criterion need?

efficiency curve  the mean over the cases; a case that has run out of pairs keeps its last value
cost of a target  the fewest comparisons where the curve is at least target * full-set correlation
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, product
from math import ceil
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from app.files.tables import InputError
from app.inference.choosing import Criterion
from app.inference.types import Floats
from app.offline.cases import Case
from app.offline.replay import LocalLoop, Loop, Setup, full_set, replay

WORTH_A_POOL = 10_000  # comparisons, about 4 s


class Job(NamedTuple):
    """One run."""

    case: Case
    setup: Setup
    limit: int  # comparisons


class Curves(NamedTuple):
    """The result of a simulation."""

    curve: dict[Criterion, Floats]  # (S, K) mean correlation per seed after 1..K comparisons
    full: float  # full-set correlation
    ordered_pairs: float  # N (N - 1), averaged over the cases
    cases: int
    constant: int  # cases left out because their truth is constant


class Cost(NamedTuple):
    """The price of reaching a target, for one criterion."""

    criterion: Criterion
    comparisons: float | None  # mean over seeds; None unless every seed reached the target
    share: float | None  # of N (N - 1)
    of_random: float | None
    reached: int  # seeds that reached it
    last: float  # correlation at the end, mean over seeds


Open = Callable[[Case, Setup], Loop]
Runner = Callable[[Sequence[Job]], Iterable[Floats]]


def criteria(names: Iterable[str]) -> list[Criterion]:
    """The criteria of these names, each once; `all` stands for all of them. Raises InputError."""
    names = list(names)
    if unknown := set(names) - {"all", *Criterion}:
        raise InputError(f"no criterion {min(unknown)!r}; use {', '.join(Criterion)} or all")
    chosen = [criterion for name in names for criterion in (Criterion if name == "all" else [Criterion(name)])]
    return list(dict.fromkeys(chosen))


def run(job: Job, open_loop: Open = LocalLoop) -> Floats:
    return replay(open_loop(job.case, job.setup), job.case, job.limit)


def one_by_one(jobs: Sequence[Job]) -> Iterable[Floats]:
    return map(run, jobs)


def in_parallel(jobs: Sequence[Job]) -> Iterable[Floats]:
    """Results of the jobs, in their order, from one process per core."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, jobs, chunksize=ceil(len(jobs) / 200))


def in_parallel_where_it_pays(jobs: Sequence[Job]) -> Iterable[Floats]:
    return in_parallel(jobs) if sum(job.limit for job in jobs) > WORTH_A_POOL else one_by_one(jobs)


def simulate(
    cases: Sequence[Case],
    criteria: Sequence[Criterion],
    seeds: int,
    setup: Setup,
    limit_share: float = 1.0,
    run_all: Runner = one_by_one,
) -> Curves:
    """Every criterion, with every seed from 0 on, on every case whose truth is not constant.

    Args:
        setup: the criterion and the seed in it are replaced.
        limit_share: where to stop, as a share of the N (N - 1) ordered pairs.

    Raises InputError where no case is left.
    """
    usable = [case for case in cases if np.ptp(case.truth) > 0.0]
    if not usable:
        raise InputError("the truth is the same for every candidate; nothing to compare a ranking with")
    curves = run_all(list(_jobs(usable, criteria, seeds, setup, limit_share)))
    means = iter([mean_curve(curve) for curve in _chunks(curves, len(usable))])
    return Curves(
        {criterion: _stack([next(means) for _ in range(seeds)]) for criterion in criteria},
        float(np.mean([full_set(case, setup.method) for case in usable])),
        float(np.mean([case.ordered_pairs for case in usable])),
        len(usable),
        len(cases) - len(usable),
    )


def _jobs(
    cases: Sequence[Case], criteria: Sequence[Criterion], seeds: int, setup: Setup, limit_share: float
) -> Iterator[Job]:
    for criterion, seed, (k, case) in product(criteria, range(seeds), enumerate(cases)):
        policy = setup.policy._replace(criterion=criterion)
        limit = ceil(limit_share * case.ordered_pairs)
        yield Job(case, setup._replace(policy=policy, seed=case_seed(seed, k)), limit)


def case_seed(seed: int, case: int) -> int:
    """A seed below 2**32 for a case by its number; cases draw independently of each other."""
    return int(np.random.SeedSequence([seed, case]).generate_state(1)[0])


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
    """The comparisons that each criterion needs for `target` times the full-set correlation."""
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
    """The mean count, None where one is missing."""
    known = [count for count in counts if count is not None]
    return float(np.mean(known)) if len(known) == len(counts) else None


def reach(curves: Floats, level: float) -> list[int | None]:
    """(S,) per row of (S, K) curves, the fewest comparisons where it is at least `level`, if any."""
    return [int(np.argmax(curve >= level)) + 1 if curve.max() >= level else None for curve in curves]


def _ratio(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a / b
