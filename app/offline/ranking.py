"""Rankings of the groups of a file, with any method.

A posterior method gives the whole row; a baseline gives scores and ranks only.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import JOINT, AbsoluteScale, EvidenceName, MethodName, PositionBias, PriorName

from app.files.columns import Labels, where
from app.files.comparisons import ComparisonColumns, GroupedComparisons, read_grouped
from app.files.reading import read
from app.files.tables import InputError
from app.inference import fitting
from app.inference.fitting import BASELINES, AbsoluteScores, Model, Published, no_absolute_scores, usual_evidence
from app.inference.reporting import Signal, Standings, Wanted, by_baseline, by_judges, by_posterior, signal_of
from app.inference.types import Comparisons, Ints
from app.offline import absolute_scores
from app.offline.absolute_scores import NO_SCORES, ScoresByGroup
from app.offline.agreement import JudgeAgreement, agreement_of


class NotConvergedError(Exception):
    """A fit that stopped short; it is never shown as a ranking."""

    exit_code = 1


class Group(NamedTuple):
    """Comparisons that are ranked together."""

    labels: Labels  # what it is called, one value per group column
    keys: list[str]  # (N,) its candidates
    comparisons: Comparisons
    judges: Sequence[str] = ("",)  # (J,) by number; one without a name where the file names none
    absolute: AbsoluteScores = no_absolute_scores()
    items: Sequence[str] = ("",)  # (I,) what was judged; one without a name where the file names none
    item: Ints | None = None  # (K,)


class RankingMethod(NamedTuple):
    """A baseline by its name, or a posterior method with all that belongs to it."""

    name: MethodName
    prior_variance: float = 1.0
    parameters: tuple[tuple[str, float], ...] = ()  # of the expert
    prior: PriorName = "unit"
    position_bias: PositionBias = "none"
    wanted: Wanted = Wanted()
    evidence: EvidenceName = "one-vote"
    absolute_scale: AbsoluteScale = "estimate"
    reference: Sequence[str] = ()  # judges who are people


class JudgeScale(NamedTuple):
    """The line c0 + c1 mu from the absolute scores of a judge to the scores as they are shown."""

    judge: str
    c0: float
    c1: float
    scores: int
    settled: bool  # whether it is final


class Ranked(NamedTuple):
    """A group and its ranking."""

    group: Group
    method: RankingMethod
    standings: Standings
    signal: Signal
    scales: Sequence[JudgeScale] = ()  # of who gave absolute scores
    agreement: JudgeAgreement | None = None  # where the file names several judges


def split(comparisons: GroupedComparisons, scores: ScoresByGroup = NO_SCORES) -> Iterator[Group]:
    """The groups of comparisons, each among the candidates that it or its scores mention."""
    for code, labels in enumerate(comparisons.groups):
        rows = comparisons.group == code
        pairs = np.array([comparisons.first[rows], comparisons.second[rows]])
        present, renumbered = np.unique(pairs, return_inverse=True)
        first, second = renumbered.reshape(2, -1)
        keys = [comparisons.keys[candidate] for candidate in present]
        judges, judge = np.unique(comparisons.judge[rows], return_inverse=True)
        names = [comparisons.judges[number] for number in judges]
        group = Comparisons(first, second, comparisons.p[rows], judge, comparisons.weight[rows])
        keys, names, absolute = absolute_scores.of_group(scores, labels, keys, names)
        yield Group(labels, keys, group, names, absolute, comparisons.items, comparisons.item[rows])


def rank_file(
    path: str,
    columns: ComparisonColumns,
    group_by: Sequence[str],
    conditions: Sequence[tuple[str, str]],
    method: RankingMethod,
    scores: str | None = None,
) -> list[Ranked]:
    """A ranking per group of a file, of the rows that meet `conditions`, and of the absolute scores in another file.

    Raises InputError and NotConvergedError.
    """
    comparisons = read_grouped([where(read(path), conditions)], columns, group_by)
    if scores is not None and method.name in BASELINES:
        raise InputError(f"{method.name} is a baseline: it reads comparisons alone; leave --scores out")
    groups = list(split(comparisons, absolute_scores.load(scores, group_by)))
    if unknown := set(method.reference) - {judge for group in groups for judge in group.judges}:
        raise InputError(
            f"--reference {min(unknown)!r} has judged nothing in {path}; write it as the judge column does"
        )
    if scores is not None and not any(group.absolute.size for group in groups):
        raise InputError(f"{scores}: none of its scores is in a group of the comparisons; check the group columns")
    return [rank(group, method) for group in groups]


def rank(group: Group, method: RankingMethod) -> Ranked:
    """The ranking of one group. Raises InputError and NotConvergedError."""
    published = None if method.name in BASELINES else _published(group, method)
    standings = _standings(group, method, published)
    if not standings.convergence.converged:
        name = " / ".join(group.labels) or "all comparisons"
        raise NotConvergedError(f"{name}: {method.name} gives no ranking. {standings.convergence.outcome.value}")
    item = np.zeros(group.comparisons.size, np.int64)
    signal = signal_of(group.comparisons, len(group.keys), item)
    return Ranked(group, method, standings, signal, _scales(group, published), _agreement(group))


def _standings(group: Group, method: RankingMethod, published: Published | None) -> Standings:
    """Raises InputError for a method that cannot take so many judges."""
    if published is None:
        return by_baseline(method.name, group.comparisons, len(group.keys))
    if method.name in JOINT:
        people = np.isin(np.array(group.judges), list(method.reference))
        try:
            return by_judges(method.name, published.comparisons, published.model, people, method.wanted)
        except ValueError as error:
            raise InputError(f"--method {method.name}: {error}") from None
    return by_posterior(published, method.wanted)


def _published(group: Group, method: RankingMethod) -> Published:
    """Comparisons are each about something else, as far as a file says: only a judge who is named repeats itself."""
    item = np.zeros(group.comparisons.size, np.int64) if any(group.judges) else np.arange(group.comparisons.size)
    n, judges = len(group.keys), len(group.judges)
    return fitting.publish(group.comparisons, item, group.absolute, definition_of(method), n, judges)


def _scales(group: Group, published: Published | None) -> list[JudgeScale]:
    if published is None or published.scale is None:
        return []
    level, counts = published.posterior.mean[: published.model.n].mean(), np.bincount(group.absolute.judge)
    c0, c1 = published.scale.c0 - level, published.scale.c1
    return [
        JudgeScale(group.judges[judge], float(c0[judge]), float(c1[judge]), int(counts[judge]), published.settled)
        for judge in np.flatnonzero(counts).tolist()
    ]


def _agreement(group: Group) -> JudgeAgreement | None:
    item = np.zeros(group.comparisons.size, np.int64) if group.item is None else group.item
    return agreement_of(group.comparisons, item, len(group.keys), len(group.judges))


def parse_parameters(texts: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Name and value of each `name=value`. Raises InputError."""
    pairs = [text.partition("=") for text in texts]
    try:
        return tuple((name.strip(), float(value)) for name, _, value in pairs)
    except ValueError:
        raise InputError("--parameter needs a name and a number, as in --parameter v=1") from None


