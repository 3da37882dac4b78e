"""Can a stop happen, is it right, and is it forecast? `python -m benchmarks.studies.stops`, a table of uncertainty.md.

Eight candidates, `top_k: 1`, pairs as the service asks them, one after the other, reopened once they are exhausted.
Three judges: one votes, 1 with probability sigma(d); one gives sigma(d + e), with a new e ~ N(0, 1) each time; and one
has an e that is drawn once for each pair and order. Three truths:

    ahead     the leader two standard deviations ahead of seven from N(0, 1)
    tied      the two best from N(0, 1) made equal: every stop is false
    drawn     from N(0, 1), for the forecasts, which are read half way to the stop
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.choosing import RANKING, Criterion, Forecast, Order, Plan, Policy, Stop
from app.inference.fitting import Method
from app.inference.state import Reopening, Snapshot, check, comparisons_left, distance, exact
from app.inference.types import Floats, Ints
from benchmarks.loop import Answer, further, texts, unjudged
from benchmarks.pages import show
from benchmarks.studies.running import options
from benchmarks.studies.simulated import hard_verdicts

SEED = 20_262
N = 8
MOST = 800  # comparisons
STOP = Stop(top_k=1)
PLAN = Plan(Policy(Criterion.REORDERING), Order.BALANCED, 0)
PERSON, MODEL = 1, 2  # ids


class StudiedJudge(NamedTuple):
    name: str
    id: int
    answering: Callable[[Floats, np.random.Generator], Answer]  # of (N,) true scores


class Course(NamedTuple):
    """One set, to its end."""

    stopped: int | None  # comparisons
    false: bool
    half_way: Forecast | None  # where it stopped


def voter(scores: Floats, rng: np.random.Generator) -> Answer:
    return lambda i, j: hard_verdicts(scores[i] - scores[j], rng)


def thinker(scores: Floats, rng: np.random.Generator) -> Answer:
    return lambda i, j: expit(scores[i] - scores[j] + rng.standard_normal(len(i)))


def repeater(scores: Floats, rng: np.random.Generator) -> Answer:
    errors = np.full((N, N), np.nan)

    def answer(i: Ints, j: Ints) -> Floats:
        fresh = rng.standard_normal(len(i))
        errors[i, j] = np.where(np.isnan(errors[i, j]), fresh, errors[i, j])
        return np.asarray(expit(scores[i] - scores[j] + errors[i, j]))

    return answer


JUDGES = (
    StudiedJudge("votes", PERSON, voter),
    StudiedJudge("probabilities", PERSON, thinker),
    StudiedJudge("repeated probabilities", MODEL, repeater),
)


def ahead(rng: np.random.Generator) -> Floats:
    others = rng.standard_normal(N - 1)
    return np.append(others, others.max() + 2.0)


def tied(rng: np.random.Generator) -> Floats:
    scores = np.sort(rng.standard_normal(N))
    scores[-2] = scores[-1]
    return scores


def drawn(rng: np.random.Generator) -> Floats:
    return rng.standard_normal(N)


TRUTHS = (ahead, tied, drawn)


def main() -> None:
    columns = ["stopped %", "after, median", "false %", "forecast / actual half way", "80% interval holds %"]
    show(["truth", "judge", "verdict weight", "runs", *columns], rows(options(__doc__, runs=200).runs))


def rows(runs: int) -> Iterator[list[str]]:
    """A line for each truth, judge and way of weighing answers."""
    for number, truth in enumerate(TRUTHS):
        for judge in JUDGES:
            for evidence in ("one-vote", "learnt"):
                key = [SEED, number, judge.id, JUDGES.index(judge)]
                courses = [course(truth, judge, evidence, np.random.default_rng([*key, run])) for run in range(runs)]
                yield _row(truth.__name__, judge.name, evidence, courses)


def course(
    truth: Callable[[np.random.Generator], Floats], judge: StudiedJudge, evidence: str, rng: np.random.Generator
) -> Course:
    scores = rng.permutation(truth(rng))
    answer, reopening = judge.answering(scores, rng), Reopening(judge.id, judge.id == PERSON, STOP)
    snapshots = [unjudged(N, Method(verdict_weight=evidence))]
    while len(snapshots) <= MOST:
        snapshots.append(further(snapshots[-1], PLAN, answer, judge=judge.id, reopening=reopening))
        if snapshots[-1].version == snapshots[-2].version:
            break
        if check(snapshots[-1], STOP, RANKING).reason:
            leader = int(np.argmax(exact(snapshots[-1]).scores.mean))
            is_false = bool((np.delete(scores, leader) >= scores[leader]).any())
            half_way = _forecast(snapshots[len(snapshots) // 2], judge) if truth is drawn else None
            return Course(len(snapshots) - 1, is_false, half_way)
    return Course(None, False, None)


def _forecast(snapshot: Snapshot, judge: StudiedJudge) -> Forecast:
    people = [PERSON] if judge.id == PERSON else []
    left = comparisons_left(snapshot, texts(N), Order.BALANCED, people, None, reopen=True)
    return distance(snapshot, exact(snapshot), STOP, RANKING, left).forecast


def _row(truth: str, judge: str, evidence: str, courses: list[Course]) -> list[str]:
    stopped = [(each.stopped, each.half_way) for each in courses if each.stopped is not None]
    after = f"{np.median([comparisons for comparisons, _ in stopped]):.0f}" if stopped else "–"
    read = [(forecast, comparisons - comparisons // 2) for comparisons, forecast in stopped if forecast]
    ratios = [np.inf if forecast.median is None else forecast.median / actual for forecast, actual in read]
    holds = [
        forecast.low is not None and forecast.low <= actual <= (forecast.high or np.inf) for forecast, actual in read
    ]
    share, false = 100.0 * len(stopped) / len(courses), 100.0 * np.mean([each.false for each in courses])
    ratio = f"{np.quantile(ratios, 0.5, method='nearest'):.2f}" if ratios else "–"
    covered = f"{100.0 * np.mean(holds):.0f}" if holds else "–"
    return [truth, judge, evidence, str(len(courses)), f"{share:.0f}", after, f"{false:.1f}", ratio, covered]


if __name__ == "__main__":
    main()
