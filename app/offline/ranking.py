"""Rankings of the groups of a file, with any method.

A posterior method gives the whole row; a baseline gives scores and ranks only.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from nextpair.words import (
    JOINT,
    AbsoluteScale,
    EvidenceName,
    InferenceTargetChoice,
    InferenceTargetName,
    MethodName,
    PositionBiasChoice,
    PriorName,
)

from app.files.columns import Labels, where
from app.files.comparisons import ComparisonColumns, GroupedComparisons, columns_of, read_grouped
from app.files.reading import read_in_parts, rows_of
from app.files.tables import EXPORTED, JUDGED, InputError
from app.inference import experts, fitting
from app.inference.choosing import prompts_to_settle
from app.inference.fitting import (
    BASELINES,
    AbsoluteScores,
    Hyperparameters,
    Model,
    Published,
    TooMany,
    is_certified,
    no_absolute_scores,
    position_bias_of,
    repeat_correlations,
    usual_evidence,
)
from app.inference.regimes import DENSE, RANKED_DENSE
from app.inference.reporting import (
    BesidePeople,
    SignalTest,
    Standings,
    Target,
    Wanted,
    by_baseline,
    by_judges,
    by_posterior,
    certainty_beside_people,
    judged_of,
    resolve,
    signal_of,
)
from app.inference.targets import PromptsNeeded, judged_alone, publish_for, quantity_of
from app.inference.types import Bools, Comparisons, Ints
from app.offline import absolute_scores, room
from app.offline.absolute_scores import NO_SCORES, ScoresByGroup
from app.offline.agreement import JudgeAgreement, agreement_of

MOST_ROWS = 3_000_000  # of a file; of more, rows alike are put together where the method allows it
ROWWISE = ("win-ratio", "average-probability", "bradley-terry")  # baselines without a matrix
IN_SUMS = "--method soft-bt --evidence one-vote needs only sums, and --group-by with --where rank a part of it"
NO_BIAS = ("none", "auto")  # which methods may have that know nothing of biases
NOBODY = "the judge"  # where the file names none
OF_ROWS = ("the signal", "the agreement of judges", "the agreement with people")  # which need each row by itself


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
    item: Ints | None = None  # (K,) which of them; None where it is the same of all
    times: Ints | None = None  # (K,) how many rows of the file each comparison stands for, where they were put together

    @property
    def item_of_each(self) -> Ints:
        """(K,)"""
        return np.zeros(self.comparisons.size, np.int64) if self.item is None else self.item

    @property
    def rows(self) -> int:
        """Comparisons in the file."""
        return self.comparisons.size if self.times is None else int(self.times.sum())

    @property
    def is_folded(self) -> bool:
        return self.times is not None


class RankingMethod(NamedTuple):
    """A baseline by its name, or a posterior method with all that belongs to it."""

    name: MethodName
    prior_variance: float = 1.0
    parameters: tuple[tuple[str, float], ...] = ()  # of the expert
    prior: PriorName = "unit"
    position_bias: PositionBiasChoice = "none"
    wanted: Wanted = Wanted()
    evidence: EvidenceName = "one-vote"
    absolute_scale: AbsoluteScale = "estimate"
    reference: Sequence[str] = ()  # judges who are people
    is_evidence_usual: bool = False  # rather than chosen: then it may be one-vote where learning takes too much
    inference_target: InferenceTargetChoice = "latent"


class JudgeScale(NamedTuple):
    """The line c0 + c1 mu from the absolute scores of a judge to the scores as they are shown."""

    judge: str
    c0: float
    c1: float
    scores: int
    settled: bool  # whether it is final


class OfRows(NamedTuple):
    """What only single rows tell."""

    signal: SignalTest
    certainty: BesidePeople
    agreement: JudgeAgreement | None  # where the file names several judges


class Ranked(NamedTuple):
    """A group and its ranking."""

    group: Group
    method: RankingMethod
    standings: Standings
    target: Target
    of_rows: OfRows | None  # None where rows were put together
    learnt: Hyperparameters | None = None  # what answers are worth, where it is learnt; judges by number
    scales: Sequence[JudgeScale] = ()  # of who gave absolute scores
    left_out: Sequence[str] = ()  # what is not said of so much, and why
    prompts: PromptsNeeded | None = None  # what would settle who is best on new ones, where that is not settled


def split(comparisons: GroupedComparisons, scores: ScoresByGroup = NO_SCORES) -> Iterator[Group]:
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
        yield Group(labels, keys, group, names, absolute, items, item, times)


def _renumbered(*columns: Ints) -> tuple[list[int], list[Ints]]:
    """The numbers that are there, and the columns with their places among these."""
    there = np.zeros(1 + max(int(column.max(initial=-1)) for column in columns), np.bool_)
    for column in columns:
        there[column] = True
    place = np.cumsum(there) - 1
    return np.flatnonzero(there).tolist(), [place[column] for column in columns]


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
    folds = reads_sums(method)
    if not folds:
        rows = rows_of(path)
        room.require(room.A_ROW * rows, f"{path}: {rows:,} rows, each of which {method.name} needs", IN_SUMS)
    wanted = {*columns_of(columns), *group_by, *(column for column, _ in conditions), *EXPORTED, *JUDGED}
    tables = room.while_there_is(where(read_in_parts(path, wanted), conditions), "rank fewer groups at a time")
    comparisons = read_grouped(tables, columns, group_by, MOST_ROWS if folds else inf)
    if scores is not None and method.name in BASELINES:
        raise InputError(f"{method.name} is a baseline: it reads comparisons alone; leave --scores out")
    groups = list(split(comparisons, absolute_scores.load(scores, group_by)))
    if unknown := set(method.reference) - {judge for group in groups for judge in group.judges}:
        raise InputError(
            f"--reference {min(unknown)!r} has judged nothing in {path}; write it as the judge column does"
        )
    if scores is not None and not any(group.absolute.size for group in groups):
        raise InputError(f"{scores}: none of its scores is in a group of the comparisons; check the group columns")
    try:
        return [rank(group, method) for group in groups]
    except TooMany as error:
        raise InputError(
            f"{method.name}: {error}; rank fewer candidates, or by soft-bt with --evidence one-vote"
        ) from None


def reads_sums(method: RankingMethod) -> bool:
    """True where the likelihood is linear in p, and nothing else is read of single rows."""
    is_learnt = method.evidence == "learnt" and not method.is_evidence_usual
    if is_learnt or method.position_bias == "closed-form":
        return False
    if method.name in experts.MAKERS:
        return experts.make(method.name, dict(method.parameters)).linear_in_p
    return method.name == "average-probability"


def rank(group: Group, method: RankingMethod) -> Ranked:
    """The ranking of one group. Raises InputError and NotConvergedError."""
    n, left_out = len(group.keys), list[str]()
    if method.is_evidence_usual and method.evidence == "learnt" and (n > DENSE or group.is_folded):
        method = method._replace(evidence="one-vote")
        left_out.append("what an answer is worth: it counts as one vote")
    if method.position_bias == "auto" and group.is_folded:
        method = method._replace(position_bias="none")
        left_out.append("position biases: none is assumed")
    _require_room(group, method)
    published = None if method.name in BASELINES else _published(group, method, "latent")
    target = _target(group, method, published)
    if published and target.name == "all-pairs":
        published = _published(group, method, target.name)
    standings = _settled(_standings(group, method, published, target.name), group, method)
    if published:
        method = method._replace(position_bias=position_bias_of(definition_of(method), published.model))
    if published and standings.entropy is None:
        left_out += ["the entropy", "which candidates are interchangeable"]
    if group.is_folded:
        left_out += OF_ROWS
    of_rows = None if group.is_folded else _of_rows(group, method, target.name)
    learnt = published and published.learnt
    is_about_new = target.name == "new-items"
    prompts = prompts_to_settle(published, group.item_of_each) if published and is_about_new else None
    return Ranked(group, method, standings, target, of_rows, learnt, _scales(group, published), left_out, prompts)


def _require_room(group: Group, method: RankingMethod) -> None:
    """Raises InputError where what many candidates take does not fit into memory."""
    n, comparisons = len(group.keys), group.comparisons.size
    if _is_certified(group, method):
        room.require(room.A_LINK * comparisons, f"{comparisons:,} comparisons of {n:,} candidates", IN_SUMS)
    elif n > DENSE and method.name not in ROWWISE:
        remedy = (
            f"--method soft-bt --evidence one-vote without biases or --scores needs none above {DENSE:,} candidates"
        )
        room.require(room.A_DENSE_ENTRY * n**2, f"{method.name} on {n:,} candidates makes a matrix of them", remedy)


def _settled(standings: Standings, group: Group, method: RankingMethod) -> Standings:
    """The standings, which count the rows of the file. Raises NotConvergedError."""
    if not standings.convergence.converged:
        name = " / ".join(group.labels) or "all comparisons"
        raise NotConvergedError(f"{name}: {method.name} gives no ranking. {standings.convergence.outcome.value}")
    if group.times is None:
        return standings
    first, second, n = group.comparisons.first, group.comparisons.second, len(group.keys)
    rows = (np.bincount(first, group.times, n) + np.bincount(second, group.times, n)).astype(np.int64).tolist()
    return standings._replace(rows=[row._replace(comparisons=rows[row.candidate]) for row in standings.rows])


def _is_certified(group: Group, method: RankingMethod) -> bool:
    if len(group.keys) <= DENSE or method.name in BASELINES or method.name in JOINT or method.evidence == "learnt":
        return False
    return not group.absolute.size and is_certified(model_of(method, len(group.keys)))


def _target(group: Group, method: RankingMethod, published: Published | None) -> Target:
    """Raises InputError where the file cannot answer the target that is asked for."""
    wanted = None if method.inference_target == "auto" else method.inference_target
    if group.is_folded and wanted is None:
        wanted = "latent"
    judged = judged_of(
        group.comparisons,
        group.item_of_each,
        _has(group),
        [judge or NOBODY for judge in group.judges],
        _people(group, method),
        None if published is None else lambda: repeat_correlations(published, group.item_of_each, len(group.judges)),
        len(group.items) if any(group.items) else 0,
    )
    try:
        return resolve(judged, method.name, wanted=None if method.name in BASELINES else wanted)
    except ValueError as error:
        raise InputError(f"--inference-target {wanted}: {error}") from None


def _has(group: Group) -> Bools:
    """(I, N) which candidates were judged on each item."""
    return judged_alone(group.item_of_each, group.comparisons.first, group.comparisons.second, len(group.keys))


def _standings(
    group: Group, method: RankingMethod, published: Published | None, target: InferenceTargetName
) -> Standings:
    """Raises InputError for a method that cannot take so many judges."""
    if published is None:
        return by_baseline(method.name, group.comparisons, len(group.keys))
    if method.name in JOINT:
        try:
            return by_judges(method.name, published.comparisons, published.model, _people(group, method), method.wanted)
        except ValueError as error:
            raise InputError(f"--method {method.name}: {error}") from None
    if not published.posterior.convergence.converged:
        return by_posterior(published, method.wanted)
    has, people = _has(group), _people(group, method)
    ranked = quantity_of(target, published, group.comparisons, group.item_of_each, has, people)
    return by_posterior(published, method.wanted, quantity=ranked)


def _published(group: Group, method: RankingMethod, target: InferenceTargetName) -> Published:
    """As the service publishes it. Where nobody is named, one judge is behind all rows, as `nextpair import` has it."""
    n, judges, definition = len(group.keys), len(group.judges), definition_of(method)
    item, dense = group.item_of_each, RANKED_DENSE
    return publish_for(target, group.comparisons, item, group.absolute, definition, n, judges, dense=dense)


def _people(group: Group, method: RankingMethod) -> Bools:
    """(J,) who of the judges are people."""
    return np.isin(np.array(group.judges), list(method.reference))


def _of_rows(group: Group, method: RankingMethod, target: InferenceTargetName) -> OfRows:
    comparisons, item, n = group.comparisons, group.item_of_each, len(group.keys)
    return OfRows(
        signal_of(comparisons, n, item, new_items=target == "new-items"),
        certainty_beside_people(comparisons, item, _people(group, method), method.wanted.level),
        agreement_of(comparisons, item, n, len(group.judges)),
    )


def _scales(group: Group, published: Published | None) -> list[JudgeScale]:
    if published is None or published.scale is None:
        return []
    level, counts = published.posterior.mean[: published.model.n].mean(), np.bincount(group.absolute.judge)
    c0, c1 = published.scale.c0 - level, published.scale.c1
    return [
        JudgeScale(group.judges[judge], float(c0[judge]), float(c1[judge]), int(counts[judge]), published.settled)
        for judge in np.flatnonzero(counts).tolist()
    ]


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
    if method.name in BASELINES:
        if method.parameters or method.prior != "unit" or method.position_bias not in NO_BIAS:
            raise InputError(f"{method.name} is a baseline: it has no --parameter, --prior or --position-bias")
        return method
    if method.name in JOINT and (method.parameters or method.position_bias not in NO_BIAS):
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
    is_joint = method.name in JOINT
    return fitting.Method(
        "soft-bt" if is_joint else method.name,
        method.parameters,
        method.prior,
        method.prior_variance,
        "none" if is_joint else method.position_bias,
        method.evidence,
        method.absolute_scale,
    )
