"""The log as the model reads it: by the set's method, each judge at its temperature and by its number."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from app.inference.fitting.absolute import AbsoluteScores
from app.inference.fitting.model import Method
from app.inference.reporting.calibration import tempered
from app.inference.state.log import Log, latest_scores
from app.inference.types import Comparisons, Ints


class Interpretation(NamedTuple):
    """A set's way of reading its log."""

    method: Method
    temperatures: Mapping[int, float]  # by judge id; 1 for all others


class Evidence(NamedTuple):
    """The model's input: entries that were voided or scored again are left out."""

    judges: Ints  # (J,) ids, ascending; their places are the judges' numbers
    comparisons: Comparisons  # p tempered
    absolute: AbsoluteScores


def interpret(log: Log, interpretation: Interpretation, judges: Ints) -> Evidence:
    """The evidence in `log`; `judges` (J,) are the ids of all who are in it, ascending."""
    comparisons, absolute = log.entries.comparisons, latest_scores(log.scored)
    p, numbers = comparisons.p, judges.searchsorted(comparisons.judge)
    if interpretation.temperatures:
        temperatures = np.array([interpretation.temperatures.get(judge, 1.0) for judge in judges.tolist()])
        p = tempered(p, temperatures[numbers])
    absolute = absolute._replace(judge=judges.searchsorted(absolute.judge))
    return Evidence(judges, comparisons._replace(p=p, judge=numbers), absolute)
