"""Can a stop happen, is it right, and is it foretold? A table of `python -m benchmarks.studies.early_stops`.

Eight candidates, `top_k: 1`, pairs as the service asks them, one after the other, opening again where they are used up.
Three judges: one who votes, 1 with probability sigma(d); one who says sigma(d + e), e ~ N(0, 1) anew each time; and one
whose e is drawn once for each pair and order, and stays. Three truths:

    ahead     the leader two standard deviations ahead of seven from N(0, 1)
    tied      the two best from N(0, 1) made equal: every stop is false
    drawn     from N(0, 1), for the forecasts, which are read half way to the stop
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.choosing import Criterion, Forecast, Order, Plan, Policy, Stop
from app.inference.choosing.goals import RANKING
from app.inference.fitting import Method
from app.inference.state import (
    BlockedPairs,
    ComparisonRow,
    Interpretation,
    Reopening,
    Snapshot,
    advance,
    ask,
    check,
    comparisons_left,
    distance,
    empty,
    exact,
    log_from_rows,
    make_catalogue,
)
from app.inference.types import Floats

SEED = 20_262
N = 8
MOST = 800  # comparisons
STOP = Stop(top_k=1)
PERSON, MODEL = 1, 2  # ids
NOBODY = np.empty(0, np.int64)
NONE_OUT = BlockedPairs(NOBODY, NOBODY, NOBODY, 0)

Answer = Callable[[float, tuple[int, int], np.random.Generator], float]


class Judge(NamedTuple):
    name: str
    id: int
    answer: Callable[[], Answer]


class Course(NamedTuple):
    """One set, to its end."""

    stopped: int | None  # comparisons
    false: bool
    half_way: Forecast | None  # where it stopped


def voter() -> Answer:
    return lambda d, _, rng: float(rng.random() < expit(d))


def thinker() -> Answer:
    return lambda d, _, rng: float(expit(d + rng.standard_normal()))


def repeater() -> Answer:
    errors: dict[tuple[int, int], float] = {}
    return lambda d, pair, rng: float(expit(d + errors.setdefault(pair, float(rng.standard_normal()))))


JUDGES = (Judge("votes", PERSON, voter), Judge("says p", PERSON, thinker), Judge("repeats p", MODEL, repeater))


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


def rows(runs: int) -> Iterator[str]:
    """A line for each truth, judge and way of weighing answers."""
    for number, truth in enumerate(TRUTHS):
        for judge in JUDGES:
            for evidence in ("one-vote", "learnt"):
                key = [SEED, number, judge.id, JUDGES.index(judge)]
                courses = [course(truth, judge, evidence, np.random.default_rng([*key, run])) for run in range(runs)]
                yield _row(truth.__name__, judge.name, evidence, courses)


def course(
    truth: Callable[[np.random.Generator], Floats], judge: Judge, evidence: str, rng: np.random.Generator
) -> Course:
    scores, answer = rng.permutation(truth(rng)), judge.answer()
    catalogue = make_catalogue(0, tuple(map(str, range(N))), (("", None),), np.ones((1, N), np.int64))
    plan, reopening = (
        Plan(Policy(Criterion.REORDERING), Order.BALANCED, 0),
        Reopening(judge.id, judge.id == PERSON, STOP),
    )
    snapshots = [empty(Interpretation(Method(evidence=evidence), {}), N, 1)]
    while len(snapshots) <= MOST:
        pairs = ask(snapshots[-1], catalogue, NONE_OUT, plan, 1, reopening)
        if not pairs:
            break
        (_, (i, j, _), _) = pairs[0]
        p = answer(float(scores[i] - scores[j]), (i, j), rng)
        new = log_from_rows([ComparisonRow(len(snapshots), 0, i, j, p, judge.id)])
        snapshots.append(advance(snapshots[-1], len(snapshots), new, []))
        if check(snapshots[-1], STOP, RANKING).reason:
            leader = int(np.argmax(exact(snapshots[-1]).scores.mean))
            is_false = bool((np.delete(scores, leader) >= scores[leader]).any())
            half_way = _forecast(snapshots[len(snapshots) // 2], judge) if truth is drawn else None
            return Course(len(snapshots) - 1, is_false, half_way)
    return Course(None, False, None)


def _forecast(snapshot: Snapshot, judge: Judge) -> Forecast:
    catalogue = make_catalogue(0, tuple(map(str, range(N))), (("", None),), np.ones((1, N), np.int64))
    people = [PERSON] if judge.id == PERSON else []
    left = comparisons_left(snapshot, catalogue, Order.BALANCED, people, None, reopen=True)
    return distance(snapshot, exact(snapshot), STOP, RANKING, left).forecast


def heading() -> str:
    columns = "truth | judge | evidence | runs | stopped % | after, median | false % | forecast / actual half way"
    return f"\n| {columns} | 80% interval holds % |\n|{'---|' * 9}"


def _row(truth: str, judge: str, evidence: str, courses: list[Course]) -> str:
    stopped = [each for each in courses if each.stopped is not None]
    after = f"{np.median([each.stopped or 0 for each in stopped]):.0f}" if stopped else "–"
    read = [(each.half_way, (each.stopped or 0) - (each.stopped or 0) // 2) for each in stopped if each.half_way]
    ratios = [np.inf if forecast.median is None else forecast.median / actual for forecast, actual in read]
    holds = [
        forecast.low is not None and forecast.low <= actual <= (forecast.high or np.inf) for forecast, actual in read
    ]
    share, false = (100.0 * sum(values) / len(courses) for values in ([1 for _ in stopped], [c.false for c in stopped]))
    ratio = f"{np.quantile(ratios, 0.5, method='nearest'):.2f}" if ratios else "–"
    covered = f"{100.0 * np.mean(holds):.0f}" if holds else "–"
    cells = [truth, judge, evidence, str(len(courses)), f"{share:.0f}", after, f"{false:.1f}", ratio, covered]
    return f"| {' | '.join(cells)} |"
