"""The study of win rates, made small."""

import numpy as np
import pytest
from scipy.special import expit

from benchmarks.studies import win_rates


def test_a_run_is_the_same_again_and_every_judge_has_a_row() -> None:
    assert win_rates.one_run(win_rates.WORLDS[0], 3) == win_rates.one_run(win_rates.WORLDS[0], 3)
    assert len(list(win_rates.rows(1))) == len(win_rates.WORLDS)


def test_true_rates_are_mean_verdicts() -> None:
    """100,000 prompts, seed 0: a standard error below 0.001."""
    s, rng = np.array([0.4, 0.0, -1.0]), np.random.default_rng(0)
    u = rng.standard_normal((100_000, 3))
    d = (s + u)[:, :, None] - (s + u)[:, None]
    simulated = expit(d).mean(axis=0) - 0.5 * np.eye(3)
    np.testing.assert_allclose(win_rates.true_rates(s, 2.0), simulated, atol=0.004)


def test_with_the_others_held_a_win_rate_is_that_of_the_means() -> None:
    s = np.array([0.4, 0.0, -1.0])
    at_means = win_rates.others_held(s, np.column_stack([s, s]))[:, 0]
    assert at_means[0] == pytest.approx((expit(0.4) + expit(1.4)) / 2.0)
