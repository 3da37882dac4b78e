"""The state that a set's log amounts to at one version. Immutable: every step returns a new snapshot.

snapshot = fold(log): comparisons that no void took back, the posterior given them, and which pairs they used up.

Absolute scores enter as part of the prior, on a scale that is estimated. Pairs are chosen with the scale as it was
when the number of comparisons last was a power of two; what is published estimates it from all of them (published.py).
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import combine
from app.inference.fitting.model import Method, Model, build
from app.inference.fitting.posterior import Posterior
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.kernels.availability import OrdersShown, mark
from app.inference.state.evidence import Evidence, Interpretation, interpret
from app.inference.state.log import Log, empty_log, extend, judges_of, without
from app.inference.types import Comparisons, Ints, take


class Stage(NamedTuple):
    """The model's state besides the interpretation: while it stays, the posterior goes on from where it was."""

    judges: int  # whose biases are parameters
    absolute: int  # sequence number of the last absolute score
    fitted: int  # comparisons at which the scale of absolute scores was estimated: the last power of two


class Snapshot(NamedTuple):
    version: int
    interpretation: Interpretation
    log: Log  # what counts of it
    evidence: Evidence
    stage: Stage
    model: Model
    posterior: Posterior
    shown: OrdersShown  # (I, N, N)

    @property
    def comparisons(self) -> Comparisons:
        return self.evidence.comparisons

    @property
    def size_bytes(self) -> int:
        rows = 100 * len(self.log.entries.seq) + 60 * len(self.log.scored.seq)
        return self.posterior.size_bytes + self.shown.nbytes + rows


def empty(interpretation: Interpretation, n: int, items: int) -> Snapshot:
    """A set before its first comparison."""
    log, model = empty_log(), build(interpretation.method, n, 0)
    evidence, shown = interpret(log, interpretation, judges_of(log)), np.zeros((items, n, n), np.uint8)
    return Snapshot(0, interpretation, log, evidence, Stage(0, 0, 0), model, posteriors.prior(model), shown)


def advance(old: Snapshot, version: int, new: Log, voided: Iterable[int]) -> Snapshot:
    """The snapshot at `version`, given the log since and the sequence numbers that were voided since."""
    voids = list(voided)
    log = without(extend(old.log, new), voids)
    evidence = interpret(log, old.interpretation, judges_of(log) if voids else _joined(old.evidence.judges, new))
    shown, entries = (np.zeros_like(old.shown), log.entries) if voids else (old.shown, new.entries)
    shown = mark(shown, entries.item, entries.comparisons.first, entries.comparisons.second)
    stage = _stage(log, evidence, old.interpretation.method)
    if stage == old.stage and not voids:
        model, start = old.model, old.posterior
    else:
        model = _model(old.interpretation.method, old.model.n, evidence, stage)
        start = posteriors.prior(model)
    posterior = posteriors.fold(start, evidence.comparisons, model)
    return Snapshot(version, old.interpretation, log, evidence, stage, model, posterior, shown)


def raw(snapshot: Snapshot) -> Comparisons:
    """The comparisons that count, p as it was stored; judges by their numbers."""
    return snapshot.log.entries.comparisons._replace(judge=snapshot.comparisons.judge)


def pair_votes_of(snapshot: Snapshot) -> PairVotes:
    """Each judge's vote on each pair of outputs."""
    return votes_by_pair(raw(snapshot), snapshot.log.entries.item, len(snapshot.evidence.judges))


def plain_model(snapshot: Snapshot) -> Model:
    """The model without what absolute scores add to the prior: a stop is judged against this prior."""
    return build(snapshot.interpretation.method, snapshot.model.n, len(snapshot.evidence.judges))


def _joined(judges: Ints, new: Log) -> Ints:
    """The ids `judges` and those of `new`, ascending."""
    ids = {*new.entries.comparisons.judge.tolist(), *new.scored.scores.judge.tolist()}
    return judges if ids <= set(judges.tolist()) else np.union1d(judges, judges_of(new))


def _stage(log: Log, evidence: Evidence, method: Method) -> Stage:
    biases = len(evidence.judges) if method.position_bias == "estimate" else 0
    if not evidence.absolute.size:
        return Stage(biases, 0, 0)
    size = evidence.comparisons.size
    return Stage(biases, int(log.scored.seq[-1]), 1 << (size.bit_length() - 1) if size else 0)


def _model(method: Method, n: int, evidence: Evidence, stage: Stage) -> Model:
    plain = build(method, n, len(evidence.judges))
    if not evidence.absolute.size:
        return plain
    return combine(take(evidence.comparisons, slice(stage.fitted)), plain, evidence.absolute).model
