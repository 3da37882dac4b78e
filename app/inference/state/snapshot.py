"""The state that a set's log amounts to at one version. Immutable: every step returns a new snapshot.

snapshot = fold(log): comparisons that no void took back, the posterior given them, and which pairs they used up. It is
the same however the log came in, except for the covariance: that is within a tolerance of the exact one (posterior.py).

A stage is what the model depends on besides the interpretation, and a function of the log alone. While it lasts the
posterior goes on from where it was. Absolute scores enter as part of the prior, on a scale that is estimated at numbers
of comparisons that are powers of two. Verdict weights, biases in closed form, and whose position biases are parameters
are learnt at sizes rounded down to three significant binary digits. What is published learns them from all comparisons
(published.py).

Among more than AT_ONCE candidates learning takes a while. There a stage has what the comparisons up to the stage
before teach. Its own lesson can be learnt while it lasts. So can a fresh covariance among more than MEDIUM.
`compute_ahead` is for a process that has the time; no request has to wait for it.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from app.inference.choosing.asking import Tally, tally
from app.inference.core.cells import Cells, Hyperparameters
from app.inference.core.edges import Edges
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import combine
from app.inference.fitting.model import (
    HELD_VARIANCE,
    Method,
    Model,
    as_learnt,
    at_scale,
    bias_variances,
    build,
    build_for,
    cells_of,
    edges_of,
)
from app.inference.fitting.posterior import Posterior
from app.inference.fitting.weights import learn, weighed
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.kernels.availability import ShownPairs, mark, none_shown
from app.inference.regimes import AT_ONCE
from app.inference.state.evidence import Evidence, Interpretation, continued, hyperprior_of, interpret
from app.inference.state.log import Log, empty_log, extend, judges_of, without
from app.inference.types import Comparisons, Ints, take

ONE_BY_ONE, A_LOT = 100, 0.05  # comparisons that are added to cells one by one, or of those before if that is more
DIGITS = 3  # binary, of a number of comparisons: a stage lasts until one of them changes


class Stage(NamedTuple):
    """The model's state besides the interpretation: while it stays, the posterior goes on from where it was."""

    judges: int  # whose biases, or weights, are parameters
    absolute: int  # sequence number of the last absolute score
    fitted: int  # comparisons at which the scale of absolute scores was estimated
    learnt: int  # comparisons at which verdict weights, and biases in closed form, were learnt
    pooled: int  # sequence number of the last entry with shared priors
    bias_variances: tuple[float, ...] = ()  # prior, by judge, where any bias is a parameter


class Lesson(NamedTuple):
    """Verdict weights of the next stage, learnt while the present one lasts."""

    model: Model
    size: int  # comparisons from which it is learnt
    hyperparameters: Hyperparameters


class Snapshot(NamedTuple):
    version: int
    interpretation: Interpretation
    log: Log  # what counts of it
    evidence: Evidence
    stage: Stage
    learnt: Hyperparameters | None  # None where the set fixes verdict weights
    model: Model
    posterior: Posterior
    shown: ShownPairs
    tally: Tally
    cells: Cells | None = None  # of an expert that is soft-bt: of whichever snapshot was the last to be made of them
    lesson: Lesson | None = None

    @property
    def comparisons(self) -> Comparisons:
        """All that count, as the model reads them, each as many as it stands for."""
        return self.evidence.answers

    @property
    def size_bytes(self) -> int:
        rows = 100 * len(self.log.entries.seq) + 60 * len(self.log.scored.seq)
        cells = 0 if self.cells is None else self.cells.size_bytes
        return self.posterior.size_bytes + 9 * len(self.shown.code) + rows + cells


def empty(interpretation: Interpretation, n: int, items: int) -> Snapshot:
    """A set before its first comparison."""
    log, model = empty_log(), build(interpretation.method, n, 0)
    evidence, shown = interpret(log, interpretation, judges_of(log)), none_shown(items, n)
    stage = Stage(0, 0, 0, 0, 0)
    counted = tally(log.entries.comparisons, n)
    return Snapshot(
        version=0,
        interpretation=interpretation,
        log=log,
        evidence=evidence,
        stage=stage,
        learnt=None,
        model=model,
        posterior=posteriors.prior(model),
        shown=shown,
        tally=counted,
        cells=_cells(evidence, model, None),
    )


def without_pairs(snapshot: Snapshot, first: Ints, second: Ints) -> Snapshot:
    """The snapshot where these (B,) pairs count as shown in this order, on every item: nobody will be asked."""
    items = np.arange(snapshot.shown.items)
    item, (first, second) = np.repeat(items, len(first)), (np.tile(each, len(items)) for each in (first, second))
    return snapshot._replace(shown=mark(snapshot.shown, item, first, second))


