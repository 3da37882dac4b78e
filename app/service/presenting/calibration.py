"""A judge's calibration: its temperature, and its errors and reliability before and after."""

from collections.abc import Sequence
from uuid import UUID

from nextpair import schemas

from app.inference.reporting import (
    CalibrationObjective,
    HeldAgainst,
    ProbabilityErrors,
    TemperatureFit,
    debiased,
    rejection,
    reliability,
)
from app.inference.types import Floats


def present_calibration(
    set_id: UUID,
    version: int,
    judge: str,
    reference: Sequence[str],
    objective: CalibrationObjective,
    fit: TemperatureFit,
    held: HeldAgainst,
) -> schemas.Calibration:
    p, outcome = held
    is_known = fit.verdicts > 0
    return schemas.Calibration(
        set_id=set_id,
        version=version,
        judge=judge,
        reference=list(reference),
        objective=objective.value,
        verdicts=fit.verdicts,
        temperature=fit.temperature if is_known else None,
        at_bound=fit.at_bound,
        before=_errors(fit.before) if is_known else None,
        after=_errors(fit.after) if is_known else None,
        reason=None if is_known else _without_verdicts(judge, reference),
        reliability=_bins(debiased(p, 1.0), outcome),
        reliability_after=_bins(debiased(p, fit.temperature), outcome),
        rejection=_rejection(debiased(p, 1.0), outcome),
    )


def _without_verdicts(judge: str, reference: Sequence[str]) -> str:
    return (
        f"No pair was judged by {judge} and by {' or '.join(reference)}, so its calibration is unknown: "
        "have a reference judge some of its pairs."
    )


def _errors(errors: ProbabilityErrors) -> schemas.CalibrationErrors:
    return schemas.CalibrationErrors(**errors._asdict())


def _rejection(p: Floats, outcome: Floats) -> list[schemas.Rejection]:
    rows = zip(*(column.tolist() for column in rejection(p, outcome)), strict=True)
    return [schemas.Rejection(rejected=rejected, verdicts=kept, accuracy=right) for rejected, kept, right in rows]


def _bins(p: Floats, outcome: Floats) -> list[schemas.ReliabilityBin]:
    table = reliability(p, outcome)
    rows = zip(*(column.tolist() for column in table), strict=True)
    return [schemas.ReliabilityBin(**dict(zip(table._fields, row, strict=True))) for row in rows]
