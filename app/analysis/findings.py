"""Sentences about judges: how far people's labels validate them, and what is wrong with them."""

from collections.abc import Sequence

import numpy as np
from nextpair.words import AggregationName, counted

from app.inference.judges import DEPARTS, Accuracy, Dependence, Doubt, GroupVerdicts, LabelFindings
from app.inference.types import Ints

UNKNOWABLE = (
    "No human labels overlap with these verdicts, so accuracy is unknown: judges who share an error agree as well as "
    "judges who are right."
)
ONLY_PEOPLE = "Only people have judged: the ranking is of what they prefer, and there is no other judge to validate."


def about_labels(labels: LabelFindings | None, judges: Sequence[str]) -> str:
    """How often the majority and the best judge agree with people, and how to weigh judges."""
    if labels is None:
        return UNKNOWABLE
    majority = (
        f"The majority agrees with people in {_share(labels.ways['majority'])} of "
        f"{counted(labels.items, 'labelled item')}"
    )
    sentences = [majority]
    if labels.best is not None:
        best = labels.judges[labels.best]
        assert best is not None
        sentences[0] += f"; the best judge, {judges[labels.best]}, in {_share(best)} of {best.items:,}"
        way = (
            f"Rely on {judges[labels.best]} alone"
            if labels.advice == "best judge"
            else f"Weigh them by {labels.advice}"
        )
        sentences.append(f"{way}: {_share(labels.ways[labels.advice])} of labels that it has not seen")
    if labels.among_people is not None:
        sentences.append(f"People agree with each other in {_share(labels.among_people)}")
    if labels.unlike:
        sentences.append(
            "But judges dispute the labelled items more, or less, than all others, of which this may be untrue; label "
            "what is listed to be labelled next"
        )
    return ". ".join(sentences) + "."


def warnings(group: GroupVerdicts, method: AggregationName, judges: Sequence[str]) -> list[str]:
    """What is wrong with judges, as far as it can be known."""
    by_people = group.labels is not None
    sentences = [_doubt(doubt, judges[doubt.judge], by_people=by_people) for doubt in group.doubts]
    sentences += [
        _together(members, group.dependence, judges, by_people=by_people) for members in group.dependence.groups()
    ]
    if group.deviation >= DEPARTS:
        departs = f"{method} decides against the majority in {group.deviation:.0%} of items"
        sentences.append(f"{departs}; check some of them by hand")
    return [f"{sentence}." for sentence in sentences]


def _doubt(doubt: Doubt, judge: str, *, by_people: bool) -> str:
    skill = f"(skill {doubt.size:.2f})"
    if doubt.kind == "one_sided":
        return f"{judge} says always the same, {doubt.size:.0%} of the time; average and majority count it all the same"
    if by_people:
        return (
            f"{judge} is {'as good as chance' if doubt.kind == 'chance' else 'mostly wrong'} by people's labels {skill}"
        )
    if doubt.kind == "chance":
        return f"{judge} is as good as chance by what the others say {skill}; only people can tell whether it is"
    return f"{judge} is against the others {skill}; only people can tell who of them is right"


def _together(members: Ints, dependence: Dependence, judges: Sequence[str], *, by_people: bool) -> str:
    """The judges of a group that agree more than errors of each its own would make them."""
    i, j = np.triu_indices(len(members), 1)
    observed, expected = (float(share[members[i], members[j]].mean()) for share in dependence[:2])
    names = ", ".join(judges[k] for k in members[:-1]) + f" and {judges[members[-1]]}"
    agree = f"{names} agree with each other in {observed:.0%} of items, and would in {expected:.0%} if each erred alone"
    if by_people:
        return f"{agree}: they err together, and count for {dependence.counts_for[members].sum():.1f} judges"
    return f"{agree}: they err together, or all others do; only people can tell which"


def _share(rightness: Accuracy) -> str:
    low, high = rightness.interval
    return f"{rightness.share:.0%} ({low:.0%} to {high:.0%})"