def advance(old: Snapshot, version: int, new: Log, voided: Iterable[int]) -> Snapshot:
    """The snapshot at `version`, given the log since and the sequence numbers that were voided since."""
    voids, method, n = list(voided), old.interpretation.method, old.model.n
    log = without(extend(old.log, new), voids)
    evidence = _evidence(old, log, new, is_shorter=bool(voids))
    shown, counted = (none_shown(old.shown.items, n), None) if voids else (old.shown, old.tally)
    entries = log.entries if voids else new.entries
    shown = mark(shown, entries.item, entries.comparisons.first, entries.comparisons.second)
    counted = tally(entries.comparisons, n, counted)
    stage = _stage(old, log, evidence, is_shorter=bool(voids))
    if stage == old.stage and not voids:
        cells = _with_new(old, evidence)
        posterior = posteriors.fold(old.posterior, _edges(evidence, old.model, cells))
        return old._replace(
            version=version, log=log, evidence=evidence, posterior=posterior, shown=shown, tally=counted, cells=cells
        )
    learnt = None if voids else _learnt_ahead(stage, old)
    if learnt is None and method.verdict_weight == "learnt":
        learnt = _learn(log, evidence, method, n, stage.learnt, stage)
    model = _model(method, n, evidence, stage, learnt)
    cells = _cells(evidence, model, learnt)
    posterior = posteriors.fit_edges(_edges(evidence, model, cells), model)
    return Snapshot(
        version=version,
        interpretation=old.interpretation,
        log=log,
        evidence=evidence,
        stage=stage,
        learnt=learnt,
        model=model,
        posterior=posterior,
        shown=shown,
        tally=counted,
        cells=cells,
    )


def _cells(evidence: Evidence, model: Model, learnt: Hyperparameters | None) -> Cells | None:
    if model.expert.as_soft_bt is None:
        return None
    cells = cells_of(evidence.answers, evidence.item, model, len(evidence.judges))
    return cells if learnt is None else cells.read(learnt)


def _with_new(old: Snapshot, evidence: Evidence) -> Cells | None:
    """The cells with what has come since; made again for a lot, and where another snapshot went on from them."""
    if old.cells is None:
        return None
    seen = old.comparisons.size
    if evidence.answers.size - seen > max(ONE_BY_ONE, A_LOT * seen):
        return _cells(evidence, old.model, old.learnt)
    rows = slice(seen, None)
    if old.cells.after(seen, take(evidence.answers, rows), evidence.item[rows]):
        return old.cells
    return _cells(evidence, old.model, old.learnt)


def _edges(evidence: Evidence, model: Model, cells: Cells | None) -> Edges:
    return edges_of(evidence.answers, model) if cells is None else cells.edges(model.size, model.known_biases)


def looks_ahead(snapshot: Snapshot) -> bool:
    """Whether something is still to be computed that nobody should wait for."""
    return posteriors.is_due(snapshot.posterior) or _wants_lesson(snapshot)


def compute_ahead(snapshot: Snapshot) -> Posterior | Lesson:
    """A fresh covariance, or what the next stage takes. It takes up to seconds."""
    posterior = snapshot.posterior
    if not posteriors.is_due(posterior):
        return _lesson(snapshot)
    return posteriors.fit_edges(posterior.edges, posterior.model, start=posterior.mean)


def with_computed(snapshot: Snapshot, ahead: Posterior | Lesson) -> Snapshot:
    """The snapshot with what was computed ahead at this version or before, if it is still useful."""
    if ahead.model is not snapshot.model:
        return snapshot
    if isinstance(ahead, Posterior):
        return snapshot._replace(posterior=posteriors.fold(ahead, snapshot.posterior.edges))
    is_next = ahead.size == leading(snapshot.evidence.answers.size, DIGITS)
    return snapshot._replace(lesson=ahead) if is_next else snapshot


def with_all_computed(snapshot: Snapshot) -> Snapshot:
    """The snapshot of a process that has the time."""
    while looks_ahead(snapshot):
        snapshot = with_computed(snapshot, compute_ahead(snapshot))
    return snapshot


def _wants_lesson(snapshot: Snapshot) -> bool:
    is_far = leading(snapshot.evidence.answers.size, DIGITS) > snapshot.stage.learnt
    return snapshot.learnt is not None and snapshot.lesson is None and is_far


def _lesson(snapshot: Snapshot) -> Lesson:
    size, method, n = leading(snapshot.evidence.answers.size, DIGITS), snapshot.interpretation.method, snapshot.model.n
    return Lesson(snapshot.model, size, _learn(snapshot.log, snapshot.evidence, method, n, size, snapshot.stage))


def _learnt_ahead(stage: Stage, old: Snapshot) -> Hyperparameters | None:
    """Weights learnt ahead for a stage that follows without a void, if the stage takes them."""
    of_judges, of_old = ((each.judges, each.pooled, each.bias_variances) for each in (stage, old.stage))
    if old.lesson is None or of_judges != of_old:
        return None
    return old.lesson.hyperparameters if old.lesson.size == stage.learnt else None


