"""Wilson's interval against SciPy's."""

import pytest
from scipy.stats import binomtest

from app.inference.wilson import wilson


@pytest.mark.parametrize(("right", "of", "level"), [(0, 7, 0.95), (7, 7, 0.9), (3, 11, 0.95), (400, 1000, 0.5)])
def test_it_is_the_interval_of_as_many_draws(right: int, of: int, level: float) -> None:
    interval = binomtest(right, of).proportion_ci(level, "wilson")
    assert wilson(right / of, of, level) == pytest.approx((interval.low, interval.high))
