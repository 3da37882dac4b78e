"""Matrices of who beats whom, candidate by candidate: as it was observed, and as it is expected of what is ranked."""

import numpy as np
from scipy.special import ndtr

from app.inference.gaussian import Scores
from app.inference.reporting.win_rates import head_to_head
from app.inference.targets import Quantity, WinRates, drawn_values, is_drawn
from app.inference.types import Comparisons, Floats
from app.inference.verdicts import means


def observed_wins(comparisons: Comparisons, n: int) -> Floats:
    """(N, N) mean probability that the row beats the column; NaN where they never met."""
    first, second, p, _, _ = comparisons
    at = np.concatenate([first * n + second, second * n + first])
    return means(np.concatenate([p, 1.0 - p]), at, n * n).reshape(n, n)


def expected_wins(quantity: Quantity) -> Floats:
    """(N, N) the probability that the row is better than the column, as `predict` has it; NaN on the diagonal."""
    if is_drawn(quantity):
        return _shares_above(drawn_values(quantity))
    assert isinstance(quantity, Scores)
    if quantity.parts:
        return np.asarray(sum(weight * expected_wins(part) for weight, part in quantity.parts))
    mean, covariance = quantity.mean, quantity.covariance.matrix()
    own = covariance.diagonal()
    v = np.maximum(own[:, None] + own - 2.0 * covariance, np.finfo(np.float64).tiny)
    p = ndtr((mean[:, None] - mean) / np.sqrt(v))
    np.fill_diagonal(p, np.nan)
    return np.asarray(p)


def expected_win_rates(quantity: Quantity, attenuation: Floats) -> Floats:
    """(N, N) how often the row is expected to win against the column (win_rates.py); NaN on the diagonal.

    Of all pairs, what was said counts as it is, and only the verdicts to come are expected.
    """
    if not isinstance(quantity, WinRates):
        return head_to_head(drawn_values(quantity), attenuation)
    wins, to_come, expected = quantity.round.wins, quantity.round.left, expected_win_rates(quantity.scores, attenuation)
    verdicts = wins + wins.T + to_come
    return np.where(verdicts > 0.0, (wins + to_come * expected) / np.where(verdicts > 0.0, verdicts, 1.0), expected)


def _shares_above(values: Floats) -> Floats:
    """(N, N) shares of the (D, N) draws in which the row is above the column, half of those in which they tie."""
    columns = np.ascontiguousarray(values.T)
    p = np.array([0.5 + 0.5 * np.sign(column - columns).mean(axis=1) for column in columns])
    np.fill_diagonal(p, np.nan)
    return p
