"""Gain of sets from shared priors: `python -m benchmarks.studies.pools` prints a table of uncertainty.md.

SETS sets of N texts, whose scores are drawn from N(0, sd^2), are judged by one judge, each in turn, on pairs that the
service's own code chooses. `alone` each learns verdict weights from itself; `pooled` they share priors
whenever their comparisons have grown by a quarter, as the sets of a project do. Both are asked by the same judges.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import spearmanr

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import pool
from app.inference.state import Snapshot, contribution_of, exact
from benchmarks.loop import further, unjudged, with_pool
from benchmarks.pages import show
from benchmarks.studies.evidence import outcome
from benchmarks.studies.running import options
from benchmarks.studies.simulated import JUDGES, LEARNT, answering

SEED = 20_264
N, SETS = 12, 25
LENGTHS = (6, 12, 24)  # comparisons of each set
GROWTH = 1.25
SETTINGS = tuple((judge, sd) for judge in ("consistent", "noisy", "people") for sd in (0.2, 1.0))
PLAN = Plan(Policy(Criterion.REORDERING), Order.BALANCED, 0)


def main() -> None:
    columns = ["Spearman", "ranks hold, %", "width of ranks", "leader best, stated", "true"]
    runs = options(__doc__, runs=8).runs
    show(["judge", "sd", "comparisons", *columns], (row for judge, sd in SETTINGS for row in rows_of(judge, sd, runs)))


def rows_of(judge: str, sd: float, runs: int) -> Iterator[list[str]]:
    """A row for each of LENGTHS: alone -> pooled."""
    figures = np.array([run(judge, sd, number) for number in range(runs)]).mean(axis=0)
    for length, (alone, pooled) in zip(LENGTHS, figures, strict=True):
        cells = [
            f"{alone[k]:{form}} → {pooled[k]:{form}}" for k, form in enumerate((".3f", ".0f", ".1f", ".2f", ".2f"))
        ]
        yield [judge, f"{sd:g}", f"{length}", *cells]


def run(judge: str, sd: float, number: int) -> list[list[list[float]]]:
    """Means of SETS sets at each of LENGTHS, alone and pooled."""
    alone, pooled = (_run(judge, sd, number, together) for together in (lambda snapshots: snapshots, _tell_each_other))
    return [[*pair] for pair in zip(alone, pooled, strict=True)]


def _run(
    judge: str, sd: float, number: int, together: Callable[[list[Snapshot]], list[Snapshot]]
) -> Iterator[list[float]]:
    rng = np.random.default_rng([SEED, number])
    truths = [rng.normal(0.0, sd, N) for _ in range(SETS)]
    answers = [answering(JUDGES[judge], truth, rng) for truth in truths]
    snapshots, shared_at = [unjudged(N, LEARNT) for _ in range(SETS)], 0
    for length in range(1, max(LENGTHS) + 1):
        snapshots = [further(snapshot, PLAN, answer) for snapshot, answer in zip(snapshots, answers, strict=True)]
        if length >= 3 and length >= GROWTH * shared_at:
            snapshots, shared_at = together(snapshots), length
        if length in LENGTHS:
            figures = [_against(snapshot, truth) for snapshot, truth in zip(snapshots, truths, strict=True)]
            yield np.mean(figures, axis=0).tolist()


def _tell_each_other(snapshots: list[Snapshot]) -> list[Snapshot]:
    contributions = [
        each
        for snapshot in snapshots
        for each in contribution_of(snapshot.log, (), snapshot.interpretation, N).evidence
    ]
    if not contributions:
        return snapshots
    hyperprior = pool(contributions)
    return [with_pool(snapshot, hyperprior) for snapshot in snapshots]


def _against(snapshot: Snapshot, truth: np.ndarray) -> list[float]:
    """Spearman with the truth, whether all rank intervals hold, their width, P(best) of the leader, whether it is."""
    of_ranking = outcome(snapshot, truth)
    rho = float(spearmanr(exact(snapshot).scores.mean, truth)[0])
    return [rho, 100.0 * of_ranking.ranks, of_ranking.width, of_ranking.best_stated, of_ranking.best]


if __name__ == "__main__":
    main()
