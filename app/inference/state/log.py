"""A set's log as arrays, and the evidence in it, which is what the model reads.

The log has comparisons and absolute scores, oldest first, and of the shared priors the last entry. Voided entries are
taken out as soon as their void is read; judges go by their ids, p is as it was stored. In the evidence each judge is at
its temperature and goes by its number, and an answer counts as one vote or as many as the set says of its judge. What
is learnt of verdict weights comes on top (fitting/weights.py).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from nextpair.words import FARTHEST_LOG, WIDEST_LOG
from numpy.typing import NDArray

from app.inference.fitting.absolute import AbsoluteScores, no_absolute_scores
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import Method
from app.inference.fitting.weights import Hyperprior
from app.inference.reporting.calibration import tempered
from app.inference.types import Comparisons, Floats, Ints, appended, no_comparisons, take
from app.inference.verdicts import numbered


class ComparisonRow(NamedTuple):
    seq: int
    item: int
    first: int
    second: int
    p: float
    judge: int
    weight: float = 1.0
    order_chance: float | None = None  # with which the order shown was drawn


class ScoreRow(NamedTuple):
    seq: int
    item: int
    candidate: int
    judge: int
    mean: float
    variance: float


class Entries(NamedTuple):
    """Columns (K,) of ComparisonRow."""

    seq: Ints
    item: Ints
    first: Ints
    second: Ints
    p: Floats
    judge: Ints
    weight: Floats
    order_chance: Floats  # NaN where nobody knows

    @property
    def comparisons(self) -> Comparisons:
        return Comparisons(*self[2:7])


class Scored(NamedTuple):
    """Columns (M,) of ScoreRow."""

    seq: Ints
    item: Ints
    candidate: Ints
    judge: Ints
    mean: Floats
    variance: Floats


class SharedPriors(NamedTuple):
    seq: int
    hyperprior: Hyperprior  # judges by their ids


class Log(NamedTuple):
    entries: Entries
    scored: Scored
    pooled: SharedPriors | None = None  # the latest


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


def log_from_rows(
    compared: Iterable[ComparisonRow] = (), scored: Iterable[ScoreRow] = (), pooled: SharedPriors | None = None
) -> Log:
    return Log(Entries(*_columns(compared, "qqqqdqdd")), Scored(*_columns(scored, "qqqqdd")), pooled)


def _columns(rows: Iterable[tuple[Any, ...]], types: str) -> list[NDArray[Any]]:
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    return [np.array(column, kind) for column, kind in zip(columns, types, strict=True)]


def extend(old: Log, new: Log, voided: Collection[int] = ()) -> Log:
    """The log with both, the new entries behind the old ones; without the comparisons of the `voided` numbers."""
    entries, scored = Entries(*_extended(old.entries, new.entries)), old.scored
    if len(new.scored.seq):
        scored = Scored(*_extended(old.scored, new.scored))
    both = Log(entries, scored, new.pooled or old.pooled)
    return without(both, voided) if voided else both


def _extended(old: Iterable[NDArray[Any]], new: Iterable[NDArray[Any]]) -> list[NDArray[Any]]:
    return [appended(*columns) for columns in zip(old, new, strict=True)]


def without(log: Log, voided: Iterable[int]) -> Log:
    """The log without the comparisons of these sequence numbers."""
    kept, columns = ~np.isin(log.entries.seq, list(voided)), list[NDArray[Any]](log.entries)
    return log._replace(entries=Entries(*(column[kept] for column in columns)))


def interpret(log: Log, interpretation: Interpretation, earlier: Evidence | None = None) -> Evidence:
    """The evidence in `log`. Args: `earlier` is that in its first entries, if it is by the same judges."""
    if earlier is None:
        judges, before = np.unique(np.append(log.entries.judge, log.scored.judge)), no_comparisons()
    else:
        judges, before = earlier.judges, earlier.answers
    answers = log.entries.comparisons
    new = take(answers, slice(before.size, None))
    number = judges.searchsorted(new.judge)
    answers = answers._replace(judge=appended(before.judge, number))
    if interpretation.temperatures:
        p = tempered(new.p, _by_judge(interpretation.temperatures, judges)[number])
        answers = answers._replace(p=appended(before.p, p))
    if interpretation.votes:
        weight = new.weight * _by_judge(interpretation.votes, judges)[number]
        answers = answers._replace(weight=appended(before.weight, weight))
    return Evidence(judges, log.entries.item, answers, _last_scores(log.scored, judges))


def _by_judge(values: Mapping[int, float], judges: Ints) -> Floats:
    """(J,) values by judge id; 1 of those who have none."""
    return np.array([values.get(judge, 1.0) for judge in judges.tolist()])


def _last_scores(scored: Scored, judges: Ints) -> AbsoluteScores:
    """The last of several scores by one judge for one output."""
    if not scored.seq.size:
        return no_absolute_scores()
    output = numbered(scored.item, scored.candidate, scored.judge)
    last = np.zeros(output.max() + 1, np.int64)
    last[output] = np.arange(len(output))
    _, _, candidate, judge, mean, variance = (column[np.sort(last)] for column in scored)
    return AbsoluteScores(candidate, judges.searchsorted(judge), mean, variance)


def hyperprior_of(log: Log, judges: Ints) -> Hyperprior:
    """Shared priors of the set's pool, by the judges' numbers, within what learning can take."""
    if log.pooled is None:
        return Hyperprior()
    log_scale, *by_judge = log.pooled.hyperprior
    log_noise, log_effects = (
        {number: _within_limits(of[judge]) for number, judge in enumerate(judges.tolist()) if judge in of}
        for of in by_judge
    )
    return Hyperprior(_within_limits(log_scale) if log_scale else None, log_noise, log_effects)


def _within_limits(log: Normal) -> Normal:
    return Normal(float(np.clip(log.mean, -FARTHEST_LOG, FARTHEST_LOG)), min(log.sd, WIDEST_LOG))
