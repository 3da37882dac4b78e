"""Calibration: a judge's probabilities against what others said of the same pairs."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import ObjectiveName

from app.inference.reporting import CalibrationObjective, held_against, temperature
from app.inference.state import Snapshot, raw
from app.service import posteriors
from app.service.context import Context, existing_judges, existing_set
from app.service.errors import InvalidRequest
from app.service.presenting.calibration import present_calibration

NOBODY = -1


async def read(
    ctx: Context, set_id: UUID, judge: str, reference: Sequence[str], objective: ObjectiveName
) -> schemas.Calibration:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest."""
    async with ctx.reading() as db:
        row = await existing_set(db, set_id)
        if judge in reference:
            raise InvalidRequest(f"judge {judge!r} is among the references; name other judges to hold it against.")
        ids = await existing_judges(db, [judge, *reference])
        _, snapshot = await posteriors.current(ctx, db, row)
    return await ctx.live.compute(_calibration, set_id, snapshot, ids, judge, reference, objective)


def _calibration(
    set_id: UUID,
    snapshot: Snapshot,
    ids: dict[str, int],
    judge: str,
    reference: Sequence[str],
    name: ObjectiveName,
) -> schemas.Calibration:
    judges, objective = snapshot.evidence.judges, CalibrationObjective(name)
    numbers = {judge_id: number for number, judge_id in enumerate(judges.tolist())}
    references = np.isin(judges, [ids[name] for name in reference])
    verdicts = held_against(raw(snapshot), snapshot.log.entries.item, numbers.get(ids[judge], NOBODY), references)
    fit = temperature(verdicts.p, verdicts.outcome, objective)
    return present_calibration(set_id, snapshot.version, judge, reference, objective, fit, verdicts)
