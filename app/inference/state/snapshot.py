"""The state that a set's log amounts to at one version. Immutable: every step returns a new one.

It is the same however the log came in, but for the covariance, which is within a tolerance of the exact one. Cells
alone change in place, and pass on to the newest snapshot (core/cells.py).

A stage is what the model depends on besides the interpretation, and a function of the log alone. While it lasts the
posterior goes on from where it was. Absolute scores enter as part of the prior, on a scale that is estimated at numbers
of comparisons that are powers of two. Verdict weights, biases in closed form, and whose position biases are parameters
are learnt at sizes rounded down to three significant binary digits; of what is published, from all comparisons.

Among more than AT_ONCE candidates a stage has what the comparisons up to the stage before teach, and the weights of the
next one can be learnt while it lasts. So can a fresh covariance among more than MEDIUM. Whichever process has the time
computes what is `due`, and brings it into the snapshot that has gone on meanwhile: no request waits for it.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from app.inference.choosing.asking import Tally, tally
from app.inference.core.cells import Cells, Hyperparameters
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import combine
from app.inference.fitting.model import Model, as_learnt, bias_variances, build, build_for, cells_of, edges_of
from app.inference.fitting.posterior import Posterior
from app.inference.fitting.weights import learn, weighed
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.regimes import AT_ONCE
from app.inference.state.log import Evidence, Interpretation, Log, extend, hyperprior_of, interpret, log_from_rows
from app.inference.state.open_pairs import ShownPairs, mark
from app.inference.types import Comparisons, Ints, take

ONE_BY_ONE, A_LOT = 100, 0.05  # comparisons that are added to cells one by one, or of those before if that is more
DIGITS = 3  # binary, of a number of comparisons: a stage lasts until one of them changes


class Stage(NamedTuple):
    """All that the model follows from, besides the interpretation."""

    bias_variances: tuple[float, ...] = ()  # (J,) prior, where judges' weights or biases are parameters
    entered: int = 0  # sequence number of the last absolute score or shared priors
    learnt_at: int = 0  # comparisons from which verdict weights, and biases in closed form, are learnt
    scaled_at: int = 0  # comparisons from which the scale of absolute scores is estimated


class Snapshot(NamedTuple):
    version: int
    interpretation: Interpretation
    log: Log  # what counts of it
    evidence: Evidence
    plain_model: Model  # without what absolute scores add to the prior: a stop is judged against it
    model: Model
    posterior: Posterior
    shown: ShownPairs
    tally: Tally
    cells: Cells | None = None  # of an expert that is soft-bt: of whichever snapshot was the last to be made of them
    stage: Stage = Stage()
    learnt: Hyperparameters | None = None  # None where the set fixes verdict weights
    learnt_ahead: Hyperparameters | None = None  # verdict weights of the next stage, learnt while this one lasts

    @property
    def comparisons(self) -> Comparisons:
        """All that count, as the model reads them, each as many as it stands for."""
        return self.evidence.answers

    @property
    def due(self) -> Literal["covariance", "weights"] | None:
        if posteriors.is_due(self.posterior):
            return "covariance"
        is_next = self.learnt is not None and leading(self.comparisons.size, DIGITS) > self.stage.learnt_at
        return "weights" if is_next and self.learnt_ahead is None else None

    @property
    def size_bytes(self) -> int:
        rows = 100 * len(self.log.entries.seq) + 60 * len(self.log.scored.seq)
        cells = 0 if self.cells is None else self.cells.size_bytes
        return self.posterior.size_bytes + 9 * len(self.shown.code) + rows + cells


def empty(interpretation: Interpretation, n: int, items: int) -> Snapshot:
    """A set before its first comparison."""
    log, model = log_from_rows(), build(interpretation.method, n, 0)
    evidence, posterior = interpret(log, interpretation), posteriors.prior(model)
    shown = ShownPairs(items, n, np.empty(0, np.int64), np.empty(0, np.uint8))
    counts = tally(evidence.answers, n)
    snapshot = Snapshot(0, interpretation, log, evidence, model, model, posterior, shown, tally=counts)
    return snapshot._replace(cells=_cells(snapshot))


def without_pairs(snapshot: Snapshot, first: Ints, second: Ints) -> Snapshot:
    """The snapshot of a set of texts where these (B,) pairs count as shown in this order: nobody will be asked."""
    return snapshot._replace(shown=mark(snapshot.shown, np.zeros_like(first), first, second))


def advance(old: Snapshot, version: int, new: Log, voided: Iterable[int]) -> Snapshot:
    """The snapshot at `version`, given the log since and the sequence numbers that were voided since."""
    if voids := list(voided):  # begins anew
        old, new = empty(old.interpretation, old.model.n, old.shown.items), extend(old.log, new, voids)
    log, comparisons = extend(old.log, new), new.entries.comparisons
    judges = {*comparisons.judge.tolist(), *new.scored.judge.tolist()}
    earlier = old.evidence if judges <= set(old.evidence.judges.tolist()) else None
    now = old._replace(
        version=version,
        log=log,
        evidence=interpret(log, old.interpretation, earlier),
        shown=mark(old.shown, new.entries.item, comparisons.first, comparisons.second),
        tally=tally(comparisons, old.model.n, old.tally),
    )
    stage = _stage(now, old)
    if voids or stage != old.stage:
        next_one = old.stage._replace(learnt_at=leading(old.comparisons.size, DIGITS), scaled_at=stage.scaled_at)
        learnt = old.learnt_ahead if stage == next_one else None
        return _at_stage(now._replace(stage=stage, learnt=learnt, learnt_ahead=None))
    return _with_posterior(now, old)


def _stage(now: Snapshot, old: Snapshot) -> Stage:
    method, log, (judges, _, answers, absolute), n = now.interpretation.method, now.log, now.evidence, now.model.n
    learns, size, variances = method.verdict_weight == "learnt", answers.size, old.stage.bias_variances
    told = leading(size, DIGITS)
    has_news = judges is not old.evidence.judges or told != leading(old.comparisons.size, DIGITS)
    if has_news and (learns or method.position_bias != "none"):
        variances = tuple(bias_variances(method, n, take(answers, slice(told)), len(judges)).tolist())
    entered = max(int(log.scored.seq.max(initial=0)), log.pooled.seq if learns and log.pooled else 0)
    in_closed_form = told if method.position_bias == "closed-form" else 0
    learnt_at = learnt_from(size, n) if learns else in_closed_form
    return Stage(variances, entered, learnt_at, leading(size, 1) if absolute.size else 0)


def _at_stage(now: Snapshot) -> Snapshot:
    """The snapshot at the beginning of its stage: the same whether its first comparison has just come or its last."""
    method, (_, item, answers, absolute), size = now.interpretation.method, now.evidence, now.stage.learnt_at
    if now.learnt is None and method.verdict_weight == "learnt":
        now = now._replace(learnt=_learn(now, size))
    model = plain_model = _built(now, size)
    if now.learnt is not None:
        model = plain_model = as_learnt(plain_model, take(answers, slice(size)), now.learnt)
    if absolute.size:
        first, item = take(answers, slice(now.stage.scaled_at)), item[: now.stage.scaled_at]
        weighing = first if now.learnt is None else weighed(first, item, now.learnt)
        model = combine(weighing, model, absolute, is_given=method.absolute_scale == "given").posterior.model
    return _with_posterior(now._replace(plain_model=plain_model, model=model))


def _learn(snapshot: Snapshot, size: int) -> Hyperparameters:
    """Verdict weights, from the first `size` comparisons."""
    judges, item, answers, _ = snapshot.evidence
    prior = hyperprior_of(snapshot.log, judges)
    return learn(take(answers, slice(size)), item[:size], _built(snapshot, size), len(judges), prior)[0]


def _built(snapshot: Snapshot, size: int) -> Model:
    """The model whose biases, where they are known in closed form, follow from the first `size` comparisons."""
    method, variances = snapshot.interpretation.method, np.array(snapshot.stage.bias_variances, np.float64)
    answers, judges = take(snapshot.comparisons, slice(size)), len(snapshot.evidence.judges)
    return build_for(method, snapshot.model.n, answers, judges, variances)


def _with_posterior(now: Snapshot, old: Snapshot | None = None) -> Snapshot:
    """The snapshot with its cells and posterior, which go on from the `old` one's in the same stage."""
    cells, model = _cells(now, old), now.model
    edges = edges_of(now.comparisons, model) if cells is None else cells.edges(model.size, model.known_biases)
    posterior = posteriors.fit_edges(edges, model) if old is None else posteriors.fold(old.posterior, edges)
    return now._replace(cells=cells, posterior=posterior)


