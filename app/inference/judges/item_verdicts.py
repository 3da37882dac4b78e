"""One verdict for each of N items that several judges have judged, and what it says of each judge.

An answer names one of C classes, or is a tie of all of them: y_nkc (aggregation.py) is 1 for the class named, and
1 / C for each class of a tie. Ties that are to be a class of their own are named as one.
"""

from typing import NamedTuple

import numpy as np
from nextpair.words import AggregationName

from app.inference.judges.aggregation import Probabilities, Votes, votes
from app.inference.judges.agreement import Krippendorff, krippendorff_of_items
from app.inference.judges.group_verdicts import GroupVerdicts, examine
from app.inference.judges.labels import Accuracy
from app.inference.judges.skill_aggregation import ItemContext, Learner, Progress
from app.inference.types import Floats, Ints

UNKNOWN, TIE = -1, -2  # in place of the number of a class


class JudgeFigures(NamedTuple):
    """A judge among the others, and beside people."""

    votes: int
    agreement: float | None  # share of its votes that the group's verdicts bear out
    confusion: Floats | None  # (C, C) how probably it votes for each class (column) where the truth is one (row)
    by_people: Accuracy | None


class ItemVerdicts(NamedTuple):
    """N items as K judges see them together."""

    method: AggregationName
    group: GroupVerdicts
    verdict: Ints  # (N,) the likeliest class
    alpha: Krippendorff | None
    cards: list[JudgeFigures]  # (K,)


def answers_of(number: Ints, classes: int) -> Probabilities:
    """(N, K, C) of the numbers (N, K) of the classes that judges name, or TIE; NaN where UNKNOWN."""
    y = np.full((*number.shape, classes), np.nan)
    named = number >= 0
    y[named] = np.eye(classes)[number[named]]
    y[number == TIE] = 1.0 / classes
    return y


def decide(
    y: Probabilities,
    people: Votes,
    method: AggregationName,
    rng: np.random.Generator,
    context: ItemContext | None = None,
    progress: Progress = lambda _: None,
    learner: Learner | None = None,
    regulariser: float | None = None,
    *,
    as_published: bool = False,
) -> ItemVerdicts:
    """One verdict per item, ties drawn by `rng`, or `as_published` no. Arguments and errors as `examine`."""
    options = (context, progress, learner, regulariser)
    group = examine(y, method, rng, people, *options, as_published=as_published)
    v, verdict = votes(y, to_first=as_published), group.aggregate.labels(rng, to_first=as_published)
    cards = [_card(v[:, k], verdict, group, k) for k in range(v.shape[1])]
    return ItemVerdicts(method, group, verdict, krippendorff_of_items(v), cards)


def share_right(v: Floats, truth: Ints) -> float | None:
    """Share of the items of known truth (N,) that the votes (N, C) name, shares of votes included. None of nothing."""
    known = (truth != UNKNOWN) & v.any(axis=1)
    return float(v[known, truth[known]].mean()) if known.any() else None


def _card(v: Floats, verdict: Ints, group: GroupVerdicts, k: int) -> JudgeFigures:
    """Args: `v` (N, C) are the votes of judge `k`."""
    confusion, labels = group.aggregate.confusion, group.labels
    return JudgeFigures(
        votes=int(v.any(axis=1).sum()),
        agreement=share_right(v, verdict),
        confusion=None if confusion is None else confusion[k],
        by_people=None if labels is None else labels.judges[k],
    )
