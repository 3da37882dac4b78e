"""Posteriors and logs as figures for people: rankings, biases, calibration, diagnostics, tests on random pairs.

Not here: fits themselves (fitting), what several judges make of one pair (judges), words and JSON (service);
the sentence of an inference target alone is here, for rankings of files have it too.
"""

from app.inference.reporting.bias import AGAINST, Bias, ClosedForm, closed_form, warning_of
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
from app.inference.reporting.certainty import Certainty, certainty_beside_people
from app.inference.reporting.claims import FirstPlace, first_place
from app.inference.reporting.cycles import DRAWS, Circulation, Cycles, circulation
from app.inference.reporting.diagnostics import Agreement, LogDiagnostics, OrderBalance, Repeats, diagnose
from app.inference.reporting.held_out import HeldOut, check_predictions
from app.inference.reporting.history import Moment, ranking_history
from app.inference.reporting.inference_targets import (
    Judged,
    Target,
    judged_of,
    judging_of,
    method_obstacle,
    own_target,
    resolve,
)
from app.inference.reporting.matrix import expected_wins, observed_wins
from app.inference.reporting.prompts import in_words as prompts_in_words
from app.inference.reporting.ranking import Prediction, Ranking, Wanted, predict, ranks, summarise
from app.inference.reporting.references import HeldAgainst, PairsAgreed, agreement_with, held_against
from app.inference.reporting.signal import CLAIMED, Signal, signal_of
from app.inference.reporting.standings import (
    Foretold,
    Standing,
    Standings,
    Uncertainty,
    by_baseline,
    by_judges,
    by_posterior,
    summary_of,
)
from app.inference.reporting.sureness import PairsOf, Sureness, all_pairs, concordance, concordance_after, sureness_of
from app.inference.reporting.tastes import Departure, Tastes

__all__ = [
    "AGAINST",
    "CLAIMED",
    "DRAWS",
    "Agreement",
    "Bias",
    "Calibration",
    "CalibrationErrors",
    "CalibrationObjective",
    "Certainty",
    "Circulation",
    "ClosedForm",
    "Cycles",
    "Departure",
    "FirstPlace",
    "Foretold",
    "HeldAgainst",
    "HeldOut",
    "Judged",
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
    "Target",
    "Tastes",
    "Uncertainty",
    "Wanted",
    "agreement_with",
    "all_pairs",
    "by_baseline",
    "by_judges",
    "by_posterior",
    "certainty_beside_people",
    "check_predictions",
    "circulation",
    "closed_form",
    "concordance",
    "concordance_after",
    "debiased",
    "diagnose",
    "expected_wins",
    "first_place",
    "held_against",
    "judged_of",
    "judging_of",
    "method_obstacle",
    "observed_wins",
    "own_target",
    "predict",
    "prompts_in_words",
    "ranking_history",
    "ranks",
    "rejection",
    "reliability",
    "resolve",
    "signal_of",
    "summarise",
    "summary_of",
    "sureness_of",
    "temperature",
    "warning_of",
]
