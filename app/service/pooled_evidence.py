"""Pooled evidence: what a set was told by the others of its pool."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import existing_set
from app.storage import judges, pooled_evidence
from app.storage.schema import Record


async def page(db: AsyncConnection, set_id: UUID, *, after: int, limit: int) -> schemas.PooledEvidencePage:
    """Raises UnknownSet, SetDeleted."""
    await existing_set(db, set_id)
    rows, has_more = await pooled_evidence.page(db, set_id, after=after, limit=limit)
    names = await judges.names(db, {int(judge) for row in rows for judge in row.value["log_noise"]})
    shown = [_present(row, names) for row in rows]
    return schemas.PooledEvidencePage(entries=shown, next_after=shown[-1].seq if has_more else None)


def _present(row: Record, names: Mapping[int, str]) -> schemas.PooledEvidence:
    noise = {names[int(judge)]: _log_normal(pair) for judge, pair in row.value["log_noise"].items()}
    fields = {"log_scale": _log_normal(row.value["log_scale"]), "log_noise": noise}
    return schemas.PooledEvidence.model_validate({**row._mapping, **fields})


def _log_normal(pair: Any) -> schemas.LogNormal:
    mean, sd = pair
    return schemas.LogNormal(mean=mean, sd=sd)
