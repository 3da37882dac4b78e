"""Circulation against dense algebra."""

import numpy as np
import pytest

from app.inference.reporting.cycles import DRAWS, circulation
from app.inference.types import by_one_judge


def test_circulation_is_the_largest_singular_value_of_what_scores_leave() -> None:
    """Six candidates in a circle, each before the next two; against the three of its own length a coin."""
    rng, n = np.random.default_rng(3), 6
    first, second = np.triu_indices(n, 1)
    won = np.where((second - first) % n < 3, 1.0, rng.integers(2, size=len(first)))
    d = np.zeros((len(first), n))
    d[np.arange(len(first)), first], d[np.arange(len(first)), second] = 1.0, -1.0
    y = 2.0 * won - 1.0
    rest = np.zeros((n, n))
    rest[first, second] = y - d @ np.linalg.pinv(d) @ y
    wanted = np.linalg.norm(rest - rest.T, 2)
    assert circulation(by_one_judge(first, second, won), n, rng).size == pytest.approx(wanted, rel=1e-3)


def test_a_full_cycle_has_more_cycles_than_chance_and_an_order_fewer() -> None:
    n, rng = 11, np.random.default_rng(0)
    first, second = np.triu_indices(n, 1)
    circle = ((second - first) % n < n / 2).astype(np.float64)
    assert circulation(by_one_judge(first, second, circle), n, rng).at_random == 0
    assert circulation(by_one_judge(first, second, np.ones(len(first))), n, rng).at_random == DRAWS
