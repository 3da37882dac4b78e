"""Posteriors and logs as figures for people: rankings, biases, calibration, diagnostics, tests on random pairs.

Not here: fits themselves (fitting), what several judges make of one pair (judges), words and JSON (service).
"""

from app.inference.reporting.bias import Bias, ClosedForm, closed_form
from app.inference.reporting.calibration import (
    Calibration,
    CalibrationErrors,
    CalibrationObjective,
    Reliability,
    debiased,
    rejection,
    reliability,
    temperature,
)
from app.inference.reporting.cycles import DRAWS, Circulation, Cycles, circulation
from app.inference.reporting.diagnostics import Agreement, LogDiagnostics, OrderBalance, Repeats, diagnose
from app.inference.reporting.held_out import HeldOut, check_predictions
from app.inference.reporting.history import Moment, ranking_history
from app.inference.reporting.matrix import expected_wins, observed_wins
from app.inference.reporting.ranking import Prediction, Ranking, Wanted, predict, ranks, summarise
from app.inference.reporting.references import HeldAgainst, PairsAgreed, agreement_with, held_against
from app.inference.reporting.signal import CLAIMED, Signal, signal_of
from app.inference.reporting.standings import (
    DRAWS_SEED,
    Foretold,
    Standing,
    Standings,
    Uncertainty,
    by_baseline,
    by_judges,
    by_posterior,
    by_sparse,
)
from app.inference.reporting.sureness import PairsOf, Sureness, all_pairs, concordance, concordance_after, sureness_of
from app.inference.reporting.tastes import Departure, Tastes

__all__ = [
    "CLAIMED",
    "DRAWS",
    "DRAWS_SEED",
    "Agreement",
    "Bias",
    "Calibration",
    "CalibrationErrors",
    "CalibrationObjective",
    "Circulation",
    "ClosedForm",
    "Cycles",
    "Departure",
    "Foretold",
    "HeldAgainst",
    "HeldOut",
    "LogDiagnostics",
    "Moment",
    "OrderBalance",
    "PairsAgreed",
    "PairsOf",
    "Prediction",
    "Ranking",
    "Reliability",
    "Repeats",
    "Signal",
    "Standing",
    "Standings",
    "Sureness",
    "Tastes",
    "Uncertainty",
    "Wanted",
    "agreement_with",
    "all_pairs",
    "by_baseline",
    "by_judges",
    "by_posterior",
    "by_sparse",
    "check_predictions",
    "circulation",
    "closed_form",
    "concordance",
    "concordance_after",
    "debiased",
    "diagnose",
    "expected_wins",
    "held_against",
    "observed_wins",
    "predict",
    "ranking_history",
    "ranks",
    "rejection",
    "reliability",
    "signal_of",
    "summarise",
    "sureness_of",
    "temperature",
]