def raw(snapshot: Snapshot) -> Comparisons:
    """The comparisons that count, p and weight as they were stored; judges by their numbers."""
    return snapshot.log.entries.comparisons._replace(judge=snapshot.comparisons.judge)


def in_model(snapshot: Snapshot) -> Comparisons:
    """The comparisons with their weights in the model."""
    answers, item, learnt = snapshot.evidence.answers, snapshot.evidence.item, snapshot.learnt
    return answers if learnt is None else weighed(answers, item, learnt)


def pair_votes_of(snapshot: Snapshot) -> PairVotes:
    """Each judge's vote on each pair of outputs."""
    return votes_by_pair(raw(snapshot), snapshot.log.entries.item, len(snapshot.evidence.judges))


def plain_model(snapshot: Snapshot) -> Model:
    """The model without what absolute scores add to the prior: a stop is judged against this prior."""
    method, n = snapshot.interpretation.method, snapshot.model.n
    plain = build(method, n, bias_variances=np.array(snapshot.stage.bias_variances, np.float64))
    if snapshot.learnt is None:
        return plain
    return at_scale(plain, snapshot.learnt.scale)._replace(votes=snapshot.model.votes)


def _evidence(old: Snapshot, log: Log, new: Log, *, is_shorter: bool) -> Evidence:
    judges = judges_of(log) if is_shorter else _joined(old.evidence.judges, new)
    if is_shorter or judges is not old.evidence.judges:
        return interpret(log, old.interpretation, judges)
    return continued(old.evidence, log, new.entries, old.interpretation)


def _joined(judges: Ints, new: Log) -> Ints:
    """The ids `judges` and those of `new`, ascending."""
    ids = {*new.entries.comparisons.judge.tolist(), *new.scored.scores.judge.tolist()}
    return judges if ids <= set(judges.tolist()) else np.union1d(judges, judges_of(new))


def _stage(old: Snapshot, log: Log, evidence: Evidence, *, is_shorter: bool) -> Stage:
    method, n = old.interpretation.method, old.model.n
    learns, size = method.verdict_weight == "learnt", evidence.answers.size
    judges = len(evidence.judges) if learns or method.position_bias != "none" else 0
    pooled = log.pooled.seq if learns and log.pooled else 0
    absolute = int(log.scored.seq[-1]) if evidence.absolute.size else 0
    fitted = leading(size, 1) if evidence.absolute.size else 0
    in_closed_form = leading(size, DIGITS) if method.position_bias == "closed-form" else 0
    learnt, of_biases = learnt_from(size, n) if learns else in_closed_form, old.stage.bias_variances
    told = leading(size, DIGITS)
    if is_shorter or evidence.judges is not old.evidence.judges or told != leading(old.comparisons.size, DIGITS):
        variances = bias_variances(method, n, take(evidence.answers, slice(told)), len(evidence.judges))
        of_biases = tuple(variances.tolist()) if (variances > HELD_VARIANCE).any() else ()
    return Stage(judges, absolute, fitted, learnt, pooled, of_biases)


def repeat_correlation_of(snapshot: Snapshot, judge: int) -> float | None:
    """rho of the votes of the judge with this id, 0 of a new one; None where the set fixes verdict weights."""
    if snapshot.learnt is None:
        return None
    return float(snapshot.learnt.repeat_correlation[snapshot.evidence.judges == judge].sum())


def learnt_from(size: int, n: int) -> int:
    """Number, of `size` comparisons of n candidates, from which verdict weights are learnt."""
    stage = leading(size, DIGITS)
    return stage if n <= AT_ONCE else leading(max(stage - 1, 0), DIGITS)


def leading(size: int, digits: int) -> int:
    """`size` with all but its first binary digits set to 0."""
    dropped = max(size.bit_length() - digits, 0)
    return size >> dropped << dropped


def _learn(log: Log, evidence: Evidence, method: Method, n: int, size: int, stage: Stage) -> Hyperparameters:
    first, judges = slice(size), len(evidence.judges)
    answers, prior = take(evidence.answers, first), hyperprior_of(log, evidence.judges)
    model = build_for(method, n, answers, judges, np.array(stage.bias_variances, np.float64))
    return learn(answers, evidence.item[first], model, judges, prior).hyperparameters


def _model(method: Method, n: int, evidence: Evidence, stage: Stage, learnt: Hyperparameters | None) -> Model:
    """The model of a stage: the same whether its first comparison has just come or its last."""
    answers = take(evidence.answers, slice(stage.learnt))
    model = build_for(method, n, answers, len(evidence.judges), np.array(stage.bias_variances, np.float64))
    if learnt is not None:
        model = as_learnt(model, answers, learnt)
    if not evidence.absolute.size:
        return model
    first, item = take(evidence.answers, slice(stage.fitted)), evidence.item[: stage.fitted]
    weighing = first if learnt is None else weighed(first, item, learnt)
    return combine(weighing, model, evidence.absolute, is_given=method.absolute_scale == "given").posterior.model
