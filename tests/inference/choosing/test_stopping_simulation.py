"""Stopping while every verdict is looked at. `python -m benchmarks.studies.stops` measures more of it."""

from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import binom

from app.inference.choosing import Criterion, Order, Plan, Policy, Stop, reason
from app.inference.fitting import Method
from app.inference.reporting import predict
from benchmarks.loop import further, opened_again, unjudged
from benchmarks.studies.coverage import answering
from benchmarks.studies.simulated import hard_verdicts

RUNS, VERDICTS = 100, 60
TRUTH = np.array([1.0, 1.0, -1.0])  # two leaders that are equal: every sole winner is false
MOST = binom.ppf(0.999, RUNS, 0.05)  # 13: with a chance of 5% in a run, more come once in a thousand times


@lru_cache(maxsize=1)
def false_winners() -> tuple[int, int]:
    """In how many runs a sole winner is ever named: by the rule, and where P(leader beats each rival) >= 95%."""
    runs = [_one_run(np.random.default_rng([3, seed])) for seed in range(RUNS)]
    ours, naive = (sum(side) for side in zip(*runs, strict=True))
    return ours, naive


def _one_run(rng: np.random.Generator) -> tuple[bool, bool]:
    snapshot, ours, naive = unjudged(len(TRUTH), Method()), False, False
    plan = Plan(Policy(Criterion.REORDERING), Order.BALANCED, int(rng.integers(2**32)))
    for _ in range(VERDICTS):
        snapshot = further(opened_again(snapshot), plan, answering(hard_verdicts, TRUTH, rng))
        marginal = snapshot.posterior.scores
        leader, *rivals = (int(i) for i in np.argsort(-marginal.mean))
        ours |= reason(marginal, snapshot.model, Stop(top_k=1, error_level=0.05)) is not None
        naive |= all(predict(marginal, leader, rival).p_first_better >= 0.95 for rival in rivals)
    return ours, naive


@pytest.mark.study
def test_two_tied_leaders_rarely_make_a_sole_winner_however_often_one_looks() -> None:
    ours, _ = false_winners()

    assert ours <= MOST


@pytest.mark.study
def test_reading_off_95_percent_at_every_verdict_would_make_too_many() -> None:
    """The runs above can tell a rule that does not stand being looked at."""
    _, naive = false_winners()

    assert naive > MOST
