"""Diagnostics of a log: cycles, repeats, agreement, and each judge's failures and bias."""

from collections.abc import Mapping, Sequence

import numpy as np
from nextpair import schemas

from app.inference.reporting import Agreement, Bias, LogDiagnostics, Moment, closed_form
from app.inference.state import raw
from app.inference.types import Comparisons, no_comparisons, take
from app.service.basis import Basis
from app.service.presenting.rankings import present_biases


def present_diagnostics(
    basis: Basis,
    failures: Mapping[int, Mapping[str, int]],
    of_log: LogDiagnostics,
    biases: Sequence[Bias],
    history: Sequence[Moment],
) -> schemas.Diagnostics:
    """`failures` are by judge id: how often each kind."""
    snapshot, repeats, balance = basis.snapshot, of_log.repeats, of_log.order_balance
    seqs = snapshot.log.entries.seq
    return schemas.Diagnostics(
        set_id=basis.row.id,
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
        position_bias=present_biases(biases, snapshot, basis.names),
        judges=_judges(basis, failures),
        held_out=basis.tested,
        history=[schemas.Moment(version=int(seqs[each.comparisons - 1]), **each._asdict()) for each in history],
    )


def present_agreement(agreement: Agreement) -> schemas.Agreement:
    return schemas.Agreement(pairs=agreement.pairs, share=agreement.share)


def _judges(basis: Basis, failures: Mapping[int, Mapping[str, int]]) -> dict[str, schemas.JudgeDiagnostics]:
    """Figures of each judge by its name, also of those who only failed."""
    comparisons, ids = raw(basis.snapshot), basis.snapshot.evidence.judges.tolist()
    by_id = {judge: take(comparisons, comparisons.judge == number) for number, judge in enumerate(ids)}
    return {
        basis.names[judge]: _judge(by_id.get(judge, no_comparisons()), failures.get(judge, {}))
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
