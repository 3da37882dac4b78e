"""What a log looks like before anyone believes its ranking."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np
from nextpair import schemas

from app.inference import graph
from app.inference import state as snapshots
from app.inference.fitting import posterior
from app.inference.fitting.posterior import Scores, scores
from app.inference.reporting import bias, diagnostics
from app.inference.reporting.diagnostics import Repeats
from app.inference.reporting.ranking import entropy
from app.inference.state import Snapshot
from app.inference.types import Comparisons, no_comparisons, take
from app.service.basis import Basis, read_basis
from app.service.context import Context, existing_set
from app.service.presenting.diagnostics import present_agreement
from app.service.presenting.rankings import present_biases
from app.storage import assignments

MOMENTS = 12  # of the history
Failures = Mapping[int, Mapping[str, int]]  # by judge id


@dataclass(frozen=True)
class Facts:
    """What diagnostics are made of."""

    basis: Basis
    failures: Failures

    @cached_property
    def repeats(self) -> Repeats:
        """What each judge said again."""
        snapshot = self.basis.snapshot
        return diagnostics.repeats(snapshots.raw(snapshot), snapshot.model.n, snapshot.log.entries.item)


async def read(ctx: Context, set_id: UUID) -> schemas.Diagnostics:
    """Raises UnknownSet, SetDeleted."""
    return await ctx.live.compute(diagnose, await gather(ctx, set_id))


async def gather(ctx: Context, set_id: UUID) -> Facts:
    """Raises UnknownSet, SetDeleted."""
    async with ctx.engine.connect() as db:
        row = await existing_set(db, set_id)
        failures = await assignments.failures(db, set_id)
        return Facts(await read_basis(ctx, db, row, others=failures), failures)


def diagnose(facts: Facts) -> schemas.Diagnostics:
    snapshot, names = facts.basis.snapshot, facts.basis.names
    raw, n, item = snapshots.raw(snapshot), snapshot.model.n, snapshot.log.entries.item
    repeats, balance = facts.repeats, diagnostics.order_balance(raw, n)
    return schemas.Diagnostics(
        set_id=facts.basis.row.id,
        version=snapshot.version,
        comparisons=raw.size,
        components=int(graph.components(raw, n).max(initial=-1)) + 1,
        cycles=schemas.Cycles(**diagnostics.cycles(raw, n)._asdict()),
        repeats=schemas.Repeats(
            same_order=present_agreement(repeats.same_order),
            swapped=present_agreement(repeats.swapped),
            first_both=repeats.first_both,
            second_both=repeats.second_both,
        ),
        agreement=present_agreement(diagnostics.agreement(raw, n, item)),
        order_balance=schemas.OrderBalance(worst=balance.worst, mixed=balance.mixed, first_picked=balance.first_picked),
        position_bias=present_biases(snapshots.biases(snapshot), snapshot, names),
        judges=_judges(raw, snapshot, facts.failures, names),
        held_out=facts.basis.tested,
        history=_history(snapshot),
    )


def _judges(
    raw: Comparisons, snapshot: Snapshot, failures: Failures, names: Mapping[int, str]
) -> dict[str, schemas.JudgeDiagnostics]:
    ids = snapshot.evidence.judges.tolist()
    said, nothing = {judge: take(raw, raw.judge == number) for number, judge in enumerate(ids)}, no_comparisons()
    return {
        names[judge]: _judge(said.get(judge, nothing), failures.get(judge, {})) for judge in sorted({*ids, *failures})
    }


def _judge(said: Comparisons, failed: Mapping[str, int]) -> schemas.JudgeDiagnostics:
    count, asked = said.size, said.size + sum(failed.values())
    closed = bias.closed_form(said.p, said.weight) if count else None
    return schemas.JudgeDiagnostics.model_validate(
        {
            "comparisons": count,
            "failures": failed,
            "failure_rate": sum(failed.values()) / asked if asked else None,
            "first_picked": closed.beta if closed else None,
            "delta": closed.delta if closed and np.isfinite(closed.delta) else None,
        }
    )


def _history(snapshot: Snapshot) -> list[schemas.Moment]:
    """Refitted at evenly spaced versions, up to the present one."""
    counts = np.unique(np.ceil(np.linspace(0.0, snapshot.comparisons.size, MOMENTS + 1)))[1:].astype(int)
    moments = [_marginal(snapshot, int(count)) for count in counts]
    drift = diagnostics.rank_correlations_with_last([moment.mean for moment in moments])
    seqs = snapshot.log.entries.seq
    return [
        schemas.Moment(
            version=int(seqs[count - 1]),
            comparisons=int(count),
            entropy=entropy(moment.covariance),
            rank_correlation=correlation,
        )
        for count, moment, correlation in zip(counts, moments, drift, strict=True)
    ]


def _marginal(snapshot: Snapshot, count: int) -> Scores:
    comparisons = take(snapshot.comparisons, slice(count))
    return scores(posterior.fit(comparisons, snapshot.model), comparisons, snapshot.model)
