"""Activity in a set: who judges now, how far each judge is, and the newest entries of the log."""

from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import existing_set
from app.storage import activity, assignments, judges
from app.storage.schema import Record


async def read(
    db: AsyncConnection, set_id: UUID, *, judge: str | None, before: int | None, limit: int
) -> schemas.Activity:
    """Raises UnknownSet, SetDeleted."""
    row = await existing_set(db, set_id)
    at_work = [schemas.AtWork.model_validate(dict(each._mapping)) for each in await activity.at_work(db, set_id)]
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
    done = (0, 0, None) if verdicts is None else (verdicts.verdicts, verdicts.last_hour, verdicts.last_at)
    return schemas.JudgeProgress.model_validate(
        {
            "judge": row.name, "kind": row.kind, "verdicts": done[0], "last_hour": done[1], "last_at": done[2],
            "failures": failures,
        }
    )  # fmt: skip


def _present(row: Record) -> schemas.LogEntry:
    is_void = row.seq != row.compared
    which = {"kind": "void", "voids": row.compared} if is_void else {"kind": "comparison", "voids": None}
    own = {"item": row.item or None, "restores": None if is_void else row.restores}
    return schemas.LogEntry.model_validate({**row._mapping, **which, **own})
