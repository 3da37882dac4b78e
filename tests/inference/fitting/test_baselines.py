from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import minimize

from app.inference.fitting.baselines import (
    BASELINES,
    BaselineScores,
    average_probability,
    bradley_terry,
)
from app.inference.types import Comparisons, Floats
from tests.inference.factories import (
    Log,
    comparisons,
    cycle,
    design_matrix,
    joined,
    logs,
    numerics,
    random_comparisons,
    relabelled,
    swapped,
)

win_ratio, poe_g_hard = BASELINES["win-ratio"], BASELINES["poe-g-hard"]
each_baseline = pytest.mark.parametrize("baseline", BASELINES.values(), ids=BASELINES.keys())
LOG = comparisons((0, 1, 0.9), (1, 2, 0.5), (2, 0, 0.2), (0, 1, 0.4))


def penalised_loss(log_strength: Floats, log: Comparisons, extra: float) -> float:
    """Bradley-Terry on hard verdicts, each comparison with `extra` more wins for both sides."""
    d = log_strength[log.first] - log_strength[log.second]
    won = np.where(log.p == 0.5, 0.5, log.p > 0.5)
    return float(((won + extra) * np.logaddexp(0.0, -d) + (1.0 - won + extra) * np.logaddexp(0.0, d)).sum())


def test_win_ratio_by_hand() -> None:
    """0 won 2 of 3, 1 won 1.5 of 3, 2 won 0.5 of 2; 3 never played."""
    np.testing.assert_allclose(win_ratio(LOG, 4).score, [2 / 3, 1.5 / 3, 0.5 / 2, 0.5])


def test_average_probability_by_hand() -> None:
    np.testing.assert_allclose(
        average_probability(LOG, 4).score,
        [(0.9 + 0.8 + 0.4) / 3, (0.1 + 0.5 + 0.6) / 3, (0.5 + 0.2) / 2, 0.5],
    )


@pytest.mark.parametrize("variance", [0.01, 1.0])
def test_poe_g_hard_is_the_anchored_solution(variance: float) -> None:
    """PoE eq. 11 and 4.2: a row that holds the first score at 0 below those of the comparisons; any variance of it."""
    log = joined(cycle(6, 0), random_comparisons(6, 25, seed=0))
    anchored = np.vstack([np.eye(1, 6) / np.sqrt(variance), design_matrix(log, 6)])

    expected = np.linalg.solve(anchored.T @ anchored, anchored.T @ np.concatenate([[0.0], (log.p > 0.5) - 0.5]))
    np.testing.assert_allclose(poe_g_hard(log, 6).score, expected - expected.mean(), atol=1e-13)


@numerics
@given(logs())
def test_poe_g_hard_has_the_least_norm_where_parts_were_never_compared(log: Log) -> None:
    won = np.where(log.comparisons.p == 0.5, 0.5, log.comparisons.p > 0.5) - 0.5

    least = np.linalg.pinv(design_matrix(log.comparisons, log.n)) @ won
    np.testing.assert_allclose(poe_g_hard(log.comparisons, log.n).score, least, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_bradley_terry_agrees_with_an_independent_optimiser(seed: int) -> None:
    log = joined(cycle(8, seed), random_comparisons(8, 40, seed, hard=True))

    scores = bradley_terry(log, 8)

    best = minimize(penalised_loss, np.zeros(8), (log, 1 / 7), method="BFGS", tol=1e-8).x
    assert scores.convergence.converged
    np.testing.assert_allclose(scores.score, best - best.mean(), atol=2e-3)


def test_bradley_terry_of_two_candidates_at_three_to_one_converges() -> None:
    """Each side gets 1 more win a comparison: 7 to 5. Newman's iterations oscillate here."""
    scores = bradley_terry(comparisons((0, 1, 1.0), (0, 1, 1.0), (1, 0, 0.0), (1, 0, 1.0)), 2)

    assert scores.convergence.converged
    assert scores.score[0] - scores.score[1] == pytest.approx(np.log(7 / 5), abs=1e-3)


@pytest.mark.parametrize("baseline", [win_ratio, bradley_terry, poe_g_hard])
def test_hard_baselines_do_not_read_how_sure_the_judge_was(baseline: Callable[..., BaselineScores]) -> None:
    sure, unsure = comparisons((0, 1, 1.0), (1, 2, 0.0)), comparisons((0, 1, 0.51), (1, 2, 0.49))

    np.testing.assert_array_equal(baseline(sure, 3).score, baseline(unsure, 3).score)


@pytest.mark.parametrize("baseline", [bradley_terry, poe_g_hard])
def test_strengths_of_a_candidate_without_comparisons_are_zero(baseline: Callable[..., BaselineScores]) -> None:
    assert baseline(LOG, 4).score[3] == 0.0


@each_baseline
@numerics
@given(logs())
def test_any_log_converges_to_finite_scores(baseline: Callable[..., BaselineScores], log: Log) -> None:
    scores = baseline(log.comparisons, log.n)

    assert scores.convergence.converged
    assert np.isfinite(scores.score).all()


@each_baseline
def test_relabelling_relabels(baseline: Callable[..., BaselineScores]) -> None:
    log, label = random_comparisons(7, 30, seed=0), np.random.default_rng(0).permutation(7)

    np.testing.assert_allclose(baseline(relabelled(log, label), 7).score[label], baseline(log, 7).score, atol=1e-12)


@each_baseline
def test_swapping_every_order_with_its_verdict_changes_nothing(baseline: Callable[..., BaselineScores]) -> None:
    log = random_comparisons(7, 30, seed=0)

    np.testing.assert_allclose(baseline(swapped(log), 7).score, baseline(log, 7).score, atol=1e-12)