def require_possible(method: RankingMethod) -> RankingMethod:
    """The method itself. Raises InputError where there is no such method."""
    if method.evidence == "learnt" and usual_evidence(method.name, method.prior) != "learnt":
        raise InputError("--evidence learnt goes with the method soft-bt and the prior unit; leave it out")
    if method.reference and method.name != "judge-aware":
        raise InputError("--reference says whom judges are held against, which is for --method judge-aware")
    if method.name in BASELINES:
        if method.parameters or method.prior != "unit" or method.position_bias != "none":
            raise InputError(f"{method.name} is a baseline: it has no --parameter, --prior or --position-bias")
        return method
    if method.name in JOINT and (method.parameters or method.position_bias != "none"):
        raise InputError(f"{method.name} estimates biases by itself and has no --parameter or --position-bias")
    try:
        model_of(method, 1)
    except ValueError as error:
        raise InputError(f"--method {method.name}: {error}") from None
    return method


def model_of(method: RankingMethod, n: int, judges: int = 1) -> Model:
    """The model of n candidates for a posterior method. Raises ValueError for parameters that it cannot have."""
    return fitting.build(definition_of(method), n, judges)


def definition_of(method: RankingMethod) -> fitting.Method:
    """The choice of a model for a posterior method."""
    expert = "soft-bt" if method.name in JOINT else method.name
    return fitting.Method(
        expert,
        method.parameters,
        method.prior,
        method.prior_variance,
        method.position_bias,
        method.evidence,
        method.absolute_scale,
    )
