"""Rank intervals of win rates, of which there are draws."""

import numpy as np
import pytest

from app.inference.reporting.drawn_ranking import rank_intervals, ranks_of
from app.inference.reporting.ranking import ranks
from app.inference.types import Floats


def leaning(n: int, draws: int, seed: int) -> Floats:
    """(D, N) values that lean to one side."""
    rng = np.random.default_rng(seed)
    return np.linspace(0.0, 1.0, n) + 3.0 / n * rng.standard_exponential((draws, n))


@pytest.mark.parametrize(("n", "draws"), [(12, 4000), (100, 1000)])
def test_they_hold_together_in_draws_that_they_have_not_seen(n: int, draws: int) -> None:
    """The ends of the draws themselves would hold in 81% of them where there are 100 candidates and 1,000 draws."""
    values = leaning(n, draws, 0)
    best, worst = rank_intervals(ranks(values.mean(axis=0)), ranks_of(values), 0.95).T
    fresh = ranks_of(leaning(n, 4000, 1))
    assert ((best <= fresh) & (fresh <= worst)).all(axis=1).mean() >= 0.93


def test_they_hold_the_rank_itself() -> None:
    """All draws have a tie of the first two where their means differ in one draw alone."""
    values = np.array([[1.0, 1.0, 0.0]] * 99 + [[1.0, 0.9, 0.0]])
    rank = ranks(values.mean(axis=0))
    assert rank.tolist() == [1, 2, 3]
    best, worst = rank_intervals(rank, ranks_of(values), 0.9).T
    assert ((best <= rank) & (rank <= worst)).all()


def test_what_is_decided_is_one_rank() -> None:
    values = np.repeat([[0.9, 0.1, 0.5, 0.5]], 200, axis=0)
    intervals = rank_intervals(ranks(values[0]), ranks_of(values), 0.95)
    assert intervals.tolist() == [[1, 1], [4, 4], [2, 2], [2, 2]]
