"""Calibration: a judge's probabilities against what others said of the same pairs."""

from collections import deque
from collections.abc import Sequence
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import ObjectiveName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.reporting import CalibrationObjective, temperature
from app.inference.types import Floats
from app.service.context import Context, existing_judges, existing_set
from app.service.errors import InvalidRequest
from app.service.presenting.calibration import present_calibration
from app.storage import comparisons
from app.storage.schema import Record


async def read(
    ctx: Context, db: AsyncConnection, set_id: UUID, judge: str, reference: Sequence[str], objective: ObjectiveName
) -> schemas.Calibration:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest."""
    row = await existing_set(db, set_id)
    if judge in reference:
        raise InvalidRequest(f"judge {judge!r} is among the references; name other judges to hold it against.")
    await existing_judges(db, [judge, *reference])
    rows = await comparisons.judged_by_both(db, set_id, judge, reference)
    return await ctx.live.compute(_calibration, row, judge, reference, CalibrationObjective(objective), rows)


def _calibration(
    row: Record, judge: str, reference: Sequence[str], objective: CalibrationObjective, rows: Sequence[Record]
) -> schemas.Calibration:
    p, truth = _by_pair(rows)
    outcome = 0.5 + 0.5 * np.sign(np.round(truth - 0.5, 9))
    fit = temperature(p, outcome, objective)
    return present_calibration(row, judge, reference, objective, fit, p, outcome)


def _by_pair(rows: Sequence[Record]) -> tuple[Floats, Floats]:
    """The judge's verdicts (2, K) and the references' (K,) on the same candidate.

    An answer is coupled with the next one on its pair in the other order; one that has no such counterpart is there
    twice.
    """
    here: list[float] = []
    there: list[float] = []
    truth: list[float] = []
    alone: dict[tuple[int, int, int], deque[int]] = {}  # places in these, by item and order
    for row in rows:
        item, first, second = row.item_id, row.first, row.second
        if counterparts := alone.get((item, second, first)):
            there[counterparts.popleft()] = 1.0 - row.p_first
        else:
            alone.setdefault((item, first, second), deque()).append(len(here))
            here.append(row.p_first)
            there.append(row.p_first)
            truth.append(row.truth)
    return np.array([here, there], np.float64), np.array(truth, np.float64)
