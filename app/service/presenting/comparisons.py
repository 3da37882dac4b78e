"""Entries of the log."""

from nextpair import schemas

from app.storage.assignments import LockedAssignment
from app.storage.comparisons import NewVote
from app.storage.schema import Record


def present_comparison(row: Record) -> schemas.Comparison:
    return schemas.Comparison.model_validate({**row._mapping, "item": row.item or None})


def present_verdict(vote: NewVote, seq: int, assignment: LockedAssignment) -> schemas.Comparison:
    """The comparison that a verdict has just become."""
    return schemas.Comparison(
        seq=seq, set_id=vote.set_id, item=assignment.item or None, first=assignment.first_key,
        second=assignment.second_key, p_first=vote.p_first, winner=vote.winner, weight=1.0, judge=assignment.judge,
        client_id=None, assignment_id=vote.assignment_id, late=vote.late, label_mass=vote.label_mass,
        latency_ms=vote.latency_ms, raw=vote.raw, created_at=vote.created_at, voided_by=None,
        restores=None,
    )  # fmt: skip
