"""One candidate against another: the figures that the ranking has beside a baseline, and the win matrix in a cell."""

import numpy as np
from nextpair.words import InferenceTargetName
from scipy.special import ndtri

from app.inference.fitting.published import Published
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting.ranking import predict
from app.inference.reporting.win_rates import Against, against, attenuation, expected_verdict, interval_of, never_missed
from app.inference.targets import Quantity, WinRates, drawn_values
from app.inference.types import Bools, Floats

POINTS = 2000  # that stand for the difference where candidates are too many to be drawn together


def beside_one(
    quantity: Quantity, published: Published, target: InferenceTargetName, first: int, second: int, level: float
) -> Against:
    """`first` beside `second`. Of all pairs, what was said counts as it is, and the verdicts to come are expected."""
    verdicts, never = attenuation(published, target), never_missed(published, second)[[first, second]]
    if not isinstance(quantity, WinRates):
        return _beside(_drawn(quantity, first, second), verdicts, never, level)
    of_round, scores = quantity.round, _drawn(quantity.scores, first, second)
    rate = expected_verdict(scores[:, 0] - scores[:, 1], verdicts)
    won, lost, to_come = of_round.wins[first, second], of_round.wins[second, first], of_round.left[first, second]
    if asked := won + lost + to_come:
        rate = (won + to_come * rate) / asked
    of_all = _beside(quantity.values[:, [first, second]], None, never, level)
    return of_all._replace(win_rate=float(rate.mean()), win_rate_interval=interval_of(rate, level))


def _drawn(quantity: Quantity, first: int, second: int) -> Floats:
    """(D, 2) draws of the two."""
    if len(quantity.mean) <= RANKED_DENSE:
        return drawn_values(quantity)[:, [first, second]]
    _, mean, sd = predict(quantity, first, second)
    difference = mean + sd * ndtri((np.arange(POINTS) + 0.5) / POINTS)
    return np.column_stack([difference, np.zeros(POINTS)])


def _beside(values: Floats, attenuation: Floats | None, never: Bools, level: float) -> Against:
    """Args: (D, 2) `values` of which the second are the baseline's."""
    of_first, _ = against(values, attenuation, never, 1, level)
    assert of_first is not None
    return of_first
