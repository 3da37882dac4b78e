"""People's labels: what they tell of judges, and which items to label next.

t_nc is the share of the people who labelled item n that gave it class c. A judge's vote on it is right for the share
sum_c v_nkc t_nc. Intervals are Wilson's (1927).

Which to label: the items of each vote pattern, how many judges vote for which class, are to be labelled in proportion
to their number. So the labelled items are like all, and what they tell of judges varies less than by chance. Labels of
what is most disputed would mislead about how often each judge is right elsewhere (benchmarks/studies/labels.py). The
labelled items are called unlike the others if their mean agreement, the chance that two judges of an item agree, is
more than UNLIKE standard errors from that of all.

Labels of such items are weighted (post-stratification), with the majority as one label more. Of N items, L labelled,
let d judges dissent from most in N_d, of which L_d are labelled. With t_nc = 0 without a label, judges are learnt from

    (L / N) (N_d t_nc + sum_k v_nkc / sum_kb v_nkb) / (L_d + 1)
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from app.inference.judges.aggregation import EQUAL, Labels, Probabilities, Votes, average, is_labelled, majority, votes
from app.inference.judges.agreement import LEVEL
from app.inference.types import Bools, Chance, Floats, Ints
from app.inference.wilson import Share, share_of

UNLIKE = 3.0

WayName = Literal["dawid-skene", "average", "majority", "best judge"]


class LabelFindings(NamedTuple):
    """Information of people's labels about K judges."""

    items: int  # that people labelled
    among_people: Share | None  # of each with the others, where several labelled the same
    judges: list[Share | None]  # (K,)
    ways: Mapping[WayName, Share]  # to weigh judges, each on labels that it has not seen
    unlike: bool  # whether judges agree on the labelled items more, or less, than on all

    @property
    def best(self) -> int | None:
        """The judge who is right most often."""
        shares = [-1.0 if each is None else each.share for each in self.judges]
        return int(np.argmax(shares)) if max(shares, default=-1.0) >= 0.0 else None

    @property
    def advice(self) -> WayName:
        """The way that is right most often, the first of those that are alike."""
        return max(self.ways, key=lambda way: self.ways[way].share)


class Unlabelled(NamedTuple):
    """Items to label next, the most wanted first."""

    item: Ints
    behind: Floats  # labels that its pattern of votes lacks
    propensity: Floats  # of its choice


def labels_by(people: Votes) -> Labels:
    """(N, C) t_nc of the (N, P, C) votes of people."""
    labelled = np.asarray(people.any(axis=(1, 2)))
    return np.where(labelled[:, None], majority(people).probability, 0.0)


def telling(v: Votes, labels: Labels) -> Bools:
    """(N,) labelled items on which any judge voted."""
    return is_labelled(labels) & np.asarray(v.any(axis=(1, 2)))


def as_of_all(v: Votes, labels: Labels) -> Floats:
    """(N, C) what labels say of all items: as they are, or weighted where the labelled items are unlike the others."""
    known, judged = telling(v, labels), np.asarray(v.any(axis=(1, 2)))
    if not _is_unlike(v, known):
        return labels
    counts = v.sum(axis=1)
    dissent = np.rint(counts.sum(axis=1) - counts.max(axis=1)).astype(np.int64)
    items, labelled = (np.bincount(dissent[some], minlength=dissent.max() + 1) for some in (judged, known))
    per_label = (known.sum() / judged.sum() / (labelled + 1.0))[dissent, None]
    by_majority = np.where(judged[:, None], majority(v).probability, 0.0)
    return np.asarray(per_label * (items[dissent, None] * labels + by_majority))


def label_findings(y: Probabilities, labels: Labels, people: Votes, held_out: Floats) -> LabelFindings:
    """Judges, and ways to weigh them, by people's labels.

    Args: `held_out` (N, C) is what Dawid-Skene makes of each labelled item by the labels of the others.
    """
    known = telling(votes(y), labels)
    v, t = votes(y)[known], labels[known]
    right, voted = _rights(v, t)
    by_way: dict[WayName, Floats] = {
        "dawid-skene": _right(held_out[known], t),
        "average": _right(average(y[known]).probability, t),
        "majority": _right(majority(v).probability, t),
        "best judge": _by_best_of_others(right, voted),
    }
    return LabelFindings(
        items=int(known.sum()),
        among_people=_among(people[known]),
        judges=_of_each(right, voted),
        ways={way: share for way, each in by_way.items() if (share := share_of(each, LEVEL))},
        unlike=_is_unlike(votes(y), known),
    )


