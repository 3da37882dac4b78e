"""Cases for a simulation: groups of candidates whose true values are known, and a judge's answers to all pairs."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from app.files.columns import Labels, keys_of, label_rows, require, usual, where
from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.reading import read
from app.files.tables import InputError, Table
from app.files.values import read_means, read_values
from app.inference.choosing import RANKING, Goal
from app.inference.fitting import AbsoluteScores, no_absolute_scores
from app.inference.types import Floats
from app.offline import absolute_scores
from app.offline.absolute_scores import ScoresByGroup
from app.offline.groups import Group, split

Truths = Mapping[Labels, Mapping[str, float]]


class Case(NamedTuple):
    """One group: N candidates, their true values, and what the judge says of each ordered pair."""

    labels: Labels
    keys: list[str]  # (N,)
    truth: Floats  # (N,)
    offered: Floats  # (N, N) p that i beats j when i is shown first; NaN where the judge was not asked
    goal: Goal = RANKING
    absolute: AbsoluteScores = no_absolute_scores()  # known before the first comparison

    @property
    def answers(self) -> Floats:
        """(N, N) `offered`, and 1 - p where only the other order is known."""
        return np.where(np.isnan(self.offered), 1.0 - self.offered.T, self.offered)

    @property
    def ordered_pairs(self) -> int:
        return len(self.keys) * (len(self.keys) - 1)


class ScoreColumns(NamedTuple):
    """A judge that scored candidates one at a time: the mean over its rows is what is compared."""

    key: str  # column
    score: str  # column


class TruthFile(NamedTuple):
    """A file of true values."""

    path: str
    key: str  # column
    value: str  # column


class LoadedCases(NamedTuple):
    cases: list[Case]
    unscored: int  # candidates left out because the judge has no score for them


def load(
    paths: Iterable[str],
    judged_by: ComparisonColumns | ScoreColumns,
    truth_file: TruthFile,
    group_by: Sequence[str],
    conditions: Sequence[tuple[str, str]],
    temperature: float = 1.0,
    scores: str | None = None,
) -> LoadedCases:
    """One case per group of the judge's files, of which only the rows that meet `conditions` are read.

    A truth file without any of the group columns holds for every group. Absolute scores without any of them are grouped
    as the truth file groups their candidates. `scores` is a file of absolute scores. Raises InputError.
    """
    tables = [table for path in paths for table in where([read(path)], conditions)]
    truths = _truths(truth_file, group_by)
    if isinstance(judged_by, ComparisonColumns):
        groups = split(read_grouped(tables, judged_by, group_by)._replace(uncompared=()))
        cases, unscored = [from_pairs(group, _of(truths, group.labels)) for group in groups], 0
    else:
        means = _mean_scores(tables, judged_by, truth_file, group_by)
        scores_of = _by_group({labels: mean for labels, mean in means.items() if not isnan(mean)})
        cases = [from_scores(labels, scores, _of(truths, labels)) for labels, scores in scores_of.items()]
        unscored = sum(map(isnan, means.values()))
    absolute = absolute_scores.load(scores, group_by)
    return LoadedCases([with_scores(tempered(case, temperature), absolute) for case in cases], unscored)


def _mean_scores(
    tables: Sequence[Table], judged_by: ScoreColumns, truth_file: TruthFile, group_by: Sequence[str]
) -> Mapping[Labels, float]:
    """Mean score by (*group, key), NaN where all are missing. Raises InputError."""
    if len(tables) > 1:
        raise InputError("absolute scores are read from one file only; put them together")
    (table,) = tables
    if not group_by or any(usual(table.columns, [column]) for column in group_by):
        return read_means(table, [*group_by, judged_by.key], judged_by.score)
    truths = read(truth_file.path)
    group_of = dict(zip(keys_of(truths, truth_file.key), label_rows(truths, group_by), strict=True))
    means = read_means(table, [judged_by.key], judged_by.score)
    if missing := [key for (key,) in means if key not in group_of]:
        raise InputError(f"{truth_file.path}: no row for {missing[0]}, so its {group_by[0]} is not known; add one")
    return {(*group_of[key], key): mean for (key,), mean in means.items()}


def _truths(truth_file: TruthFile, group_by: Sequence[str]) -> Truths:
    table = read(truth_file.path)
    shared = not any(usual(table.columns, [column]) for column in group_by)
    columns = [] if shared else [require(table, column) for column in group_by]
    return _by_group(read_values(table, [*columns, truth_file.key], truth_file.value))


def _of(truths: Truths, labels: Labels) -> Mapping[str, float]:
    """The truth of one group, or the one that holds for all."""
    return truths.get(labels, truths.get((), {}))


def _by_group(values: Mapping[Labels, float]) -> dict[Labels, dict[str, float]]:
    """Split (*group, key) -> value into group -> key -> value."""
    groups: dict[Labels, dict[str, float]] = {}
    for (*labels, key), value in values.items():
        groups.setdefault(tuple(labels), {})[key] = value
    return groups


def from_pairs(group: Group, truth: Mapping[str, float]) -> Case:
    """A judge that was asked pairs; answers to the same ordered pair are averaged by weight. Raises InputError."""
    n, (first, second, p, _, weight) = len(group.keys), group.comparisons
    at = first * n + second
    votes, total = np.bincount(at, weight, n * n), np.bincount(at, weight * p, n * n)
    mean = np.divide(total, votes, out=np.full(n * n, np.nan), where=votes > 0.0)
    truths = true_values(group.labels, group.keys, truth)
    return Case(group.labels, group.keys, truths, mean.reshape(n, n))


def from_scores(labels: Labels, scores: Mapping[str, float], truth: Mapping[str, float]) -> Case:
    """A judge that gave absolute scores: p_ij = sigmoid(s_i - s_j). Raises InputError."""
    keys, s = list(scores), np.array(list(scores.values()))
    offered = expit(s[:, None] - s[None, :])
    np.fill_diagonal(offered, np.nan)
    return Case(labels, keys, true_values(labels, keys, truth), offered)


def tempered(case: Case, temperature: float) -> Case:
    """The same judge, sharper below 1 and flatter above: p^(1/T) / (p^(1/T) + (1-p)^(1/T)), GPM B."""
    return case if temperature == 1.0 else case._replace(offered=expit(logit(case.offered) / temperature))


def with_scores(case: Case, scores: ScoresByGroup) -> Case:
    """The case with the absolute scores of its candidates; those of others are left out."""
    among = {labels: [each for each in scored if each.candidate in case.keys] for labels, scored in scores.items()}
    return case._replace(absolute=absolute_scores.of_group(among, case.labels, case.keys, []).absolute)


def noisy(case: Case, sd: float, rng: np.random.Generator) -> Case:
    """The same judge with N(0, sd^2) added to the logits, one draw for a pair, whoever is shown first."""
    if not sd:
        return case
    noise = np.triu(rng.normal(0.0, sd, case.offered.shape), 1)
    return case._replace(offered=expit(logit(case.offered) + noise - noise.T))


def true_values(labels: Labels, keys: Sequence[str], truth: Mapping[str, float]) -> Floats:
    """(N,) the truth of the keys. Raises InputError where it has none of one of them."""
    if missing := [key for key in keys if key not in truth]:
        name = " / ".join([*labels, missing[0]])
        raise InputError(f"the judge knows {name} but the truth file has no value for it; add one")
    return np.array([truth[key] for key in keys])
