"""Stops of sets with prompts: two systems, a judge of probabilities, and what its verdicts show of new prompts."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.choosing import Goal, Stop
from app.inference.fitting.model import Method
from app.inference.state import (
    ComparisonRow,
    Interpretation,
    Snapshot,
    Sought,
    advance,
    check,
    empty,
    exact,
    log_from_rows,
)
from app.inference.types import Floats

PROMPTS, SETS, STEP = 60, 40, 6
BEST = Goal(top_k=1)


def verdicts(effects: Floats, first: int) -> list[ComparisonRow]:
    """A verdict on each prompt, who is shown first in turn; `effects` are candidate 0's advantage there, in logits."""
    return [
        ComparisonRow(first + 1 + n, first + n, n % 2, 1 - n % 2, float(expit(each if n % 2 == 0 else -each)), 1)
        for n, each in enumerate(effects)
    ]


def stopped(gap: float, seed: int) -> tuple[Snapshot, bool]:
    """The set where it stops, or at its end; prompts differ by N(gap, 1)."""
    effects = gap + np.random.default_rng(seed).standard_normal(PROMPTS)
    has = np.ones((PROMPTS, 2), np.bool_)
    sought = Sought("new-items", has, ())
    snapshot = empty(Interpretation(Method("soft-bt", verdict_weight="learnt"), {}), 2, PROMPTS)
    for begins in range(0, PROMPTS, STEP):
        new = verdicts(effects[begins : begins + STEP], begins)
        snapshot = advance(snapshot, begins + STEP, log_from_rows(new), ())
        if check(snapshot, Stop(goal=0.95), BEST, sought).reason:
            return snapshot, True
    return snapshot, False


@pytest.mark.study
@pytest.mark.parametrize("gap", [0.0, 0.6])
def test_equal_systems_are_rarely_told_apart_and_unequal_ones_never_the_wrong_way(gap: float) -> None:
    """Seeds 0 to 39: at most .05 of the equal pairs, at least half of those .6 logits apart."""
    ends = [stopped(gap, seed) for seed in range(SETS)]
    named = [int(np.argmax(exact(snapshot).scores.mean)) for snapshot, is_stopped in ends if is_stopped]
    assert all(np.unique(snapshot.log.entries.item).size >= 8 for snapshot, _ in ends)
    if gap:
        assert len(named) >= SETS / 2
        assert not any(named)
    else:
        assert len(named) <= 0.05 * SETS
