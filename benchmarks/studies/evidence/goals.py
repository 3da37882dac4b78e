"""What a goal saves: N = 20 texts, scores N(0, 1), soft judges, evidence that is learnt, every pair at most once.

search     the best is sought: by random pairs, by criteria for the ranking, and by the goal top_k 1
question   a set asks until P(the order as it is stated) of the pairs that matter is SURE on average, read from the live
           posterior after every verdict; the goal is held against the same question to a set that wants its ranking
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from app.inference.choosing import RANKING, Criterion, Goal, Order, Plan, Policy, goal_pairs
from app.inference.fitting import scores
from app.inference.reporting import Wanted, expected_wins
from app.inference.reporting.ranking import summarise
from app.inference.reporting.standings import DRAWS_SEED
from app.inference.state import Snapshot, exact
from app.inference.types import Floats
from benchmarks.studies.evidence.coverage import METHODS
from benchmarks.studies.evidence.judges import Judge, Verdicts, answering
from benchmarks.studies.evidence.processes import of_runs
from benchmarks.studies.evidence.sets import judged
from benchmarks.studies.methods.checkpoints import Checkpoints
from benchmarks.studies.methods.markdown import table

SEED = 20_264
N = 20
NOISES = (1.0, 0.0)
SURE = 0.95
QUESTIONS = {"against": Goal(against=0), "pair": Goal(pair=(0, 1))}


class Way(NamedTuple):
    """A choice of pairs."""

    name: str
    criterion: Criterion
    goal: Goal = RANKING


class Search(NamedTuple):
    """A search for the best; the mean of many."""

    after_n: float  # whether it leads after N comparisons
    after_2n: float
    stated: float  # P(best) of the leader then


class Question(NamedTuple):
    """A question about the pairs of a goal; the mean of many."""

    comparisons: float  # until the live posterior is sure, or all pairs have been asked
    stated: float  # P(the order as it is stated), of the pairs that matter, then
    so: float  # share of them that are so


FOR_RANKING = (Way("reordering", Criterion.REORDERING), Way("knowledge", Criterion.KNOWLEDGE))
SEARCHES = (
    Way("random", Criterion.RANDOM),
    *FOR_RANKING,
    Way("knowledge, its goal", Criterion.KNOWLEDGE, Goal(top_k=1)),
)


def tables(runs: int, checkpoints: Checkpoints) -> str:
    """Two tables: of searches, of questions."""
    found, needed = [], []
    for noise in NOISES:
        for way in SEARCHES:
            after_n, after_2n, stated = _mean(
                checkpoints, runs, f"best-{noise:g}-{way.name}", partial(search, noise, way)
            )
            found.append([f"{noise:g}", way.name, f"{after_n:.2f}", f"{after_2n:.2f}", f"{stated:.2f}"])
        for name, goal in QUESTIONS.items():
            for way in (*FOR_RANKING, Way("knowledge, its goal", Criterion.KNOWLEDGE, goal)):
                measure = partial(question, noise, way, goal)
                comparisons, stated, so = _mean(checkpoints, runs, f"{name}-{noise:g}-{way.name}", measure)
                needed.append([f"{noise:g}", name, way.name, f"{comparisons:.1f}", f"{stated:.2f}", f"{so:.2f}"])
    head = ["noise", "pairs by", "best leads after N", "after 2N", "P(best) stated then"]
    return "\n\n".join(
        [table(head, found), table(["noise", "goal", "pairs by", "comparisons", "stated", "so"], needed)]
    )


def search(noise: float, way: Way, number: int) -> Search:
    truth, snapshots = _set(noise, way, number)
    after_n, after_2n = (exact(each).scores for each in islice(snapshots, N - 1, 2 * N, N))
    stated = summarise(after_2n, Wanted(), np.random.default_rng(DRAWS_SEED))
    first, leader = int(after_n.mean.argmax()), int(after_2n.mean.argmax())
    best = int(truth.argmax())
    return Search(float(first == best), float(leader == best), float(stated.p_best[leader]))


def question(noise: float, way: Way, goal: Goal, number: int) -> Question:
    truth, snapshots = _set(noise, way, number)
    matters = goal_pairs(goal, truth)
    snapshot = next(each for each in snapshots if _is_sure(each, goal) or each.version == N * (N - 1) // 2)
    p = expected_wins(exact(snapshot).scores)[matters]
    is_so = (p > 0.5) == (truth[:, None] > truth)[matters]
    return Question(snapshot.version, float(np.maximum(p, 1.0 - p).mean()), float(is_so.mean()))


def _set(noise: float, way: Way, number: int) -> tuple[Floats, Iterator[Snapshot]]:
    """True scores, and the snapshot after every verdict; the same texts and judge for every way."""
    rng = np.random.default_rng([SEED, number])
    truth, plan = rng.standard_normal(N), Plan(Policy(way.criterion), Order.BALANCED, number, way.goal)
    answer = answering(Judge(Verdicts.SOFT, noise), truth, rng)
    return truth, judged(answer, N, METHODS["learnt"], plan)


def _is_sure(snapshot: Snapshot, goal: Goal) -> bool:
    live = scores(snapshot.posterior, snapshot.comparisons, snapshot.model)
    p = expected_wins(live)[goal_pairs(goal, live.mean)]
    return bool(np.maximum(p, 1.0 - p).mean() >= SURE)


def _mean(
    checkpoints: Checkpoints, runs: int, name: str, measure: Callable[[int], Search] | Callable[[int], Question]
) -> list[float]:
    by_run = checkpoints.once(f"{name}-{runs}", partial(of_runs, measure, runs))
    return list(np.mean(by_run, axis=0).tolist())
