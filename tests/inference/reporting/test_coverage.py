"""What a ranking states, against truths drawn from the prior; `python -m benchmarks.studies.coverage` measures more."""

from itertools import islice

import numpy as np
import pytest
from scipy.stats import binom

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import posterior
from app.inference.fitting.model import Method, build
from app.inference.reporting.standings import Wanted, summary_of
from app.inference.state import exact
from app.inference.types import by_one_judge
from benchmarks.loop import judged
from benchmarks.studies.coverage import CoverageSetting, answering, one_run
from benchmarks.studies.simulated import hard_verdicts

RUNS, RANDOM_RUNS = 100, 60
SELECTIONS = [Criterion.RANDOM, Criterion.REORDERING]


@pytest.mark.study
@pytest.mark.parametrize("criterion", SELECTIONS)
def test_intervals_and_the_first_place_hold_as_often_as_stated(criterion: Criterion) -> None:
    """Ten candidates after fifty hard verdicts, in every run.

    Of 1000 scores 93% to 97%, give or take four standard errors, which runs show (scores of one run are related). Rank
    intervals, with a chance of 94% to hold together in a run, hold in so few of 100 once in a thousand times. Leaders
    are best as often as the sum of the stated probabilities, give or take 3.3 standard deviations of as many
    independent events.
    """
    setting = CoverageSetting("soft-bt", 10, criterion)
    checks = [check for seed in range(RUNS) for check in one_run(setting, np.random.default_rng([10, seed]), [5])]

    shares = [check.marginal for check in checks]
    margin = 4.0 * np.std(shares) / np.sqrt(RUNS)
    assert 0.93 - margin <= np.mean(shares) <= 0.97 + margin
    assert margin < 0.035
    assert sum(check.together for check in checks) >= binom.ppf(0.001, RUNS, 0.94)
    stated, best = (np.array([check.leader[side][0] for check in checks]) for side in (0, 1))
    assert abs(best.sum() - stated.sum()) <= 3.3 * np.sqrt((stated * (1.0 - stated)).sum())


@pytest.mark.study
@pytest.mark.parametrize("criterion", SELECTIONS)
def test_tie_groups_of_random_judging(criterion: Criterion) -> None:
    """Ten equals, 200 verdicts of no meaning: more than one group in 5% of the runs; in 9 of 60 once in 500 times."""
    several = sum(max(groups_of_random_verdicts(criterion, seed)) > 1 for seed in range(RANDOM_RUNS))

    assert several <= binom.ppf(0.999, RANDOM_RUNS, 0.05)


def groups_of_random_verdicts(criterion: Criterion, seed: int) -> list[int]:
    answer = answering(hard_verdicts, np.zeros(10), np.random.default_rng([11, seed]))
    sets = judged(answer, 10, Method(), Plan(Policy(criterion), Order.BALANCED, seed), batch=10)
    last = next(islice(sets, 19, None))
    table, _ = summary_of(exact(last).scores, Wanted())
    return [int(group) for group in table.tie_group]


def test_tie_groups_of_scores_far_apart() -> None:
    """Five scores two apart, 20 verdicts on each pair: the claims are no empty caution."""
    truth, (first, second) = -2.0 * np.arange(5.0), np.triu_indices(5, 1)
    first, second = np.repeat(first, 20), np.repeat(second, 20)
    log = by_one_judge(first, second, hard_verdicts(truth[first] - truth[second], np.random.default_rng(12)))
    model = build(Method(prior_variance=10.0), 5)

    table, _ = summary_of(posterior.fit(log, model).scores, Wanted())

    assert table.tie_group.max() >= 4
