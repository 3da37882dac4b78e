"""A judge's calibration: its temperature, and its errors and reliability before and after."""

from collections.abc import Sequence

from nextpair import schemas

from app.inference.reporting import Calibration, CalibrationErrors, CalibrationObjective, debiased, reliability
from app.inference.types import Floats
from app.storage.schema import Record


def present_calibration(
    row: Record,
    judge: str,
    reference: Sequence[str],
    objective: CalibrationObjective,
    fit: Calibration,
    p: Floats,
    outcome: Floats,
) -> schemas.Calibration:
    """`p` (2, K) is what the judge says in both orders, `outcome` (K,) what the references decide."""
    return schemas.Calibration(
        set_id=row.id,
        version=row.version,
        judge=judge,
        reference=list(reference),
        objective=objective.value,
        verdicts=fit.verdicts,
        temperature=fit.temperature,
        at_bound=fit.at_bound,
        before=_errors(fit.before),
        after=_errors(fit.after),
        reliability=_bins(debiased(p, 1.0), outcome),
        reliability_after=_bins(debiased(p, fit.temperature), outcome),
    )


def _errors(errors: CalibrationErrors) -> schemas.CalibrationErrors:
    return schemas.CalibrationErrors(log_loss=errors.log_loss, ece=errors.ece)


def _bins(p: Floats, outcome: Floats) -> list[schemas.ReliabilityBin]:
    table = reliability(p, outcome)
    rows = zip(*(column.tolist() for column in table), strict=True)
    return [schemas.ReliabilityBin(**dict(zip(table._fields, row, strict=True))) for row in rows]
