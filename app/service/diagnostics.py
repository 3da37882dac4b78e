"""What a log looks like before anyone believes its ranking."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np
from nextpair import schemas

from app.inference.reporting import LogDiagnostics, closed_form, ranking_history
from app.inference.reporting import diagnose as diagnose_log
from app.inference.state import Snapshot, biases, raw
from app.inference.types import Comparisons, no_comparisons, take
from app.service.basis import Basis, read_basis
from app.service.context import Context, existing_set
from app.service.presenting.diagnostics import present_agreement
from app.service.presenting.rankings import present_biases
from app.storage import assignments

Failures = Mapping[int, Mapping[str, int]]  # by judge id


@dataclass(frozen=True)
class Facts:
    """What diagnostics are made of."""

    basis: Basis
    failures: Failures

    @cached_property
    def of_log(self) -> LogDiagnostics:
        """What the log alone says about its judges."""
        snapshot = self.basis.snapshot
        return diagnose_log(raw(snapshot), snapshot.model.n, snapshot.log.entries.item)


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
    snapshot, names, of_log = facts.basis.snapshot, facts.basis.names, facts.of_log
    repeats, balance = of_log.repeats, of_log.order_balance
    return schemas.Diagnostics(
        set_id=facts.basis.row.id,
        version=snapshot.version,
        comparisons=snapshot.comparisons.size,
        components=of_log.components,
        cycles=schemas.Cycles(**of_log.cycles._asdict()),
        repeats=schemas.Repeats(
            same_order=present_agreement(repeats.same_order),
            swapped=present_agreement(repeats.swapped),
            first_both=repeats.first_both,
            second_both=repeats.second_both,
        ),
        agreement=present_agreement(of_log.agreement),
        order_balance=schemas.OrderBalance(worst=balance.worst, mixed=balance.mixed, first_picked=balance.first_picked),
        position_bias=present_biases(biases(snapshot), snapshot, names),
        judges=_judges(raw(snapshot), snapshot, facts.failures, names),
        held_out=facts.basis.tested,
        history=_history(snapshot),
    )


def _judges(
    comparisons: Comparisons, snapshot: Snapshot, failures: Failures, names: Mapping[int, str]
) -> dict[str, schemas.JudgeDiagnostics]:
    ids = snapshot.evidence.judges.tolist()
    by_id = {judge: take(comparisons, comparisons.judge == number) for number, judge in enumerate(ids)}
    return {
        names[judge]: _judge(by_id.get(judge, no_comparisons()), failures.get(judge, {}))
        for judge in sorted({*ids, *failures})
    }


def _judge(comparisons: Comparisons, failures: Mapping[str, int]) -> schemas.JudgeDiagnostics:
    count, failed = comparisons.size, sum(failures.values())
    closed = closed_form(comparisons.p, comparisons.weight) if count else None
    return schemas.JudgeDiagnostics.model_validate(
        {
            "comparisons": count,
            "failures": failures,
            "failure_rate": failed / (count + failed) if count + failed else None,
            "first_picked": closed.beta if closed else None,
            "delta": closed.delta if closed and np.isfinite(closed.delta) else None,
        }
    )


def _history(snapshot: Snapshot) -> list[schemas.Moment]:
    seqs = snapshot.log.entries.seq
    return [
        schemas.Moment(version=int(seqs[moment.comparisons - 1]), **moment._asdict())
        for moment in ranking_history(snapshot.comparisons, snapshot.model)
    ]
