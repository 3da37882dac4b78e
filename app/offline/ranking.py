"""Rankings of the groups of a file, with any method: loaded, answered by `app.analysis`, with what files alone have."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import inf
from typing import NamedTuple

import numpy as np
from nextpair import schemas
from nextpair.names import look_alike
from nextpair.words import (
    JOINT,
    AbsoluteScale,
    InferenceTargetChoice,
    InferenceTargetName,
    MethodName,
    PositionBiasChoice,
    PriorName,
    ScaleName,
    VerdictWeightName,
)

from app.analysis import ranking as analysis
from app.analysis.judged import NO_SET, Impossible, JudgedLog
from app.analysis.ranking import Origin, RankingRequest, Unconverged
from app.files.columns import Labels, where
from app.files.comparisons import ComparisonColumns, columns_of, read_grouped, with_winner
from app.files.reading import read_in_parts, rows_of
from app.files.tables import EXPORTED, JUDGED, InputError, Say
from app.inference import experts, fitting
from app.inference.fitting import (
    BASELINES,
    WEAK,
    Covariates,
    Hyperprior,
    Model,
    Normal,
    Published,
    Repetition,
    TooMany,
    is_sparse,
    repetition_of,
    usual_verdict_weight,
)
from app.inference.regimes import DENSE, RANKED_DENSE
from app.inference.reporting import Wanted
from app.inference.targets import publish_for, quantity_of, read_from
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import name_one_side, turned_alike
from app.offline import absolute_scores, memory, outputs
from app.offline.agreement import JudgeAgreement, agreement_of
from app.offline.groups import Group, split
from app.offline.win_rates import WinMatrix, matrix_of

MOST_ROWS = 3_000_000  # of a file; of more, rows alike are put together where the method allows it
ROWWISE = ("win-ratio", "average-probability", "bradley-terry")  # baselines without a matrix
IN_SUMS = "--method soft-bt --verdict-weight one-vote needs only sums, and --group-by with --where rank a part of it"
NO_BIAS = ("none", "auto")  # which methods may have that know nothing of biases
VALUES = {"method": "name"}  # fields of RankingMethod by options, where they differ
EVERYBODY = ""
NOBODY = "the judge"  # where the file names none
SIGNAL = "the signal"
OF_ROWS = (SIGNAL, "the agreement of judges", "the agreement with people")  # which need each row by itself


class NotConvergedError(Exception):
    """A fit that stopped short; it is never shown as a ranking."""

    exit_code = 1


class SharedPriors(NamedTuple):
    """Priors that other sets shared with a set, by the names of judges."""

    log_scale: Normal
    log_noise: Mapping[str, Normal]
    log_effects: Mapping[str, Normal]


class RankingMethod(NamedTuple):
    """A baseline by its name, or a posterior method with all that belongs to it."""

    name: MethodName
    prior_variance: float = 1.0
    parameters: tuple[tuple[str, float], ...] = ()  # of the expert
    prior: PriorName = "unit"
    position_bias: PositionBiasChoice = "none"
    wanted: Wanted = Wanted()
    verdict_weight: VerdictWeightName = "one-vote"
    absolute_scale: AbsoluteScale = "estimate"
    reference: Sequence[str] = ()  # judges who are people
    is_verdict_weight_usual: bool = False  # rather than chosen: then it may be one-vote where learning takes too much
    inference_target: InferenceTargetChoice = "latent"
    baseline: str | None = None  # a candidate
    scale: ScaleName = "logit"
    by: str | None = None  # a tag of the prompts
    covariate: tuple[str, ...] = ()
    matrix: bool = False  # whether expected win rates, candidate by candidate, are wanted
    positions: bool | None = None  # whether pairs were shown in the order of the rows; None as the file looks
    repeats: tuple[tuple[str, float], ...] = ()  # what is known of judges' repeating themselves; EVERYBODY's by ""
    priors: SharedPriors | None = None

    def repeats_of(self, judges: Sequence[str]) -> Floats:
        """(J,) the same, NaN where nothing is known."""
        known = dict(self.repeats)
        everybody = known.get(EVERYBODY, np.nan)
        return np.array([known.get(judge or NOBODY, everybody) for judge in judges], np.float64)

    def hyperprior_of(self, judges: Sequence[str]) -> Hyperprior:
        """The priors, by the numbers of the judges."""
        if self.priors is None:
            return WEAK
        log_scale, *by_name = self.priors
        by_number = ({number: of[judge] for number, judge in enumerate(judges) if judge in of} for of in by_name)
        return Hyperprior(log_scale, *by_number)


class Ranked(NamedTuple):
    """The ranking of a group, and what only a file has beside it."""

    labels: Labels
    ranking: schemas.Ranking
    agreement: JudgeAgreement | None  # where the file names several judges
    left_out: Sequence[str]  # what is not said of so much, and why
    matrix: WinMatrix | None = None  # of expected win rates, where it was asked for
    judges: Mapping[str, int] = {}  # comparisons by name
    prompts: int = 0


def rank_file(
    path: str,
    columns: ComparisonColumns,
    group_by: Sequence[str],
    conditions: Sequence[tuple[str, str]],
    method: RankingMethod,
    scores: str | None = None,
    outputs_of: str | None = None,
    *,
    skip_empty: bool = False,
    say: Say = lambda what: None,
) -> list[Ranked]:
    """A ranking per group of a file, of the rows that meet `conditions`, and of the absolute scores in another file.

    With `skip_empty`, rows that do not say who won are skipped. `say` is called with their number, and with warnings.

    Tags are those of the outputs in a third file, or of the file itself.
    Raises InputError and NotConvergedError.
    """
    folds = reads_sums(method)
    if not folds:
        rows = rows_of(path)
        memory.require(memory.A_ROW * rows, f"{path}: {rows:,} rows, each of which {method.name} needs", IN_SUMS)
    tags, by = dict[str, outputs.Tags](), method.by
    if outputs_of and by is None and not method.covariate:
        raise InputError("--outputs is for --by TAG and --covariate COL only: add one of them, or leave out --outputs")
    if method.covariate and not outputs_of:
        raise InputError(f"--covariate {method.covariate[0]} needs the outputs: give --outputs FILE")
    beside = outputs.load(outputs_of, by, method.covariate) if outputs_of else outputs.NO_OUTPUTS
    wanted = {*columns_of(columns), *group_by, *(column for column, _ in conditions), *EXPORTED, *JUDGED}
    parts = where(read_in_parts(path, wanted | {by} if by else wanted), conditions)
    if skip_empty:
        parts = with_winner(parts, columns, say)
    if by and outputs_of:
        tags.update(beside.tags)
    elif by:
        parts = outputs.noted(parts, columns.item, by, tags)
    tables = memory.while_there_is(parts, "rank fewer groups at a time")
    comparisons = read_grouped(tables, columns, group_by, MOST_ROWS if folds else inf)
    for warning in (*look_alike("candidate", comparisons.keys), *look_alike("judge", comparisons.judges)):
        say(warning)
    if scores is not None and method.name in BASELINES:
        raise InputError(f"{method.name} is a baseline: it reads comparisons alone; leave --scores out")
    groups = list(split(comparisons, absolute_scores.load(scores, group_by), beside._replace(tags=tags)))
    if by and outputs_of and not any(any(group.tags) for group in groups):
        raise InputError(f"{outputs_of}: none of its tagged prompts is judged in {path}; use the same keys, see --item")
    judges = {judge for group in groups for judge in group.judges}
    if unknown := set(dict(method.repeats)) - {judge or NOBODY for judge in judges} - {EVERYBODY}:
        raise InputError(f"--repeats {min(unknown)!r} has judged nothing in {path}; write it as the judge column does")
    if unknown := set(method.reference) - judges:
        raise InputError(
            f"--reference {min(unknown)!r} has judged nothing in {path}; write it as the judge column does"
        )
    if scores is not None and not any(group.absolute.size for group in groups):
        raise InputError(f"{scores}: none of its scores is in a group of the comparisons; check the group columns")
    try:
        return [rank(group, method) for group in groups]
    except TooMany as error:
        raise InputError(
            f"{method.name}: {error}; rank fewer candidates, or by soft-bt with --verdict-weight one-vote"
        ) from None


def reads_sums(method: RankingMethod) -> bool:
    """True where the likelihood is linear in p, and nothing else is read of single rows."""
    is_learnt = method.verdict_weight == "learnt" and not method.is_verdict_weight_usual
    if is_learnt or method.position_bias == "closed-form":
        return False
    if method.name in experts.MAKERS:
        return experts.make(method.name, dict(method.parameters)).linear_in_p
    return method.name == "average-probability"


def rank(group: Group, method: RankingMethod) -> Ranked:
    """The ranking of one group. Raises InputError and NotConvergedError."""
    method, left_out = _possible_for(group, method)
    _require_memory(group, method)
    verdicts, positions = group.comparisons, group.positions if method.positions is None else method.positions
    if not positions or (method.positions is None and name_one_side(verdicts) and not group.grew):
        turned = turned_alike(verdicts)
        verdicts = verdicts if positions else turned
        group, method = group._replace(comparisons=turned), method._replace(position_bias="none")
    group = group._replace(positions=positions)

    def publish(target: InferenceTargetName, covariates: Covariates | None = None) -> Published:
        """Publish as the service does. Without names, one judge is behind all rows, as in `nextpair import`."""
        if covariates is None:
            return alone(read_from(target))
        return publish_for(target, *answers, definition_of(method), *sizes, hyperprior, covariates=covariates)

    @cache
    def alone(target: InferenceTargetName) -> Published:
        return publish_for(target, *answers, definition_of(method), *sizes, hyperprior, dense=RANKED_DENSE)

    answers = group.comparisons, group.item_of_each, group.absolute
    sizes, hyperprior = (len(group.keys), len(group.judges)), method.hyperprior_of(group.judges)
    log = _judged(group, verdicts, method, publish)
    wanted = method.inference_target
    target = None if wanted == "auto" or method.name in BASELINES else wanted
    request = RankingRequest(
        method.name, definition_of(method), method.wanted, target=target, baseline=method.baseline, scale=method.scale,
        by=method.by, covariates=method.covariate,
    )  # fmt: skip
    try:
        ranking = analysis.rank(log, request, publish, Origin(NO_SET, log.rows))
        matrix = matrix_of(log, ranking, publish) if method.matrix else None
    except Impossible as error:
        value = "" if error.field == "matrix" else getattr(method, VALUES.get(error.field, error.field))
        value = " ".join(value) if isinstance(value, tuple) else value
        raise InputError(f"--{error.field.replace('_', '-')} {value}".rstrip() + f": {error.fault}") from None
    except Unconverged as error:
        name = " / ".join(group.labels) or "all comparisons"
        raise NotConvergedError(f"{name}: {method.name} gives no ranking. {error}") from None
    if ranking.entropy is None and method.name not in BASELINES:
        left_out += ["the entropy", "which candidates are interchangeable"]
    if group.is_folded:
        return Ranked(group.labels, ranking, None, [*left_out, *OF_ROWS], matrix)
    counts = np.bincount(log.verdicts.judge, minlength=len(log.judges)).tolist()
    by_judge = dict(zip(log.judges, counts, strict=True))
    return Ranked(group.labels, ranking, agreement_of(log, group.items), left_out, matrix, by_judge, log.prompts)


def _possible_for(group: Group, method: RankingMethod) -> tuple[RankingMethod, list[str]]:
    """The method without what so many candidates, or rows that were put together, do not allow; and what that is."""
    left_out = list[str]()
    if (
        method.is_verdict_weight_usual
        and method.verdict_weight == "learnt"
        and (len(group.keys) > DENSE or group.is_folded)
    ):
        method = method._replace(verdict_weight="one-vote")
        left_out.append("verdict weights: each verdict counts as one vote")
    if method.position_bias == "auto" and group.is_folded:
        method = method._replace(position_bias="none")
        left_out.append("position biases: none is assumed")
    if method.inference_target == "auto" and group.is_folded:
        method = method._replace(inference_target="latent")
    return method, left_out


def judged_alone(item: Ints, first: Ints, second: Ints, n: int) -> Bools:
    """(I, N) which candidates were judged on each item; all of them where there is but one item."""
    has = np.zeros((int(item.max(initial=0)) + 1, n), np.bool_)
    has[item, first] = has[item, second] = True
    return has if len(np.unique(item)) > 1 else np.ones_like(has)


def _judged(group: Group, verdicts: Comparisons, method: RankingMethod, publish: analysis.Publish) -> JudgedLog:
    """The group as it is ranked; `verdicts` are its comparisons as they stood in the file."""
    comparisons, item, repeats = group.comparisons, group.item_of_each, method.repeats_of(group.judges)
    people = np.isin(np.array(group.judges), list(method.reference))
    (more, candidate), (first, second) = group.uncompared, comparisons[:2]
    has = judged_alone(
        np.append(item, more), np.append(first, candidate), np.append(second, candidate), len(group.keys)
    )

    @cache
    def repetition(supposing: bool) -> Repetition:
        before = np.nan_to_num(repeats, nan=1.0) if supposing else repeats
        return repetition_of(publish("all-pairs"), comparisons, item, before)

    return JudgedLog(
        keys=group.keys,
        judges=[judge or NOBODY for judge in group.judges],
        people=people,
        verdicts=verdicts,
        answers=comparisons,
        item=item,
        has=has,
        prompts=len(group.items) if any(group.items) else 0,
        absolute=group.absolute,
        quantity_by=lambda published, target, supposing: quantity_of(
            target,
            published,
            comparisons,
            item,
            has,
            people,
            log_effects=method.hyperprior_of(group.judges).log_effects,
            known=repetition(supposing) if target == "all-pairs" else None,
        ),
        repetition_by=lambda: repetition(False),
        outputs=group.covariates.get,
        tags=group.tags,
        times=group.times,
        unnamed=np.array([not judge for judge in group.judges], np.bool_),
        grew=group.grew,
        order_chance=group.order_chance,
        positions=group.positions,
    )


def _require_memory(group: Group, method: RankingMethod) -> None:
    """Raises InputError where what many candidates take does not fit into memory."""
    n, comparisons = len(group.keys), group.comparisons.size
    if _is_sparse(group, method):
        memory.require(memory.A_LINK * comparisons, f"{comparisons:,} comparisons of {n:,} candidates", IN_SUMS)
    elif n > DENSE and method.name not in ROWWISE:
        by_rows = "--method soft-bt --verdict-weight one-vote without biases or --scores"
        remedy = f"{by_rows} needs none above {DENSE:,} candidates"
        memory.require(memory.A_DENSE_ENTRY * n**2, f"{method.name} on {n:,} candidates makes a matrix of them", remedy)


def _is_sparse(group: Group, method: RankingMethod) -> bool:
    if (
        len(group.keys) <= DENSE
        or method.name in BASELINES
        or method.name in JOINT
        or method.verdict_weight == "learnt"
    ):
        return False
    return not group.absolute.size and is_sparse(model_of(method, len(group.keys)))


def parse_parameters(texts: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Name and value of each `name=value`. Raises InputError."""
    pairs = [text.partition("=") for text in texts]
    try:
        return tuple((name.strip(), float(value)) for name, _, value in pairs)
    except ValueError:
        raise InputError("--parameter needs a name and a number, as in --parameter v=1") from None


def parse_repeats(texts: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """What each `yes`, `no` or `judge=yes` declares. Raises InputError."""
    declared = dict[str, float]()
    for text in texts:
        judge, _, word = text.rpartition("=")
        if word not in ("yes", "no"):
            raise InputError(f"--repeats {text}: say yes or no, for one judge as in --repeats gpt-4=yes")
        declared[judge] = float(word == "yes")
    return tuple(declared.items())


def require_possible(method: RankingMethod) -> RankingMethod:
    """The method itself. Raises InputError where there is no such method."""
    if method.verdict_weight == "learnt" and usual_verdict_weight(method.name, method.prior) != "learnt":
        raise InputError("--verdict-weight learnt goes with the method soft-bt and the prior unit; leave it out")
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
        method.verdict_weight,
        method.absolute_scale,
    )
