"""Diagnostics: how a log looks before anyone believes its ranking."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np
from nextpair import schemas
from scipy.special import logit

from app.analysis.judges import biases_by_name, present_agreement
from app.inference.fitting import TooMany
from app.inference.reporting import AgreedShare, LogDiagnostics, ranking_history
from app.inference.reporting import diagnose as diagnose_log
from app.inference.state import pair_votes_of, quantity_after
from app.inference.targets import Quantity
from app.inference.types import Comparisons, no_comparisons, take
from app.live.jobs import Report
from app.service import results
from app.service.basis import Basis
from app.service.context import Context
from app.storage import assignments, judges

Failures = Mapping[str, Mapping[str, int]]  # how often each kind, by the judge's name
MOMENTS, REFITTED = 12, 400  # of a history at most; candidates in all of its moments, where each is published again


@dataclass(frozen=True)
class Facts:
    """All that diagnostics are made of."""

    basis: Basis

    @cached_property
    def of_log(self) -> LogDiagnostics:
        """All that the log alone says about its judges."""
        judged = self.basis.judged
        return diagnose_log(judged.verdicts, len(judged.keys), judged.item)

    @cached_property
    def agreement(self) -> AgreedShare:
        """Agreement of two different judges of the same pair, over all pairs and all twos of their judges."""
        met, agreeing = pair_votes_of(self.basis.snapshot).agreement_with_others
        twos = int(met.sum()) // 2
        return AgreedShare(twos, int(agreeing.sum()) // 2 / twos if twos else None)

    @cached_property
    def of_now(self) -> schemas.Diagnostics:
        """Everything but failures and the history. Raises TooMany."""
        model, covariance = self.basis.snapshot.model, self.basis.snapshot.posterior.covariance
        if not covariance.has_matrix:
            raise TooMany(f"diagnostics compare every two candidates, and {model.n:,} candidates are too many")
        return _diagnostics(self)


async def read(ctx: Context, set_id: UUID) -> schemas.Diagnostics:
    """Diagnostics of the log at one version; failures, which are no part of it, as of now.

    Raises UnknownSet, SetDeleted, StillComputing.
    """
    found_set = await results.find(ctx, set_id)
    diagnostics, newer_version = await results.read(ctx, found_set, "diagnostics", _diagnose)
    judges = with_failures(diagnostics.judges, await failures_of(ctx, set_id))
    return diagnostics.model_copy(update={"judges": judges, "newer_version": newer_version})


async def failures_of(ctx: Context, set_id: UUID) -> Failures:
    """Counts of each kind, by the judge's name."""
    async with ctx.reading() as db:
        by_id = await assignments.failures(db, set_id)
        names = await judges.names(db, by_id) if by_id else {}
    return {names[judge]: failures for judge, failures in by_id.items()}


def _diagnose(basis: Basis, report: Report) -> schemas.Diagnostics:
    """Everything but failures. Raises TooMany."""
    return Facts(basis).of_now.model_copy(update={"history": _history(basis)})


def _history(basis: Basis) -> list[schemas.Moment]:
    """About what is ranked now, fewer moments of more candidates; its end is the ranking."""
    snapshot, target, size = basis.snapshot, basis.target().name, basis.snapshot.comparisons.size
    is_ranked = basis.published_for(target).posterior.convergence.converged

    def ranked_after(count: int) -> Quantity | None:
        if count < size:
            return quantity_after(snapshot, count, basis.sought(target))
        return basis.ranked(target) if is_ranked else None

    few = max(REFITTED // max(snapshot.model.n, 1), 2)
    moments = MOMENTS if target == "latent" else min(MOMENTS, few)
    seqs, history = snapshot.log.entries.seq, ranking_history(size, moments, ranked_after, basis.pairs_of)
    return [schemas.Moment(version=int(seqs[each.comparisons - 1]), **each._asdict()) for each in history]


def _diagnostics(facts: Facts) -> schemas.Diagnostics:
    """Diagnostics without failures and history."""
    basis, of_log = facts.basis, facts.of_log
    judged, snapshot = basis.judged, basis.snapshot
    return schemas.Diagnostics(
        set_id=basis.row.id,
        version=snapshot.version,
        comparisons=judged.rows,
        components=of_log.components,
        cycles=schemas.Cycles(**of_log.cycles._asdict()),
        repeats=schemas.Repeats(
            same_order=present_agreement(of_log.repeats.same_order),
            swapped=present_agreement(of_log.repeats.swapped),
            first_both=of_log.repeats.first_both,
            second_both=of_log.repeats.second_both,
        ),
        agreement=present_agreement(facts.agreement),
        order_balance=schemas.OrderBalance(
            worst=of_log.order_balance.worst,
            mixed=of_log.order_balance.mixed,
            first_picked=of_log.order_balance.first_picked,
        ),
        position_bias=biases_by_name(basis.biases, judged.judges),
        judges={
            name: _judge(take(judged.verdicts, judged.verdicts.judge == number))
            for number, name in enumerate(judged.judges)
        },
        held_out=basis.tested,
        history=[],
    )


def _judge(comparisons: Comparisons) -> schemas.JudgeDiagnostics:
    """The closed form of soft-bt's bias is the logit of the mean p: infinite of who only ever names one position."""
    mean = float(np.average(comparisons.p, weights=comparisons.weight)) if comparisons.size else None
    return schemas.JudgeDiagnostics(
        comparisons=comparisons.size,
        failures={},
        failure_rate=None,
        first_picked=mean,
        delta=float(logit(mean)) if mean is not None and 0.0 < mean < 1.0 else None,
    )


def with_failures(
    judges: Mapping[str, schemas.JudgeDiagnostics], failures: Failures
) -> dict[str, schemas.JudgeDiagnostics]:
    """Figures of each judge by its name, also of those who only failed."""
    silent = {name: _judge(no_comparisons()) for name in failures if name not in judges}
    return {name: _with_failures(judge, failures.get(name, {})) for name, judge in {**judges, **silent}.items()}


def _with_failures(judge: schemas.JudgeDiagnostics, failures: Mapping[str, int]) -> schemas.JudgeDiagnostics:
    failed = sum(failures.values())
    rate = failed / (judge.comparisons + failed) if judge.comparisons + failed else None
    return judge.model_copy(update={"failures": dict(failures), "failure_rate": rate})
