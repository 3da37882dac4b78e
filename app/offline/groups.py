"""Groups of a file: comparisons that are ranked together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.files.columns import Labels
from app.files.comparisons import GroupedComparisons
from app.files.tables import Output
from app.inference.fitting import AbsoluteScores, no_absolute_scores
from app.inference.types import Comparisons, Floats, Ints
from app.offline import absolute_scores, covariates
from app.offline.absolute_scores import NO_SCORES, ScoresByGroup
from app.offline.outputs import NO_OUTPUTS, OutputsBeside, Tags, matched

NOTHING = np.zeros((2, 0), np.int64)


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
    uncompared: Ints = NOTHING  # (2, U) item and candidate of each output beside the comparisons
    grew: bool = False  # as a log of the service, whose pairs were chosen by it
    order_chance: Floats | None = None  # (K,) as of GroupedComparisons
    positions: bool = True  # false of lists of winners, by their columns

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
    """The groups of comparisons, each among the candidates that it or its scores mention, on its own items.

    A group of all has those too that an export lists beside its comparisons.
    """
    for code, labels in enumerate(comparisons.groups):
        rows = comparisons.group == code if len(comparisons.groups) > 1 else slice(None)
        candidates, (first, second) = _renumbered(comparisons.first[rows], comparisons.second[rows])
        judges, (judge,) = _renumbered(comparisons.judge[rows])
        judged, (item,) = _renumbered(comparisons.item[rows])
        keys, names = [comparisons.keys[each] for each in candidates], [comparisons.judges[each] for each in judges]
        items = [comparisons.items[each] for each in judged]
        group = Comparisons(first, second, comparisons.p[rows], judge, comparisons.weight[rows])
        listed = () if labels else comparisons.uncompared
        keys, items, uncompared = _extended(keys, items, listed, are_apart=any(items) and comparisons.times is None)
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
            uncompared=uncompared,
            grew=comparisons.grew,
            order_chance=None if comparisons.order_chance is None else comparisons.order_chance[rows],
            positions=comparisons.positions,
        )


def _extended(
    keys: list[str], items: list[str], outputs: Sequence[Output], *, are_apart: bool
) -> tuple[list[str], list[str], Ints]:
    """The keys and items with those of outputs behind them, and (2, U) item and candidate of each output, where items
    `are_apart`."""
    number, place = ({key: n for n, key in enumerate(known)} for known in (keys, items))
    for _, key in outputs:
        number.setdefault(key, len(number))
    places = [(place.setdefault(item, len(place)), number[key]) for item, key in outputs if item and are_apart]
    return [*number], [*place], np.array(places, np.int64).reshape(-1, 2).T


def _renumbered(*columns: Ints) -> tuple[list[int], list[Ints]]:
    """The numbers that are there, and the columns with their places among these."""
    there = np.zeros(1 + max(int(column.max(initial=-1)) for column in columns), np.bool_)
    for column in columns:
        there[column] = True
    place = np.cumsum(there) - 1
    return np.flatnonzero(there).tolist(), [place[column] for column in columns]
