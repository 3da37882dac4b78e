"""What a ranking states, against truths drawn from the prior. `python -m benchmarks.coverage` measures more of it."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from app.inference.selection import Criterion
from benchmarks.coverage import Check, Setting, one_run

RUNS = 150
SELECTIONS = [Criterion.RANDOM, Criterion.REORDERING]


@cache
def checks(criterion: Criterion) -> list[Check]:
    """Ten candidates after fifty hard verdicts, in every run."""
    setting = Setting("soft-bt", 10, criterion)
    return [check for seed in range(RUNS) for check in one_run(setting, np.random.default_rng([10, seed]), [5])]


@pytest.mark.parametrize("criterion", SELECTIONS)
def test_score_intervals_hold_as_often_as_stated(criterion: Criterion) -> None:
    """Of 1500 scores 93% to 97%, give or take four standard errors, which runs show (scores of one run are related)."""
    shares = [check.marginal for check in checks(criterion)]

    margin = 4.0 * np.std(shares) / np.sqrt(RUNS)
    assert 0.93 - margin <= np.mean(shares) <= 0.97 + margin
    assert margin < 0.03


@pytest.mark.parametrize("criterion", SELECTIONS)
def test_rank_intervals_hold_together_as_often_as_stated(criterion: Criterion) -> None:
    """With a chance of 94% to hold in a run, so few runs come once in a thousand times: 130 of 150."""
    held = sum(check.together for check in checks(criterion))

    assert held >= binom.ppf(0.001, RUNS, 0.94)


@pytest.mark.parametrize("criterion", SELECTIONS)
def test_whoever_leads_is_best_as_often_as_stated(criterion: Criterion) -> None:
    """The sum of the stated probabilities, give or take 3.3 standard deviations of as many independent events."""
    stated, best = (np.array([check.leader[side][0] for check in checks(criterion)]) for side in (0, 1))

    assert abs(best.sum() - stated.sum()) <= 3.3 * np.sqrt((stated * (1.0 - stated)).sum())


@pytest.mark.parametrize("criterion", SELECTIONS)
def test_later_tie_groups_are_worse_as_often_as_stated(criterion: Criterion) -> None:
    """Of all claims "surely worse than the first head" at most 5%; runs are what is independent, hence four errors."""
    false = np.array([(1.0 - check.claims[0].true).sum() for check in checks(criterion)])
    claimed = np.array([len(check.claims[0].true) for check in checks(criterion)])

    assert false.sum() - 0.05 * claimed.sum() <= 4.0 * np.sqrt(RUNS) * np.std(false - 0.05 * claimed)
    assert claimed.sum() > RUNS
