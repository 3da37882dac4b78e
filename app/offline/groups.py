"""Groups of a file: comparisons that are ranked together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.files.columns import Labels
from app.files.comparisons import GroupedComparisons
from app.inference.fitting import AbsoluteScores, no_absolute_scores
from app.inference.types import Comparisons, Floats, Ints
from app.offline import absolute_scores, covariates
from app.offline.absolute_scores import NO_SCORES, ScoresByGroup
from app.offline.outputs import NO_OUTPUTS, OutputsBeside, Tags, matched


class Group(NamedTuple):
    labels: Labels  # what it is called, one value per group column
    keys: list[str]  # (N,) its candidates
    comparisons: Comparisons
    judges: Sequence[str] = ("",)  # (J,) by number; one without a name where the file names none
    absolute: AbsoluteScores = no_absolute_scores()
    items: Sequence[str] = ("",)  # (I,) what was judged; one without a name where the file names none
    item: Ints | None = None  # (K,) which of them; None where it is the same of all
    times: Ints | None = None  # (K,) how many rows of the file each comparison stands for, where they were put together
    tags: Sequence[Tags] = ()  # (I,) of each item; empty where nothing has any
    covariates: Mapping[str, Floats] = {}  # (I, N) of outputs by name, NaN of unknown ones

    @property
    def item_of_each(self) -> Ints:
        """(K,)"""
        return np.zeros(self.comparisons.size, np.int64) if self.item is None else self.item

    @property
    def is_folded(self) -> bool:
        return self.times is not None


def split(
    comparisons: GroupedComparisons, scores: ScoresByGroup = NO_SCORES, beside: OutputsBeside = NO_OUTPUTS
) -> Iterator[Group]:
    """The groups of comparisons, each among the candidates that it or its scores mention, on its own items."""
    for code, labels in enumerate(comparisons.groups):
        rows = comparisons.group == code if len(comparisons.groups) > 1 else slice(None)
        candidates, (first, second) = _renumbered(comparisons.first[rows], comparisons.second[rows])
        judges, (judge,) = _renumbered(comparisons.judge[rows])
        judged, (item,) = _renumbered(comparisons.item[rows])
        keys, names = [comparisons.keys[each] for each in candidates], [comparisons.judges[each] for each in judges]
        items = [comparisons.items[each] for each in judged]
        group = Comparisons(first, second, comparisons.p[rows], judge, comparisons.weight[rows])
        keys, names, absolute = absolute_scores.of_group(scores, labels, keys, names)
        times = None if comparisons.times is None else comparisons.times[rows]
        tags = matched(items, beside.tags)
        of_outputs = {name: covariates.of_log(items, keys, numbers) for name, numbers in beside.covariates.items()}
        yield Group(
            labels=labels,
            keys=keys,
            comparisons=group,
            judges=names,
            absolute=absolute,
            items=items,
            item=item,
            times=times,
            tags=tags,
            covariates=of_outputs,
        )


def _renumbered(*columns: Ints) -> tuple[list[int], list[Ints]]:
    """The numbers that are there, and the columns with their places among these."""
    there = np.zeros(1 + max(int(column.max(initial=-1)) for column in columns), np.bool_)
    for column in columns:
        there[column] = True
    place = np.cumsum(there) - 1
    return np.flatnonzero(there).tolist(), [place[column] for column in columns]
