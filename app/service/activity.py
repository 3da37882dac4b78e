"""Activity in a set: who judges now, how far each judge is, and the newest entries of the log."""

from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import existing_set
from app.service.presenting.judges import FAILURES
from app.storage import activity, assignments, judges
from app.storage.schema import Record


async def read(
    db: AsyncConnection, set_id: UUID, *, judge: str | None, before: int | None, limit: int
) -> schemas.Activity:
    """Raises UnknownSet, SetDeleted."""
    row = await existing_set(db, set_id)
    at_work = [
        schemas.AtWork(
            judge=each.judge, kind=each.kind, worker=each.worker, pairs=each.pairs, since=each.since, until=each.until
        )
        for each in await activity.at_work(db, set_id)
    ]
    entries = await activity.entries(db, set_id, judge=judge, before=before, limit=limit + 1)
    shown = [_present(entry) for entry in entries[:limit]]
    return schemas.Activity(
        set_id=set_id,
        version=row.version,
        at_work=at_work,
        judges=await _progress(db, set_id),
        entries=shown,
        next_before=shown[-1].seq if len(entries) > limit else None,
    )


async def _progress(db: AsyncConnection, set_id: UUID) -> list[schemas.JudgeProgress]:
    verdicts = await activity.progress(db, set_id)
    failures = await assignments.failures(db, set_id)
    rows = await judges.by_id(db, {*verdicts, *failures})
    progress = [_of_judge(row, verdicts.get(i), failures.get(i, {})) for i, row in rows.items()]
    return sorted(progress, key=lambda each: (-each.verdicts, each.judge))


def _of_judge(row: Record, verdicts: Record | None, failures: dict[str, int]) -> schemas.JudgeProgress:
    return schemas.JudgeProgress(
        judge=row.name,
        kind=row.kind,
        verdicts=verdicts.verdicts if verdicts else 0,
        last_hour=verdicts.last_hour if verdicts else 0,
        last_at=verdicts.last_at if verdicts else None,
        failures={kind: failures[kind] for kind in FAILURES if kind in failures},
    )


def _present(row: Record) -> schemas.LogEntry:
    is_void = row.seq != row.compared
    return schemas.LogEntry(
        seq=row.seq, kind="void" if is_void else "comparison", item=row.item or None, first=row.first,
        second=row.second, p_first=row.p_first, winner=row.winner, weight=row.weight, judge=row.judge,
        judge_kind=row.judge_kind, late=row.late, created_at=row.created_at,
        voids=row.compared if is_void else None, reason=row.reason, restores=None if is_void else row.restores,
        voided_by=row.voided_by, restored_by=row.restored_by,
    )  # fmt: skip
