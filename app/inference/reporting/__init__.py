"""Posteriors and logs as figures for people: rankings, biases, calibration, diagnostics, tests on random pairs.

    standings.py    by_posterior: the table of a ranking, of very_many.py candidates too
    intervals.py    ranks and intervals; confidence.py: concordance, tie groups, forecast, history
    win_rates.py    expected verdicts; bias.py: position biases; inference_targets.py: which target can be answered
    signal.py       the e-value of signal; diagnostics.py: cycles, repeats; calibration.py: temperature, predictions

Not here: fits themselves (fitting), what several judges make of one pair (judges), words (sentences), JSON (analysis).
"""

from app.inference.reporting.bias import Bias
from app.inference.reporting.calibration import (
    ProbabilityErrors,
    beside_references,
    check_predictions,
    debiased,
    rejection,
    reliability,
    temperature,
    validation_by_people,
)
from app.inference.reporting.confidence import PairsOf, concordance, expected_wins, predict, ranking_history
from app.inference.reporting.diagnostics import DRAWS, AgreedShare, LogDiagnostics, circulation, diagnose, is_decided
from app.inference.reporting.inference_targets import (
    ENOUGH_PROMPTS,
    Judging,
    Obstacle,
    Scope,
    Target,
    judged_of,
    judging_of,
    method_obstacle,
    own_target,
    resolve,
    round_of,
)
from app.inference.reporting.intervals import ranks
from app.inference.reporting.signal import CLAIMED, SignalTest, signal_of
from app.inference.reporting.standings import Standings, Table, Wanted, by_baseline, by_judges, by_posterior, summary_of
from app.inference.reporting.win_rates import (
    Against,
    against,
    attenuation,
    beside_one,
    expected_win_rates,
    never_missed,
    observed_wins,
)
