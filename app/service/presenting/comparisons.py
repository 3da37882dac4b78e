"""Entries of the log."""

from nextpair import schemas

from app.storage.assignments import LockedAssignment
from app.storage.comparisons import NewVote
from app.storage.schema import Record


def present_comparison(row: Record) -> schemas.Comparison:
    return schemas.Comparison(
        seq=row.seq, set_id=row.set_id, item=row.item or None, first=row.first, second=row.second,
        p_first=row.p_first, winner=row.winner, weight=row.weight, judge=row.judge, client_id=row.client_id,
        assignment_id=row.assignment_id, late=row.late, label_mass=row.label_mass, latency_ms=row.latency_ms,
        raw=row.raw, created_at=row.created_at, voided_by=row.voided_by, void_reason=row.void_reason,
        restores=row.restores, order_chance=row.order_chance,
    )  # fmt: skip


def present_verdict(vote: NewVote, seq: int, assignment: LockedAssignment) -> schemas.Comparison:
    """The comparison that a verdict has just become."""
    return schemas.Comparison(
        seq=seq, set_id=vote.set_id, item=assignment.item or None, first=assignment.first_key,
        second=assignment.second_key, p_first=vote.p_first, winner=vote.winner, weight=1.0, judge=assignment.judge,
        client_id=None, assignment_id=vote.assignment_id, late=vote.late, label_mass=vote.label_mass,
        latency_ms=vote.latency_ms, raw=vote.raw, created_at=vote.created_at, voided_by=None,
        restores=None, void_reason=None, order_chance=vote.order_chance,
    )  # fmt: skip
