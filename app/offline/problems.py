"""From files to the problems of a simulation."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import NamedTuple

from app.files.columns import Labels, require, where
from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.reading import read
from app.files.tables import InputError, Table
from app.files.values import read_means, read_values
from app.offline.ranking import split
from app.offline.simulation import Problem, from_pairs, from_scores

Truths = Mapping[Labels, Mapping[str, float]]


class AbsoluteScores(NamedTuple):
    """A judge that scored candidates one at a time: the mean over its rows is what is compared."""

    key: str  # column
    score: str  # column
    temperature: float


class TruthFile(NamedTuple):
    path: str
    key: str  # column
    value: str  # column


class Loaded(NamedTuple):
    problems: list[Problem]
    unscored: int  # candidates left out because the judge has no score for them


def load(
    paths: Iterable[str],
    judged_by: ComparisonColumns | AbsoluteScores,
    truth_file: TruthFile,
    group_by: Sequence[str],
    conditions: Sequence[tuple[str, str]],
) -> Loaded:
    """One problem per group of the judge's files, of which only the rows that meet `conditions` are read.

    A truth file without any of the group columns holds for every group. Raises InputError.
    """
    tables = [where(read(path), conditions) for path in paths]
    truths = _truths(truth_file, group_by)
    if isinstance(judged_by, ComparisonColumns):
        groups = split(read_grouped(tables, judged_by, group_by))
        return Loaded([from_pairs(group, _of(truths, group.labels)) for group in groups], 0)
    means = read_means(_only(tables), [*group_by, judged_by.key], judged_by.score)
    scores = _by_group({label: mean for label, mean in means.items() if not isnan(mean)})
    temperature = judged_by.temperature
    problems = [from_scores(of, keys, _of(truths, of), temperature) for of, keys in scores.items()]
    return Loaded(problems, sum(map(isnan, means.values())))


def _only(tables: Sequence[Table]) -> Table:
    if len(tables) > 1:
        raise InputError("absolute scores are read from one file only; put them together")
    return tables[0]


def _truths(truth_file: TruthFile, group_by: Sequence[str]) -> Truths:
    table = read(truth_file.path)
    shared = not set(group_by) & set(table.columns)
    columns = [] if shared else [require(table, column) for column in group_by]
    return _by_group(read_values(table, [*columns, truth_file.key], truth_file.value))


def _of(truths: Truths, labels: Labels) -> Mapping[str, float]:
    """The truth of one group, or the one that holds for all."""
    return truths.get(labels, truths.get((), {}))


def _by_group(values: Mapping[Labels, float]) -> dict[Labels, dict[str, float]]:
    """Split (*group, key) -> value into group -> key -> value."""
    result: dict[Labels, dict[str, float]] = {}
    for (*labels, key), value in values.items():
        result.setdefault(tuple(labels), {})[key] = value
    return result
