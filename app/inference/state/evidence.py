"""The log as the model reads it: by the set's method, each judge at its temperature and by its number.

An answer counts as one vote, as many as the set says of its judge, or what has been learnt of it (fitting/weights.py).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from nextpair.words import FARTHEST_LOG, WIDEST_LOG

from app.inference.fitting.absolute import AbsoluteScores
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import Method
from app.inference.fitting.weights import Hyperprior
from app.inference.growing import appended
from app.inference.reporting.calibration import tempered
from app.inference.state.log import Entries, Log, latest_scores
from app.inference.types import Comparisons, Ints


class Interpretation(NamedTuple):
    """A set's way of reading its log."""

    method: Method
    temperatures: Mapping[int, float]  # by judge id; 1 for all others
    votes: Mapping[int, float] = {}  # that an answer carries, by judge id, where the set fixes it; 1 for all others


class Evidence(NamedTuple):
    """The model's input: entries that were voided or scored again are left out."""

    judges: Ints  # (J,) ids, ascending; their places are the judges' numbers
    item: Ints  # (K,)
    answers: Comparisons  # p tempered, as many votes as the set says
    absolute: AbsoluteScores


def interpret(log: Log, interpretation: Interpretation, judges: Ints) -> Evidence:
    """The evidence in `log`; `judges` (J,) are the ids of all who are in it, ascending."""
    comparisons, absolute = log.entries.comparisons, latest_scores(log.scored)
    p, numbers = comparisons.p, judges.searchsorted(comparisons.judge)
    if interpretation.temperatures:
        temperatures = np.array([interpretation.temperatures.get(judge, 1.0) for judge in judges.tolist()])
        p = tempered(p, temperatures[numbers])
    absolute = absolute._replace(judge=judges.searchsorted(absolute.judge))
    answers = comparisons._replace(p=p, judge=numbers)
    votes = np.array([interpretation.votes.get(judge, 1.0) for judge in judges.tolist()])
    if interpretation.votes:
        answers = answers._replace(weight=answers.weight * votes[numbers])
    return Evidence(judges, log.entries.item, answers, absolute)


def continued(old: Evidence, log: Log, new: Entries, interpretation: Interpretation) -> Evidence:
    """The evidence in a log that has come to `log` by `new` entries, by judges who are all known.

    Equivalent to `interpret(log, interpretation, old.judges)`, which reads the old entries again.
    """
    fresh = interpret(log._replace(entries=new), interpretation, old.judges)
    answers = log.entries.comparisons._replace(judge=appended(old.answers.judge, fresh.answers.judge))
    if interpretation.temperatures:
        answers = answers._replace(p=appended(old.answers.p, fresh.answers.p))
    if interpretation.votes:
        answers = answers._replace(weight=appended(old.answers.weight, fresh.answers.weight))
    return Evidence(old.judges, log.entries.item, answers, fresh.absolute)


def hyperprior_of(log: Log, judges: Ints) -> Hyperprior:
    """Shared priors of the set's pool, by the judges' numbers."""
    if log.pooled is None:
        return Hyperprior()
    log_scale, *by_judge = log.pooled.hyperprior
    log_noise, log_effects = (
        {number: _within_limits(of[judge]) for number, judge in enumerate(judges.tolist()) if judge in of}
        for of in by_judge
    )
    return Hyperprior(_within_limits(log_scale) if log_scale else None, log_noise, log_effects)


def _within_limits(log: Normal) -> Normal:
    """Prior within what learning can take: entries from before the contract had these limits may lie beyond them."""
    return Normal(float(np.clip(log.mean, -FARTHEST_LOG, FARTHEST_LOG)), min(log.sd, WIDEST_LOG))
