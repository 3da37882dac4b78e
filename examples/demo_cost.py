"""Comparisons that the demo takes until its set's own rule stops it: python -m examples.demo_cost [seeds]"""

import sys
from statistics import fmean

import numpy as np

from app.demo import demo_set, recorded_verdicts
from app.inference.choosing import Criterion, Order, Policy, Stop, reason
from app.inference.fitting import scores
from app.offline.cases import Case
from app.offline.ranking import RankingMethod
from app.offline.replay import LocalLoop, Setup


def cost(criterion: Criterion, seed: int = 0) -> int:
    """Count comparisons until the best answer is surely the best, or all that there are."""
    demo, verdicts = demo_set(), recorded_verdicts()
    keys = [candidate.key for candidate in demo.candidates]
    answers = np.array([[verdicts.get((first, second), np.nan) for second in keys] for first in keys])
    method = RankingMethod(demo.expert, demo.prior_variance, tuple(demo.expert_parameters.items()))
    setup = Setup(Policy(criterion), Order(demo.order), seed, method)
    loop = LocalLoop(Case((), keys, np.zeros(len(keys)), answers), setup)
    assert demo.stop is not None
    stop = Stop(demo.stop.top_k, error_level=demo.stop.error_level)
    while pairs := loop.ask():
        loop.tell(pairs, answers[tuple(np.array(pairs).T)])
        if reason(scores(loop.posterior, loop.comparisons, loop.model), loop.model, stop):
            break
    return int(loop.comparisons.size)


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    random = [cost(Criterion.RANDOM, seed) for seed in range(seeds)]
    print(f"{cost(Criterion.REORDERING)} as chosen; at random {fmean(random):.0f} on average: {random}")
