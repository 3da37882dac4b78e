"""What the sets of a pool tell each other, judges by their ids."""

from collections.abc import Iterable, Sequence

from app.inference.fitting.closed_form import build_for
from app.inference.fitting.pooling import Told, evidence_apart
from app.inference.state.evidence import Interpretation, interpret
from app.inference.state.log import Log, judges_of, without


def told_by(log: Log, voided: Iterable[int], interpretation: Interpretation, n: int) -> Sequence[Told]:
    """What a log of n candidates says by itself, `voided` being the sequence numbers that no longer count."""
    counted = without(log, list(voided))
    judges = judges_of(counted)
    comparisons = interpret(counted, interpretation, judges).comparisons
    model = build_for(interpretation.method, n, comparisons, len(judges))
    return evidence_apart(comparisons, counted.entries.item, model, judges)
