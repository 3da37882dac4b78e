"""The history of one judge: its agreement with the others, and with what they predict, over its verdicts in order.

A moment counts the judge's first k verdicts. So far, and among the latest of them, its vote on each pair is beside the
vote of each other judge on that pair, now: a drift of the judge shows, and that of another judge does not move the line
of this one from moment to moment. The share that was predicted is of verdicts that name the winner which all others,
and the judge's own earlier verdicts, made likelier (discrimination.py).
"""

from typing import NamedTuple

import numpy as np

from app.inference.judges.agreement import LEVEL
from app.inference.judges.discrimination import PredictedVerdicts, predicted_verdicts
from app.inference.judges.pair_votes import votes_by_pair
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import directions, lean_to_lower, means, numbered, pair_numbers
from app.inference.wilson import wilson

MOMENTS = 60  # at most
LEAST, PARTS = 20, 8  # the latest verdicts are an eighth of all, and no fewer than 20


class RecentShare(NamedTuple):
    """A share among the latest verdicts."""

    pairs: int  # pairs of verdicts, or verdicts, that were compared
    share: float
    interval: tuple[float, float]


class JudgeMoment(NamedTuple):
    verdicts: int  # of the judge, so far
    pairs: int  # of its votes and another judge's vote on the same pair, so far
    agreeing: int
    recent: RecentShare | None  # agreement with the others, among the latest; None where these share no pair
    predicted: RecentShare | None  # None where all of the latest are ties


class _Counts(NamedTuple):
    """Agreement of some verdicts with the other judges."""

    pairs: int
    agreeing: int
    outputs: int  # pairs of outputs that somebody else judged


def latest_of(verdicts: int) -> int:
    """How many verdicts the latest ones are, of so many."""
    return max(LEAST, verdicts // PARTS)


def judge_history(comparisons: Comparisons, n: int, item: Ints, judge: int) -> list[JudgeMoment]:
    """Moments of one judge, the last one at its last verdict; p is raw, `item` (K,) is what each was about."""
    own = np.flatnonzero(comparisons.judge == judge)
    if not len(own):
        return []
    number = numbered(item, pair_numbers(comparisons, n))
    others, mine, places = _votes_of_others(comparisons, item, judge), take(comparisons, own), number[own]
    predicted, latest = predicted_verdicts(judge, comparisons, n, item), latest_of(len(own))
    ends = np.unique(np.linspace(min(latest, len(own)), len(own), MOMENTS).round().astype(np.int64))
    return [_moment(int(end), latest, mine, places, others, predicted) for end in ends.tolist()]


def _moment(
    end: int, latest: int, mine: Comparisons, places: Ints, others: Ints, predicted: PredictedVerdicts
) -> JudgeMoment:
    so_far, recent = slice(end), slice(max(end - latest, 0), end)
    counts = _counts(take(mine, so_far), places[so_far], others)
    return JudgeMoment(
        end,
        counts.pairs,
        counts.agreeing,
        _share(_counts(take(mine, recent), places[recent], others)),
        _as_predicted(predicted, recent),
    )


def _votes_of_others(comparisons: Comparisons, item: Ints, judge: int) -> Ints:
    """(M, 3) how many other judges name the higher-numbered candidate of each pair, neither, and the lower one."""
    votes = votes_by_pair(comparisons, item, int(comparisons.judge.max()) + 1)
    theirs = votes.judge != judge
    return votes._replace(pair=votes.pair[theirs], judge=votes.judge[theirs], lean=votes.lean[theirs]).counts


def _counts(part: Comparisons, places: Ints, others: Ints) -> _Counts:
    """Agreement with the others; `places` (K,) are the pairs of these verdicts among the M of all."""
    lean: Floats = directions(means(lean_to_lower(part), places, len(others), part.weight))
    voted = np.flatnonzero(~np.isnan(lean))
    beside = others[voted]
    agreeing = beside[np.arange(len(voted)), lean[voted].astype(np.int64) + 1]
    return _Counts(int(beside.sum()), int(agreeing.sum()), int((beside.sum(axis=1) > 0).sum()))


def _share(counts: _Counts) -> RecentShare | None:
    """The interval is as if all others were one judge: they judged the same pairs."""
    if not counts.pairs:
        return None
    share = counts.agreeing / counts.pairs
    return RecentShare(counts.pairs, share, wilson(share, counts.outputs, LEVEL))


def _as_predicted(verdicts: PredictedVerdicts, part: slice) -> RecentShare | None:
    """A prediction of 1/2 is right half the time."""
    decided, q = verdicts.decided[part], verdicts.q[part]
    right = np.where(q == 0.5, 0.5, verdicts.first_won[part] == (q > 0.5))[decided]
    if not len(right):
        return None
    share = float(right.mean())
    return RecentShare(len(right), share, wilson(share, len(right), LEVEL))
