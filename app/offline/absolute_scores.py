"""Absolute scores of a file, beside what is compared in each group."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.files.absolute_scores import KeyedScore, read_absolute_scores
from app.files.columns import Labels
from app.files.reading import read
from app.inference.fitting import AbsoluteScores, no_absolute_scores

ScoresByGroup = Mapping[Labels, Sequence[KeyedScore]]
NO_SCORES: ScoresByGroup = {}


class Named(NamedTuple):
    """Absolute scores by number, and the names that belong to these."""

    keys: list[str]  # (N,)
    judges: list[str]  # (J,)
    absolute: AbsoluteScores


def load(path: str | None, group_by: Sequence[str]) -> ScoresByGroup:
    """Scores by group; those of a file without group columns hold for every group. Raises InputError."""
    return NO_SCORES if path is None else read_absolute_scores(read(path), group_by)


def of_group(scores: ScoresByGroup, labels: Labels, keys: Sequence[str], judges: Sequence[str]) -> Named:
    """The scores of one group, with the keys and judges that they bring along behind those that are there."""
    of_labels = scores.get(labels, scores.get((), ()))
    if not of_labels:
        return Named(list(keys), list(judges), no_absolute_scores())
    every = list(dict.fromkeys([*keys, *(each.candidate for each in of_labels)]))
    everyone = list(dict.fromkeys([*judges, *(each.judge for each in of_labels)]))
    candidate = {key: number for number, key in enumerate(every)}
    judge = {name: number for number, name in enumerate(everyone)}
    absolute = AbsoluteScores(
        np.array([candidate[each.candidate] for each in of_labels]),
        np.array([judge[each.judge] for each in of_labels]),
        np.array([each.mean for each in of_labels]),
        np.array([each.variance for each in of_labels]),
    )
    return Named(every, everyone, absolute)
