"""Diagnostics of a log: cycles, repeats, agreement, and each judge's failures and bias."""

from collections.abc import Mapping, Sequence

import numpy as np
from nextpair import schemas

from app.analysis.judges import biases_by_name
from app.inference.reporting import Agreement, Bias, LogDiagnostics, Moment, closed_form
from app.inference.state import Snapshot, raw
from app.inference.types import Comparisons, no_comparisons, take
from app.service.basis import Basis

Failures = Mapping[str, Mapping[str, int]]  # how often each kind, by the judge's name


def present_diagnostics(basis: Basis, of_log: LogDiagnostics, biases: Sequence[Bias]) -> schemas.Diagnostics:
    """Diagnostics without failures and history."""
    snapshot, repeats, balance = basis.snapshot, of_log.repeats, of_log.order_balance
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
        position_bias=biases_by_name(biases, basis.judged.judges),
        judges=_judges(basis),
        held_out=basis.tested,
        history=[],
    )


def present_history(history: Sequence[Moment], snapshot: Snapshot) -> list[schemas.Moment]:
    seqs = snapshot.log.entries.seq
    return [schemas.Moment(version=int(seqs[each.comparisons - 1]), **each._asdict()) for each in history]


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


def present_agreement(agreement: Agreement) -> schemas.Agreement:
    return schemas.Agreement(pairs=agreement.pairs, share=agreement.share)


def _judges(basis: Basis) -> dict[str, schemas.JudgeDiagnostics]:
    """Figures of each judge of the log by its name."""
    comparisons, ids = raw(basis.snapshot), basis.snapshot.evidence.judges.tolist()
    return {
        basis.names[judge]: _judge(take(comparisons, comparisons.judge == number)) for number, judge in enumerate(ids)
    }


def _judge(comparisons: Comparisons) -> schemas.JudgeDiagnostics:
    closed = closed_form(comparisons.p, comparisons.weight) if comparisons.size else None
    return schemas.JudgeDiagnostics(
        comparisons=comparisons.size,
        failures={},
        failure_rate=None,
        first_picked=closed.beta if closed else None,
        delta=closed.delta if closed and np.isfinite(closed.delta) else None,
    )
