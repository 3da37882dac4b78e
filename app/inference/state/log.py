"""A set's log as arrays: comparisons and absolute scores, oldest first, each with its sequence number.

Of the shared priors only the last entry is kept. Voided entries are taken out as soon as their void is read;
judges go by their id, p is as it was stored.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from app.inference.fitting.absolute import AbsoluteScores, join_scores, no_absolute_scores, take_scores
from app.inference.fitting.weights import Hyperprior
from app.inference.growing import appended
from app.inference.types import Comparisons, Floats, Ints, join, no_comparisons, take


class ComparisonRow(NamedTuple):
    """A comparison as it is stored."""

    seq: int
    item: int
    first: int
    second: int
    p: float
    judge: int
    weight: float = 1.0
    order_chance: float | None = None  # with which the order shown was drawn


class ScoreRow(NamedTuple):
    """An absolute score as it is stored."""

    seq: int
    item: int
    candidate: int
    judge: int
    mean: float
    variance: float


class Entries(NamedTuple):
    """K comparisons."""

    seq: Ints  # (K,)
    item: Ints  # (K,)
    comparisons: Comparisons
    order_chance: Floats  # (K,) with which the order shown was drawn, NaN where nobody knows


class Scored(NamedTuple):
    """M absolute scores."""

    seq: Ints  # (M,)
    item: Ints  # (M,)
    scores: AbsoluteScores


class SharedPriors(NamedTuple):
    """Priors that its pool shares with a set."""

    seq: int
    hyperprior: Hyperprior  # judges by their ids


class Log(NamedTuple):
    entries: Entries
    scored: Scored
    pooled: SharedPriors | None = None  # the latest


def empty_log() -> Log:
    no_seq, no_item = np.empty(0, np.int64), np.empty(0, np.int64)
    return Log(Entries(no_seq, no_item, no_comparisons(), np.empty(0)), Scored(no_seq, no_item, no_absolute_scores()))


def log_from_rows(
    compared: Iterable[ComparisonRow], scored: Iterable[ScoreRow] = (), pooled: SharedPriors | None = None
) -> Log:
    log = empty_log()
    if rows := list(compared):
        seq, item, first, second, p, judge, weight, chance = (np.array(column) for column in zip(*rows, strict=True))
        comparisons = Comparisons(first, second, p.astype(np.float64), judge, weight.astype(np.float64))
        log = log._replace(entries=Entries(seq, item, comparisons, chance.astype(np.float64)))
    if scores := list(scored):
        seq, item, candidate, judge, mean, variance = (np.array(column) for column in zip(*scores, strict=True))
        absolute = AbsoluteScores(candidate, judge, mean.astype(np.float64), variance.astype(np.float64))
        log = log._replace(scored=Scored(seq, item, absolute))
    return log._replace(pooled=pooled)


def extend(old: Log, new: Log) -> Log:
    """The log with both, the new entries behind the old ones."""
    entries = Entries(
        appended(old.entries.seq, new.entries.seq),
        appended(old.entries.item, new.entries.item),
        join(old.entries.comparisons, new.entries.comparisons),
        appended(old.entries.order_chance, new.entries.order_chance),
    )
    pooled = new.pooled or old.pooled
    if not len(new.scored.seq):
        return Log(entries, old.scored, pooled)
    scored = Scored(
        np.concatenate([old.scored.seq, new.scored.seq]),
        np.concatenate([old.scored.item, new.scored.item]),
        join_scores(old.scored.scores, new.scored.scores),
    )
    return Log(entries, scored, pooled)


def without(log: Log, voided: list[int]) -> Log:
    """The log without the comparisons of these sequence numbers."""
    if not voided:
        return log
    kept = ~np.isin(log.entries.seq, voided)
    seq, item, comparisons, order_chance = log.entries
    return log._replace(entries=Entries(seq[kept], item[kept], take(comparisons, kept), order_chance[kept]))


def judges_of(log: Log) -> Ints:
    """(J,) ids of who compared or scored, ascending."""
    return np.unique(np.concatenate([log.entries.comparisons.judge, log.scored.scores.judge]))


def latest_scores(scored: Scored) -> AbsoluteScores:
    """The last of several scores by one judge for one output."""
    if not scored.seq.size:
        return scored.scores
    outputs = np.column_stack([scored.item, scored.scores.candidate, scored.scores.judge])[::-1]
    last = len(outputs) - 1 - np.unique(outputs, axis=0, return_index=True)[1]
    return take_scores(scored.scores, np.sort(last))