def confirmed(v: Votes, people: Bools) -> set[int]:
    """Judges whom the labels of `people` (K,) prove to be better than chance, whatever other judges say; by number."""
    labels = labels_by(v[:, people])
    known = is_labelled(labels)
    judges, chance = _of_each(*_rights(v[known], labels[known])), 1.0 / v.shape[2]
    return {k for k, each in enumerate(judges) if each and each.interval[0] > chance and not people[k]}


def _rights(v: Votes, t: Labels) -> tuple[Floats, Bools]:
    """(L, K) how right each judge is on each labelled item, and whether it has voted."""
    return np.einsum("nkc,nc->nk", v, t), np.asarray(v.any(axis=2))


def _of_each(right: Floats, voted: Bools) -> list[Share | None]:
    return [share_of(right[voted[:, k], k], LEVEL) for k in range(right.shape[1])]


def next_to_label(v: Votes, labelled: Bools, count: int, rng: Chance) -> Unlabelled:
    """Up to `count` items that nobody labelled, the most wanted first; those of one pattern are drawn by chance."""
    patterns, pattern = np.unique(np.round(v.sum(axis=1), 6), axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
    judged = np.asarray(v.any(axis=(1, 2)))
    share = np.bincount(pattern[judged], minlength=len(patterns)) / max(judged.sum(), 1)
    free, done = judged & ~labelled, np.bincount(pattern[judged & labelled], minlength=len(patterns))
    left = np.bincount(pattern[free], minlength=len(patterns))
    chosen: list[tuple[int, float, float]] = []
    for _ in range(min(count, int(free.sum()))):
        behind = np.where(left > 0, share * (done.sum() + 1) - done, -np.inf)
        most = np.flatnonzero(behind >= behind.max() - EQUAL)
        of_most = np.flatnonzero(free & np.isin(pattern, most))
        item = int(rng.choice(of_most))
        chosen.append((item, float(behind[pattern[item]]), 1.0 / len(of_most)))
        free[item] = False
        done[pattern[item]] += 1
        left[pattern[item]] -= 1
    items, lacks, propensities = np.array(chosen).reshape(-1, 3).T
    return Unlabelled(items.astype(np.int64), lacks, propensities)


def _right(probability: Floats, t: Floats) -> Floats:
    """(L,) the share of people who name the likeliest class of each item."""
    return np.asarray((votes(probability[:, None, :])[:, 0] * t).sum(axis=1))


def _by_best_of_others(right: Floats, voted: Bools) -> Floats:
    """(L,) how right that judge is on each labelled item who is right most often on the others; a half if it is silent.

    Conceptually: leave one item out, take the judge with the largest mean of `right`, look at the item.
    """
    others = (right.sum(axis=0) - right + 0.5) / (voted.sum(axis=0) - voted + 1.0)
    best = np.argmax(others, axis=1)[:, None]
    judged = np.take_along_axis(voted, best, axis=1)
    return np.where(judged, np.take_along_axis(right, best, axis=1), 0.5)[:, 0]


def _is_unlike(v: Votes, labelled: Bools) -> bool:
    """Whether the mean agreement is, of items that several judged."""
    several = np.asarray(v.any(axis=2).sum(axis=1) > 1)
    shares = v.sum(axis=1) / np.maximum(v.sum(axis=(1, 2)), 1.0)[:, None]
    agreement, both = (shares**2).sum(axis=1), labelled & several
    if not both.any():
        return False
    gap = abs(float(agreement[both].mean() - agreement[several].mean()))
    return bool(gap > UNLIKE * float(agreement[several].std()) / np.sqrt(both.sum()) + EQUAL)


def _among(people: Votes) -> Share | None:
    """Agreement of each of the people with the mean of the others, on items that several labelled."""
    labelled = np.asarray(people.any(axis=2))
    several: Bools = np.asarray(labelled.sum(axis=1) > 1)
    total = people.sum(axis=1, keepdims=True)
    others = (total - people) / np.maximum(labelled.sum(axis=1) - 1, 1)[:, None, None]
    agreeing = (people * others).sum(axis=2)[several]
    return share_of(agreeing.sum(axis=1) / np.maximum(labelled[several].sum(axis=1), 1), LEVEL)
