"""Savings of a goal, for the page of evidence.py.

N = 20 texts, scores N(0, 1), soft judges, evidence that is learnt, every pair at most once.

search     the best is sought: by random pairs, by criteria for the ranking, and by the goal top_k 1
question   comparisons until P(the order as it is stated) of the pairs that matter, their mean over all runs, reaches
           a level; read from the live posterior after every verdict until all pairs have been asked
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from app.inference.choosing import RANKING, Criterion, Goal, Order, Plan, Policy, goal_pairs
from app.inference.reporting import Wanted, expected_wins, summary_of
from app.inference.state import Snapshot, exact
from app.inference.types import Floats
from benchmarks.loop import judged
from benchmarks.pages import table
from benchmarks.studies.running import Checkpoints, of_runs
from benchmarks.studies.simulated import LEARNT, SimulatedJudge, Verdicts, answering

SEED = 20_264
N = 20
RUNS = 120
NOISES = (1.0, 0.0)
LEVELS = (0.8, 0.9, 0.95)
QUESTIONS = {"against": Goal(against=0), "pair": Goal(pair=(0, 1))}


class GoalWay(NamedTuple):
    """A choice of pairs."""

    name: str
    criterion: Criterion
    goal: Goal = RANKING


class GoalSearch(NamedTuple):
    """A search for the best; the mean of many."""

    after_n: float  # whether it leads after N comparisons
    after_2n: float
    stated: float  # P(best) of the leader then


class Progress(NamedTuple):
    """Figures of the pairs that matter; the mean of them, or of many runs."""

    stated: float  # P(the order as it is stated)
    so: float  # share of them that are true


TEXT = """\
Twenty texts, N(0, 1), soft judges, every pair at most once; {runs} runs a row. First the best is sought. Then a
question is asked: after how many comparisons P(the order as it is stated) of the pairs that matter, the mean of them
and of all runs, reaches a level, and how many of them are true."""
FOR_RANKING = (GoalWay("reordering", Criterion.REORDERING), GoalWay("knowledge", Criterion.KNOWLEDGE))
SEARCHES = (
    GoalWay("random", Criterion.RANDOM),
    *FOR_RANKING,
    GoalWay("knowledge, its goal", Criterion.KNOWLEDGE, Goal(top_k=1)),
)


def tables(runs: int, checkpoints: Checkpoints) -> str:
    """Two tables: of searches, of questions."""
    searches, questions = [], []
    for noise in NOISES:
        for way in SEARCHES:
            measure = partial(search, noise, way)
            after_n, after_2n, stated = _mean(checkpoints, runs, f"best-{noise:g}-{way.name}", measure)
            searches.append([f"{noise:g}", way.name, f"{after_n:.2f}", f"{after_2n:.2f}", f"{stated:.2f}"])
        for name, goal in QUESTIONS.items():
            for way in (*FOR_RANKING, GoalWay("knowledge, its goal", Criterion.KNOWLEDGE, goal)):
                curve = _mean(checkpoints, runs, f"{name}-{noise:g}-{way.name}", partial(question, noise, way, goal))
                questions.append([f"{noise:g}", name, way.name, *_levels(curve)])
    columns = [f"stated {level:g}" for level in LEVELS]
    return "\n\n".join(
        [
            TEXT.format(runs=runs),
            table(["noise", "pairs by", "best leads after N", "after 2N", "P(best) stated then"], searches),
            table(["noise", "goal", "pairs by", *columns, "all pairs: stated", "true"], questions),
        ]
    )


def _levels(curve: Floats) -> list[str]:
    """The comparisons until each level is stated, with what is so then, and what all of them tell.

    Args: `curve` (K, 2) is Progress after 1, 2, ... comparisons.
    """
    stated, so = curve.T
    reached = [int(np.argmax(stated >= level)) if stated.max() >= level else None for level in LEVELS]
    at_level = ["never" if k is None else f"{k + 1} (true: {so[k]:.2f})" for k in reached]
    return [*at_level, f"{stated[-1]:.2f}", f"{so[-1]:.2f}"]


def search(noise: float, way: GoalWay, number: int) -> GoalSearch:
    truth, snapshots = _set(noise, way, number)
    after_n, after_2n = (exact(each).scores for each in islice(snapshots, N - 1, 2 * N, N))
    stated, _ = summary_of(after_2n, Wanted())
    first, leader = int(after_n.mean.argmax()), int(after_2n.mean.argmax())
    best = int(truth.argmax())
    return GoalSearch(float(first == best), float(leader == best), float(stated.p_best[leader]))


def question(noise: float, way: GoalWay, goal: Goal, number: int) -> list[Progress]:
    """Figures after 1, 2, ... comparisons."""
    truth, snapshots = _set(noise, way, number)
    return [_progress(each, truth, goal) for each in islice(snapshots, N * (N - 1) // 2)]


def _set(noise: float, way: GoalWay, number: int) -> tuple[Floats, Iterator[Snapshot]]:
    """True scores, and the snapshot after every verdict; the same texts and judge for every way."""
    rng = np.random.default_rng([SEED, number])
    truth, plan = rng.standard_normal(N), Plan(Policy(way.criterion), Order.BALANCED, number, way.goal)
    answer = answering(SimulatedJudge(Verdicts.SOFT, noise), truth, rng)
    return truth, judged(answer, N, LEARNT, plan)


def _progress(snapshot: Snapshot, truth: Floats, goal: Goal) -> Progress:
    live, matters = snapshot.posterior.scores, goal_pairs(goal, truth)
    p = expected_wins(live)[matters]
    is_so = (p > 0.5) == (truth[:, None] > truth)[matters]
    return Progress(float(np.maximum(p, 1.0 - p).mean()), float(is_so.mean()))


def _mean(
    checkpoints: Checkpoints,
    runs: int,
    name: str,
    measure: Callable[[int], GoalSearch] | Callable[[int], list[Progress]],
) -> Floats:
    """The mean over runs of each figure."""
    by_run = checkpoints.once(f"{name}-{runs}", partial(of_runs, measure, runs))
    mean: Floats = np.array(by_run, np.float64).mean(axis=0)
    return mean
