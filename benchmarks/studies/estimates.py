"""How many comparisons until a set stops? `python -m benchmarks.studies.estimates`, the table of analysis/estimates.py.

N texts with scores N(0, 1), or N systems with scores N(0, SD^2) and effects N(0, OMEGA^2) on each of M prompts. Pairs
are asked as the service asks them, by `knowledge` for the goal, and the stop rule is looked at every few verdicts.
Two judges, d being the difference of scores and effects:

    votes            people: 1 with probability sigma(d), again each time
    probabilities    a model that repeats itself: sigma(d + e), with a fixed e ~ N(0, NOISE^2) for each ordered pair

Each run is one set. It ends when the goal is known with 95% confidence (a ranking: when 95% of pairs are expected in
the right order), when no pair is left, or after very many. Sets of systems also need evidence of signal.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from math import inf
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName, PositionBias
from scipy.special import expit

from app.inference.choosing import RANKING, Criterion, Goal, Order, Plan, Policy, Stop
from app.inference.fitting import Method
from app.inference.state import NONE_BLOCKED, Checked, Reopening, Sought, ask, check
from app.inference.types import Floats, Ints, once_each
from benchmarks.loop import tell, unjudged
from benchmarks.studies.running import of_runs, options
from benchmarks.studies.simulated import NOISE, hard_verdicts

SEED = 20_328
SD, OMEGA = 0.5, 0.5
LEVELS = (0.8, 0.9, 0.95)  # expected concordance
IN_ORDER = 0.98  # expected concordance at which a set without another goal opens no pair again
KNOWN = 0.95  # confidence of a claim
LEAST, MOST = 400, 50  # comparisons after which a set of texts ends: so many, and so many more for each candidate
OF_OUTPUT = 3  # and one of systems: so many for each output
MOST_OUTPUTS = 400  # of a row: more take too long
LOOKS = 12  # a share of the comparisons so far: one look for each such part
JUDGES = ("votes", "probabilities")
PERSON, MODEL = 1, 2  # ids of judges
TEXTS, SYSTEMS, PROMPTS = (4, 8, 16, 32), (2, 4, 8), (15, 50, 150)


class EstimateCell(NamedTuple):
    """Sets that are alike, a row of the table."""

    judge: str
    prompts: int  # 0 for texts
    candidates: int
    aim: str  # ranking, best, quarter, against or pair


class Campaign(NamedTuple):
    """One set that is being judged."""

    scores: Floats  # (I, N) of each output
    noise: Floats  # (I, N, N)
    goal: Goal
    judge: str
    rng: np.random.Generator

    def answer(self, item: Ints, first: Ints, second: Ints) -> Floats:
        d = self.scores[item, first] - self.scores[item, second]
        if self.judge == "votes":
            return hard_verdicts(d, self.rng)
        return np.asarray(expit(d + self.noise[item, first, second]))


def cells() -> Iterator[EstimateCell]:
    for judge in JUDGES:
        yield EstimateCell(judge, 0, 2, "pair")
        for n, aim in product(TEXTS, ("ranking", "best", "quarter", "against")):
            if (n, aim) != (4, "quarter"):
                yield EstimateCell(judge, 0, n, aim)
        for prompts, n in product(PROMPTS, SYSTEMS):
            if prompts * n > MOST_OUTPUTS:
                continue
            for aim in ("pair",) if n == 2 else ("ranking", "best", "against"):
                yield EstimateCell(judge, prompts, n, aim)


def goal_of(cell: EstimateCell) -> Goal:
    goals = {"best": Goal(top_k=1), "quarter": Goal(top_k=cell.candidates // 4), "against": Goal(against=0)}
    return Goal(pair=(0, 1)) if cell.aim == "pair" else goals.get(cell.aim, RANKING)


def campaign(cell: EstimateCell, number: int) -> Campaign:
    judge, prompts, n, aim = cell
    key = JUDGES.index(judge), prompts, n, ("ranking", "best", "quarter", "against", "pair").index(aim)
    rng = np.random.default_rng([SEED, *key, number])
    items = max(prompts, 1)
    scores = rng.normal(0.0, SD if prompts else 1.0, n) + rng.normal(0.0, OMEGA if prompts else 0.0, (items, n))
    return Campaign(scores, rng.normal(0.0, NOISE, (items, n, n)), goal_of(cell), judge, rng)


def run(cell: EstimateCell, number: int) -> Floats:
    """Comparisons until the goal is known, and until each of LEVELS; infinity where the set ends before."""
    of = campaign(cell, number)
    n, items, has = cell.candidates, len(of.scores), np.ones(of.scores.shape, np.bool_)
    target: InferenceTargetName = "latent" if of.judge == "votes" else "all-pairs"
    target = "new-items" if cell.prompts else target
    fixed = {} if of.judge == "votes" else {MODEL: 1.0}
    sought = Sought(target, has, (), fixed)
    stop = Stop(concordance=IN_ORDER) if of.goal == RANKING else Stop(goal=KNOWN)
    plan = Plan(Policy(Criterion.KNOWLEDGE), Order.BALANCED, number, of.goal, target=target)
    judge = PERSON if of.judge == "votes" else MODEL
    reopening = Reopening(judge, of.judge == "votes", stop)
    bias: PositionBias = "none" if of.judge == "votes" else "estimate"
    snapshot = unjudged(n, Method(verdict_weight="learnt", position_bias=bias), items)
    stops = [None if of.goal == RANKING else stop, *(Stop(concordance=level) for level in LEVELS)]
    reached, checked = np.full(len(stops), inf), Checked(None)
    most = LEAST + MOST * n if not cell.prompts else OF_OUTPUT * cell.prompts * n
    while snapshot.version < most:
        count = 1 + snapshot.version // LOOKS
        chosen = ask(snapshot, has, NONE_BLOCKED, plan, count, reopening, checked=checked)
        if not chosen:
            break
        item = np.array([each.item for each in chosen])
        first, second = np.array([each.pair[:2] for each in chosen], np.int64).T
        p = of.answer(item, first, second)
        snapshot = tell(snapshot, once_each(first, second, p, np.full(len(p), judge)), item)
        for which in np.flatnonzero(np.isinf(reached)).tolist():
            rule = stops[which]
            if rule is None:
                continue
            checked = check(snapshot, rule, of.goal, sought)
            if not checked.reason:
                if which:
                    break
                continue
            reached[which] = snapshot.version
        if np.isfinite(reached[-1 if of.goal == RANKING else 0]):
            break
    return reached


def quantiles(ends: Floats) -> Floats:
    """(3, 1 + levels) 10%, 50% and 90% of the runs; infinity where these are not reached."""
    return np.quantile(ends, (0.1, 0.5, 0.9), axis=0, method="nearest")


def row(cell: EstimateCell, runs: int) -> str:
    """A line of the table."""
    by_stop = quantiles(np.array(of_runs(partial(run, cell), runs))).T.tolist()
    stops = (f"({', '.join('inf' if count == inf else f'{count:.0f}' for count in stop)})" for stop in by_stop)
    return f'    ("{cell.judge}", {cell.prompts}, {cell.candidates}, "{cell.aim}"): ({", ".join(stops)}),'


def main() -> None:
    """`--runs` of every row."""
    runs = options(__doc__, runs=20).runs
    for cell in cells():
        print(row(cell, runs), flush=True)


if __name__ == "__main__":
    main()
