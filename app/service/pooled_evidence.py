"""Shared priors of a set, from the others of its pool (pools.py) or from elsewhere."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import Context, existing_set, locked_set
from app.storage import judges, pooled_evidence, sets
from app.storage.schema import Record


async def add(ctx: Context, db: AsyncConnection, set_id: UUID, new: schemas.PooledEvidenceIn) -> schemas.PooledEvidence:
    """Raises UnknownSet, SetDeleted."""
    await locked_set(db, set_id)
    ids = await ctx.identify(db, {*new.log_noise, *new.log_effects})
    seq = await sets.advance(db, set_id, 1, pooled_evidence=1)
    by_judge = {
        name: {str(ids[judge]): _pair(log_normal) for judge, log_normal in getattr(new, name).items()}
        for name in pooled_evidence.BY_JUDGE
    }
    value = {"log_scale": _pair(new.log_scale), **by_judge}
    created_at = datetime.now(UTC)
    row = {"set_id": set_id, "seq": seq, "pool": new.pool, "sets": new.sets, "value": value, "created_at": created_at}
    await pooled_evidence.append(db, [row])
    await sets.announce(db, [set_id])
    return schemas.PooledEvidence(
        seq=seq, set_id=set_id, pool=new.pool, sets=new.sets, log_scale=new.log_scale, log_noise=new.log_noise,
        log_effects=new.log_effects, created_at=created_at,
    )  # fmt: skip


async def page(db: AsyncConnection, set_id: UUID, *, after: int, limit: int) -> schemas.PooledEvidencePage:
    """Raises UnknownSet, SetDeleted."""
    await existing_set(db, set_id)
    rows, has_more = await pooled_evidence.page(db, set_id, after=after, limit=limit)
    shown = await _present(db, rows)
    return schemas.PooledEvidencePage(entries=shown, next_after=shown[-1].seq if has_more else None)


async def latest(db: AsyncConnection, set_id: UUID, version: int) -> schemas.PooledEvidence | None:
    """The priors that count at this version, if others shared any."""
    row = await pooled_evidence.latest(db, set_id, version)
    return (await _present(db, [row]))[0] if row else None


def _pair(log_normal: schemas.LogNormal) -> tuple[float, float]:
    return log_normal.mean, log_normal.sd


async def _present(db: AsyncConnection, rows: Sequence[Record]) -> list[schemas.PooledEvidence]:
    judge_ids = {int(judge) for row in rows for name in pooled_evidence.BY_JUDGE for judge in row.value.get(name, {})}
    names = await judges.names(db, judge_ids)
    return [_entry(row, names) for row in rows]


def _entry(row: Record, names: Mapping[int, str]) -> schemas.PooledEvidence:
    by_judge = {
        name: {names[int(judge)]: _log_normal(*pair) for judge, pair in row.value.get(name, {}).items()}
        for name in pooled_evidence.BY_JUDGE
    }
    return schemas.PooledEvidence(
        seq=row.seq, set_id=row.set_id, pool=row.pool, sets=row.sets, log_scale=_log_normal(*row.value["log_scale"]),
        log_noise=by_judge["log_noise"], log_effects=by_judge["log_effects"], created_at=row.created_at,
    )  # fmt: skip


def _log_normal(mean: float, sd: float) -> schemas.LogNormal:
    return schemas.LogNormal(mean=mean, sd=sd)
