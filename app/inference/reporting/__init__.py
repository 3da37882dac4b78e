"""Posteriors and logs as figures for people: rankings, biases, calibration, diagnostics, tests on random pairs.

Not here: fits themselves (fitting), what several judges make of one pair (judges), words and JSON (service).
"""

from app.inference.reporting.bias import Bias, ClosedForm, closed_form
from app.inference.reporting.calibration import (
    Calibration,
    CalibrationErrors,
    Objective,
    Reliability,
    debiased,
    reliability,
    temperature,
    tempered,
)
from app.inference.reporting.diagnostics import (
    Agreement,
    Cycles,
    ExpectedCycles,
    OrderBalance,
    Repeats,
    agreement,
    cycles,
    expected_cycles,
    order_balance,
    rank_correlations_with_last,
    repeats,
)
from app.inference.reporting.held_out import HeldOut, check_predictions
from app.inference.reporting.ranking import Prediction, Ranking, Wanted, entropy, predict, ranks
from app.inference.reporting.standings import Standing, Standings, Uncertainty, by_baseline, by_judges, by_posterior

__all__ = [
    "Agreement",
    "Bias",
    "Calibration",
    "CalibrationErrors",
    "ClosedForm",
    "Cycles",
    "ExpectedCycles",
    "HeldOut",
    "Objective",
    "OrderBalance",
    "Prediction",
    "Ranking",
    "Reliability",
    "Repeats",
    "Standing",
    "Standings",
    "Uncertainty",
    "Wanted",
    "agreement",
    "by_baseline",
    "by_judges",
    "by_posterior",
    "check_predictions",
    "closed_form",
    "cycles",
    "debiased",
    "entropy",
    "expected_cycles",
    "order_balance",
    "predict",
    "rank_correlations_with_last",
    "ranks",
    "reliability",
    "repeats",
    "temperature",
    "tempered",
]
