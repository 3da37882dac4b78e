"""Is a judge as sure as it may be? Its probabilities against what others said of the same pairs."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from sqlalchemy.ext.asyncio import AsyncConnection

from app import plots, schemas
from app.inference import calibration
from app.inference.calibration import Errors, Objective
from app.inference.types import Floats
from app.service.context import Context, existing_set
from app.service.errors import InvalidRequest, UnknownJudge
from app.storage import comparisons, judges
from app.words import ObjectiveName


async def read(
    ctx: Context, db: AsyncConnection, set_id: UUID, judge: str, reference: Sequence[str], objective: ObjectiveName
) -> schemas.Calibration:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest."""
    row = await existing_set(db, set_id)
    if judge in reference:
        raise InvalidRequest(f"judge {judge!r} is among the references; name other judges to hold it against.")
    await _require(db, [judge, *reference])
    rows = await comparisons.judged_by_both(db, set_id, judge, reference)
    said, truth = np.array([(r.p_first, r.truth) for r in rows], np.float64).reshape(-1, 2).T
    outcome = 0.5 + 0.5 * np.sign(np.round(truth - 0.5, 9))
    found = await ctx.live.compute(calibration.temperature, said, outcome, Objective(objective))
    return schemas.Calibration(
        set_id=set_id,
        version=row.version,
        judge=judge,
        reference=list(reference),
        objective=objective,
        verdicts=found.verdicts,
        temperature=found.temperature,
        at_bound=found.at_bound,
        before=_errors(found.before),
        after=_errors(found.after),
        reliability=_bins(said, outcome),
        reliability_after=_bins(calibration.tempered(said, found.temperature), outcome),
    )


def draw(found: schemas.Calibration, form: plots.Form) -> bytes:
    """The reliability diagram."""
    tables = (("as said", found.reliability), (f"temperature {found.temperature:.2f}", found.reliability_after))
    curves = [plots.Curve(name, [b.confidence for b in bins], [b.accuracy for b in bins]) for name, bins in tables]
    return plots.reliability(curves, f"{found.judge} against {', '.join(found.reference)}", form)


async def _require(db: AsyncConnection, names: Sequence[str]) -> None:
    known = await judges.find(db, names)
    if missing := [name for name in names if name not in known]:
        raise UnknownJudge(f"There is no judge {missing[0]!r}; a judge appears with its first verdict.")


def _errors(found: Errors) -> schemas.CalibrationErrors:
    return schemas.CalibrationErrors(log_loss=found.log_loss, ece=found.ece)


def _bins(p: Floats, outcome: Floats) -> list[schemas.ReliabilityBin]:
    table = calibration.reliability(p, outcome)
    names, rows = table._fields, zip(*(column.tolist() for column in table), strict=True)
    return [schemas.ReliabilityBin(**dict(zip(names, row, strict=True))) for row in rows]