def _cells(now: Snapshot, old: Snapshot | None = None) -> Cells | None:
    """Those of `old` with what has come since; made again for a lot, or if another snapshot went on from them."""
    (judges, item, answers, _), model = now.evidence, now.model
    if old is not None and old.cells is not None:
        seen = old.comparisons.size
        are_few = answers.size - seen <= max(ONE_BY_ONE, A_LOT * seen)
        if are_few and old.cells.after(seen, take(answers, slice(seen, None)), item[seen:]):
            return old.cells
    if model.expert.as_soft_bt is None:
        return None
    cells = cells_of(answers, item, model, len(judges))
    return cells if now.learnt is None else cells.read(now.learnt)


def compute_due(snapshot: Snapshot) -> Snapshot:
    """The snapshot with what is due, which takes up to seconds."""
    if snapshot.due == "weights":
        return snapshot._replace(learnt_ahead=_learn(snapshot, leading(snapshot.comparisons.size, DIGITS)))
    posterior = snapshot.posterior
    return snapshot._replace(posterior=posteriors.fit_edges(posterior.edges, posterior.model, start=posterior.mean))


def with_computed(snapshot: Snapshot, computed: Snapshot) -> Snapshot:
    """The snapshot with what was computed of it, or of one before it, if it is still useful."""
    if computed.model is not snapshot.model:
        return snapshot
    if snapshot.learnt_ahead is None and computed.learnt_ahead is not None:
        return snapshot._replace(learnt_ahead=computed.learnt_ahead)
    return snapshot._replace(posterior=posteriors.fold(computed.posterior, snapshot.posterior.edges))


def raw(snapshot: Snapshot) -> Comparisons:
    """The comparisons that count, p and weight as they were stored; judges by their numbers."""
    return snapshot.log.entries.comparisons._replace(judge=snapshot.comparisons.judge)


def in_model(snapshot: Snapshot) -> Comparisons:
    """The comparisons with their weights in the model."""
    _, item, answers, _ = snapshot.evidence
    return answers if snapshot.learnt is None else weighed(answers, item, snapshot.learnt)


def pair_votes_of(snapshot: Snapshot) -> PairVotes:
    """Each judge's vote on each pair of outputs."""
    return votes_by_pair(raw(snapshot), snapshot.log.entries.item, len(snapshot.evidence.judges))


def learnt_from(size: int, n: int) -> int:
    """Number, of `size` comparisons of n candidates, from which verdict weights are learnt."""
    stage = leading(size, DIGITS)
    return stage if n <= AT_ONCE else leading(max(stage - 1, 0), DIGITS)


def leading(size: int, digits: int) -> int:
    """`size` with all but its first binary digits set to 0."""
    dropped = max(size.bit_length() - digits, 0)
    return size >> dropped << dropped
