"""Comparisons that the demo takes until its set's own rule stops it: python -m examples.demo_cost [seeds]"""

import sys
from statistics import fmean

import numpy as np

from app.demo import SEED, demo_set, recorded_verdicts
from app.inference.choosing import Criterion, Goal, Order, Plan, Policy, Stop
from app.inference.fitting import Method
from app.inference.state import (
    BlockedPairs,
    ComparisonRow,
    Interpretation,
    Sought,
    advance,
    ask,
    check,
    empty,
    log_from_rows,
)

GOAL, JUDGE = Goal(top_k=1), 1
NOBODY = np.empty(0, np.int64)
NONE_BLOCKED = BlockedPairs(NOBODY, NOBODY, NOBODY, 0)


def cost(criterion: Criterion, seed: int = SEED) -> int:
    """Count comparisons until the set's stop rule is met, or all that there are."""
    return len(replay(criterion, seed))


def replay(criterion: Criterion, seed: int = SEED) -> list[tuple[str, str, float]]:
    """First, second and p_first of each comparison until the best of all pairs is known with 95% confidence."""
    demo, verdicts = demo_set(), recorded_verdicts()
    keys, n = tuple(candidate.key for candidate in demo.candidates), len(demo.candidates)
    assert demo.stop is not None
    stop = Stop(demo.stop.top_k, error_level=demo.stop.error_level)
    has = np.ones((1, n), np.bool_)
    sought = Sought("all-pairs", has, ())  # as auto decides for one judge of texts
    plan = Plan(Policy(criterion), Order(demo.order), seed, GOAL, target=sought.target)
    snapshot = empty(Interpretation(Method(verdict_weight="learnt", position_bias="auto"), {}), n, 1)
    judged = list[tuple[str, str, float]]()
    while not (checked := check(snapshot, stop, GOAL, sought)).reason:
        pairs = ask(snapshot, has, NONE_BLOCKED, plan, 1, askers=[JUDGE], checked=checked)
        if not pairs:
            break
        (_, (first, second, _, order_chance), _) = pairs[0]
        version = snapshot.version + 1
        p_first = verdicts[None, keys[first], keys[second]]
        judged.append((keys[first], keys[second], p_first))
        verdict = ComparisonRow(version, 0, first, second, p_first, judge=JUDGE, order_chance=order_chance)
        snapshot = advance(snapshot, version, log_from_rows([verdict]), [])
    return judged


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    random = [cost(Criterion.RANDOM, seed) for seed in range(seeds)]
    print(f"{cost(Criterion.KNOWLEDGE)} as chosen; at random {fmean(random):.0f} on average: {random}")
