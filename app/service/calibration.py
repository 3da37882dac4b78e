"""Is a judge as sure as it may be? Its probabilities against what others said of the same pairs."""

from collections import deque
from collections.abc import Sequence
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import ObjectiveName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.files import plots
from app.inference.reporting import calibration
from app.inference.reporting.calibration import CalibrationErrors, Objective
from app.inference.types import Floats
from app.service.context import Context, existing_set
from app.service.errors import InvalidRequest, UnknownJudge
from app.storage import comparisons, judges
from app.storage.schema import Record


async def read(
    ctx: Context, db: AsyncConnection, set_id: UUID, judge: str, reference: Sequence[str], objective: ObjectiveName
) -> schemas.Calibration:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest."""
    row = await existing_set(db, set_id)
    if judge in reference:
        raise InvalidRequest(f"judge {judge!r} is among the references; name other judges to hold it against.")
    await _require(db, [judge, *reference])
    rows = await comparisons.judged_by_both(db, set_id, judge, reference)
    return await ctx.live.compute(_calibration, row, judge, reference, Objective(objective), rows)


def draw(found: schemas.Calibration, form: plots.Form) -> bytes:
    """The reliability diagram."""
    tables = (("as said", found.reliability), (f"temperature {found.temperature:.2f}", found.reliability_after))
    curves = [plots.Curve(name, [b.confidence for b in bins], [b.accuracy for b in bins]) for name, bins in tables]
    return plots.reliability(curves, f"{found.judge} against {', '.join(found.reference)}", form)


def _calibration(
    row: Record, judge: str, reference: Sequence[str], objective: Objective, rows: Sequence[Record]
) -> schemas.Calibration:
    p, truth = _by_pair(rows)
    outcome = 0.5 + 0.5 * np.sign(np.round(truth - 0.5, 9))
    found = calibration.temperature(p, outcome, objective)
    return schemas.Calibration(
        set_id=row.id,
        version=row.version,
        judge=judge,
        reference=list(reference),
        objective=objective.value,
        verdicts=found.verdicts,
        temperature=found.temperature,
        at_bound=found.at_bound,
        before=_errors(found.before),
        after=_errors(found.after),
        reliability=_bins(calibration.debiased(p, 1.0), outcome),
        reliability_after=_bins(calibration.debiased(p, found.temperature), outcome),
    )


def _by_pair(rows: Sequence[Record]) -> tuple[Floats, Floats]:
    """What the judge says (2, K) and what the references say (K,) of the same candidate.

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


async def _require(db: AsyncConnection, names: Sequence[str]) -> None:
    known = await judges.find(db, names)
    if missing := [name for name in names if name not in known]:
        raise UnknownJudge(f"There is no judge {missing[0]!r}; a judge appears with its first verdict.")


def _errors(found: CalibrationErrors) -> schemas.CalibrationErrors:
    return schemas.CalibrationErrors(log_loss=found.log_loss, ece=found.ece)


def _bins(p: Floats, outcome: Floats) -> list[schemas.ReliabilityBin]:
    table = calibration.reliability(p, outcome)
    names, rows = table._fields, zip(*(column.tolist() for column in table), strict=True)
    return [schemas.ReliabilityBin(**dict(zip(names, row, strict=True))) for row in rows]
